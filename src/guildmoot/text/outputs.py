"""The part of a program's output that says what went wrong. Pure."""

from __future__ import annotations

from guildmoot.text.clean import clean, one_line
from guildmoot.text.patterns import lazy

_WRONG = lazy(
    r"(?i)\b(?:\w*error|\w*exception|assert\w*|fail(?:ed|ure|s)?|fatal|panic|undefined|cannot|not found|traceback"
    r"|no such|denied|expected)\b|^\s*E\s"
)
_ROWS, _MOST = 4, 400


def telling_end(output: str) -> str:
    """The last lines that name a fault, and the last line; all on one line."""
    rows = [row.strip() for row in clean(output).splitlines() if row.strip()]
    wrong = [row for row in rows if _WRONG.search(row)][-_ROWS:]
    kept = dict.fromkeys((*wrong, *rows[-1:]))
    return one_line("; ".join(kept))[-_MOST:]
