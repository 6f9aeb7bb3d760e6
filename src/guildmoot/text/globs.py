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

_MAGIC = frozenset("*?[")


def is_glob(text: str) -> bool:
    """Whether the text holds a wildcard, so that it cannot simply be the name of a file."""
    return not _MAGIC.isdisjoint(text)


def matches(path: str, patterns: Sequence[str]) -> bool:
    """Whether any of the patterns matches the path; no patterns match nothing."""
    if not patterns:
        return False
    names, paths = _compiled(tuple(patterns))
    if names and names.fullmatch(path, path.rfind("/") + 1):
        return True
    return paths is not None and paths.fullmatch(path) is not None


_Pair = tuple[re.Pattern[str] | None, re.Pattern[str] | None]


@lru_cache(maxsize=512)
def _compiled(patterns: tuple[str, ...]) -> _Pair:
    """One expression for patterns that look at the name only, one for those that look at the path.

    Most patterns are names and folders at any depth; put together they cost one look, not one each.
    """
    names = [_segments(p) for p in patterns if "/" not in p]
    folders = [_segments(p[:-1]) for p in patterns if p.find("/") == len(p) - 1 > 0]
    anchored = [_anchored(p) for p in patterns if "/" in p[:-1] or p == "/"]
    paths = [f"(?:.*/)?(?:{'|'.join(folders)})/.+"] * bool(folders) + anchored
    return _joined(names), _joined(paths)


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
