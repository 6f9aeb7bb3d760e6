"""Reads single values of a manifest and collects what is wrong with them.

A manifest is text of another machine. Whatever form a value has, reading it ends in the value or in
a sentence that can be shown on a terminal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import NoReturn

from guildmoot.agents.fields import nearest, one_of

MAX_BYTES = 64_000
MAX_ITEMS = 256
MAX_TEXT = 200
_SHOWN = 40


class Values:
    """The values of one manifest; a wrong one becomes a problem and reads as if it were not there."""

    def __init__(self, data: Mapping[str, object], problems: list[str], prefix: str = "") -> None:
        self._data = data
        self._prefix = prefix
        self.problems = problems

    def problem(self, reason: str) -> None:
        """Note what is wrong."""
        self.problems.append(reason)

    def given(self, key: str) -> bool:
        """Whether anything but null stands under this key."""
        return self._data.get(key) is not None

    def text(self, key: str) -> str:
        """One line of printable text; empty when nothing is said."""
        value = self._data.get(key)
        if value is None:
            return ""
        if isinstance(value, str) and _is_plain(value):
            return value
        self._wrong(key, f"text of up to {MAX_TEXT} printable characters", value)
        return ""

    def matching(self, key: str, pattern: re.Pattern[str], wanted: str) -> str:
        """Text of a known form."""
        word = self.text(key)
        if word and not pattern.fullmatch(word):
            self._wrong(key, wanted, word)
            return ""
        return word

    def choice(self, key: str, allowed: Sequence[str], default: str = "") -> str:
        """One of a few words."""
        word = self.text(key)
        if word and word not in allowed:
            self._wrong(key, one_of(allowed), word)
            return default
        return word or default

    def words(self, key: str, allowed: Sequence[str] = ()) -> tuple[str, ...]:
        """A list of texts, each one of ``allowed`` when that is given."""
        value = self._data.get(key)
        if value is None:
            return ()
        if not isinstance(value, list) or len(value) > MAX_ITEMS:
            self._wrong(key, f"a list of up to {MAX_ITEMS} texts", value)
            return ()
        good = [item for item in value if isinstance(item, str) and item and _is_plain(item)]
        bad = [item for item in value if item not in good] or [
            item for item in good if allowed and item not in allowed
        ]
        if bad:
            self._wrong(key, f"a list of {one_of(allowed) if allowed else 'texts'}", bad[0])
            return ()
        return tuple(good)

    def flag(self, key: str) -> bool:
        """True or false; false when nothing is said."""
        value = self._data.get(key)
        if value is None or isinstance(value, bool):
            return bool(value)
        self._wrong(key, "true or false", value)
        return False

    def table(self, key: str, known: Sequence[str]) -> Values:
        """The object under this key; one that is not there is empty."""
        value = self._data.get(key)
        if value is not None and not isinstance(value, dict):
            self._wrong(key, "an object", value)
        inner = Values(value if isinstance(value, dict) else {}, self.problems, f"{key}.")
        inner.check_keys(known)
        return inner

    def get(self, key: str) -> object:
        """The value as it stands, for a form that only one key has."""
        return self._data.get(key)

    def names(self) -> tuple[str, ...]:
        """Every key, known or not."""
        return tuple(self._data)

    def check_keys(self, known: Sequence[str]) -> None:
        """A key that is nearly a known one is a slip: an allow-list must not vanish by a typo.

        Others are left alone, because a newer version may say more.
        """
        for key in sorted(set(self._data).difference(known)):
            near = nearest(key[:MAX_TEXT], known)
            if near:
                self.problem(f"{self._prefix}{shown(key)} is not known{near}")

    def _wrong(self, key: str, wanted: str, value: object) -> None:
        self.problem(f"{self._prefix}{key} must be {wanted}, not {shown(value)}")


def parse(data: bytes) -> tuple[dict[str, object], str]:
    """The object that a manifest holds, and why it cannot be had; one of the two is empty."""
    if len(data) > MAX_BYTES:
        return {}, f"it is larger than {MAX_BYTES:,} bytes"
    try:
        value = json.loads(
            data.decode("utf-8-sig"), object_pairs_hook=_object, parse_constant=_no_number
        )
    except UnicodeDecodeError as wrong:
        return {}, f"it is not UTF-8: {wrong.reason} at byte {wrong.start}"
    except RecursionError:
        return {}, "it is nested too deeply"
    except ValueError as wrong:
        return {}, f"it is not JSON: {wrong}"
    if not isinstance(value, dict):
        return {}, f"it must be a JSON object, not {shown(value)}"
    return value, "" if value else "it is an empty object"


def shown(value: object) -> str:
    """A value for a message: short, and without characters that a terminal would obey."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else f"a list of {len(value):,}"
    text = repr(value[:_SHOWN] if isinstance(value, str) else value)
    return text if len(text) <= 2 * _SHOWN else text[: 2 * _SHOWN] + "..."


def _is_plain(text: str) -> bool:
    return len(text) <= MAX_TEXT and text.isprintable()


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Of two values under one key nobody can tell which is meant."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in found if keys.count(key) > 1)
        raise ValueError(f"the key {shown(twice)} stands there twice")
    return found


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")
