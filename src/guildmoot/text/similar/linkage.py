"""Joins notes into groups: average linkage over the sparse graph of likeness.

From the most alike pair downwards. Two notes of one source rarely mean the same, so each such pair
inside a group costs a penalty; one rule of a tool is never in one group for two places.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

from guildmoot.text.similar.likeness import Edges, Place, Profile, gap_between

KeyT = TypeVar("KeyT", int, str)
NumberT = TypeVar("NumberT", int, float)


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
        self._rules = [
            {notes[n].rule: notes[n].place for n in group if notes[n].placed} for group in start
        ]
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
        """Whether no rule would be in one group for two different places."""
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
