"""Which positions of a board pull apart in the words in which they ask for something, and what a position is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice

from guildmoot.consensus.board.positions import BoardPosition, affirmed, remedies, scope_stems
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
