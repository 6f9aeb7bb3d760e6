"""Reads options and facets from a bare list: items, rows of a table or paragraphs that begin with a bold name.

For answers without a heading that says what they list. Two entries at least make a list; what is nested
below one belongs to it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from guildmoot.reading.blocks import SPACE, columns_before
from guildmoot.reading.ideas.markdown import (
    Idea,
    IdeasReading,
    Listed,
    bare,
    is_against,
    named,
    parted,
    read_label,
    sides,
)
from guildmoot.reading.list_items import bullet_text

_LETTER = re.compile(r"\(?[A-Ha-h][.)]\s+(?P<said>\S.*)")
_BOLD = re.compile(r"(?:\*\*|__)(?P<name>[^*_]{2,80}?)(?:\*\*|__)\s*[:.–—-]?\s*(?P<rest>.*)")
_RULE = set("-: |")
_FEWEST = 2


class _Entry:
    """One entry while its lines are read."""

    def __init__(self, title: str, rest: str) -> None:
        self.title = bare(title).rstrip(".")
        self.text: list[str] = []
        self.pros: list[str] = []
        self.cons: list[str] = []
        self.signed = False
        self.take(rest.strip())

    def take(self, line: str) -> None:
        for said in sides(line):
            self._take(said)

    def take_line(self, row: str, said: str) -> None:
        """A line below the entry; "+" and "-" in front of items are for and against, where there are both."""
        self.signed = self.signed or row.startswith("+ ")
        if self.signed and said and row[0] in "+-" and not read_label(said):
            (self.pros if row[0] == "+" else self.cons).append(bare(said))
        else:
            self.take(said or row)

    def _take(self, said: str) -> None:
        label = read_label(said)
        if not label:
            self.text += [bare(said)] if bare(said) else []
        elif label[1]:
            (self.cons if is_against(label[0]) else self.pros).append(bare(label[1]))


def read_listing(rows: Sequence[str], task: str) -> IdeasReading:
    """What a bare list in the judge's own lines proposes, or for a research what it found."""
    entries = _table(rows) or _entries(rows)
    if len(entries) < _FEWEST:
        return IdeasReading()
    if task == "research":
        facets = tuple(Listed(e.title, (*e.text, *e.pros, *e.cons)) for e in entries)
        return IdeasReading(facets=facets, how="markdown")
    options = tuple(
        Idea(e.title, " ".join(e.text), tuple(e.pros), tuple(e.cons)) for e in entries if e.title
    )
    return IdeasReading(options=options, how="markdown")


def _entries(rows: Sequence[str]) -> list[_Entry]:
    found: list[_Entry] = []
    edge: int | None = None
    for row in rows:
        said, indent = _item(row.strip(SPACE)), columns_before(row)
        bold = _BOLD.fullmatch(row.strip(SPACE)) if not said else None
        if said and (edge is None or indent <= edge):
            edge = indent
            found.append(_Entry(*(named(said) or parted(said))))
        elif bold and (edge is None or indent <= edge):
            found.append(_Entry(bold["name"], bold["rest"]))
        elif found and (said or row.strip()):
            found[-1].take_line(row.strip(), said)
    return found


def _item(text: str) -> str:
    if said := bullet_text(text):
        return said
    letter = _LETTER.fullmatch(text)
    return letter["said"] if letter else ""


def _table(rows: Sequence[str]) -> list[_Entry]:
    """The rows of the first table, each named by its first cell that is no number."""
    cells = [_cells(row) for row in rows]
    rule = next((n for n, row in enumerate(rows) if n and _is_rule(row) and cells[n - 1]), 0)
    if not rule:
        return []
    heads = [head.casefold() for head in cells[rule - 1]]
    found: list[_Entry] = []
    for row in cells[rule + 1 :]:
        if not row:
            break
        at = next((n for n, cell in enumerate(row) if cell.strip("#.0123456789 ")), 0)
        entry = _Entry(row[at], "")
        for head, cell in list(zip(heads, row, strict=False))[at + 1 :]:
            if cell:
                entry.take(f"{head}: {cell}" if read_label(f"{head}: x") else cell)
        found.append(entry)
    return found


def _cells(row: str) -> list[str]:
    text = row.strip()
    return [cell.strip() for cell in text.strip("|").split("|")] if text.count("|") > 1 else []


def _is_rule(row: str) -> bool:
    return "-" in row and "|" in row and set(row.strip()) <= _RULE
