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

from guildmoot.memory.recall.words import EXACT, has_no_spaces, number, words

TITLE_WEIGHT = 3
"""How many times a word counts that stands in the title."""
_K1, _B = 1.2, 0.7
_BUDGET = 3_000
"""Postings that are followed for one question."""
_HEAD = 64
HEADS = 256
"""Pages that speak most of a word, kept in order for words that are too common to be followed."""
COMMON = 2_000
"""Pages that hold a word from which on it has a head."""
_NEAR = 60
"""How many of the best are looked at for words side by side."""
_PHRASE = 0.25
_EXACT_WEIGHT = 3.0
_LEAST = 0.3
"""Share of the question's weight that the best page must hold."""
_LEAST_WORDS = 2
_MANY_WORDS = 4
"""So many of its words in one page are no accident, however long the question."""
_FEW = 4


class Posting(NamedTuple):
    """Where one word stands."""

    pages: array[int]
    """Numbers of pages, in order."""
    often: array[int]
    """How often, a title's word counted three times; at most 255."""
    head: Sequence[int] = ()
    """The pages that hold it most often, shortest first; only for common words."""


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

    def terms_of(self, page: int) -> bytes:
        """The numbers of a page's terms in order, four bytes each."""


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
    signs: bool
    """Whether it is written in signs without spaces."""


def ask(index: PageIndex, question: str) -> Asked:
    """Reads a question against what the pages hold."""
    read = words(question)
    terms = tuple(map(number, read))
    size, often = index.size(), Counter(terms)
    counts = {term: index.count(term) for term in often}
    weights = {
        term: math.log(1 + (size - count + 0.5) / (count + 0.5)) * (1 + 0.5 * (often[term] - 1))
        for term, count in counts.items()
    }
    names = {}
    for name in (term for term in read if term.startswith(EXACT)):
        parts = {number(part) for part in words(name[1:]) if part != name} & weights.keys()
        # So much that a page with the name comes before any that only holds its parts.
        names[number(name)] = _EXACT_WEIGHT * (
            weights[number(name)] + sum(weights[p] for p in parts)
        )
    weights |= names
    return Asked(terms, weights, counts, frozenset(names), any(map(has_no_spaces, read)))


def rank(
    index: PageIndex, question: str, limit: int, wanted: Callable[[int], bool] | None = None
) -> list[Hit]:
    """The best pages, best first. Nothing where the best holds too little of the question."""
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
    return hits if _answers(index, asked, hits[:3]) else []


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
    for count, term in known:
        weight = asked.weights[term]
        if followed + count > _BUDGET:
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
    """The scores, raised where words stand side by side as they were asked for."""
    counts, weights = asked.counts, asked.weights
    pairs = [
        (packed(one) + packed(two), weights[one] + weights[two])
        for one, two in pairwise(asked.terms)
        if one != two and counts[one] and counts[two]
    ]
    whole = sum(weight for _, weight in pairs) or 1.0
    raised = {}
    for page, score in best.items():
        terms = index.terms_of(page) if pairs else b""
        held = sum(weight for pair, weight in pairs if stands(terms, pair))
        raised[page] = score * (1 + _PHRASE * held / whole) / (1 + _PHRASE)
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


def _answers(index: PageIndex, asked: Asked, best: Sequence[Hit]) -> bool:
    """Whether what was found can be about the question: pages that share a common word with it are no answer."""
    if asked.names and not any(asked.counts[name] for name in asked.names):
        plain = [term for term in asked.weights if term not in asked.names]
        if len(plain) <= _FEW:
            return False
    total = sum(asked.weights.values())
    enough = min(_LEAST_WORDS, len(asked.weights))
    for hit in best:
        terms = index.terms_of(hit.page)
        held = [term for term in asked.weights if stands(terms, packed(term))]
        share = sum(asked.weights[term] for term in held) / total
        if len(held) >= _MANY_WORDS or (share >= _LEAST and (len(held) >= enough or asked.signs)):
            return True
    return False
