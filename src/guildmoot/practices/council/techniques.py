"""Techniques of a brainstorm: lenses that a judge must look through before it thinks freely.

``scamper`` has seven lenses, ``six-hats`` six hats that all wear or that are split among the judges,
``reverse`` one question asked the wrong way round. What a technique brings is told by lens in the report.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from guildmoot.errors import UsageError


class Lens(NamedTuple):
    """One way to look."""

    name: str
    ask: str
    """What to look for, for the judge."""


class Technique(NamedTuple):
    """A named set of lenses, and what is asked around them."""

    name: str
    lead: str
    lenses: tuple[Lens, ...]
    close: str


_SCAMPER = Technique(
    "scamper",
    "Go through these lenses in turn. Each must bring at least one concrete idea:",
    (
        Lens("Substitute", "which part, material, rule or tool could be replaced by another?"),
        Lens("Combine", "what could be merged, or done in one step with something else?"),
        Lens("Adapt", "who has solved something like it, and what could be taken over?"),
        Lens("Modify", "what could be larger, smaller, faster, rarer, or shaped differently?"),
        Lens("Put to other use", "what else could it serve, or what else could serve here?"),
        Lens("Eliminate", "what could go without being missed?"),
        Lens("Reverse", "what if the order, the direction or the roles were turned round?"),
    ),
    "Then make options of the three ideas that are most feasible and would change most.",
)
_SIX_HATS = Technique(
    "six-hats",
    "Put on each of these hats in turn, and say what only that hat sees:",
    (
        Lens("White hat", "facts: what is known, what is not, what would have to be measured?"),
        Lens("Red hat", "feeling: what will people like, fear or resent, reasons aside?"),
        Lens("Black hat", "caution: what can go wrong, and where does it not fit?"),
        Lens("Yellow hat", "benefit: what is the best that could come of it, and for whom?"),
        Lens("Green hat", "creativity: what else is possible that nobody has named?"),
        Lens("Blue hat", "process: in which order should this be decided, and by whom?"),
    ),
    "Then make options of what you saw, and name in your recommendation the hat that mattered most.",
)
_REVERSE = Technique(
    "reverse",
    "Ask the opposite first. One lens, two passes:",
    (
        Lens("Ways to make it worse", "name at least five, as concrete as sabotage would be."),
        Lens("Inverted", "turn each of them round into something that could really be done."),
    ),
    "Then make options of the inverted ones that are worth doing.",
)
TECHNIQUES: dict[str, Technique] = {each.name: each for each in (_SCAMPER, _SIX_HATS, _REVERSE)}


def technique_of(name: str) -> Technique | None:
    """The technique of this name in any case; None for an empty one. Raises UsageError otherwise."""
    if not name:
        return None
    found = TECHNIQUES.get(name.casefold())
    if found is None:
        raise UsageError(
            f"there is no brainstorm technique {name!r}", f"Known are {', '.join(TECHNIQUES)}."
        )
    return found


def lenses_for(technique: Technique, judges: int, hats: str) -> tuple[tuple[Lens, ...], ...]:
    """The lenses of each judge: all of them, or with split hats every hat on at least one head.

    More judges than hats share them in turn; fewer wear several.
    """
    lenses = technique.lenses
    if technique.name != "six-hats" or hats != "split":
        return (lenses,) * judges
    if judges >= len(lenses):
        return tuple((lenses[number % len(lenses)],) for number in range(judges))
    return tuple(lenses[number::judges] for number in range(judges))


def instruction(technique: Technique, lenses: Sequence[Lens]) -> str:
    """What a judge is told before the ordinary question."""
    listed = "\n".join(f"- {lens.name}: {lens.ask}" for lens in lenses)
    return (
        f"\nUse the technique {technique.name}. {technique.lead}\n{listed}\n{technique.close}\n"
        "After that, think freely: add what the technique did not bring up.\n"
    )
