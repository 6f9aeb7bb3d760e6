"""Glob patterns over repository paths; used for targets, for an agent's ``files`` and for names to skip.

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
    return bool(patterns) and _compiled(tuple(patterns)).match(path) is not None


@lru_cache(maxsize=512)
def _compiled(patterns: tuple[str, ...]) -> re.Pattern[str]:
    # re.DOTALL because a file name may hold a newline.
    return re.compile("|".join(f"(?:{_translate(p)})" for p in patterns), re.DOTALL)


def _translate(pattern: str) -> str:
    below = pattern.endswith("/")
    body = pattern.rstrip("/")
    anchored = "/" in body
    body = body.removeprefix("/")
    prefix = "" if anchored or body.startswith("**/") else "(?:.*/)?"
    suffix = r"/.+\Z" if below else r"\Z"
    return prefix + _segments(body) + suffix


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
    inside = (
        inside.replace("^", "\\^").replace("&&", "&\\&").replace("||", "|\\|").replace("~~", "~\\~")
    )
    text = f"(?!/)[{'^' if negated else ''}{inside}]"
    try:
        re.compile(text)
    except re.error:  # for example the range z-a
        return re.escape("["), at + 1
    return text, end + 1
