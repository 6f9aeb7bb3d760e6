"""Reads options and facets from a bare list: items, rows of a table or paragraphs that begin with a bold name.

For answers without a heading that says what they list. Two entries at least make a list; what is nested
below one belongs to it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

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
_FINDING = ("finding", "findings", "observation", "what", "result", "issue", "bottleneck")
_FACET = ("facet", "area", "topic", "theme", "aspect", "category")


class _Entry:
    """One entry while its lines are read."""

    def __init__(self, title: str, rest: str) -> None:
        self.title = bare(title).rstrip(".")
        self.text: list[str] = []
        self.pros: list[str] = []
        self.cons: list[str] = []
        self.signed = False
        self.side: list[str] | None = None
        """Where the lines below a label without a text go."""
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
            into = self.text if self.side is None else self.side
            into += [bare(said)] if bare(said) else []
            return
        side = self.cons if is_against(label[0]) else self.pros
        self.side = None if label[1] else side
        side += [bare(label[1])] if label[1] else []


def read_listing(rows: Sequence[str], task: str) -> IdeasReading:
    """What a bare list in the judge's own lines proposes, or for a research what it found."""
    if task == "research" and (listed := _found_in_table(rows)):
        return IdeasReading(facets=listed, how="markdown")
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
            first, *more = sides(said)
            found.append(_Entry(*(named(first) or parted(first))))
            for each in more:
                found[-1].take(each)
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


def _found_in_table(rows: Sequence[str]) -> tuple[Listed, ...]:
    """A table of findings, a row each: its other columns tell of the finding and are none themselves."""
    heads, body = _first_table(rows)
    at = next((n for n, head in enumerate(heads) if head in _FINDING), -1)
    if at < 0:
        return ()
    by_facet: dict[str, list[str]] = {}
    for row in body:
        cells = dict(zip(heads, row, strict=False))
        said = cells.pop(heads[at], "")
        facet = next((cells.pop(name) for name in _FACET if cells.get(name)), "Findings")
        told = (f"{head}: {cell}" for head, cell in cells.items() if cell and head.strip("#. "))
        beside = "; ".join(told)
        if said:
            by_facet.setdefault(facet, []).append(f"{said} ({beside})" if beside else said)
    return tuple(Listed(name, tuple(found)) for name, found in by_facet.items())


def _first_table(rows: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """The heads of the first table in small letters, and its rows."""
    cells = [_cells(row) for row in rows]
    rule = next((n for n, row in enumerate(rows) if n and _is_rule(row) and cells[n - 1]), 0)
    if not rule:
        return [], []
    heads = [head.casefold() for head in cells[rule - 1]]
    return heads, list(takewhile(bool, cells[rule + 1 :]))


def _table(rows: Sequence[str]) -> list[_Entry]:
    """The rows of the first table, each named by its first cell that is no number."""
    heads, body = _first_table(rows)
    found: list[_Entry] = []
    for row in body:
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
