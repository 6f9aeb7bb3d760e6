"""How much of the earlier rounds an engineer is shown: the oldest text goes first, and a note says so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

CONTEXT = 240_000
"""Characters of earlier rounds that are shown, about 60,000 tokens."""


class Said(NamedTuple):
    """What one engineer wrote in one round, as far as it is shown."""

    round: int
    engineer: str
    text: str


class Remembered(NamedTuple):
    """What fits, and what had to go altogether."""

    said: tuple[Said, ...]
    forgotten: str = ""
    """A note on the rounds that were left out; empty when none were."""


def remember(said: Sequence[Said], budget: int) -> Remembered:
    """As much as fits, in the given order of rounds; what is cut says how much is missing.

    Whole rounds go first, the oldest before the others. In the round that must be cut, the longest
    sections give way until all are of one length, and they keep their ends: there the decisions are.
    """
    over = sum(len(each.text) for each in said) - max(budget, 0)
    if over <= 0:
        return Remembered(tuple(said))
    kept: list[Said] = []
    gone: list[Said] = []
    for _, group in groupby(said, key=lambda each: each.round):
        members = list(group)
        size = sum(len(each.text) for each in members)
        if over >= size:
            gone += members
        elif over > 0:
            kept += _cut(members, size - over)
        else:
            kept += members
        over -= size
    return Remembered(tuple(kept), _forgotten(gone, budget) if gone else "")


def _cut(members: Sequence[Said], room: int) -> list[Said]:
    level = _level([len(each.text) for each in members], room)
    return [
        each if len(each.text) <= level else each._replace(text=_end(each.text, level))
        for each in members
    ]


def _level(sizes: Iterable[int], room: int) -> int:
    """The length at which sections are cut so that together they take no more than ``room``."""
    ordered = sorted(sizes)
    for number, size in enumerate(ordered):
        share = room // (len(ordered) - number)
        if size > share:
            return share
        room -= size
    return ordered[-1] if ordered else 0


def _end(text: str, length: int) -> str:
    """The end of the text from the beginning of a line, with a note on what is missing before it."""
    start = len(text) - length
    line = text.find("\n", start)
    start = line + 1 if 0 <= line < len(text) - length // 2 else start
    return (
        f"[the first {start:,} characters were left out to fit the context; the board has them]\n"
        + (text[start:])
    )


def _forgotten(gone: Sequence[Said], budget: int) -> str:
    numbers = sorted({each.round for each in gone})
    size = sum(len(each.text) for each in gone)
    which = f"round {numbers[0]}" if len(numbers) == 1 else f"rounds {numbers[0]} to {numbers[-1]}"
    return (
        f"[{which}, {size:,} characters in all, left out to fit the context of {budget:,} characters; "
        "the board has them]"
    )
