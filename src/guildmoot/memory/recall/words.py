"""What a text is found by: stems of its words, its identifiers as they are written, pairs of signs where no spaces are.

The same function reads pages and questions, so that what is written the same is found the same way.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import chain
from zlib import crc32

from guildmoot.memory.recall.stemming import porter, stem
from guildmoot.text.english import word_set
from guildmoot.text.patterns import lazy

EXACT = "="
"""Before an identifier that was taken whole."""

STOP_WORDS = word_set("""
a about above after again all also am an and any are as at be because been before being below between both but by can
cannot could did do does doing done down during each either else ever few for from further had has have having he her
here hers him his how however i if in into is it its itself just let me might more most must my no nor not now of off on
once one only onto or other our out over own per rather same shall she should since so some such than that the their
them then there these they this those through thus to too under until up upon us use used uses using very via was way we
were what when where whether which while who whom whose why will with within without would yet you your
tell know find give show explain describe get got anyone anything something someone work works working happen happens
mean means want need needs please
""")
"""Words that say nothing of what a question is about."""
DEEDS = frozenset(
    map(
        porter,
        word_set("""
access add apply build call change check choose configure create declare define delete disable do edit enable handle
implement install keep list look make open put read remove rename replace run see send set setup start stop store switch
take turn try update view write
"""),
    )
)
"""Stems of what people do to anything: whether a page answers is not told by them."""

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f"
_TOKEN = lazy(rf"[{_CJK}]+|[^\W{_CJK}]+(?:[.\-/:@'’]{{1,2}}[^\W{_CJK}]+)*")
_ONLY_CJK = lazy(f"[{_CJK}]")
_SEGMENTS = lazy(r"[/:@]+")
_PARTS = lazy(r"[^\W_]+")
_HUMPS = lazy(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_CAMEL = lazy(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_MARKS = lazy("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]")
_LONGEST = 200
_MOST_KNOWN = 500_000


class _Known(dict[str, tuple[str, ...]]):
    """The terms of every token that was seen, so that each is taken apart once."""

    def __missing__(self, token: str) -> tuple[str, ...]:
        if len(self) > _MOST_KNOWN:
            self.clear()
        found = self[token] = tuple(_terms(token))
        return found


class _Numbers(dict[str, tuple[int, ...]]):
    """The same as numbers."""

    def __missing__(self, token: str) -> tuple[int, ...]:
        if len(self) > _MOST_KNOWN:
            self.clear()
        found = self[token] = tuple(map(number, _terms(token)))
        return found


_known, _numbers = _Known(), _Numbers()


def words(text: str) -> list[str]:
    """The terms of a text in order, without stop words; an identifier stands before its parts."""
    return list(chain.from_iterable(map(_known.__getitem__, _TOKEN.findall(text))))


def numbers(text: str) -> list[int]:
    """The same as the numbers by which an index knows them."""
    return list(chain.from_iterable(map(_numbers.__getitem__, _TOKEN.findall(text))))


def number(term: str) -> int:
    """The number by which an index knows a term."""
    return crc32(term.encode("utf-8", "surrogatepass"))


def _terms(token: str) -> Iterator[str]:
    """Of a plain word its stem; else the whole where it is an identifier, then its parts."""
    token = token[:_LONGEST]
    if token.isascii() and token.isalpha() and not _CAMEL.search(token):
        low = token.lower()
        if low not in STOP_WORDS:
            yield porter(low)
        return
    if _ONLY_CJK.match(token):
        yield from (token[at : at + 2] for at in range(max(len(token) - 1, 1)))
        return
    token = _unaccented(token)
    if is_identifier(token):
        yield EXACT + token.lower()
        yield from _names_inside(token)
    for part in _PARTS.findall(token.replace("'s", "").replace("’s", "")):
        pieces = _HUMPS.findall(part) if _CAMEL.search(part) else [part]
        for piece in pieces:
            low = piece.lower()
            if low not in STOP_WORDS and (len(low) > 1 or len(token) == 1 or low.isdigit()):
                yield stem(low)


def _names_inside(token: str) -> Iterator[str]:
    """The names that a dotted or pathed one is made of: ``max_conns`` of ``db.max_conns``, ``a.py`` of ``src/a.py``."""
    found: dict[str, None] = {}
    for segment in _SEGMENTS.split(token):
        for name in (segment, *segment.split(".")):
            if name and name != token and is_identifier(name):
                found[EXACT + name.lower()] = None
    yield from found


def is_identifier(token: str) -> bool:
    """``cache_size``, ``cacheSize``, ``E1234``, ``os.path``, ``CVE-2024-1``: a name, not a word of a sentence."""
    if "_" in token.strip("_") or "::" in token:
        return True
    digit, letter = any(map(str.isdigit, token)), any(map(str.isalpha, token))
    if digit and letter and not token[0].isdigit():
        return True
    if _CAMEL.search(token) and not token.endswith("s"):
        return True
    return letter and len(token) > 3 and any(sign in token for sign in "./:@")


def _unaccented(token: str) -> str:
    if token.isascii():
        return token
    return unicodedata.normalize(
        "NFC", _MARKS.sub("", unicodedata.normalize("NFD", unicodedata.normalize("NFKC", token)))
    )


def is_foreign(term: str) -> bool:
    """Whether the term is of a script that is neither Latin nor cut down to stems."""
    return any(sign > "\u024f" and not "\u0400" <= sign <= "\u04ff" for sign in term)
