"""Names the pairs of findings worth comparing, so that grouping stays near-linear.

An inverted index over the rare words and one over file and line; the work is bounded by a budget per
finding.
"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from operator import itemgetter

from guildmoot.consensus.grouping.notes import Note, likeness
from guildmoot.consensus.grouping.terms import Vector, dot

LEAST_LIKENESS = 0.005
"""Pairs less alike than this are treated as having nothing in common."""
EXACT_WORK = 250_000
WORK_PER_FINDING = 12
"""Index work allowed: all of it for small sets, then this many steps per finding."""
NEIGHBOURS = 4
"""Candidates kept per finding once the set is too large for all pairs."""
WORTH_A_LOOK = 0.04
"""Least likeness of a pair in such a set."""

Edges = list[dict[int, float]]


def likeness_graph(notes: Sequence[Note], vectors: Sequence[Vector]) -> Edges:
    """The sparse graph of likeness: edges[i][j] for the pairs that have any."""
    index = _Index(notes, vectors)
    edges: Edges = [{} for _ in notes]
    for number, row in enumerate(edges):
        alike = index.likeness(number)
        row.update(alike)
        for other, degree in alike.items():
            edges[other][number] = degree
    return edges


class _Blocks:
    """Numbers of the findings that share a word; a list only where two or more do."""

    def __init__(self) -> None:
        self.first: dict[int, int] = {}
        self.shared: dict[int, list[int]] = {}

    def add(self, number: int, terms: Iterable[int]) -> None:
        first, shared = self.first, self.shared
        for term in terms:
            if term in shared:
                shared[term].append(number)
            elif term in first:
                shared[term] = [first[term], number]
            else:
                first[term] = number


class _Index:
    """Which later findings share a word, a spot or a quote with a finding.

    Findings are in canonical order, those without a file first.  A finding without a
    file is compared with all later ones, a finding with a file only with later ones of
    that file: hence one index over everything and one per file.
    """

    def __init__(self, notes: Sequence[Note], vectors: Sequence[Vector]) -> None:
        self._notes = notes
        self._vectors = vectors
        self._by_path: defaultdict[str, _Blocks] = defaultdict(_Blocks)
        everyone = self._by_path[""]
        for number, vector in enumerate(vectors):
            path = notes[number].path
            self._by_path[path].add(number, vector)
            if path and everyone.first:
                everyone.add(number, [term for term in vector if term in everyone.first])
        self._longest = self._affordable()
        self._spots = self._spot_blocks()

    def _affordable(self) -> int | None:
        """The longest block there is work for; None when there is work for all."""
        lengths: Counter[int] = Counter()
        for blocks in self._by_path.values():
            lengths.update(map(len, blocks.shared.values()))
        work = max(EXACT_WORK, WORK_PER_FINDING * len(self._notes))
        for length in sorted(lengths):
            work -= lengths[length] * length * (length - 1) // 2
            if work < 0:
                return length - 1
        return None

    def _spot_blocks(self) -> defaultdict[Hashable, list[int]]:
        """Blocks by place and by quote: what is compared even without a rare word in common."""
        spots: defaultdict[Hashable, list[int]] = defaultdict(list)
        for number, note in enumerate(self._notes):
            for spot in note.spots():
                spots[spot].append(number)
        return spots

    def likeness(self, number: int) -> dict[int, float]:
        """The later findings that are alike, with how much."""
        note, vector = self._notes[number], self._vectors[number]
        found = self._sharing_words(number)
        if self._longest is not None:
            found = _best(found)
        for spot in note.spots():
            near = self._spots[spot]
            start = bisect_right(near, number)
            for other in near[start : start + NEIGHBOURS]:
                found.setdefault(other, 0.0)
        alike: dict[int, float] = {}
        least = LEAST_LIKENESS if self._longest is None else WORTH_A_LOOK
        for other, words in found.items():
            if self._longest is not None or not words:
                words = dot(vector, self._vectors[other])
            degree = likeness(note, self._notes[other], words)
            if degree >= least:
                alike[other] = degree
        return alike

    def _sharing_words(self, number: int) -> dict[int, float]:
        """Later findings that share an indexed word, with the likeness those words give."""
        shared = self._by_path[self._notes[number].path].shared
        longest = len(self._notes) if self._longest is None else self._longest
        vectors = self._vectors
        found: defaultdict[int, float] = defaultdict(float)
        for term, weight in vectors[number].items():
            block = shared.get(term)
            if block and len(block) <= longest:
                for other in block[bisect_right(block, number) :]:
                    found[other] += weight * vectors[other][term]
        return found


def _best(found: dict[int, float]) -> dict[int, float]:
    """The few most promising candidates."""
    worth = [item for item in found.items() if item[1] >= WORTH_A_LOOK]
    if len(worth) > NEIGHBOURS:
        worth = heapq.nlargest(NEIGHBOURS, worth, key=itemgetter(1))
    return dict(worth)
