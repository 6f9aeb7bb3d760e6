"""Names that PHP, its extensions and the helpers of well-known frameworks bring; ``names.txt`` lists them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_LISTS = Path(__file__).with_name("names.txt")
_OF_TYPES_WORDS = """
self static parent mixed void never null false true iterable object callable int float string bool array numeric
resource boolean integer double
"""
_OF_TYPES = frozenset(_OF_TYPES_WORDS.split())


@cache
def _lists() -> dict[str, frozenset[str]]:
    """Each section; a line begins with what all of its words begin with, or goes on with the one before it."""
    found: dict[str, set[str]] = {}
    words, start = set[str](), ""
    for line in _LISTS.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            words = found.setdefault(line.strip("[]"), set())
            continue
        if not line.startswith(" "):
            start, _, line = line.partition(" ")
            start = start.strip("-")
        words.update(start + word for word in line.split())
    return {section: frozenset(words) for section, words in found.items()}


def is_function(name: str) -> bool:
    """Whether PHP, an extension of it or a framework's helpers have such a function."""
    low, lists = name.lower(), _lists()
    family = low.partition("_")[0]
    return low in lists["functions"] or low in lists["helpers"] or family in lists["families"]


def is_own_function(name: str) -> bool:
    """Whether PHP itself or one of its extensions has it."""
    return name.lower() in _lists()["functions"]


def is_setter(name: str) -> bool:
    """Whether it is a function of PHP that may set what it is given."""
    return name.lower() in _lists()["setters"]


def is_class(name: str) -> bool:
    """Whether it is a class of PHP or of an extension, or a word that stands for a type."""
    low = name.lower()
    return low in _lists()["classes"] or low in _OF_TYPES


def is_constant(name: str) -> bool:
    """Whether it may be a constant of PHP: its first word is one by which some of those begin."""
    known = _lists()["constants"]
    return name in known or name.upper() in known or name.partition("_")[0] in known


def near_functions(name: str) -> frozenset[str]:
    """Functions of PHP that begin alike and are as long but for one letter."""
    low = name.lower()
    return frozenset(
        each
        for each in _lists()["functions"]
        if abs(len(each) - len(low)) < 2 and each[:1] == low[:1]
    )
