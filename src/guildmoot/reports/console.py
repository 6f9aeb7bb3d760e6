"""A terminal or a log that is written on: its width, its character set, its colours, and styled text.

It holds what our reports need and no more: a library for it would take a tenth of a short run to load.
"""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import TextIO

from guildmoot.text.patterns import lazy

_CODES = {
    "bold": "1", "dim": "2",
    "red": "31", "green": "32", "yellow": "33", "magenta": "35", "cyan": "36",
}  # fmt: skip
_COLOURS = frozenset(_CODES) - {"bold", "dim"}
_WORD = lazy(r"\s*\S+\s*")
_DEFAULT = (80, 25)
_EMOJI_FORM = "\ufe0f"


@lru_cache(maxsize=4096)
def _mark_cells(mark: str) -> int:
    if unicodedata.category(mark) in ("Mn", "Me", "Cf", "Cc"):
        return 0
    return 2 if unicodedata.east_asian_width(mark) in "WF" else 1


def cell_len(text: str) -> int:
    """How many columns the text takes."""
    if text.isascii():
        return len(text)
    cells = sum(map(_mark_cells, text))
    if _EMOJI_FORM in text:
        cells += sum(
            form == _EMOJI_FORM and _mark_cells(mark) == 1 for mark, form in pairwise(text)
        )
    return cells


class AnsiText:
    """A text whose parts have styles: words of ``bold``, ``dim`` and a colour."""

    def __init__(self, text: str = "", style: str = "") -> None:
        self.style = style
        self.parts: list[tuple[str, str]] = [(text, style)] if text else []

    @property
    def plain(self) -> str:
        """Without the styles."""
        return "".join(text for text, _ in self.parts)

    @property
    def cell_len(self) -> int:
        """How many columns it takes."""
        return cell_len(self.plain)

    def add(self, *more: AnsiText | str) -> AnsiText:
        """Put texts behind it; what it is given keeps its style within this one's."""
        for each in more:
            parts = [(each, "")] if isinstance(each, str) else each.parts
            self.parts += [
                (text, f"{self.style} {style}".strip() if self.style else style)
                for text, style in parts
                if text
            ]
        return self

    def cut(self, start: int, stop: int | None = None) -> AnsiText:
        """The letters from ``start`` to ``stop``."""
        piece, at = AnsiText(), 0
        stop = len(self.plain) if stop is None else stop
        for text, style in self.parts:
            within = text[max(start - at, 0) : max(stop - at, 0)]
            if within:
                piece.parts.append((within, style))
            at += len(text)
        return piece

    def rstrip(self) -> AnsiText:
        """Without white space at its end."""
        return self.cut(0, len(self.plain.rstrip()))

    def truncate(self, width: int) -> AnsiText:
        """As much from its start as fits the columns."""
        return self.cut(0, _fitting(self.plain, width))

    def wrap(self, width: int) -> list[AnsiText]:
        """Lines of that width; a word that is wider is cut."""
        rows, at = [], 0
        for line in self.plain.split("\n"):
            marks = [at, *(at + place for place in _breaks(line, width)), at + len(line)]
            rows += [self.cut(start, stop).rstrip() for start, stop in pairwise(marks)]
            at += len(line) + 1
        return rows


def _fitting(text: str, width: int) -> int:
    """How many of the first letters fit."""
    if text.isascii():
        return max(min(width, len(text)), 0)
    taken = 0
    for number, mark in enumerate(text):
        taken += _mark_cells(mark)
        if taken > width:
            return number
    return len(text)


def _breaks(line: str, width: int) -> Iterator[int]:
    """Where a new row begins within a line."""
    taken = 0
    for found in _WORD.finditer(line):
        word, start = found.group(), found.start()
        needed = cell_len(word.rstrip())
        if needed <= width - taken:
            taken += cell_len(word)
        elif needed <= width:
            if start:
                yield start
            taken = cell_len(word)
        else:
            while word:
                if start:
                    yield start
                size = max(_fitting(word, width), 1)
                taken, start, word = cell_len(word[:size]), start + size, word[size:]


class Console:
    """What is written to."""

    def __init__(
        self,
        file: TextIO | None = None,
        *,
        width: int = 0,
        height: int = 0,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.file = file or sys.stdout
        self.encoding = (getattr(self.file, "encoding", None) or "utf-8").lower()
        self._size = (width, height)
        self._environ = os.environ if environ is None else environ
        term = self._environ.get("TERM", "").lower()
        on_terminal = self.file.isatty() and term not in ("dumb", "unknown")
        self.can_draw = on_terminal
        """Whether the cursor can be moved: not in a CI log, whose colours are forced."""
        self._styled = on_terminal or bool(self._environ.get("FORCE_COLOR"))
        self._coloured = not self._environ.get("NO_COLOR")

    @property
    def width(self) -> int:
        """Columns."""
        return self._size[0] or self._asked("COLUMNS") or self._terminal()[0]

    @property
    def height(self) -> int:
        """Rows."""
        return self._size[1] or self._asked("LINES") or self._terminal()[1]

    def print(self, text: AnsiText | None = None) -> None:
        """One line, however long."""
        self.file.write((self.render(text) if text else "") + "\n")

    def render(self, text: AnsiText) -> str:
        """The text with its styles in the terminal's codes."""
        if not self._styled:
            return text.plain
        return "".join(self._part(*part) for part in text.parts)

    def _part(self, text: str, style: str) -> str:
        words = [word for word in style.split() if self._coloured or word not in _COLOURS]
        return f"\x1b[{';'.join(_CODES[word] for word in words)}m{text}\x1b[0m" if words else text

    def _asked(self, name: str) -> int:
        said = self._environ.get(name, "")
        return int(said) if re.fullmatch(r"[1-9]\d{0,3}", said) else 0

    def _terminal(self) -> tuple[int, int]:
        for handle in (self.file, sys.__stdin__, sys.__stdout__, sys.__stderr__):
            try:
                size = os.get_terminal_size(handle.fileno()) if handle else None
            except (OSError, ValueError):  # it is no terminal, or no file at all
                continue
            if size and size.columns:
                return size.columns, size.lines or _DEFAULT[1]
        return _DEFAULT
