"""The words of a request that are paths; what only looks like one is refused by name later, never passed over."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from guildmoot.practices.council.target_words import STOP_WORDS, TRAILING
from guildmoot.practices.council.tasks import Meaning

_PATH_LIKE = re.compile(
    r"(?:\.{0,2}/)?(?:[\w.@+-]+/)+[\w.@+-]*|[\w@+-][\w.@+-]*\.(?!js\b)[a-z]{1,5}"
)


def named_paths(meaning: Meaning, exists: Callable[[str], bool]) -> tuple[str, ...]:
    """The words that are paths here, and in a request for a verdict those that must be meant as one."""
    words = [word if word == "-" else word.rstrip(TRAILING) for word in meaning.words]
    words = [_without_line(word, exists) for word in words]
    listed = all(_is_path(word, exists) or _PATH_LIKE.fullmatch(word) for word in words)
    strict = meaning.task == "validate"
    found = [
        word
        for word in words
        if _is_path(word, exists) or (strict and (listed or _is_missing(word)))
    ]
    return tuple(dict.fromkeys(found))


def _without_line(word: str, exists: Callable[[str], bool]) -> str:
    """``app.py:18`` names the file."""
    path, _, line = word.partition(":")
    return path if line[:1].isdigit() and exists(path) else word


def _is_path(word: str, exists: Callable[[str], bool]) -> bool:
    if word in (".", "..", "-"):
        return True
    if "*" in word or ("[" in word and "]" in word):
        return word.strip("*") == "" or "/" in word or "." in word
    if not re.search(r"\w", word) or word.casefold() in STOP_WORDS:
        return False
    return exists(word)


def _is_missing(word: str) -> bool:
    """A path that is not there: to be refused by name rather than judged as a phrase."""
    if not _PATH_LIKE.fullmatch(word) or word.casefold() in ("e.g", "i.e"):
        return False
    return word.startswith(("./", "../")) or word.endswith("/") or "." in word[1:]


def said_of(
    named: Sequence[str], words: Sequence[str], exists: Callable[[str], bool]
) -> tuple[str, ...]:
    """A plain word in a sentence that happens to be a path is a guess; a list of paths is none."""
    plain = [word for word in named if word.isalnum() and exists(word)]
    if not plain or len(named) == len(words):
        return ()
    return (f"target: {', '.join(plain)} is a path here, so it is what is judged",)
