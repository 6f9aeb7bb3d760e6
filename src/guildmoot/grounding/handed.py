"""Whether an edited line still hands over what it did: to a shell, a database or an interpreter. Pure.

The edit may stand around a call: what its value is assigned to, a condition, a call that takes it, the body of a
function that it is given. Where values become part of a text, the plain words of that text may differ, too: the values
and the quotes that guard them tell one such call from another.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from guildmoot.text.patterns import lazy

_TOKEN = lazy(
    r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|`(?:\\.|[^`\\])*`|[\w$]+|=>|\.\.|<>|[^\w\s]', re.DOTALL
)
_PUT_IN = lazy(r"[#$]?\{[^{}]*\}|\\\([^()]*\)|\$\w+|%[-\w.]|[\"'`]")
"""What a text is given, in one language or the other, and the quotes that guard it."""
_QUOTES = ('"', "'", "`")
_JOINS = frozenset(("+", "%", ",", ".", "..", "<>", "&", "~"))
_ADDS = _JOINS - {"."}
_MOST = 400
"""Words and signs of a line that are compared."""


def hands_the_same(before: str, after: str, *, values_only: bool) -> bool:
    """Whether nothing that is handed over was edited, and nothing of the kind was added."""
    from difflib import SequenceMatcher  # few changes need it

    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    if max(len(old), len(new)) > _MOST:
        return False
    depths, called = _depths(old), {name for name, sign in pairwise(old) if sign == "("}
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal" or (values_only and _same_values(old[a:b], new[c:d])):
            continue
        if any(depths[a : b + 1]) or not called.isdisjoint(new[c:d]):
            return False
        if _joins(old, a, b) or _joins(new, c, d):
            return False
    return True


def _depths(tokens: Sequence[str]) -> list[int]:
    """Within how many brackets the place before each word or sign lies; the body of a function begins anew."""
    depths, open_at = [0], list[int]()
    for last, sign in pairwise(["", *tokens]):
        now = depths[-1]
        if sign in ("(", "[", "{"):
            open_at.append(now)
            now = 0 if sign == "{" and last in ("=>", ")") else now + 1
        elif sign in (")", "]", "}") and open_at:
            now = open_at.pop()
        depths.append(now)
    return depths


def _same_values(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether texts stand in place of texts, and are given the same."""
    both = len(old) == len(new) and all(each[0] in _QUOTES for each in (*old, *new))
    return both and all(
        _PUT_IN.findall(one[1:-1]) == _PUT_IN.findall(other[1:-1])
        for one, other in zip(old, new, strict=True)
    )


def _joins(tokens: Sequence[str], first: int, end: int) -> bool:
    """Whether a part of a line puts something into a text, or is put into one."""
    part = tokens[first:end]
    if any(each in _ADDS or _is_given(each) for each in part):
        return True
    near = range(max(first - 1, 0), min(end + 1, len(tokens)))
    return any(tokens[at] in _JOINS and _beside_text(tokens, at) for at in near)


def _beside_text(tokens: Sequence[str], at: int) -> bool:
    return tokens[at] == "+" or any(each[0] in _QUOTES for each in tokens[max(at - 1, 0) : at + 2])


def _is_given(word: str) -> bool:
    return word[0] in _QUOTES and _PUT_IN.search(word[1:-1]) is not None
