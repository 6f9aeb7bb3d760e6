"""Rules for SQL, on statements whose comments and texts are blanked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from guildmoot.agents.rules.model import Defect, Weight
from guildmoot.text.patterns import lazy

_TOKENS = lazy(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|(\$\w*\$).*?\1", re.DOTALL)
_NAME = r"(?:[\w.]+|\"[^\"\n]+\"|`[^`\n]+`|\[[^\]\n]+\])"
_NULL = lazy(r"(?i)(?:<>|!=|(?<![<>!:+*/|-])=)\s*null\b(?!\s*(?:::|\)))")
_MONEY = lazy(
    r"(?i)^\s*[\"`\[]?(\w*(?:amount|price|balance|total_cost|salary|payment|fee|tax)\w*)[\"`\]]?\s+(?:float\d*|real|double(?:\s+precision)?)\b"
)
_TIME = lazy(r"(?i)^\s*[\"`\[]?\w+[\"`\]]?\s+timestamp\b(?!\s*(?:\(\d\)\s*)?with\s+time)")
_ZONED = lazy(r"(?i)\btimestamptz\b|\btimestamp(?:\s*\(\d\))?\s+with\s+time\s+zone\b")


_MOST, _NEAR = 50, 2_000
_CLAUSE = lazy(r"(?i)\b(?:set|where|on|having|when|and|or|check|if|default|select)\b")
_COLUMN = lazy(
    rf"(?i)\badd\s+(?!constraint|index|key|primary|unique|foreign|check)(?:column\s+)?(?:if\s+not\s+exists\s+)?({_NAME})"
)
_FILLED = lazy(
    r"(?i)\b(?:default|generated|serial|bigserial|identity|auto_increment|primary\s+key)\b"
)


def search_text(text: str) -> Iterator[Defect]:
    """What is wrong with a file of SQL."""
    plain = _TOKENS.sub(_blank, text)
    start = 0
    for end in [*(found.start() for found in re.finditer(";", plain)), len(plain)]:
        statement = plain[start:end]
        begun = start + len(statement) - len(statement.lstrip())
        ended = end < len(plain)
        for at, code, message, weight in _wrong(statement.strip(), ended=ended):
            yield Defect(plain.count("\n", 0, begun + at) + 1, code, message, weight)
        start = end + 1
    yield from _columns(plain)


def _blank(token: re.Match[str]) -> str:
    """Texts become ``''`` of the same lines; the body of a function stays, for it is SQL too."""
    if token[0].startswith("$"):
        return token[0]
    lines = "\n" * token[0].count("\n")
    return (
        "''" + " " * max(0, len(token[0]) - 2 - len(lines)) + lines if token[0][0] == "'" else lines
    )


def _wrong(statement: str, *, ended: bool) -> Iterator[tuple[int, str, str, Weight]]:
    every = "every row is changed: there is no WHERE"
    if ended and re.fullmatch(
        rf"(?is)delete\s+from\s+(?:only\s+)?{_NAME}(?:\s+(?:as\s+)?\w+)?", statement
    ):
        yield 0, "without-where", every, "WARNING"
    updates = re.match(
        rf"(?is)update\s+(?:only\s+)?{_NAME}(?:\s+(?:as\s+)?\w+)?\s+set\b", statement
    )
    if ended and updates and not re.search(r"(?i)\bwhere\b|\bfrom\b|\bjoin\b|\blimit\b", statement):
        yield 0, "without-where", every, "WARNING"
    given = re.match(
        rf"(?is)insert\s+(?:or\s+\w+\s+)?into\s+{_NAME}\s*\(([^()]*)\)\s*values\s*(\(.*)", statement
    )
    if given and ended:
        yield from _values(given)
    yield from _nulls(statement)
    yield from _added(statement)
    granted = re.match(r"(?is)grant\s+all\b.*\bto\s+public\b", statement)
    if granted:
        yield (
            0,
            "open-to-all",
            "every user of the database may do everything; name who may do what",
            "WARNING",
        )


def _nulls(statement: str) -> Iterator[tuple[int, str, str, Weight]]:
    """``= NULL`` in a condition; in the list of an UPDATE it sets."""
    for found in islice(_NULL.finditer(statement), _MOST):
        head = statement[max(0, found.start() - _NEAR) : found.start()].replace("\n", " ")
        last = [word[0].lower() for word in _CLAUSE.finditer(head)]
        asks = last and last[-1] in ("where", "on", "having", "when", "and", "or")
        if not asks or re.search(r"(?i)ansi_nulls|@\w+\s*$|:=", head):
            continue
        clauses = [word for word in last if word in ("set", "where")]
        if last[-1] in ("and", "or") and clauses[-1:] == ["set"]:
            continue
        message = "nothing equals NULL, so this never holds; write IS NULL"
        yield found.start(), "compared-with-null", message, "ERROR"


def _added(statement: str) -> Iterator[tuple[int, str, str, Weight]]:
    """A new column of an old table that may not be empty and has no value."""
    if not re.match(r"(?i)alter\s+table\b", statement):
        return
    for found in islice(_COLUMN.finditer(statement), _MOST):
        rest = statement[found.end() : found.end() + _NEAR].partition(",")[0]
        if re.search(r"(?i)\bnot\s+null\b", rest) and not _FILLED.search(rest):
            message = "a table with rows refuses a new column that is NOT NULL without a DEFAULT"
            yield found.start(1), "not-null-without-default", message, "WARNING"


def _values(given: re.Match[str]) -> Iterator[tuple[int, str, str, Weight]]:
    columns = given[1].count(",") + 1
    rows, depth, commas, begun = given[2], 0, 0, 0
    for at, letter in enumerate(rows[:20_000]):
        if letter == "(":
            depth += 1
            if depth == 1:
                commas, begun = 0, at
        elif letter == ")":
            depth -= 1
            if depth == 0 and commas + 1 != columns and rows[begun + 1 : at].strip():
                message = f"{columns} columns and {commas + 1} values: the statement is refused"
                yield given.start(2) + begun, "values-do-not-fit", message, "ERROR"
                return
        elif letter == "," and depth == 1:
            commas += 1
        elif depth == 0 and not (letter.isspace() or letter == ","):
            return


def _columns(plain: str) -> Iterator[Defect]:
    zoned = bool(_ZONED.search(plain))
    for number, line in enumerate(plain.split("\n"), 1):
        if _MONEY.search(line):
            message = "binary fractions lose cents; use NUMERIC"
            yield Defect(number, "float-money", message, "WARNING")
        if zoned and _TIME.search(line):
            message = "a timestamp without a time zone beside others with one; use TIMESTAMPTZ"
            yield Defect(number, "time-without-zone", message, "WARNING")
