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
_APPROVALS = ("approve", "approved", "accept", "accepted", "lgtm")
_RANKED: dict[FindingSeverity, str] = {
    "critical": """critical blocker blocking severe fatal urgent kritisch p0 s0 sev0""",
    "significant": """significant high highest major important serious error p1 s1 sev1
        medium moderate med mid warning warn should-fix p2 s2 sev2""",
    "minor": """minor low lowest info informational information trivial nit nits nitpick nitpicks style stylistic
        suggestion suggestions optional note notes cosmetic negligible advisory comment observation praise
        positive none improvement enhancement polish p3 p4 p5 s3 s4 sev3 sev4 sev5 nice-to-have
        non-blocking nonblocking""",
}
_SEVERITIES: dict[str, FindingSeverity] = {
    word: rank for rank, words in _RANKED.items() for word in words.split()
}
_RANKS: tuple[FindingSeverity, ...] = tuple(_RANKED)
_FILLERS = frozenset(("very", "risk", "severity", "priority", "level", "impact", "issue", "fix"))
_JOINED = re.compile(r"\b(should|nice|non)[ _-]+(?=fix\b|to\b|blocking\b)|\b(to)[ _-]+(?=have\b)")
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


def read_approval(said: object) -> CouncilWord | None:
    """PASS where a review's usual word for an approval stands in its place; the schema's own words as they are."""
    word = said.strip(_TYPE + ".!").lower() if isinstance(said, str) else ""
    return "PASS" if word in _APPROVALS else read_verdict_word(said)


def read_severity(said: object) -> FindingSeverity | None:
    """The severity on the council's scale, where a middle rating counts as significant.

    The usual words of reviews are known, with a sign before them or another rating behind; the worst counts.
    """
    text = said.strip().lower() if isinstance(said, str) else ""
    joined = _JOINED.sub(lambda found: f"{found[1] or found[2]}-", text)
    words = [each.strip("-") for each in re.findall(r"[^\W_]+(?:-[^\W_]+)*", joined)]
    ranked = {_SEVERITIES[word] for word in words if word in _SEVERITIES}
    known = all(word in _SEVERITIES or word in _FILLERS for word in words)
    return next((rank for rank in _RANKS if rank in ranked), None) if known else None


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


_OF = re.compile(r"(\d{1,3}(?:\.\d{1,3})?)\s*(?:/|of|out of)\s*(\d{1,3})")


def is_rating(said: str) -> bool:
    """Whether a text is nothing but a number or a share of a scale."""
    return bool(_OF.fullmatch(said.strip())) or _number(said) is not None


def is_top(said: object) -> bool:
    """Whether a score is the best of its scale: 10/10, 100 %, 1.0; a bare 10 or 100 has no better."""
    of = _OF.fullmatch(said.strip()) if isinstance(said, str) else None
    if of:
        return float(of[1]) == float(of[2]) > 0
    number = _number(said)
    if number == 1:
        return isinstance(said, float) or (isinstance(said, str) and "." in said)
    percent = isinstance(said, str) and said.strip().endswith("%")
    return number == 100 or (number == 10 and not percent)


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
