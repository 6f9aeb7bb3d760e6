"""Which lines of a reply are the judge's own words, and which only quote: fences and block quotes.

A quotation cannot vote. Two cases are less plain. A reply that is quoted from its first line to its
last is the judge's own, since nothing else was said. A fence that is never closed may have been
opened by quoted text to hide what follows, so its lines are read, but marked as doubtful.
"""

from __future__ import annotations

SPACE = (
    "\t\v\f \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u202f\u205f\u3000\ufeff"
)
"""White space as the seeds' program knows it, line ends apart."""

OWN, DOUBTFUL, QUOTED, MARK = "own", "doubtful", "quoted", "mark"
"""Kinds of lines; a mark is the line that opens or closes a fence."""

Line = tuple[str, str]
"""Kind and text."""


def lay_out(text: str) -> tuple[list[Line], bool]:
    """The reply's lines with their kinds, and whether all of it stands inside one code fence."""
    rows = _split(text)
    if "```" not in text and "~~~" not in text and ">" not in text:
        return [(OWN, row) for row in rows], False
    rows = _unquoted(rows)
    lines = _mark_fences(rows)
    inner = _inside_one_fence(lines)
    return (inner, True) if inner is not None else (lines, False)


def _split(text: str) -> list[str]:
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\u2028" in text or "\u2029" in text:
        text = text.replace("\u2028", "\n").replace("\u2029", "\n")
    return text.split("\n")


def _unquoted(rows: list[str]) -> list[str]:
    """Without the quote marks when every line carries one."""
    spoken = [row for row in rows if row.strip(SPACE)]
    if not all(_is_quoted(row) for row in spoken):
        return rows
    return [_without_marks(row) for row in rows]


def _is_quoted(row: str) -> bool:
    return row.lstrip(SPACE).startswith(">")


def _without_marks(row: str) -> str:
    """The marks go, and the one space after them; deeper indentation stays."""
    rest = row.lstrip(SPACE + ">")
    lead = row[: len(row) - len(rest)]
    return lead[lead.rfind(">") + 2 :] + rest


def _mark_fences(rows: list[str]) -> list[Line]:
    lines: list[Line] = []
    fence = ""
    opened = 0
    for row in rows:
        if fence:
            closes = _closes(row, fence)
            lines.append((MARK if closes else QUOTED, row))
            fence = "" if closes else fence
        elif _is_quoted(row):
            lines.append((QUOTED, row))
        elif fence := _opening(row):
            opened = len(lines)
            lines.append((MARK, row))
        else:
            lines.append((OWN, row))
    if fence:
        lines[opened + 1 :] = [(DOUBTFUL, row) for _, row in lines[opened + 1 :]]
    return lines


def _opening(row: str) -> str:
    """The run of fence characters that opens a fence here, or nothing."""
    row = row.lstrip(SPACE)
    mark = row[:1]
    if mark not in ("`", "~"):
        return ""
    run = row[: len(row) - len(row.lstrip(mark))]
    # a backtick later in the line makes it a code span, not a fence
    return "" if len(run) < 3 or (mark == "`" and "`" in row[len(run) :]) else run


def _closes(row: str, fence: str) -> bool:
    row = row.strip(SPACE)
    return len(row) >= len(fence) and not row.strip(fence[0])


def _inside_one_fence(lines: list[Line]) -> list[Line] | None:
    """The lines between when the reply's first and last words are the marks of one fence."""
    spoken = [number for number, (_, row) in enumerate(lines) if row.strip(SPACE)]
    marks = [number for number, (kind, _) in enumerate(lines) if kind == MARK]
    if len(marks) != 2 or [spoken[0], spoken[-1]] != marks:
        return None
    return [(OWN, row) for _, row in lines[marks[0] + 1 : marks[1]]]
