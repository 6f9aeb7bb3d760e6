"""Changes to real source that break it or do not, one small function each, chosen by a seed.

A mutator takes a file and a random generator and gives the text after the change, or None where the file
offers no place for it. Whatever claims to make a file unparsable or a name undefined makes sure of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import NamedTuple

Mutator = Callable[[str, Random], str | None]
"""The text after the change."""

UNPARSABLE, UNDEFINED = "syntax broken", ("import removed", "name changed in one place")
BREAKING = (
    *(UNPARSABLE, *UNDEFINED, "attribute changed in one place"),
    *("argument dropped", "argument reordered", "return removed", "condition inverted"),
    *("exception swallowed", "resource not closed", "SQL built from input"),
    *("shell built from input", "secret added"),
)
RISKS = BREAKING[-4:]
"""What is careless rather than wrong, and so only where the code is used."""
HARMLESS = ("comment", "format", "rename everywhere", "new function", "dependency bump")


class Mutation(NamedTuple):
    """One change of one file."""

    package: str
    path: str
    language: str
    kind: str
    before: str
    after: str

    @property
    def breaks(self) -> bool:
        return self.kind in BREAKING

    @property
    def certain(self) -> bool:
        """It makes a file unparsable or a name undefined."""
        return self.kind == UNPARSABLE or self.kind in UNDEFINED


def mutators_of(language: str) -> Mapping[str, Mutator]:
    """What can be done to a file of that language, by kind."""
    from benchmarks.mutations import general, python, script

    if language == "Python":
        return python.MUTATORS
    if language in ("JavaScript", "TypeScript"):
        return script.MUTATORS
    return general.mutators_of(language)


def typo(name: str, taken: set[str], rng: Random) -> str | None:
    """A name as a slip of the hand gives it, which nobody else has."""
    for _ in range(8):
        at = rng.randrange(1, len(name))
        ways = (name[:at] + name[at + 1 :], name[:at] + name[at - 1] + name[at:], f"{name}s")
        new = rng.choice(ways)
        if new != name and new.isidentifier() and new not in taken:
            return new
    return None
