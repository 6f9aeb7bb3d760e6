"""Statements that lost their ``;`` where a grammar reads nothing, as among macros. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from guildmoot.text.patterns import lazy
from guildmoot.text.slips import passages

_SCRIPTS = ("JavaScript", "TypeScript", "TSX")
COMMENTED = (*_SCRIPTS, "Java", "C", "C++", "C#", "Objective-C", "PHP", "Go")
"""Where a comment ends at the first sign of its end."""
LANGUAGES = ("C", "C++", "Objective-C", "C#")
_COMMENT = lazy(r"\s*(?://.*|/\*[^*]*\*/\s*)$")
_STATEMENT = lazy(
    r"(?:return|throw|using|goto|delete)\b.+|[^=<>!]*[^=<>!+*/-]=[^=].*|"
    r"[^()]*\w(?:\.|->)\w+\(.*\)|.*[\w>\])][\s*&]+(?=\w*[a-z])\w+\s*\([^()]*\)(?:\s*(?:const|noexcept|override))*"
)
"""What no macro ends by itself: a value, a member that is called, a function after its type."""
_BEGINS = lazy(r"\s*(?:[A-Za-z_]\w*|\})")
_LED = (";", "{", "}", ":", "*/", ">")


def lost_ends(before: str, after: str) -> Iterator[tuple[int, str]]:
    """Lines that are as they were but for the ``;``, and followed by what follows a statement."""
    rows = after.split("\n")
    for each in passages(before, after):
        old, new = each.before.split("\n"), each.after.split("\n")
        for at, (past, now) in enumerate(zip(old, new, strict=False)):
            line = each.first + at
            if past != now and _lost(_bare(past), _bare(now)) and _is_between(rows, line):
                yield line, f"no `;` ends this statement: `{_bare(now)[:60]}`"


def open_comments(before: str, after: str) -> Iterator[tuple[int, str]]:
    """Comments that lost their end in a change which left the code below them as it was."""
    rows = after.split("\n")
    stood = set(before.split("\n"))
    for each in passages(before, after):
        if "*/" not in each.before or "*/" in each.after or "/*" in each.before:
            continue
        size = len(each.after.split("\n")) if each.after else 0
        below = rows[each.first - 1 + size :]
        to = next((at for at, row in enumerate(below) if "*/" in row), len(below))
        code = [
            row for row in below[:to] if row.strip() and not row.lstrip().startswith(("*", "/"))
        ]
        begins = any(row.lstrip().startswith("/*") for row in below[: to + 1])
        within = each.after.lstrip().startswith("*") or not each.after.strip()
        if begins and within and code and all(row in stood for row in code):
            yield max(1, each.last), f"the comment does not end before `{code[0].strip()[:60]}`"


def _bare(row: str) -> str:
    return _COMMENT.sub("", row).strip()


def _lost(past: str, now: str) -> bool:
    return past == f"{now};" and not now.endswith((";", "}")) and bool(_STATEMENT.fullmatch(now))


def _is_between(rows: list[str], line: int) -> bool:
    """Whether a statement ends before it, and another begins on the next line and ends there."""
    above = [row for row in map(_bare, rows[max(0, line - 12) : line - 1]) if row]
    below = next((row for row in rows[line:] if row.strip()), "")
    led = not above or above[-1].endswith(_LED) or above[-1].startswith("#")
    here = rows[line - 1].rstrip()
    return (
        led
        and not here.endswith("\\")
        and _BEGINS.match(below) is not None
        and (_bare(below).endswith(";") or _bare(below) in ("}", "};"))
    )
