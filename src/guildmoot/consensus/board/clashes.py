"""Which positions of a board pull apart in the words in which they ask for something, and what a position is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice

from guildmoot.consensus.board.positions import (
    BoardPosition,
    affirmed,
    remedies,
    scope_stems,
    tells_apart,
)
from guildmoot.consensus.conflicts import find_clashes
from guildmoot.text.note import Note
from guildmoot.text.opposed.lexicon import CHANGERS, GENERIC, KEEPERS, PLACERS, SETTERS, stems
from guildmoot.text.opposed.opposition import opposed

_PLAIN = GENERIC | KEEPERS | SETTERS | CHANGERS | PLACERS | {"use", "add"}
"""Words that alone say nothing of what a position is about."""
PulledPair = tuple[tuple[BoardPosition, BoardPosition], str]
"""Two positions that pull apart, and why."""


def subject(position: BoardPosition) -> frozenset[str]:
    """The words that tell what it is about, as stems."""
    return scope_stems(f"{position.scope} {position.text}") - stems(_PLAIN)


def pull_apart(a: BoardPosition, b: BoardPosition) -> bool:
    """Whether what the two ask for surely cannot both be done."""
    return any(
        found.certain
        for first in remedies(a)
        for second in remedies(b)
        if (found := opposed(first, second))
    )


def rivals(members: Iterable[BoardPosition]) -> Iterator[tuple[BoardPosition, BoardPosition]]:
    """All pairs of different engineers."""
    return (pair for pair in combinations(members, 2) if pair[0].engineer != pair[1].engineer)


def conflicts(
    positions: Sequence[BoardPosition], place: str = ""
) -> tuple[list[tuple[list[BoardPosition], str]], list[PulledPair]]:
    """Positions of one scope, or of one place, that pull apart: surely, and perhaps."""
    asked = sorted(
        (position.engineer, affirmed(position.text), place or position.scope, remedy, str(number))
        for number, position in enumerate(positions)
        for remedy in islice(remedies(position), 1 if place else None)
    )
    origin = [positions[int(number)] for *_, number in asked]
    found = find_clashes(
        [Note(path=path, title=remedy, source=who) for who, _, path, remedy, _ in asked]
    )
    sure = [
        (list(dict.fromkeys(origin[member] for member in clash.members)), clash.reason)
        for clash in found.sure
    ]
    unsure = [
        ((origin[clash.members[0]], origin[clash.members[1]]), clash.reason)
        for clash in found.unsure
    ]
    return sure, unsure


def clashes_across(positions: Sequence[BoardPosition]) -> Iterator[PulledPair]:
    """Pairs under two scopes that pull apart in their own words and are about one thing."""
    for members, why in conflicts(positions, place="the board")[0]:
        for a, b in rivals(members):
            unnamed = not (a.names_scope and b.names_scope)
            if a.scope != b.scope and pull_apart(a, b) and (unnamed or _one_subject(a, b)):
                yield (a, b), why


def _one_subject(a: BoardPosition, b: BoardPosition) -> bool:
    """Whether words that pull apart under two scopes are about one thing: not "the timeout" of two."""
    if tells_apart(a.scope, b.scope):
        return False
    found = opposed(next(remedies(a)), next(remedies(b)))
    telling = set(found.topic.split()) - stems(GENERIC) if found else set()
    if found is not None and found.axis.startswith(("do:", "company:", "class:")):
        # the act, or a word such as "all", says little alone: they share one more word
        shared = set(scope_stems(a.text) & scope_stems(b.text))
        telling = shared if len(shared) > 1 else set()
    return bool(telling or scope_stems(a.scope) & scope_stems(b.scope))
