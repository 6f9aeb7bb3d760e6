"""Small slips of the hand between two versions of a text: something lost, misspelt, doubled or swapped.

A grammar that read a file before and not after may be behind its language: a change that brings new syntax
brings more than that. So a slip at the place where the grammar gave up says that the text is broken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy

_TOKEN = lazy(r"\w+|[^\w\s]")
_STRAY = frozenset(",;:.=+*/%^~@$`\\()[]{}")
"""Signs one of which alone never was new syntax; `?`, `!`, `#`, `&`, `|`, `<` and `>` were."""
_FEW = 3
_WORDS = """
function return class const import export interface package struct public private static while switch module
defmodule local func def impl enum namespace require resource variable let val var fun trait object type using
typedef template protocol extension override data sealed record begin end then done until unless if elif else for
do case break continue throw raise try catch except finally where match with open use mod
"""
KEYWORDS = frozenset(_WORDS.split())
"""Words that begin a statement in one language or another."""
_MOST = 4000
"""Tokens of a passage; longer ones are no slip."""

_LONG = 800
"""Lines from which on those that stand everywhere are no sign of what belongs together: they take seconds."""


class Passage(NamedTuple):
    """Lines that a change replaced."""

    first: int
    """Of the text after the change, from 1."""
    last: int
    before: str
    after: str


def is_slip(before: str, after: str, line: int, reach: int | None = None) -> bool:
    """Whether what was changed nearest to the line is one slip, and not farther away than ``reach`` lines."""
    changed = passages(before, after)
    if not changed:
        return False
    near = min(changed, key=lambda each: _distance(each, line))
    if reach is not None and _distance(near, line) > reach:
        return False
    old, new = _TOKEN.findall(near.before), _TOKEN.findall(near.after)
    return len(old) <= _MOST and _is_one_slip(old, new)


@lru_cache(maxsize=4)
def passages(before: str, after: str) -> tuple[Passage, ...]:
    """What was replaced, line by line; once for all the lines and rules of a file that ask."""
    return tuple(_passages(before, after))


def _passages(before: str, after: str) -> Iterator[Passage]:
    from difflib import SequenceMatcher

    old, new = before.split("\n"), after.split("\n")
    same = _shared(old, new)
    tail = _shared(old[same:][::-1], new[same:][::-1])
    old, new = old[same : len(old) - tail], new[same : len(new) - tail]
    matcher = SequenceMatcher(None, old, new, autojunk=len(old) > _LONG)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind != "equal":
            first = same + c + 1
            yield Passage(first, max(same + d, first), "\n".join(old[a:b]), "\n".join(new[c:d]))


def _distance(passage: Passage, line: int) -> int:
    if passage.first <= line <= passage.last:
        return 0
    return min(abs(passage.first - line), abs(passage.last - line))


def _is_one_slip(old: Sequence[str], new: Sequence[str]) -> bool:
    start = _shared(old, new)
    end = _shared(old[start:][::-1], new[start:][::-1])
    lost, added = old[start : len(old) - end], new[start : len(new) - end]
    if not added:
        return bool(lost)
    if not lost and len(added) <= _FEW:
        beside = (*new[max(0, start - 1) : start], *new[start + len(added) :][:1])
        return _STRAY.issuperset(added) or (len(added) == 1 and added[0] in beside)
    if len(added) == len(lost) == 1:
        return added[0] in _STRAY or is_near(added[0], lost[0])
    if len(added) == len(lost) == 2:  # two that changed places
        return added == lost[::-1]
    return _is_within(added, lost)


def _is_within(some: Sequence[str], all_of: Sequence[str]) -> bool:
    """Whether the one is what is left of the other."""
    rest = iter(all_of)
    return all(token in rest for token in some)


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (here, there) in pairs if here != there), min(len(one), len(other)))


def is_typo(word: str, meant: str) -> bool:
    """Two letters swapped, or in a longer word one too many or too few."""
    if len(word) == len(meant):
        return word != meant and sorted(word) == sorted(meant)
    short, long = sorted((word, meant), key=len)
    return len(short) > 3 and _has_one_more(long, short)


def is_near(word: str, meant: str) -> bool:
    """The same but for one letter, or for two that changed places."""
    if not (word[:1].isalpha() or word[:1] == "_") or word == meant:
        return False
    if len(word) != len(meant):
        return _has_one_more(*sorted((word, meant), key=len, reverse=True))
    return is_typo(word, meant) or sum(a != b for a, b in zip(word, meant, strict=True)) == 1


def _has_one_more(long: str, short: str) -> bool:
    if len(long) - len(short) != 1 or len(short) < 2:
        return False
    return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))
