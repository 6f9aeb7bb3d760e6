"""Methods that an interface no longer declares, although it takes others from types outside of the repository. Pure.

Such a type is not known in full. But what it declared itself it did not have from them: both at once is allowed in
Go, and done for a handful of small interfaces, whose methods are left alone.
"""

from __future__ import annotations

from functools import lru_cache

from guildmoot.agents.members.typed.model import MemberAsk, Written
from guildmoot.agents.members.typed.repository import RepositoryTypes

_OFTEN_TWICE = frozenset(
    (
        *("Read", "Write", "Close", "Seek", "ReadFrom", "WriteTo", "WriteString", "Flush"),
        *("Header", "WriteHeader", "Hijack", "Push", "ServeHTTP", "RoundTrip", "Context"),
        *("String", "Error", "Unwrap", "Lock", "Unlock", "Len", "Less", "Swap", "Name", "Reset"),
        *("Deadline", "Done", "Err", "Value", "Scan", "MarshalJSON", "UnmarshalJSON"),
    )
)


def is_disowned(
    ask: MemberAsk, written: Written, then: RepositoryTypes, now: RepositoryTypes
) -> bool:
    """Whether the type declared the method, does not any more, and takes from no other type than before."""
    had, has = (_all_own(written, types) for types in (then, now))
    if had is None or has is None or ask.name in _OFTEN_TWICE:
        return False
    names, outside = has
    return ask.name in had[0] and ask.name not in names and outside <= had[1]


@lru_cache(maxsize=4096)
def _all_own(written: Written, types: RepositoryTypes) -> tuple[set[str], set[str]] | None:
    """Of a type that many ask for something."""
    return _own(written, types, set())


def _own(
    written: Written, types: RepositoryTypes, seen: set[Written]
) -> tuple[set[str], set[str]] | None:
    """What the files of the repository declare for a type, and the types outside it takes from."""
    declared = [] if written in seen else types.declared(written)
    names, outside = set[str](), set[str]()
    if not declared and written not in seen:
        outside.add(written.name)
    seen.add(written)
    for home, shape in declared:
        if shape.open or not shape.alone:
            return None
        names |= shape.members.keys()
        for each in shape.takes:
            more = _own(Written(each, home), types, seen)
            if more is None:
                return None
            names |= more[0]
            outside |= more[1]
    return names, outside
