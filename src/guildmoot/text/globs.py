"""Glob patterns over repository paths: for targets, for an agent's ``files``, for names to skip.

The dialect is that of ``.gitignore`` without negation:

    *.py            a name in any folder
    src/*.py        anchored at the root, since it holds a slash; ``*`` stays within one folder
    /setup.py       anchored at the root
    src/**/*.py     ``**/`` is any number of folders, none included
    docs/           everything below any folder ``docs``
    src/docs/       everything below that one folder (the same as ``src/docs/**``)

Paths are relative with forward slashes. Matching is case-sensitive.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from guildmoot.named import NamedTuple

_MAGIC = frozenset("*?[")
_SPECIAL = _MAGIC | {"\\"}


def is_glob(text: str) -> bool:
    """Whether the text holds a wildcard, so that it cannot simply be the name of a file."""
    return not _MAGIC.isdisjoint(text)


def matches(path: str, patterns: Sequence[str]) -> bool:
    """Whether any of the patterns matches the path; no patterns match nothing."""
    if not patterns:
        return False
    start = path.rfind("/") + 1
    known = _compiled(tuple(patterns))
    if known.endings and path.endswith(known.endings, start):
        return True
    if known.plain and path[start:] in known.plain:
        return True
    if known.names and known.names.fullmatch(path, start):
        return True
    return known.paths is not None and known.paths.fullmatch(path) is not None


class _Compiled(NamedTuple):
    """Patterns by what they look at; most are names at any depth, which need no expression."""

    plain: frozenset[str]
    """Whole names."""
    endings: tuple[str, ...]
    """What follows the one star at the beginning of a name."""
    names: re.Pattern[str] | None
    paths: re.Pattern[str] | None


@lru_cache(maxsize=512)
def _compiled(patterns: tuple[str, ...]) -> _Compiled:
    """Put together they cost a few looks, not one each."""
    named = [p for p in patterns if "/" not in p]
    plain = frozenset(p for p in named if _SPECIAL.isdisjoint(p))
    starred = [p for p in named if p[:1] == "*" and _SPECIAL.isdisjoint(p[1:])]
    names = [_segments(p) for p in named if p not in plain and p not in starred]
    folders = [_segments(p[:-1]) for p in patterns if p.find("/") == len(p) - 1 > 0]
    anchored = [_anchored(p) for p in patterns if "/" in p[:-1] or p == "/"]
    paths = [f"(?:.*/)?(?:{'|'.join(folders)})/.+"] * bool(folders) + anchored
    return _Compiled(plain, tuple(p[1:] for p in starred), _joined(names), _joined(paths))


def _joined(expressions: Sequence[str]) -> re.Pattern[str] | None:
    # re.DOTALL because a file name may hold a newline.
    return re.compile("|".join(expressions), re.DOTALL) if expressions else None


def _anchored(pattern: str) -> str:
    body = pattern.rstrip("/").removeprefix("/")
    return _segments(body) + ("/.+" if pattern.endswith("/") else "")


def _segments(body: str) -> str:
    out: list[str] = []
    at = 0
    while at < len(body):
        piece, at = _one(body, at)
        out.append(piece)
    return "".join(out)


def _one(body: str, at: int) -> tuple[str, int]:
    """The regular expression for what stands at ``at``, and where the next piece begins."""
    if body.startswith("**/", at) and (at == 0 or body[at - 1] == "/"):
        return "(?:[^/]+/)*", at + 3
    if body.startswith("**", at):
        return ".*", at + 2
    char = body[at]
    if char == "*":
        return "[^/]*", at + 1
    if char == "?":
        return "[^/]", at + 1
    if char == "[":
        return _class(body, at)
    if char == "\\" and at + 1 < len(body):
        return re.escape(body[at + 1]), at + 2
    return re.escape(char), at + 1


def _class(body: str, at: int) -> tuple[str, int]:
    """A ``[...]`` class; one that is never closed, or is no valid range, is a plain bracket."""
    negated = body[at + 1 : at + 2] in ("!", "^")
    start = at + 1 + negated
    end = body.find("]", start + 1)
    if end < 0:
        return re.escape("["), at + 1
    inside = body[start:end].replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    inside = inside.replace("^", "\\^")
    for sign in "&|~-":  # doubled, they may come to mean something else
        inside = inside.replace(sign * 2, f"{sign}\\{sign}")
    text = f"(?!/)[{'^' if negated else ''}{inside}]"
    try:
        re.compile(text)
    except re.error:  # for example the range z-a
        return re.escape("["), at + 1
    return text, end + 1
