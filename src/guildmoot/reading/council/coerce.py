"""Reads single fields of a judge's JSON whatever their type is, and keeps note of what was amiss.

Nothing here raises, and nothing is made up: what cannot be read is left empty with a warning.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from guildmoot.model.council_verdict import Extras

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_JOINTS = re.compile(r"[\s\-_.]+")


class Fields:
    """One JSON object with its keys in snake case; every read marks the key as known."""

    def __init__(self, value: Mapping[str, object], place: str, warnings: list[str]) -> None:
        self.place = place
        self.warnings = warnings
        self._names: dict[str, str] = {}
        self._values: dict[str, object] = {}
        self._known: set[str] = set()
        for key, item in value.items():
            name = snake(key)
            if self._values.get(name) is None:
                self._names[name], self._values[name] = key, item

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def get(self, name: str) -> object:
        """The value, or None; the key is no longer an extra."""
        self._known.add(name)
        return self._values.get(name)

    def alias(self, name: str, others: Iterable[str]) -> None:
        """Where ``name`` is missing, take the first of ``others`` that holds text for it."""
        for other in others:
            value = self._values.get(other)
            if name not in self and isinstance(value, str) and value.strip():
                self._values[name] = value
                self._known.add(other)
                self.warn(f"{self._names[other]} was read as {name}")

    def text(self, name: str, required: bool = True) -> str:
        """The text; empty when it is missing, which is worth a warning if it is ``required``."""
        value = self.get(name)
        if value is None:
            if required:
                self.warn(f"{name} is missing")
            return ""
        if not isinstance(value, str):
            self.warn(f"{name} is {kind_of(value)}, not text")
        return as_text(value)

    def optional_text(self, name: str) -> str | None:
        """The text, or None when it is missing or null."""
        return self.text(name) if self.get(name) is not None else None

    def items(self, name: str) -> list[object]:
        """The items of an array; a lone object or text counts as an array of one."""
        value = self.get(name)
        if isinstance(value, list):
            return value
        if value is None or (isinstance(value, str) and says_nothing(value)):
            return []
        self.warn(f"{name} is {kind_of(value)}, not an array")
        return [value]

    def extras(self) -> Extras:
        """The keys that nobody asked for, each with a warning; nulls are not worth one."""
        unknown = {
            self._names[name]: value
            for name, value in self._values.items()
            if name not in self._known and value is not None
        }
        if unknown:
            self.warn(f"unknown keys: {', '.join(unknown)}")
        return tuple((key, compact(value)) for key, value in unknown.items())

    def warn(self, message: str) -> None:
        self.warnings.append(f"{self.place}: {message}" if self.place else message)


@lru_cache(1024)
def snake(key: str) -> str:
    """``keyInsight``, ``Key Insight`` and ``key-insight`` as ``key_insight``."""
    return _JOINTS.sub("_", _HUMP.sub("_", key.strip())).lower()


def as_text(value: object) -> str:
    """Text as it is, a list of texts as lines, anything else as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(value)
    return compact(value)


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def kind_of(value: object) -> str:
    """What JSON calls the type of a value, with its article."""
    if isinstance(value, bool):
        return "a boolean"
    for kind, name in (
        (str, "text"),
        (list, "an array"),
        (dict, "an object"),
        (type(None), "null"),
    ):
        if isinstance(value, kind):
            return name
    return "a number"


def says_nothing(text: str) -> bool:
    """``None``, ``N/A``, ``no findings`` and the like."""
    words = text.strip(" \t\r\n.*_`-[]").lower()
    return words in ("", "none", "n/a", "na", "null", "nothing", "no findings", "no issues")
