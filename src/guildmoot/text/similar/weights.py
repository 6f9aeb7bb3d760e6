"""Words of notes as numbers and weights: what two notes have in common is counted here.

A text is cut into words, stop words are dropped, each word is cut to its first letters and neighbouring words
form pairs. A name in code (``camelCase``, ``snake_case``, dotted) counts as one word: as itself, and by its
parts, which share the weight of one. Weights are
TF-IDF with the document frequencies counted *within the set being grouped*: what every note of a
change mentions tells none of them apart.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from guildmoot.named import NamedTuple
from guildmoot.text.english import STOP_WORDS
from guildmoot.text.note import Note
from guildmoot.text.patterns import lazy

PREFIX = 5
"""Letters of a word that are kept: `validate`, `validation`, `valid` meet in `valid`. Cutting endings off
instead (``english.stem``) groups panels of two or three seats worse: pair F1 .92 in place of .93."""
PRIOR_SHARE, PRIOR_NOTES = 0.25, 2
"""Notes imagined beside the given ones (a share of them, and a few), none of which use the word:
they keep a word that all notes share from counting nothing, and sets of two or three notes
from being judged by nothing else than their differences."""
QUOTE_WEIGHT = 0.5
"""What a word of the quoted code counts beside a word of the explanation. Where the line is known its code says the
place once more, so it makes a note longer but no two notes alike: those words are numbered below 0."""
MOST_PAIRED = 20_000
"""Beyond so many notes all go without pairs of words: these take a third of the time, and names tell enough."""

Vector = dict[int, float]

_TOKEN = lazy(r"[^\W\d](?:\w|(?:\.|::|->)(?=[^\W\d]))*|\d+")
"""A word, or a name in code with its dots and arrows."""
_WORD = lazy(r"[A-Z]+(?=[A-Z][^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+|[A-Z]+|\d+")
_PLACE = lazy(r"\S+\.\w{1,10}:\d+(?:[-–]\d+)?|\blines? \d+(?:[-–]\d+)?", re.IGNORECASE)
"""The place of a note that has one is no word of it, or all of a file would be alike."""
_LINE = lazy(r"\blines? (?=\d)", re.IGNORECASE)
"""Of one that has none the number tells where it is, and the word before it nothing."""
_SKIPPED = -1
_PAIR = 1 << 32
"""Numbers of words are below this, numbers of pairs of words above."""


def weigh(notes: Sequence[Note]) -> tuple[list[Vector], list[float]]:
    """Unit vectors of the notes, words weighed by rarity within the set, and how much each says.

    A word that only one note uses shortens that note's other weights but can
    match nothing, so it is left out of the vectors.
    """
    numbers = _Numbers()
    few = len(notes) <= MOST_PAIRED
    bags = [_bag(note, numbers, few) for note in notes]
    seen: Counter[int] = Counter()
    for bag in bags:
        seen.update(bag.keys())
    total = (1 + PRIOR_SHARE) * len(bags) + PRIOR_NOTES
    lone = math.log(total / 1.5)
    rarity = {term: math.log(total / (n + 0.5)) for term, n in seen.items() if n > 1 and term >= 0}
    weights: list[float] = []
    for number, bag in enumerate(bags):
        squares = [(count * rarity.get(term, lone)) ** 2 for term, count in bag.items()]
        weight = math.sqrt(sum(squares))
        weights.append(weight)
        bags[number] = {
            term: count * rarity[term] / weight for term, count in bag.items() if term in rarity
        }
    return bags, weights


def dot(left: Vector, right: Vector) -> float:
    """How much two vectors have in common."""
    if len(left) > len(right):
        left, right = right, left
    total = 0.0
    for term in left.keys() & right.keys():
        total += left[term] * right[term]
    return total


def total_of(vectors: Sequence[Vector]) -> Vector:
    """All vectors added up."""
    total = vectors[0].copy()
    for vector in vectors[1:]:
        for term, value in vector.items():
            total[term] = total.get(term, 0.0) + value
    return total


class _Name(NamedTuple):
    """What one token comes to."""

    parts: tuple[int, ...]
    """Its telling words."""
    whole: int = _SKIPPED
    """The name itself, where it has several parts."""


class _Numbers(dict[str, _Name]):
    """Number the words met: one number for all words with the same first letters."""

    def __init__(self) -> None:
        super().__init__()
        self._stems: dict[str, int] = {}

    def __missing__(self, token: str) -> _Name:
        found = [n for word in _WORD.findall(token) if (n := self._of_word(word)) != _SKIPPED]
        whole = _SKIPPED
        if len(found) > 1:
            name = token.replace("_", "").replace("::", ".").replace("->", ".").lower()
            whole = self._stems.setdefault(f".{name}", len(self._stems))
        self[token] = name_of = _Name(tuple(found), whole)
        return name_of

    def _of_word(self, word: str) -> int:
        small = word.lower()
        telling = len(small) > 1 or small.isdigit() or not small.isascii()
        if telling and small not in STOP_WORDS:
            return self._stems.setdefault(small[:PREFIX], len(self._stems))
        return _SKIPPED

    def of(self, text: str) -> list[_Name]:
        """What the tokens of a text come to, in order."""
        return [self[token] for token in _TOKEN.findall(text)]


def _bag(note: Note, numbers: _Numbers, paired: bool) -> Vector:
    """Damped counts of a note's words and, if asked, of its pairs of neighbouring words."""
    said = f"{note.title}\n{note.detail}"
    names = numbers.of(_PLACE.sub(" ", said) if note.path else _LINE.sub(" ", said))
    words = [part for name in names for part in name.parts]
    bag: Vector = {}
    for parts, whole in names:
        share = 1.0 if whole == _SKIPPED else len(parts) ** -0.5
        for part in parts:
            bag[part] = bag.get(part, 0.0) + share
        if whole != _SKIPPED:
            bag[whole] = bag.get(whole, 0.0) + 1.0
    if paired:
        for a, b in pairwise(words):
            pair = _PAIR + a * _PAIR + b
            bag[pair] = bag.get(pair, 0.0) + 1.0
    for term, count in bag.items():
        if count > 1.0:
            bag[term] = 1.0 + math.log(count)
    for name in numbers.of(note.quote) if note.quote else ():
        for part in name.parts:
            if part not in bag:
                bag[~part if note.first else part] = QUOTE_WEIGHT
    return bag
