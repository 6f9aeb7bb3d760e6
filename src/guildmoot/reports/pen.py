"""Writing to a console: within its width and character set, with foreign text made harmless.

No text is read as markup, so that no bracket in a finding can style or link.
"""

from __future__ import annotations

from guildmoot.reports.console import AnsiText, Console
from guildmoot.text.clean import clean, spans
from guildmoot.text.patterns import lazy

_ASCII = str.maketrans(
    {"✓": "+", "✗": "x", "≠": "#", "•": "-", "·": "-", "…": "...", "×": "x", "│": "|"}
)
_NARROWEST = 16
# CI services obey some lines of a log: "::name::" at its start, "##[name]" or "##vso[" anywhere.
_ORDER = lazy(r"##(?=\w*\[)")


class Pen:
    """One console, and how to write on it."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._encoding = "" if console.encoding.startswith("utf") else console.encoding

    def text(self, content: str, style: str = "") -> AnsiText:
        """Foreign or own text in a form that this console can show."""
        shown = _ORDER.sub("## ", clean(content).replace("\t", "    "))
        if self._encoding:
            known = shown.translate(_ASCII).encode(self._encoding, "backslashreplace")
            shown = known.decode(self._encoding)
        return AnsiText(shown, style)

    def prose(self, content: str, style: str = "") -> AnsiText:
        """Text in which `code` in backticks stands out."""
        shown = AnsiText(style=style)
        for is_code, part in spans(content):
            shown.add(self.text(f"`{part}`", "bold") if is_code else self.text(part))
        return shown

    def line(self, *parts: AnsiText) -> None:
        """One line that is never cut: a long path stays whole, for copying and for grep."""
        row = AnsiText().add(*parts)
        if row.plain.lstrip().startswith("::"):
            start = row.plain.index("::") + 1
            row = AnsiText().add(row.cut(0, start), " ", row.cut(start))
        self.console.print(row)

    def hanging(self, lead: AnsiText, body: AnsiText) -> None:
        """A paragraph within the width; its further lines stand under its first."""
        indent = AnsiText(" " * lead.cell_len)
        width = max(self.console.width - lead.cell_len, _NARROWEST)
        for number, row in enumerate(body.wrap(width)):
            self.line(indent if number else lead, row)

    def cropped(self, lead: AnsiText, body: AnsiText) -> None:
        """One line of code; what does not fit is replaced by an ellipsis."""
        width = self.console.width - lead.cell_len
        if body.cell_len > width:
            ellipsis = self.text("…")
            body = body.truncate(max(width - ellipsis.cell_len, 0)).add(ellipsis)
        self.line(lead, body)

    def gap(self) -> None:
        """An empty line."""
        self.console.print()
