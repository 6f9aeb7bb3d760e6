"""Groups short texts that mean the same, whatever they are: findings, positions, options, predictions.

    weights   words as weights, rare ones count more
    likeness  how alike two notes are, and which pairs are worth comparing

Groups are joined by average linkage, from the most alike pair downwards. Two notes of one source
rarely mean the same, so each such pair inside a group costs a penalty; one rule of a tool, and one judge who gives
each statement a code, is never in one group for two places.

The result depends on the set of notes only, never on the order they came in. How well it does, and
what it costs, is measured by ``benchmarks/judgement.py``.
"""

from __future__ import annotations

import gc
import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import TypeVar

from guildmoot.named import NamedTuple
from guildmoot.text.note import Note
from guildmoot.text.similar.likeness import (
    Edges,
    Place,
    Profile,
    gap_between,
    likeness_graph,
    plain_path,
    profile_of,
)
from guildmoot.text.similar.weights import Vector, dot, total_of, weigh

KeyT = TypeVar("KeyT", int, str)
NumberT = TypeVar("NumberT", int, float)

THRESHOLD = 0.04
"""Least average likeness at which two groups are still joined. Leaving one repository out of the data chooses
0.030 to 0.033; from 0.030 to 0.045 the accuracy is the same within half a point, and it falls slowly above."""
SMALL_SETS = 0.085
"""Among few notes every shared word looks rare, so fewer must be more alike: at least this over the root of
their number. It is as much as keeps two notes together or apart whoever else speaks: of 940 labelled pairs asked
about alone it finds F1 .97 (with 0.14 .92, with none .94), and beside eight others .97."""
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
    order = _in_order(notes)
    least = max(threshold, SMALL_SETS / math.sqrt(len(notes) or 1))
    with _uncollected():
        found = sorted(_groups([notes[n] for n in order], least, penalty))
    return [
        Group(tuple(order[n] for n in members), order[speaker], cohesion)
        for members, speaker, cohesion in found
    ]


def apart_all(notes: Sequence[Note]) -> list[Group]:
    """Each note for itself, in the order of ``group``: for notes that are known to differ."""
    return [Group((n,), n, 1.0) for n in _in_order(notes)]


def _in_order(notes: Sequence[Note]) -> list[int]:
    return sorted(range(len(notes)), key=lambda n: (plain_path(notes[n].path), *notes[n][1:-1]))


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
    # A word of one note alone is in no vector, so a vector may be shorter than 1: its own square is taken off.
    alike = _square(total_of(vectors)) - sum(map(_square, vectors))
    return min(1.0, max(0.0, alike / (count * (count - 1))))


def _square(vector: Vector) -> float:
    return sum(value * value for value in vector.values())


# --- linkage --------------------------------------------------------------------------------------


class Linkage:
    """Average linkage over a sparse graph; pairs without an edge have likeness 0."""

    def __init__(
        self,
        notes: Sequence[Profile],
        start: list[list[int]],
        edges: Edges,
        threshold: float,
        penalty: float,
    ) -> None:
        self._threshold = threshold
        self._penalty = penalty
        self._members = [list(group) for group in start]
        self._sources = [_source_counts(notes, group) for group in start]
        self._rules = [_places(notes, group) for group in start]
        self._facts = [_facts(notes, group) for group in start]
        self._sums = [
            {
                right: likeness * len(start[left]) * len(start[right])
                for right, likeness in row.items()
            }
            for left, row in enumerate(edges)
        ]
        """For each group the summed likeness to each neighbouring group."""
        self._heap = [
            (-link, left, right)
            for left, row in enumerate(self._sums)
            for right, likeness in row.items()
            if left < right and (link := self._link(left, right, likeness)) >= threshold
        ]
        heapq.heapify(self._heap)

    def run(self) -> list[list[int]]:
        """Join the most alike groups until none are alike enough; return their members."""
        while self._heap:
            _, left, right = heapq.heappop(self._heap)
            if self._members[left] and self._members[right] and self._compatible(left, right):
                self._join(left, right)
        return [members for members in self._members if members]

    def _link(self, left: int, right: int, likeness: float) -> float:
        """Mean likeness over the pairs of two groups, less the price of repeated sources."""
        pairs = len(self._members[left]) * len(self._members[right])
        if likeness < self._threshold * pairs:
            return 0.0
        few, many = self._sources[left], self._sources[right]
        if len(few) > len(many):
            few, many = many, few
        for source, count in few.items():
            if source in many:
                likeness -= self._penalty * count * many[source]
        return likeness / pairs

    def _compatible(self, left: int, right: int) -> bool:
        """Whether no rule, and no judge with codes, would stand for two places, and no two rules of one tool."""
        if any(
            self._facts[right].get(who, rule) != rule for who, rule in self._facts[left].items()
        ):
            return False
        few, many = self._rules[left], self._rules[right]
        if len(few) > len(many):
            few, many = many, few
        return all(
            place[0] == many[rule][0] and not gap_between(place, many[rule])
            for rule, place in few.items()
            if rule in many
        )

    def _join(self, left: int, right: int) -> None:
        """Replace two groups by a new one and queue its links."""
        new = len(self._members)
        self._members.append(sorted(self._members[left] + self._members[right]))
        self._sources.append(_added(self._sources[left], self._sources[right]))
        self._rules.append(_merged_places(self._rules[left], self._rules[right]))
        self._facts.append(self._facts[left] | self._facts[right])
        sums = _added(self._sums[left], self._sums[right])
        del sums[left], sums[right]
        for gone in (left, right):
            self._members[gone], self._sources[gone], self._sums[gone] = [], {}, {}
        self._sums.append(sums)
        for other, likeness in sums.items():
            row = self._sums[other]
            row.pop(left, None)
            row.pop(right, None)
            row[new] = likeness
            if (link := self._link(other, new, likeness)) >= self._threshold:
                heapq.heappush(self._heap, (-link, other, new))


def _places(notes: Sequence[Profile], group: Sequence[int]) -> dict[str, Place]:
    """Where each rule of a group stands, and each judge that gives its statements codes: at two places it means two."""
    return {notes[n].key: notes[n].place for n in group if notes[n].placed}


def _facts(notes: Sequence[Profile], group: Sequence[int]) -> dict[str, str]:
    """The rule that each program among the sources of a group speaks of."""
    return {notes[n].family: notes[n].rule for n in group if notes[n].proven}


def _source_counts(notes: Sequence[Profile], group: Sequence[int]) -> dict[str, int]:
    if len(group) == 1:
        return {notes[group[0]].source: 1}
    return dict(Counter(notes[number].source for number in group))


def _added(left: dict[KeyT, NumberT], right: dict[KeyT, NumberT]) -> dict[KeyT, NumberT]:
    """The sum of two tables of numbers."""
    small, large = (left, right) if len(left) < len(right) else (right, left)
    total = large.copy()
    for key, value in small.items():
        total[key] = total[key] + value if key in total else value
    return total


def _merged_places(left: dict[str, Place], right: dict[str, Place]) -> dict[str, Place]:
    merged = dict(left)
    for rule, (path, first, last) in right.items():
        _, other_first, other_last = merged.get(rule, (path, first, last))
        merged[rule] = path, min(first, other_first), max(last, other_last)
    return merged
