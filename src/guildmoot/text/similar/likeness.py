"""How alike notes are, by their words and their places: of two, and as a sparse graph of many.

Only the pairs worth comparing are compared, so that grouping stays near-linear: an inverted index over
the rare words and one over file and line name them, and a budget per note bounds the work.
"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from operator import itemgetter

from guildmoot.named import NamedTuple
from guildmoot.text.note import Note
from guildmoot.text.similar.weights import Vector, dot

NEAR_LINES = 3
"""Lines between two places that still count as the same place."""
ONE_PAGE = 50
"""Lines beyond which one code means two things, whoever gives it: the same mistake was made twice."""
NEAR_FACTOR, FAR_FACTOR = 2.0, 0.5
"""Scale of likeness for near and for far lines of one file."""
LINE_BLOCK = 16
"""Notes of one file this close are candidates even if they share no rare word."""

LEAST_LIKENESS = 0.005
"""Pairs less alike than this are treated as having nothing in common."""
EXACT_WORK = 250_000
WORK_PER_NOTE = 12
"""Index work allowed: all of it for small sets, then this many steps per note."""
NEIGHBOURS = 4
"""Candidates kept per note once the set is too large for all pairs."""
WORTH_A_LOOK = 0.04
"""Least likeness of a pair in such a set."""

Place = tuple[str, int, int]
Edges = list[dict[int, float]]


class Profile(NamedTuple):
    """A note reduced to what the comparison uses."""

    source: str
    family: str
    proven: bool
    path: str
    first: int
    last: int
    text: str
    quote: str
    coded: bool
    rule: str
    """What a tool applies again and again: its code, else this source's very title."""
    weight: float
    """How much the note says: the length of its vector before scaling."""

    @property
    def placed(self) -> bool:
        return bool(self.path and self.first)

    @property
    def place(self) -> Place:
        return self.path, self.first, self.last

    @property
    def key(self) -> str:
        """Whoever says this at two places means two things: a tool's rule, or a judge who gives codes.

        Two judges who give the same code at neighbouring lines may well mean one.
        """
        return f"\0{self.source}" if self.coded and not self.proven else self.rule

    def spots(self) -> list[Hashable]:
        """Keys shared by notes that must be compared whatever their words."""
        spots: list[Hashable] = []
        if self.placed:
            block = self.first // LINE_BLOCK
            spots += [(self.path, block), (self.path, block + 1)]
        if self.path and self.quote:
            spots.append((self.text, self.quote))
        return spots


def profile_of(note: Note, weight: float) -> Profile:
    """What comparing needs of a note; ``weight`` is how much it says."""
    code, first = note.code.strip(), max(note.first, 0)
    return Profile(
        source=note.source,
        family=note.family or note.source,
        proven=note.proven,
        path=plain_path(note.path),
        first=first,
        last=max(note.last, first),
        text=" ".join(f"{note.title} {note.detail}".split()),
        quote=" ".join(note.quote.split()),
        coded=bool(code),
        rule=code or f"{note.source}\n{note.title}",
        weight=weight,
    )


def plain_path(path: str) -> str:
    """One spelling for one file."""
    plain = path.strip().replace("\\", "/")
    while plain.startswith("./"):
        plain = plain[2:]
    return plain


def likeness(left: Profile, right: Profile, words: float) -> float:
    """Likeness of two notes: of their words, scaled by their places; 0 = never the same."""
    if _other_rule(left, right):
        return 0.0
    if not left.path or not right.path:
        return words
    if left.path != right.path:
        return words if _copied(left, right) else 0.0
    if not left.first or not right.first:
        return words
    gap = gap_between(left.place, right.place)
    if (gap and left.key == right.key) or (gap > ONE_PAGE and left.rule == right.rule):
        return 0.0
    return min(1.0, words * (NEAR_FACTOR if gap <= NEAR_LINES else FAR_FACTOR))


def _other_rule(left: Profile, right: Profile) -> bool:
    """A tool's rules are distinct by definition, however alike their messages are."""
    facts = left.proven and right.proven and left.family == right.family
    return facts and left.rule != right.rule


def _copied(left: Profile, right: Profile) -> bool:
    """Whether two sources say the very same about the very same quoted code."""
    same = left.text == right.text and left.quote == right.quote != ""
    return same and not left.coded and not right.coded and left.source != right.source


def gap_between(left: Place, right: Place) -> int:
    """Lines between two places of one file, 0 when they overlap."""
    return max(left[1] - right[2], right[1] - left[2], 0)


# --- the graph ------------------------------------------------------------------------------------


def likeness_graph(notes: Sequence[Profile], vectors: Sequence[Vector]) -> Edges:
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
    """Numbers of the notes that share a word; a list only where two or more do."""

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
    """Which later notes share a word, a spot or a quote with a note.

    Notes are in canonical order, those without a file first. A note without a
    file is compared with all later ones, a note with a file only with later ones of
    that file: hence one index over everything and one per file.
    """

    def __init__(self, notes: Sequence[Profile], vectors: Sequence[Vector]) -> None:
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
        work = max(EXACT_WORK, WORK_PER_NOTE * len(self._notes))
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
        """The later notes that are alike, with how much."""
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
        """Later notes that share an indexed word, with the likeness those words give."""
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
