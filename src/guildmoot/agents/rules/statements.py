"""Rules for SQL, on statements whose comments and texts are blanked."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guildmoot.agents.rules.model import Defect, Weight

_TOKENS = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|(\$\w*\$).*?\1", re.DOTALL)
_NAME = r"(?:[\w.]+|\"[^\"\n]+\"|`[^`\n]+`|\[[^\]\n]+\])"
_NULL = re.compile(r"(?i)(?:<>|!=|(?<![<>!:+*/|-])=)\s*null\b(?!\s*(?:::|\)))")
_MONEY = re.compile(
    r"(?i)^\s*[\"`\[]?(\w*(?:amount|price|balance|total_cost|salary|payment|fee|tax)\w*)[\"`\]]?\s+(?:float\d*|real|double(?:\s+precision)?)\b"
)
_TIME = re.compile(r"(?i)^\s*[\"`\[]?\w+[\"`\]]?\s+timestamp\b(?!\s*(?:\(\d\)\s*)?with\s+time)")
_ZONED = re.compile(r"(?i)\btimestamptz\b|\btimestamp(?:\s*\(\d\))?\s+with\s+time\s+zone\b")


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
    for found in _NULL.finditer(statement):
        head = statement[: found.start()]
        last = [
            word[0].lower()
            for word in re.finditer(
                r"(?i)\b(?:set|where|on|having|when|and|or|check|if|default|select)\b", head
            )
        ]
        if (
            last
            and last[-1] in ("where", "on", "having", "when", "and", "or")
            and not re.search(r"(?i)ansi_nulls|@\w+\s*$|:=", head)
        ):
            in_list = re.search(r"(?i)\bset\b(?!.*\bwhere\b)", head.replace("\n", " ")) and last[
                -1
            ] in ("and", "or")
            if not in_list:
                message = "nothing equals NULL, so this never holds; write IS NULL"
                yield found.start(), "compared-with-null", message, "ERROR"
    added = re.search(
        rf"(?is)\balter\s+table\b.*\badd\s+(?:column\s+)?(?:if\s+not\s+exists\s+)?({_NAME})\s+[\w() ,]*?\bnot\s+null\b(?![^,]*\b(?:default|generated|identity)\b)",
        statement,
    )
    if added and not re.search(
        r"(?i)\bdefault\b|\bgenerated\b|\bserial\b|\bidentity\b|\bauto_increment\b|\bprimary\s+key\b",
        added[0],
    ):
        message = "a table with rows refuses a new column that is NOT NULL without a DEFAULT"
        yield added.start(1), "not-null-without-default", message, "WARNING"
    granted = re.match(r"(?is)grant\s+all\b.*\bto\s+public\b", statement)
    if granted:
        yield (
            0,
            "open-to-all",
            "every user of the database may do everything; name who may do what",
            "WARNING",
        )


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
