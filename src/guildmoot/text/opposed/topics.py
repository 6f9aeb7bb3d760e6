"""What a remedy is about, as keys that can be compared with those of another remedy."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import NamedTuple

from guildmoot.text.english import INSTRUCTION_STOP_WORDS, stem
from guildmoot.text.opposed.clauses import Word

EMPTY: frozenset[str] = frozenset()
_NOUN_ENDING = re.compile(r"(?:ation|ition|ion|ment|at)$")
_SETTING = re.compile(r"([\w.\-]+)\s*[:=]\s*[\"']?([\w.\-!]+)[\"']?")


class Topic(NamedTuple):
    """What a claim is about."""

    core: frozenset[str] = EMPTY
    names: frozenset[str] = EMPTY
    """Those keys of the core that name something in the code."""
    around: frozenset[str] = EMPTY
    """Keys of what it belongs to: "the docstring of `slugify`"."""
    around_names: frozenset[str] = EMPTY


class RemedyClaim(NamedTuple):
    """One thing that a remedy wants."""

    axis: str
    side: int
    """+1 or -1; 0 for a value."""
    topic: Topic
    action: str
    """In the reviewer's words, for the explanation."""
    value: frozenset[str] = EMPTY
    condition: frozenset[str] = EMPTY
    phase: int = -1
    """Which phase of the thing's life it is about (``lexicon.PHASES``)."""


def topic(core: Iterable[Word], around: Iterable[Word] = ()) -> Topic:
    """A thing from the words of its name and the words around it."""
    core, around = list(core), list(around)
    return Topic(keys(core), _names(core), keys(around), _names(around))


def keys(words: Iterable[Word]) -> frozenset[str]:
    """Comparable keys of words: stems, and for identifiers also their last part."""
    return EMPTY.union(*map(_keys_of, words))


def _names(words: Iterable[Word]) -> frozenset[str]:
    return EMPTY.union(*(_keys_of(word) for word in words if word.ident))


@functools.lru_cache(maxsize=16384)
def _keys_of(word: Word) -> frozenset[str]:
    if word.ident:
        return _keys_of_name(word.text.removesuffix("()").strip("`\"'"))
    if word.text in INSTRUCTION_STOP_WORDS:
        return EMPTY
    return frozenset([root_of(stem(word.text.replace("-", "").removesuffix("'s")))]) - {""}


def act_key(word: str) -> str:
    """One key for an act and the noun of it: "cache", "a cache", "caching"."""
    return root_of(stem(word))


def root_of(stemmed: str) -> str:
    """One key for a verb and the noun made of it: "animate" and "animation"."""
    bare = _NOUN_ENDING.sub("", stemmed)
    return bare if len(bare) >= 4 else stemmed


def _keys_of_name(name: str) -> frozenset[str]:
    if found := setting(name):
        return frozenset([found[0], name])
    if name.replace(" ", "").isalnum():
        parts = [stem(part) for part in name.split() if part not in INSTRUCTION_STOP_WORDS]
        return frozenset(parts or [name])
    last = re.split(r"[.:/#\s]+", name.rstrip("./:"))[-1].removesuffix("()")
    return frozenset([name, last] if len(last) > 2 else [name]) - {""}


def setting(name: str) -> tuple[str, str] | None:
    """Key and value of ``fail-fast: false`` or ``errors="replace"``."""
    found = _SETTING.fullmatch(name)
    return (found[1], found[2]) if found else None
