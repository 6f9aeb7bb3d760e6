"""Groups short texts that mean the same, whatever they are: findings, positions, options, predictions.

    weights   words as weights, rare ones count more
    likeness  how alike two notes are, and which pairs are worth comparing
    linkage   average linkage from the most alike pair downwards

The result depends on the set of notes only, never on the order they came in. How well it does, and
what it costs, is measured by ``benchmarks/judgement.py``.
"""

from __future__ import annotations

import gc
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import NamedTuple

from guildmoot.text.note import Note
from guildmoot.text.similar.likeness import Profile, likeness_graph, plain_path, profile_of
from guildmoot.text.similar.linkage import Linkage
from guildmoot.text.similar.weights import Vector, dot, total_of, weigh

THRESHOLD = 0.04
"""Least average likeness at which two groups are still joined; leaving one repository out of the data
chooses 0.037 three times, and accuracy falls off a cliff below 0.033."""
SMALL_SETS = 0.2
"""Among few notes every shared word looks rare, so fewer must be more alike: at least this over the
root of their number. Pairs in panels of two seats: precision .96 instead of .89, F1 the same."""
SOURCE_PENALTY = 0.10
"""Taken off the likeness of two notes by the same source."""


class Group(NamedTuple):
    """Notes that mean the same, by their numbers."""

    members: tuple[int, ...]
    """In the order of their content."""
    representative: int
    cohesion: float
    """Mean likeness of the members; 1 for a single one."""


def group(
    notes: Sequence[Note], *, threshold: float = THRESHOLD, penalty: float = SOURCE_PENALTY
) -> list[Group]:
    """The notes that mean the same, in the order of the content of each group's first member."""
    order = sorted(range(len(notes)), key=lambda n: (plain_path(notes[n].path), *notes[n][1:-1]))
    least = max(threshold, SMALL_SETS / math.sqrt(len(notes) or 1))
    with _uncollected():
        found = sorted(_groups([notes[n] for n in order], least, penalty))
    return [
        Group(tuple(order[n] for n in members), order[speaker], cohesion)
        for members, speaker, cohesion in found
    ]


def profiles(notes: Sequence[Note]) -> tuple[list[Profile], list[Vector]]:
    """Sorted notes reduced to what comparing needs, and their words as vectors."""
    vectors, weights = weigh(notes)
    return [profile_of(note, weight) for note, weight in zip(notes, weights, strict=True)], vectors


def twins(given: Sequence[Profile]) -> list[list[int]]:
    """Notes with the same words at the same place, which sorting has put side by side."""

    def identity(number: int) -> tuple[object, ...]:
        note = given[number]
        return note.place, note.text or number, note.quote, note.coded and note.rule

    return [list(group) for _, group in groupby(range(len(given)), key=identity)]


@contextmanager
def _uncollected() -> Iterator[None]:
    """Nothing made here is part of a cycle, and looking for one costs a sixth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _groups(notes: Sequence[Note], threshold: float, penalty: float) -> Iterator[Group]:
    given, vectors = profiles(notes)
    start = twins(given)
    firsts = [same[0] for same in start]
    edges = likeness_graph([given[n] for n in firsts], [vectors[n] for n in firsts])
    for members in Linkage(given, start, edges, threshold, penalty).run():
        yield Group(
            tuple(sorted(members)),
            _representative(members, given, vectors),
            _cohesion([vectors[number] for number in members]),
        )


def _representative(
    members: Sequence[int], given: Sequence[Profile], vectors: Sequence[Vector]
) -> int:
    """The member closest to what the *other* sources say, favouring those that say more.

    A source's own repetitions do not speak for its wording; the square root of the
    weight of its words keeps a bare headline from winning over the full account.
    """
    if len(members) <= 2:  # two are equally close to one another
        return max(members, key=lambda number: (given[number].weight, -number))
    total = total_of([vectors[number] for number in members])
    by_source: defaultdict[str, list[Vector]] = defaultdict(list)
    for number in members:
        by_source[given[number].source].append(vectors[number])
    source_total = {source: total_of(own) for source, own in by_source.items()}

    def merit(number: int) -> tuple[float, float, int]:
        vector, note = vectors[number], given[number]
        others = len(members) - len(by_source[note.source])
        shared = dot(vector, total) - dot(vector, source_total[note.source])
        central = shared / others if others else 0.0
        return central * math.sqrt(note.weight), note.weight, -number

    return max(members, key=merit)


def _cohesion(vectors: Sequence[Vector]) -> float:
    count = len(vectors)
    if count == 1:
        return 1.0
    if count == 2:
        return min(1.0, dot(vectors[0], vectors[1]))
    alike = sum(value * value for value in total_of(vectors).values()) - count
    return min(1.0, max(0.0, alike / (count * (count - 1))))
