"""Pieces of Markdown that foreign text cannot break out of: cells, quotations, lists, fences.

Besides the structure, one line is guarded: tools look for ``## Council Verdict:`` at the start of any
line, inside code fences too, so no text of a judge or of the work ever begins one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from guildmoot.reports.markdown import fenced, prose
from guildmoot.text.clean import clean

_BARE_PIPE = re.compile(r"(?<!\\)\|")
_LIST_MARK = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
NOTHING = "–"


def cell(text: str) -> str:
    """Foreign text for one cell of a table; a bar in `code` would end the cell as well."""
    return _BARE_PIPE.sub(r"\\|", prose(text)) or NOTHING


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of ready cells."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def plain_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of foreign texts."""
    return table([*map(cell, heads)], ([*map(cell, row)] for row in rows))


def bullets(lines: Iterable[str]) -> str:
    """A list of ready lines."""
    return "\n".join(f"- {line}" for line in lines)


def quote(text: str) -> str:
    """What somebody said, word for word and line by line, as a quotation."""
    lines = [prose(line) for line in clean(text).strip().split("\n")]
    return "\\\n".join(f"> {line}" for line in lines if line) or f"> {NOTHING}"


def said(text: str) -> str:
    """The lines of a foreign text as a list, so that none begins a line of ours; empty for none."""
    lines = [prose(_LIST_MARK.sub("", line)) for line in clean(text).split("\n")]
    return bullets(line for line in lines if line)


def code_block(text: str) -> str:
    """Quoted code; each line stands behind a bar, so that none begins as a line of the report."""
    return fenced("\n".join(f"| {line}" for line in clean(text).strip("\n").split("\n")))


def facts(*pairs: tuple[str, str]) -> str:
    """``**Target:** src/`` and the like, a line each; those without a value are left out."""
    return "\\\n".join(f"**{name}:** {value}" for name, value in pairs if value)
