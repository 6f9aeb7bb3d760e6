"""What a file of such a language declares and calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from guildmoot.agents.members.fit import Takes
from guildmoot.named import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node


class SoleForm(NamedTuple):
    """What one function takes; names of all its parameters where a call may give them by name."""

    takes: Takes
    needed: frozenset[str] = frozenset()
    """Parameters that can be given by their name alone, and must be."""
    open: bool = False
    """It takes any others by name."""
    apart: bool = False
    """Its names are of parameters that have no place."""
    bundles: bool = False
    """What is given by name is one value to it, as a hash is in Ruby."""


class SoleCall(NamedTuple):
    """One call."""

    name: str
    """A class, where one is made."""
    owner: str
    """What stands before it, as it is written; empty where the file calls its own."""
    line: int
    given: int
    named: frozenset[str] = frozenset()


class SoleFile(NamedTuple):
    """One file."""

    forms: Mapping[str, Sequence[SoleForm | None]]
    """All declarations of a name; None where one may take anything."""
    calls: Sequence[SoleCall]


class SoleLanguage(NamedTuple):
    """How one language is read."""

    name: str
    ending: str
    read: Callable[[Node], SoleFile]
    may_be_other: Callable[[str, str], bool]
    """Whether a text may declare the name in another way, so that it is not the only one."""
    is_common: Callable[[str], bool]
    """Whether types that are not of the repository are likely to have such a member."""


def is_fit(call: SoleCall, form: SoleForm) -> bool:
    """Whether the function takes what it is given."""
    takes, given = form.takes, call.given
    if form.bundles:
        return takes.least <= given - max(len(call.named) - 1, 0) <= takes.most
    if not form.open and any(name not in takes.names for name in call.named):
        return False
    if form.apart:
        given -= len(call.named)
    return form.needed <= call.named and takes.least <= given <= takes.most
