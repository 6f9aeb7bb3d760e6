"""Which pages answer a question: the one scorer of command line, MCP, gate and bundles. Pure, over an index.

A page's score is the weight of the question's words that it holds, each the more the rarer it is (BM25, where a word
of the title counts as several), raised where words of the question stand side by side, and divided by the most that
any page could reach: 1 is a page that is all about the question. Where the best page holds too little of what was
asked, nothing is the answer.

With many pages only the rarest words are followed through all their pages; the others then count for what was found,
and for the pages that speak most of them.
"""

from __future__ import annotations

import math
import sys
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

from guildmoot.memory.recall.words import DEEDS, EXACT, is_foreign, number, words

TITLE_WEIGHT = 2
"""How many times a word counts that stands in the title."""
_K1, _B = 1.4, 0.6
_BUDGET = 2_000
"""Postings that are followed for one question where there are many pages."""
_MANY_PAGES, _WIDE_BUDGET = 20_000, 20_000
"""Up to so many pages more postings are followed."""
_SLIGHT = 0.15
"""A word that is too common to be followed, and weighs less than this part of the heaviest, is left out."""
_HEAD = 32
HEADS = 256
"""Pages that speak most of a word, kept in order for words that are too common to be followed."""
COMMON = 2_000
"""Pages that hold a word from which on it has a head."""
_NEAR = 40
"""How many of the best are looked at for words side by side."""
_PHRASE = 0.25
_TITLE = 0.5
"""How much more a page counts whose whole title stands in the question."""
_EXACT_WEIGHT = 3.0
_LEAST, _LEAST_SHORT, _SHORT = 0.22, 0.28, 6
"""What the best score must be, times the root of the number of words, and of how many words a short question is: the
more words, the less of them one page holds."""
_MOST, _HALF = 0.6, 0.45
"""The share of the question's weight that is enough of an answer, however long the page; and for one word alone."""
_DEEDS = frozenset(map(number, DEEDS))
_FEW = 4
"""Words beside an identifier that nobody knows, up to which nothing is the answer."""


class Posting(NamedTuple):
    """Where one word stands."""

    pages: array[int]
    """Numbers of pages, in order."""
    often: array[int]
    """How often, a word of the title counted twice; at most 255."""
    head: Sequence[int] = ()
    """The pages that hold it most often, shortest first; only for common words."""


class PageTerms(NamedTuple):
    """What stands in a page."""

    terms: bytes
    """The numbers of its terms in order, those of the title first, four bytes each."""
    titled: int
    """How many are the title's."""


class PageIndex(Protocol):
    """What the scorer needs to know of all pages."""

    def size(self) -> int:
        """How many pages there are."""

    def mean_length(self) -> float:
        """Words of a page on average."""

    def lengths(self) -> Sequence[int]:
        """Words of each page, by its number."""

    def count(self, term: int) -> int:
        """How many pages hold the term of that number."""

    def postings(self, term: int) -> Iterable[Posting]:
        """Where it stands, in one or more parts; pages that are gone may still be among them."""

    def gone_pages(self) -> Collection[int]:
        """Pages that stand in postings and are no longer there."""

    def terms_of(self, page: int) -> PageTerms:
        """A page's terms."""


class Hit(NamedTuple):
    """A page that was found."""

    page: int
    score: float
    """From 0 to 1."""


class Asked(NamedTuple):
    """A question, read."""

    terms: tuple[int, ...]
    """Numbers, in order, as asked."""
    weights: dict[int, float]
    """The rarity of each, times how much it counts."""
    counts: dict[int, int]
    names: frozenset[int]
    """Those that are identifiers."""
    foreign: bool
    """Whether it is written in a script whose words are not cut down to stems."""


def ask(index: PageIndex, question: str) -> Asked:
    """Reads a question against what the pages hold."""
    read = words(question)
    terms = tuple(map(number, read))
    size, often = index.size(), Counter(terms)
    counts = {term: index.count(term) for term in often}
    # A word that no page holds weighs as one that a single page holds, or small wikis could answer nothing.
    weights = {
        term: math.log(1 + max(size - count + 0.5, 0.5) / (count + 0.5)) * often[term]
        for term, count in ((term, max(held, 1)) for term, held in counts.items())
    }
    names = {}
    for name in (term for term in read if term.startswith(EXACT)):
        parts = {number(part) for part in words(name[1:]) if part != name} & weights.keys()
        # So much that a page with the name comes before any that only holds its parts; one that no page has is a word.
        names[number(name)] = weights[number(name)]
        if counts[number(name)]:
            names[number(name)] += sum(weights[p] for p in parts)
            names[number(name)] *= _EXACT_WEIGHT
    weights |= names
    return Asked(terms, weights, counts, frozenset(names), any(map(is_foreign, read)))


def rank(
    index: PageIndex,
    question: str,
    limit: int,
    wanted: Callable[[int], bool] | None = None,
    *,
    near: bool = False,
) -> list[Hit]:
    """The best pages, best first. Nothing where the best holds too little of the question, unless what is only
    ``near`` is wanted too."""
    asked = ask(index, question)
    known = sorted((count, term) for term, count in asked.counts.items() if count)
    if not known:
        return []
    most = max(limit, _NEAR)
    scores = _scores(index, asked, known, wanted, most)
    best = _raised(index, asked, _largest(scores, most))
    total = sum(asked.weights.values())
    hits = [Hit(page, min(score / total, 1.0)) for page, score in best.items()]
    hits.sort(key=lambda hit: -hit.score)
    return hits if near or (hits and _answers(index, asked, hits)) else []


def _largest(scores: dict[int, float], most: int) -> dict[int, float]:
    """The pages with the highest scores, and those that tie with the last of them."""
    if len(scores) <= most:
        return scores
    least = sorted(scores.values())[-most]
    return {page: score for page, score in scores.items() if score >= least}


def _scores(
    index: PageIndex,
    asked: Asked,
    known: Sequence[tuple[int, int]],
    wanted: Callable[[int], bool] | None,
    limit: int,
) -> dict[int, float]:
    """The score of every page that could be among the best."""
    lengths, base = index.lengths(), _K1 * (1 - _B)
    slope = _K1 * _B / (index.mean_length() or 1.0)
    scores: dict[int, float] = {}
    held = scores.get
    rest: list[tuple[float, list[Posting]]] = []
    followed = 0
    budget = _WIDE_BUDGET if index.size() <= _MANY_PAGES else _BUDGET
    least = max(asked.weights[term] for _, term in known) * _SLIGHT
    for count, term in known:
        weight = asked.weights[term]
        if followed + count > budget:
            if weight >= least:
                rest.append((weight, list(index.postings(term))))
            continue
        followed += count
        for pages, often, _ in index.postings(term):
            for page, times in zip(pages, often, strict=True):
                scores[page] = held(page, 0.0) + weight * times / (
                    times + base + slope * lengths[page]
                )
    for _, postings in rest:
        for posting in postings:
            for page in posting.head or posting.pages:
                scores.setdefault(page, 0.0)
    for page in index.gone_pages():
        scores.pop(page, None)
    if wanted:
        scores = {page: score for page, score in scores.items() if wanted(page)}
    if rest and len(scores) > 6 * limit:
        heads = {page for _, postings in rest for each in postings for page in each.head[:_HEAD]}
        scores = {page: scores[page] for page in heads if page in scores} | _largest(
            scores, 3 * limit
        )
    for weight, postings in rest:
        for posting in postings:
            _complete(scores, posting, weight, base, slope, lengths)
    return scores


def _complete(
    kept: dict[int, float],
    posting: Posting,
    weight: float,
    base: float,
    slope: float,
    lengths: Sequence[int],
) -> None:
    """Add what one more word says of the pages that are kept."""
    pages, often, end = posting.pages, posting.often, len(posting.pages)
    for page in kept:
        at = bisect_left(pages, page)
        if at < end and pages[at] == page:
            kept[page] += weight * often[at] / (often[at] + base + slope * lengths[page])


def _raised(index: PageIndex, asked: Asked, best: dict[int, float]) -> dict[int, float]:
    """The scores, raised where words stand side by side as they were asked for, and where the title is asked for."""
    counts, weights = asked.counts, asked.weights
    pairs = [
        (packed(one) + packed(two), weights[one] + weights[two])
        for one, two in pairwise(asked.terms)
        if one != two and counts[one] and counts[two]
    ]
    whole = sum(weight for _, weight in pairs) or 1.0
    raised = {}
    for page, score in best.items():
        terms, titled = index.terms_of(page)
        held = sum(weight for pair, weight in pairs if stands(terms, pair))
        title = set(memoryview(terms[: 4 * titled]).cast("I"))
        named = len(title & weights.keys()) / len(title) if title else 0.0
        factor = (1 + _PHRASE * held / whole) * (1 + _TITLE * named)
        raised[page] = score * factor / ((1 + _PHRASE) * (1 + _TITLE))
    return raised


def packed(term: int) -> bytes:
    """A number as it stands among a page's terms."""
    return term.to_bytes(4, sys.byteorder)


def stands(terms: bytes, sought: bytes) -> bool:
    """Whether numbers stand among a page's terms, one after the other."""
    at = terms.find(sought)
    while at >= 0 and at % 4:
        at = terms.find(sought, at + 1)
    return at >= 0


def _answers(index: PageIndex, asked: Asked, hits: Sequence[Hit]) -> bool:
    """Whether what was found can be about the question: pages that share a common word with it are no answer."""
    if asked.names and not any(asked.counts[name] for name in asked.names):
        plain = [term for term in asked.weights if term not in asked.names]
        if len(plain) <= _FEW:
            return False
    # What is to be done with a thing ("read a cookie") tells little of the thing, and pages put it in other words.
    telling = {term: weight for term, weight in asked.weights.items() if term not in _DEEDS}
    telling = telling or asked.weights
    size = len(telling)
    reached = hits[0].score * math.sqrt(len(asked.weights))
    terms = index.terms_of(hits[0].page).terms
    held = [term for term in telling if stands(terms, packed(term))]
    if asked.names.intersection(held):
        return True
    if asked.foreign:
        return reached >= _LEAST / 2
    share = sum(telling[term] for term in held) / sum(telling.values())
    if len(held) < min(2, size) and not (size > 2 and share >= _HALF):
        return False
    return share >= _MOST or reached >= (_LEAST_SHORT if size <= _SHORT else _LEAST)
