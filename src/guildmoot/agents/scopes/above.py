"""What the types above a class give to it, for languages that read it by a name alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from guildmoot.agents.scopes.names import Use
from guildmoot.named import NamedTuple

RECEIVER = "(receiver)"
"""Stands among the types above where something unknown is asked by whatever stands alone."""
_DEEP = 8


class DeclaringFile(NamedTuple):
    """What a file gives to others."""

    package: str
    tops: frozenset[str]
    types: dict[str, frozenset[str]]
    """The members of each type."""
    supers: dict[str, tuple[str, ...]]
    members: frozenset[str]
    """Of all its types, and what extends others."""


Homes = Callable[[str], Iterable[DeclaringFile]]
"""The files that declare a type, which may be named by those around it: ``Outer.Inner``."""


def is_inherited(name: str, supers: Iterable[str], homes: Homes, deep: int = _DEEP) -> bool | None:
    """Whether a type above declares it; None where one of them lies elsewhere."""
    unknown = False
    for owner in dict.fromkeys(supers):
        found = list(homes(owner)) if deep else []
        unknown = unknown or not found
        for home in found:
            last = owner.rpartition(".")[2]
            if name in home.types.get(last, ()):
                return True
            above = is_inherited(name, home.supers.get(last, ()), homes, deep - 1)
            if above:
                return True
            unknown = unknown or above is None
    return None if unknown else False


def has_new_type_from_afar(supers: Iterable[str], homes: Homes, past: str) -> bool:
    """Whether a type above that the file did not know before lies elsewhere: nobody can say what it gives."""
    new = (owner for owner in supers if owner != RECEIVER and owner not in past)
    return any(not list(homes(owner)) for owner in new)


def is_received(
    use: Use, files: Iterable[DeclaringFile], homes: Homes, is_asked: Callable[[], bool]
) -> bool:
    """Whether a type above, or an unknown receiver, may have what these files declare.

    ``is_asked`` tells whether something is asked for such a member, which then may be of a type from elsewhere.
    """
    name, received = use.name, RECEIVER in use.supers
    inherited = is_inherited(name, (each for each in use.supers if each != RECEIVER), homes)
    if inherited or (inherited is False and not received):
        return bool(inherited)
    owners = [
        each.supers.get(of, ()) for each in files for of, held in each.types.items() if name in held
    ]
    if received and owners:
        return True
    if owners:  # what another type has is of a type from afar only if it stands below one, too
        return any(is_inherited("", supers, homes) is None for supers in owners)
    return any(name in each.members for each in files) or is_asked()
