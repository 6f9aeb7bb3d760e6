"""The one door through which texts reach files below ``.guild/``: secrets are masked before a byte is on disk.

Durable files (receipts, pages, reviews, settings) fail closed: what cannot be scrubbed is not written.
Telemetry fails open: it is written as far as the built-in rules mask it, and the warning is returned.
The operator's own patterns (setting ``guard.secrets``) are added to the built-in rules; a repository's
never are.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import GuildmootError, InfrastructureError
from guildmoot.system.files import append_rows, write_atomic

LOST = "[not written: it could not be searched for secrets]"
_MOST_DEPTH = 200
_KEYED = 2_000
"""Letters up to which a value is also looked at beside its key: longer ones are texts of their own."""

_SHORT, _REMEMBERED = 64, 4096
"""Letters of a word that is remembered, and how many are."""


class ScrubError(InfrastructureError):
    """A text could not be searched for secrets, so the durable file was not written."""


class Scrubbed(NamedTuple):
    """A text without secrets."""

    text: str
    kinds: tuple[str, ...] = ()
    """What was masked, one word each time."""


class ScrubbedValue(NamedTuple):
    """A JSON value without secrets."""

    value: object
    kinds: tuple[str, ...] = ()


class Scrubber:
    """Masks secrets by the built-in rules and by patterns of the operator.

    ScrubError from every method when one of the patterns cannot be used.
    """

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        self._own = tuple(map(_compiled, patterns))
        self._known = lru_cache(_REMEMBERED)(self._searched)

    def text(self, text: str, path: str = "") -> Scrubbed:
        """The text with its secrets masked; ``path`` tells the kind of file."""
        from guildmoot.guard.secrets import mask

        try:
            clean, found = mask(text, path)
        except (ValueError, RecursionError, MemoryError) as wrong:
            raise ScrubError(
                f"{path or 'a text'} could not be searched for secrets: {wrong}"
            ) from wrong
        kinds = [item.kind for item in found]
        for pattern in self._own:
            clean, count = pattern.subn("[masked:own]", clean)
            kinds += ["own"] * count
        return Scrubbed(clean, tuple(kinds))

    def value(self, value: object) -> ScrubbedValue:
        """A JSON value with every text in it masked, keys too; a value also as its key tells."""
        kinds: list[str] = []
        return ScrubbedValue(self._walk(value, "", kinds, 0), tuple(kinds))

    def _walk(self, value: object, key: str, kinds: list[str], depth: int) -> object:
        if depth > _MOST_DEPTH:
            raise ScrubError("a value is nested too deeply to be searched for secrets")
        if isinstance(value, str):
            return self._leaf(value, key, kinds)
        if isinstance(value, Mapping):
            return {
                self._leaf(str(name), "", kinds): self._walk(held, str(name), kinds, depth + 1)
                for name, held in value.items()
            }
        if isinstance(value, list | tuple):
            return [self._walk(held, key, kinds, depth + 1) for held in value]
        return value

    def _leaf(self, value: str, key: str, kinds: list[str]) -> str:
        """Names and short words come again in every row of a log, and are searched once."""
        look = self._known if len(value) <= _SHORT else self._searched
        clean = look(value, key)
        kinds += clean.kinds
        return clean.text

    def _searched(self, value: str, key: str) -> Scrubbed:
        clean = self.text(value)
        if clean.text == value and key and 0 < len(value) <= _KEYED:
            beside = self.text(json.dumps({key: value}, ensure_ascii=False), "value.json")
            if beside.kinds:
                clean = Scrubbed(f"[masked:{beside.kinds[0]}]", beside.kinds)
        return clean


def operator_scrubber(environ: Mapping[str, str] | None = None) -> Scrubber:
    """By the built-in rules and the user's own patterns; ScrubError when those cannot be used."""
    from guildmoot.config import load_config, user_config_file

    try:
        config = load_config(None, user_config_file(), os.environ if environ is None else environ)
    except GuildmootError as wrong:
        raise ScrubError(
            f"your patterns of secrets cannot be read: {wrong.message}", wrong.hint
        ) from wrong
    return Scrubber(config.strings("guard.secrets"))


def write_durable(
    file: Path, text: str, scrubber: Scrubber | None = None, *, path: str = ""
) -> Scrubbed:
    """Put the scrubbed text in place of the file, whole; ScrubError, and nothing written, when it cannot be.

    What is returned was written: a hash of the file is one of ``text`` in it.
    """
    clean = (scrubber or operator_scrubber()).text(text, path or file.name)
    write_atomic(file, clean.text.encode("utf-8", "surrogatepass"))
    return clean


def append_durable(
    file: Path, rows: Sequence[Mapping[str, object]], scrubber: Scrubber | None = None
) -> tuple[str, ...]:
    """Append scrubbed JSON lines, all or none; ScrubError as above. The kinds that were masked."""
    active = scrubber or operator_scrubber()
    clean = [active.value(row) for row in rows]
    append_rows(file, [each.value for each in clean])
    return tuple(kind for each in clean for kind in each.kinds)


def append_telemetry(
    file: Path,
    rows: Sequence[Mapping[str, object]],
    make: Callable[[], Scrubber] = operator_scrubber,
) -> str:
    """Append scrubbed JSON lines of a log that must not stop the work; the warning, or an empty text.

    What the disk refuses is a warning too.
    """
    clean, warning = scrub_rows(rows, make)
    try:
        append_rows(file, clean, sync=False)
    except (OSError, GuildmootError) as wrong:
        return f"{file.name} could not be written: {wrong}"
    return warning


def scrub_rows(
    rows: Sequence[Mapping[str, object]], make: Callable[[], Scrubber] = operator_scrubber
) -> tuple[list[object], str]:
    """Rows of a log without their secrets, and a warning.

    Where the operator's patterns fail, the built-in rules alone count; where these fail too, the row
    says that it was lost.
    """
    warning, active = "", Scrubber()
    try:
        active = make()
    except ScrubError as wrong:
        warning = f"scrubbed by the built-in rules alone: {wrong.message}"
    clean: list[object] = []
    for row in rows:
        try:
            clean.append(active.value(row).value)
        except ScrubError as wrong:
            warning = f"a line was not written: {wrong.message}"
            clean.append({"lost": LOST})
    return clean, warning


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        made = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as wrong:
        raise ScrubError(
            f"{pattern!r} is no regular expression: {wrong}",
            "Mend it in guard.secrets of your settings; `guild config check` shows the file.",
        ) from wrong
    if made.search(""):
        raise ScrubError(
            f"{pattern!r} matches where nothing is", "Make it match at least a letter."
        )
    return made
