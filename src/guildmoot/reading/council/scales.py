"""The words and numbers that judges use for verdicts, severities, confidence, versions and scores.

Each function maps what was said to the one scale, or to None when that would be a guess. A verdict
is never guessed: only case, white space and Markdown around the word are forgiven.
"""

from __future__ import annotations

import math
import re

from guildmoot.model.council_verdict import (
    CONFIDENCES,
    NEWEST,
    VERDICTS,
    Confidence,
    CouncilWord,
    FindingSeverity,
)

_TYPE = " \t\r\n\u00a0\ufeff*_`'\""
_SEVERITIES: dict[str, FindingSeverity] = {
    **dict.fromkeys(
        ("critical", "blocker", "blocking", "severe", "fatal", "kritisch", "p0"), "critical"
    ),
    **dict.fromkeys(("significant", "high", "major", "important", "error", "p1"), "significant"),
    **dict.fromkeys(("medium", "moderate", "med", "warning", "p2"), "significant"),
    **dict.fromkeys(
        ("minor", "low", "info", "informational", "trivial", "nit", "suggestion", "note", "p3"),
        "minor",
    ),
}
_CONFIDENCES: dict[str, Confidence] = {
    **{word.lower(): word for word in CONFIDENCES},
    "med": "MEDIUM",
    "moderate": "MEDIUM",
}
_NUMBER = re.compile(r"[+-]?(\d{1,9}(\.\d{0,30})?|\.\d{1,30})(e[+-]?\d{1,2})?", re.IGNORECASE)
_VERSION = re.compile(r"(?:schema[_ ]?)?v?(?:ersion)? ?(\d{1,6})(?:\.0+)*", re.IGNORECASE)


def read_verdict_word(said: object) -> CouncilWord | None:
    """PASS, WARN or FAIL, whatever its case and the Markdown around it."""
    word = said.lstrip(_TYPE).rstrip(_TYPE + ".!").upper() if isinstance(said, str) else ""
    return next((verdict for verdict in VERDICTS if verdict == word), None)


def read_severity(said: object) -> FindingSeverity | None:
    """The severity on the council's scale, where a middle rating counts as significant."""
    word = said.strip(_TYPE + ".![]()").lower() if isinstance(said, str) else ""
    return _SEVERITIES.get(word)


def read_confidence(said: object) -> Confidence | None:
    """A word, or a number: 0.8 and more is HIGH, 0.5 and more MEDIUM."""
    if isinstance(said, str) and said.strip(_TYPE + ".!").lower() in _CONFIDENCES:
        return _CONFIDENCES[said.strip(_TYPE + ".!").lower()]
    share = read_share(said)
    if share is None:
        return None
    return "HIGH" if share >= 0.8 else "MEDIUM" if share >= 0.5 else "LOW"


def read_share(said: object) -> float | None:
    """A number from 0 to 1; above that, up to 100, it is a percentage."""
    number = _number(said)
    if number is None or not 0 <= number <= 100:
        return None
    percent = number > 1 or (isinstance(said, str) and said.strip().endswith("%"))
    return number / 100 if percent else number


def _number(said: object) -> float | None:
    if isinstance(said, bool):
        return None
    if isinstance(said, str):
        match = _NUMBER.fullmatch(said.strip().removesuffix("%").rstrip())
        return float(match[0]) if match else None
    if isinstance(said, float):
        return said if math.isfinite(said) else None
    # a whole number may be too long for a float
    return float(said) if isinstance(said, int) and abs(said) < 10**9 else None


def read_version(said: object) -> int | None:
    """The schema version, not above the newest that we know; None when it is no version."""
    if isinstance(said, bool):
        return None
    if isinstance(said, float) and said.is_integer():
        said = int(said)
    if isinstance(said, str):
        match = _VERSION.fullmatch(said.strip())
        said = int(match[1]) if match else None
    return min(said, NEWEST) if isinstance(said, int) and said >= 0 else None
