"""Group the findings of several seats that describe the same issue.

Every seat of a panel reports in its own words.  This module turns the flat list of
findings into a list of issues: the findings that say the same, the one that says it
best, who agrees on it, and how severe it is.  It reads nothing, writes nothing and
imports only the standard library.

How it works, in four steps:

1. *Words.*  A text is cut into words (``camelCase``, ``snake_case`` and dotted names
   into their parts), common English words are dropped, each word is cut to its first
   letters (a stemmer that needs no language) and neighbouring words form pairs.
   Weights are TF-IDF, the document frequencies counted *within the set being
   grouped*: what every finding of a pull request mentions tells none of them apart.
2. *Candidates.*  An inverted index over the rare words, and one over file and line,
   name the pairs worth comparing; the work is bounded by a budget per finding.
3. *Place.*  Where two findings both carry a file the place scales the likeness of
   their words: near lines raise it, far lines lower it, another file rules it out.
4. *Linking.*  Average linkage from the most alike pair downwards, on the sparse
   graph.  Two findings of one seat rarely describe one issue, so each such pair
   inside a group costs ``SEAT_PENALTY``.

The result depends on the set of findings only, never on the order they came in.
"""

from __future__ import annotations

import heapq
import math
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter
from typing import TypeVar

from guildmoot.identity import fingerprint
from guildmoot.types import SEVERITIES, Finding, Issue

# Fitted constants: `bench_grouping.py` prints what leaving one repository out chooses
# (0.037 three times) and how pair F1 falls off on both sides.
THRESHOLD = 0.04
"""Least average likeness at which two groups of findings are still joined."""
SEAT_PENALTY = 0.10
"""Taken off the likeness of two findings by the same seat."""

# Design constants, not fitted to labels.
PREFIX = 5
"""Letters of a word that are kept: `validate`, `validation`, `valid` meet in `valid`."""
PRIOR_SHARE, PRIOR_FINDINGS = 0.25, 2
"""Findings imagined beside the given ones (a share of them, and a few), none of which use
the word: they keep a word that all findings share from counting nothing, and sets of two
or three findings from being judged by nothing else than their differences."""
QUOTE_WEIGHT = 0.5
"""What a word of the quoted code counts beside a word of the explanation."""
NEAR_LINES = 3
"""Lines between two places that still count as the same place."""
NEAR_FACTOR, FAR_FACTOR = 2.0, 0.5
"""Scale of likeness for near and for far lines of one file."""
LEAST_LIKENESS = 0.005
"""Pairs less alike than this are treated as having nothing in common."""
EXACT_WORK = 250_000
WORK_PER_FINDING = 20
"""Index work allowed: all of it for small sets, then this many steps per finding."""
NEIGHBOURS = 6
"""Candidates kept per finding once the set is too large for all pairs."""
WORTH_A_LOOK = THRESHOLD
"""Least likeness of a pair in such a set."""
LINE_BLOCK = 16
"""Findings of one file this close are candidates even if they share no rare word."""

_WORD = re.compile(r"[A-Z]+(?=[A-Z][^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+|[A-Z]+|\d+")
_STOP = frozenset(
    [
        "a",
        "about",
        "after",
        "again",
        "all",
        "also",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "because",
        "been",
        "before",
        "being",
        "between",
        "both",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "done",
        "down",
        "due",
        "during",
        "each",
        "either",
        "else",
        "for",
        "from",
        "had",
        "has",
        "have",
        "having",
        "if",
        "in",
        "instead",
        "into",
        "is",
        "it",
        "its",
        "just",
        "may",
        "might",
        "more",
        "most",
        "must",
        "no",
        "not",
        "of",
        "on",
        "only",
        "onto",
        "or",
        "other",
        "out",
        "over",
        "own",
        "per",
        "rather",
        "same",
        "should",
        "so",
        "some",
        "such",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "to",
        "under",
        "up",
        "use",
        "used",
        "using",
        "very",
        "via",
        "was",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "will",
        "with",
        "without",
        "would",
    ]
)


_SKIPPED = -1
_PAIR = 1 << 32
"""Numbers of words are below this, numbers of pairs of words above."""


KeyT = TypeVar("KeyT", int, str)
NumberT = TypeVar("NumberT", int, float)
Vector = dict[int, float]
Edges = list[dict[int, float]]
Place = tuple[str, int, int]


def group_findings(
    findings: Iterable[Finding],
    *,
    threshold: float = THRESHOLD,
    seat_penalty: float = SEAT_PENALTY,
) -> list[Issue]:
    """Return the issues the findings describe, the most severe first."""
    given = list(findings)
    order = sorted(range(len(given)), key=lambda index: _canonical(given[index]))
    notes, vectors = _read([given[index] for index in order])
    twins = _twins(notes)
    firsts = [group[0] for group in twins]
    edges = _edges([notes[first] for first in firsts], [vectors[first] for first in firsts])
    groups = _Linkage(notes, twins, edges, threshold, seat_penalty).run()
    issues = [_issue(group, given, order, notes, vectors) for group in groups]
    ranked = sorted(zip(map(min, groups), issues, strict=True), key=_by_severity)
    return _with_ids([issue for _, issue in ranked])


def _by_severity(ranked: tuple[int, Issue]) -> tuple[int, int]:
    return SEVERITIES.index(ranked[1].severity), ranked[0]


def _with_ids(issues: Sequence[Issue]) -> list[Issue]:
    """Short names that survive moved lines; a second issue of the same name is numbered."""
    taken: Counter[str] = Counter()
    named = []
    for issue in issues:
        name = min(fingerprint(member) for member in issue.members)[:12]
        taken[name] += 1
        number = taken[name]
        named.append(issue._replace(id=name if number == 1 else f"{name}-{number}"))
    return named


def _twins(notes: Sequence[_Note]) -> list[list[int]]:
    """Findings with the same words at the same place, which sorting has put side by side."""

    def identity(number: int) -> tuple[object, ...]:
        note = notes[number]
        return note.place, note.text or number, note.quote, note.coded and note.rule

    return [list(group) for _, group in groupby(range(len(notes)), key=identity)]


def _edges(notes: Sequence[_Note], vectors: Sequence[Vector]) -> Edges:
    """The sparse graph of likeness: edges[i][j] for the pairs that have any."""
    index = _Index(notes, vectors)
    edges: Edges = [{} for _ in notes]
    for number, row in enumerate(edges):
        alike = index.likeness(number)
        row.update(alike)
        for other, likeness in alike.items():
            edges[other][number] = likeness
    return edges


# --- one finding ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Note:
    """A finding reduced to what the comparison uses."""

    seat: str
    path: str
    first: int
    last: int
    text: str
    quote: str
    coded: bool
    rule: str
    """What a tool applies again and again: its code, else this seat's very title."""
    weight: float
    """How much the finding says: the length of its vector before scaling."""

    @property
    def placed(self) -> bool:
        return bool(self.path and self.first)

    @property
    def place(self) -> Place:
        return self.path, self.first, self.last

    def spots(self) -> list[Hashable]:
        """Keys shared by findings that must be compared whatever their words."""
        spots: list[Hashable] = []
        if self.placed:
            block = self.first // LINE_BLOCK
            spots += [(self.path, block), (self.path, block + 1)]
        if self.path and self.quote:
            spots.append((self.text, self.quote))
        return spots


def _canonical(finding: Finding) -> tuple[object, ...]:
    """A sort key from content alone, so that the order of input cannot matter."""
    return (
        _plain_path(finding.path),
        finding.line,
        finding.end_line,
        finding.title,
        finding.why,
        finding.quote,
        finding.code,
        finding.seat,
        finding.family,
        finding.fix,
        finding.severity,
        finding.blocking,
    )


def _read(findings: Sequence[Finding]) -> tuple[list[_Note], list[Vector]]:
    """Notes and unit vectors of the findings, words weighed by rarity within the set.

    A word that only one finding uses shortens that finding's other weights but can
    match nothing, so it is left out of the vectors.
    """
    numbers = _Numbers()
    bags = [_bag(finding, numbers) for finding in findings]
    seen: Counter[int] = Counter()
    for bag in bags:
        seen.update(bag.keys())
    total = (1 + PRIOR_SHARE) * len(bags) + PRIOR_FINDINGS
    lone = math.log(total / 1.5)
    rarity = {term: math.log(total / (n + 0.5)) for term, n in seen.items() if n > 1}
    notes: list[_Note] = []
    vectors: list[Vector] = []
    for finding, bag in zip(findings, bags, strict=True):
        weighed = {term: count * rarity.get(term, lone) for term, count in bag.items()}
        weight = math.sqrt(sum([value * value for value in weighed.values()]))
        notes.append(_note(finding, weight))
        vectors.append({term: v / weight for term, v in weighed.items() if term in rarity})
    return notes, vectors


def _note(finding: Finding, weight: float) -> _Note:
    code, first = finding.code.strip(), max(finding.line, 0)
    return _Note(
        seat=finding.seat,
        path=_plain_path(finding.path),
        first=first,
        last=max(finding.end_line, first),
        text=" ".join(f"{finding.title} {finding.why}".split()),
        quote=" ".join(finding.quote.split()),
        coded=bool(code),
        rule=code or f"{finding.seat}\n{finding.title}",
        weight=weight,
    )


def _plain_path(path: str) -> str:
    plain = path.strip().replace("\\", "/")
    while plain.startswith("./"):
        plain = plain[2:]
    return plain


class _Numbers(dict[str, int]):
    """Number the words met: one number for all words with the same first letters."""

    def __init__(self) -> None:
        super().__init__()
        self._stems: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        small = word.lower()
        telling = len(small) > 1 or small.isdigit() or not small.isascii()
        number = _SKIPPED
        if telling and small not in _STOP:
            number = self._stems.setdefault(small[:PREFIX], len(self._stems))
        self[word] = number
        return number

    def of(self, text: str) -> list[int]:
        """The numbers of the telling words of a text, in order."""
        return [n for word in _WORD.findall(text) if (n := self[word]) != _SKIPPED]


def _bag(finding: Finding, numbers: _Numbers) -> Vector:
    """Damped counts of a finding's words and of its pairs of neighbouring words."""
    words = numbers.of(f"{finding.title}\n{finding.why}")
    pairs = [_PAIR + left * _PAIR + right for left, right in pairwise(words)]
    bag: Vector = dict.fromkeys(words + pairs, 1.0)
    if len(bag) < len(words) + len(pairs):
        for term, count in Counter(words + pairs).items():
            bag[term] = 1.0 + math.log(count)
    if finding.quote:
        for word in numbers.of(finding.quote):
            bag.setdefault(word, QUOTE_WEIGHT)
    return bag


def _dot(left: Vector, right: Vector) -> float:
    if len(left) > len(right):
        left, right = right, left
    total = 0.0
    for term in left.keys() & right.keys():
        total += left[term] * right[term]
    return total


# --- pairs of findings ----------------------------------------------------------------


def _likeness(left: _Note, right: _Note, words: float) -> float:
    """Likeness of two findings: of their words, scaled by their places; 0 = never the same."""
    if not left.path or not right.path:
        return words
    if left.path != right.path:
        return words if _copied(left, right) else 0.0
    if not left.first or not right.first:
        return words
    gap = _gap(left.place, right.place)
    if gap and left.rule == right.rule:
        return 0.0
    return min(1.0, words * (NEAR_FACTOR if gap <= NEAR_LINES else FAR_FACTOR))


def _copied(left: _Note, right: _Note) -> bool:
    """Whether two seats say the very same about the very same quoted code."""
    same = left.text == right.text and left.quote == right.quote != ""
    return same and not left.coded and not right.coded and left.seat != right.seat


def _gap(left: Place, right: Place) -> int:
    """Lines between two places of one file, 0 when they overlap."""
    return max(left[1] - right[2], right[1] - left[2], 0)


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

    def __init__(self, notes: Sequence[_Note], vectors: Sequence[Vector]) -> None:
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
                words = _dot(vector, self._vectors[other])
            likeness = _likeness(note, self._notes[other], words)
            if likeness >= least:
                alike[other] = likeness
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


# --- groups of findings ---------------------------------------------------------------


class _Linkage:
    """Average linkage over a sparse graph; pairs without an edge have likeness 0."""

    def __init__(
        self,
        notes: Sequence[_Note],
        start: list[list[int]],
        edges: Edges,
        threshold: float,
        seat_penalty: float,
    ) -> None:
        self._threshold = threshold
        self._penalty = seat_penalty
        self._members = [list(group) for group in start]
        self._seats = [_seat_counts(notes, group) for group in start]
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
        """Mean likeness over the pairs of two groups, less the price of repeated seats."""
        pairs = len(self._members[left]) * len(self._members[right])
        if likeness < self._threshold * pairs:
            return 0.0
        few, many = self._seats[left], self._seats[right]
        if len(few) > len(many):
            few, many = many, few
        for seat, count in few.items():
            if seat in many:
                likeness -= self._penalty * count * many[seat]
        return likeness / pairs

    def _compatible(self, left: int, right: int) -> bool:
        """Whether no rule would be in one group for two different places."""
        few, many = self._rules[left], self._rules[right]
        if len(few) > len(many):
            few, many = many, few
        return all(
            place[0] == many[rule][0] and not _gap(place, many[rule])
            for rule, place in few.items()
            if rule in many
        )

    def _join(self, left: int, right: int) -> None:
        """Replace two groups by a new one and queue its links."""
        new = len(self._members)
        self._members.append(sorted(self._members[left] + self._members[right]))
        self._seats.append(_added(self._seats[left], self._seats[right]))
        self._rules.append(_merged_places(self._rules[left], self._rules[right]))
        sums = _added(self._sums[left], self._sums[right])
        del sums[left], sums[right]
        for gone in (left, right):
            self._members[gone], self._seats[gone], self._sums[gone] = [], {}, {}
        self._sums.append(sums)
        for other, likeness in sums.items():
            row = self._sums[other]
            row.pop(left, None)
            row.pop(right, None)
            row[new] = likeness
            if (link := self._link(other, new, likeness)) >= self._threshold:
                heapq.heappush(self._heap, (-link, other, new))


def _seat_counts(notes: Sequence[_Note], group: Sequence[int]) -> dict[str, int]:
    if len(group) == 1:
        return {notes[group[0]].seat: 1}
    return dict(Counter(notes[number].seat for number in group))


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


# --- the issue ------------------------------------------------------------------------


def _issue(
    group: Sequence[int],
    given: Sequence[Finding],
    order: Sequence[int],
    notes: Sequence[_Note],
    vectors: Sequence[Vector],
) -> Issue:
    best = _representative(group, notes, vectors)
    indices = sorted(order[number] for number in group)
    members = tuple(given[index] for index in indices)
    return Issue(
        id="",
        members=members,
        representative=given[order[best]],
        families=tuple(sorted({member.family or member.seat for member in members})),
        seats=tuple(sorted({member.seat for member in members})),
        severity=min((member.severity for member in members), key=SEVERITIES.index),
        blocking=any(member.blocking for member in members),
        cohesion=_cohesion([vectors[number] for number in group]),
    )


def _representative(group: Sequence[int], notes: Sequence[_Note], vectors: Sequence[Vector]) -> int:
    """The member closest to what the *other* seats say, favouring those that say more.

    A seat's own repetitions do not speak for its wording; the square root of the
    weight of its words keeps a bare headline from winning over the full account.
    """
    if len(group) <= 2:  # two are equally close to one another
        return max(group, key=lambda number: (notes[number].weight, -number))
    total = _sum([vectors[number] for number in group])
    by_seat: defaultdict[str, list[Vector]] = defaultdict(list)
    for number in group:
        by_seat[notes[number].seat].append(vectors[number])
    seat_total = {seat: _sum(own) for seat, own in by_seat.items()}

    def merit(number: int) -> tuple[float, float, int]:
        vector, note = vectors[number], notes[number]
        others = len(group) - len(by_seat[note.seat])
        shared = _dot(vector, total) - _dot(vector, seat_total[note.seat])
        central = shared / others if others else 0.0
        return central * math.sqrt(note.weight), note.weight, -number

    return max(group, key=merit)


def _cohesion(vectors: Sequence[Vector]) -> float:
    count = len(vectors)
    if count == 1:
        return 1.0
    if count == 2:
        return min(1.0, _dot(vectors[0], vectors[1]))
    alike = sum(value * value for value in _sum(vectors).values()) - count
    return min(1.0, max(0.0, alike / (count * (count - 1))))


def _sum(vectors: Sequence[Vector]) -> Vector:
    total = vectors[0]
    for vector in vectors[1:]:
        total = _added(total, vector)
    return total
