"""What a program claimed, before severity and blocking are decided, and safe ways into its JSON.

Every format reader returns ``Claims``; ``reading.tool`` grades them. Nothing here raises.
"""

from __future__ import annotations

import json
from typing import NamedTuple

_MOST_TRIES = 100
"""Lines that look like the beginning of an object but are none; a log may hold some."""


class Claim(NamedTuple):
    """One result of a tool, in the tool's own terms."""

    title: str
    path: str = ""
    line: int = 0
    end_line: int = 0
    code: str = ""
    level: str = ""
    """The tool's own word for how bad it is; empty when it said nothing."""
    score: float = -1.0
    """A security score from 0 to 10 when the rule carries one, else negative."""
    quote: str = ""
    why: str = ""
    fix: str = ""
    url: str = ""


class Claims(NamedTuple):
    """What could be read, and what could not: a problem means that silence is not approval."""

    claims: tuple[Claim, ...] = ()
    problem: str = ""


def load_json(text: str) -> object:
    """The JSON object in ``text``, also when a tool chatted around it; None when there is none."""
    text = "\n" + text.lstrip("\ufeff \t\r\n")
    start = -1
    for _ in range(_MOST_TRIES):
        start = text.find("\n{", start + 1)
        if start < 0:
            return None
        try:
            found: object = json.JSONDecoder().raw_decode(text, start + 1)[0]
        except (ValueError, RecursionError):
            continue
        return found
    return None


def dig(value: object, *keys: str | int) -> object:
    """What lies under ``keys``, or None as soon as a step is missing or of the wrong kind."""
    for key in keys:
        if isinstance(key, str):
            value = value.get(key) if isinstance(value, dict) else None
        else:
            value = value[key] if isinstance(value, list) and 0 <= key < len(value) else None
    return value


def text_at(value: object, *keys: str | int) -> str:
    """The string under ``keys``, stripped; empty when there is none."""
    found = dig(value, *keys)
    return found.strip() if isinstance(found, str) else ""


def line_at(value: object, *keys: str | int) -> int:
    """The line number under ``keys``; 0 when there is none."""
    found = dig(value, *keys)
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else 0


def list_at(value: object, *keys: str | int) -> list[object]:
    """The list under ``keys``; empty when there is none."""
    found = dig(value, *keys)
    return found if isinstance(found, list) else []
