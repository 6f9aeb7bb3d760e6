"""Reads single values of an agent file and collects what is wrong with them, each with its line.

It knows forms (text, list, map, number), not meanings; those are in ``files``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import TypeVar

from guildmoot.agents.frontmatter import FrontMatter
from guildmoot.agents.plainyaml import Value
from guildmoot.named import NamedTuple

_TRUE = ("true", "yes", "on")
_FALSE = ("false", "no", "off")
_OPENING, _CLOSING = "([{", ")]}"

Word = TypeVar("Word", bound=str)


class AgentProblem(NamedTuple):
    """Something wrong with an agent file."""

    path: str
    line: int
    reason: str
    agent: str = ""
    """The name that the file claims, or its file name where that cannot be read."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}"


class AgentFields:
    """The values of one file; a wrong one becomes a problem and reads as if it were not there."""

    def __init__(self, matter: FrontMatter, path: str) -> None:
        self._matter = matter
        self._path = path
        self.problems: list[AgentProblem] = []

    def problem(self, reason: str, *where: str | int) -> None:
        """Note what is wrong with the value at ``where``."""
        self.problems.append(AgentProblem(self._path, self._matter.line_of(*where), reason))

    def given(self, key: str) -> bool:
        """Whether the file says anything under this key."""
        return self._get(key) is not None

    def is_text(self, key: str) -> bool:
        """Whether the value is one text rather than a list or a map."""
        return isinstance(self._get(key), str)

    def names(self) -> Iterable[str]:
        """Every key of the file, known or not."""
        return self._matter.data.keys()

    def text(self, key: str, default: str = "") -> str:
        """One line or paragraph of text."""
        value = self._get(key)
        if value is None:
            return default
        if isinstance(value, str):
            return value.strip()
        self.problem(f"{key} must be text, not {_form(value)}", key)
        return default

    def choice(self, key: str, allowed: Sequence[Word], default: Word) -> Word:
        """One of a few words."""
        word = self.text(key)
        found = next((each for each in allowed if each == word), None)
        if word and found is None:
            self.problem(f"{key} must be {one_of(allowed)}, not {word!r}", key)
        return found or default

    def flag(self, key: str) -> bool:
        """Yes or no; no when nothing is said."""
        word = self.text(key, "no").lower()
        if word not in (*_TRUE, *_FALSE):
            self.problem(f"{key} must be true or false, not {word!r}", key)
        return word in _TRUE

    def seconds(self, key: str) -> float:
        """A positive number; 0 when nothing is said."""
        word = self.text(key)
        try:
            number = float(word or 0)
        except ValueError:
            number = math.nan
        if word and not 0 < number < math.inf:
            self.problem(f"{key} must be a number of seconds above 0, not {word!r}", key)
            return 0.0
        return number

    def words(self, key: str) -> tuple[str, ...]:
        """A list, or text with commas; a comma inside brackets parts nothing."""
        if self.is_text(key):
            return tuple(_split(self.text(key)))
        return self.items(key)

    def items(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        value = self._get(key)
        if value is None:
            return ()
        if not isinstance(value, list):
            self.problem(f"{key} must be a list, not {_form(value)}", key)
            return ()
        for at, item in enumerate(value):
            if not isinstance(item, str) or not item.strip():
                self.problem(f"{key} must hold only texts, not {_form(item)}", key, at)
        return tuple(item for item in value if isinstance(item, str) and item.strip())

    def pairs(self, key: str) -> list[tuple[str, str]]:
        """A map of texts to texts; a list of texts on the right is joined with commas."""
        value = self._get(key)
        if value is None:
            return []
        if not isinstance(value, dict):
            self.problem(f"{key} must be a map, not {_form(value)}", key)
            return []
        found = [(name, _joined(each)) for name, each in value.items()]
        for name, joined in found:
            if not joined:
                self.problem(f"{key}: {name} must be text", key, name)
        return [(name, joined) for name, joined in found if joined]

    def _get(self, key: str) -> Value:
        return self._matter.data.get(key)


def one_of(words: Sequence[str]) -> str:
    """``a, b or c``."""
    return " or ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def nearest(word: str, known: Iterable[str]) -> str:
    """A question to end a sentence with, or nothing when no known word is near."""
    near = get_close_matches(word, list(known), n=1, cutoff=0.7)
    return f"; did you mean {near[0]}?" if near else ""


def _form(value: Value) -> str:
    if isinstance(value, dict):
        return "a map"
    return "a list" if isinstance(value, list) else repr(value) if value else "nothing"


def _joined(value: Value) -> str:
    items = value if isinstance(value, list) else [value]
    if not all(isinstance(item, str) for item in items):
        return ""
    return ", ".join(str(item).strip() for item in items)


def _split(text: str) -> list[str]:
    parts, depth = [""], 0
    for char in text:
        depth = max(0, depth + (char in _OPENING) - (char in _CLOSING))
        if char == "," and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts if part.strip()]
