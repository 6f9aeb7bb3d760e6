"""Writing to a console: within its width and character set, with foreign text made harmless.

Everything goes out as ``Text``, never as markup, so that no bracket in a finding can style or link.
"""

from __future__ import annotations

import re

from rich.console import Console
from rich.text import Text

from guildmoot.text.clean import clean, spans

_ASCII = str.maketrans(
    {"✓": "+", "✗": "x", "≠": "#", "•": "-", "·": "-", "…": "...", "×": "x", "│": "|"}
)
_NARROWEST = 16
# CI services obey some lines of a log: "::name::" at its start, "##[name]" or "##vso[" anywhere.
_ORDER = re.compile(r"##(?=\w*\[)")


class Pen:
    """One console, and how to write on it."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._encoding = "" if console.encoding.startswith("utf") else console.encoding

    def text(self, content: str, style: str = "") -> Text:
        """Foreign or own text in a form that this console can show."""
        shown = _ORDER.sub("## ", clean(content).replace("\t", "    "))
        if self._encoding:
            known = shown.translate(_ASCII).encode(self._encoding, "backslashreplace")
            shown = known.decode(self._encoding)
        return Text(shown, style=style)

    def prose(self, content: str, style: str = "") -> Text:
        """Text in which `code` in backticks stands out."""
        shown = Text(style=style)
        for is_code, part in spans(content):
            shown.append_text(self.text(f"`{part}`", "bold") if is_code else self.text(part))
        return shown

    def line(self, *parts: Text) -> None:
        """One line that is never cut: a long path stays whole, for copying and for grep."""
        row = Text.assemble(*parts)
        if row.plain.lstrip().startswith("::"):
            start = row.plain.index("::") + 1
            row = Text.assemble(row[:start], " ", row[start:])
        self.console.print(row, soft_wrap=True)

    def hanging(self, lead: Text, body: Text) -> None:
        """A paragraph within the width; its further lines stand under its first."""
        indent = Text(" " * lead.cell_len)
        width = max(self.console.width - lead.cell_len, _NARROWEST)
        for number, row in enumerate(body.wrap(self.console, width, overflow="fold")):
            row.rstrip()
            self.line(indent if number else lead, row)

    def cropped(self, lead: Text, body: Text) -> None:
        """One line of code; what does not fit is replaced by an ellipsis."""
        width = self.console.width - lead.cell_len
        if body.cell_len > width:
            ellipsis = self.text("…")
            body.truncate(max(width - ellipsis.cell_len, 0))
            body.append_text(ellipsis)
        self.line(lead, body)

    def gap(self) -> None:
        """An empty line."""
        self.console.print()


def open_console() -> Console:
    """A console on standard output that leaves a reader who hung up to the caller."""
    return _Console()


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Rich would end the program with exit code 1, which means something else here."""
        raise BrokenPipeError
