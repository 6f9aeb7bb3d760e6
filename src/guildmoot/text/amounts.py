"""Amounts in a statement: how much of what, so that two of one kind can be compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from guildmoot.text.english import stem

_SMALL = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_NUMBERS = {word: float(at) for at, word in enumerate(_SMALL.split())} | {
    word: 10.0 * at for at, word in enumerate(_TENS.split(), 2)
}
_SCALES = {"hundred": 100.0, "thousand": 1000.0, "million": 1e6, "k": 1000.0}
_SECONDS = {
    "ms": 0.001, "millisecond": 0.001, "s": 1, "sec": 1, "second": 1, "min": 60, "minut": 60, "h": 3600,
    "hour": 3600, "day": 86400, "week": 604800, "month": 2592000, "quarter": 7776000, "year": 31536000,
}  # fmt: skip
_BYTES = {
    "kb": 1e3, "kib": 1e3, "mb": 1e6, "mib": 1e6, "megabyt": 1e6, "gb": 1e9, "gib": 1e9, "gigabyt": 1e9, "tb": 1e12,
}  # fmt: skip
_WHOLE = ("time", "every", "percent", "bytes", "count:tries")
"""Kinds that their unit is part of; what is counted stays a word."""
_TRIES = frozenset(map(stem, ("times", "time", "attempts", "tries", "try", "retries", "retry")))


class Amount(NamedTuple):
    """So much of something."""

    kind: str
    """``time``, ``every`` (a time between two), ``percent``, ``bytes``, ``number``, ``per:WHAT`` or ``count:WHAT``."""
    value: float


def split_amounts(words: Sequence[str]) -> tuple[tuple[str, ...], tuple[Amount, ...]]:
    """The words with a ``#`` for each amount, and the amounts in their order."""
    kept: list[str] = []
    found: list[Amount] = []
    at = 0
    while at < len(words):
        value, size = _number(words, at)
        unit = words[at + size] if at + size < len(words) else ""
        before = words[at - 1] if at else ""
        amount = (
            _amount(value, unit, before, words[at + size + 1 : at + size + 3]) if size else None
        )
        if amount is None:
            kept += words[at : at + max(size, 1)]
            at += max(size, 1)
            continue
        found.append(amount)
        kept.append("#")
        at += size + (amount.kind in _WHOLE)
    return tuple(kept), tuple(found)


def _number(words: Sequence[str], at: int) -> tuple[float, int]:
    """A number that begins there, and of how many words it is."""
    total, size = 0.0, 0
    while at + size < len(words):
        word = words[at + size]
        if word in _SCALES and size:
            total *= _SCALES[word]
        elif word in _SCALES and word != "k":
            total = _SCALES[word]
        elif word in _NUMBERS:
            total += _NUMBERS[word]
        elif not size and word.replace(".", "", 1).isdigit():
            total = float(word)
        else:
            break
        size += 1
    return total, size


def _amount(value: float, raw: str, before: str, after: Sequence[str]) -> Amount | None:
    unit = stem(raw) if raw else ""
    if unit in _SECONDS and value > 1 and raw == unit and len(unit) > 3:
        return None  # "a thousand a minute"
    if unit in _SECONDS:
        return Amount("every" if before in ("every", "each") else "time", value * _SECONDS[unit])
    if unit in ("%", "percent"):
        return Amount("percent", value)
    if unit in _BYTES:
        return Amount("bytes", value * _BYTES[unit])
    if not unit.isalpha():
        return Amount("number", value)
    span = next((stem(word) for word in after[:2] if stem(word) in _SECONDS and word != "s"), "")
    if span and (after[0] in ("per", "every", "each") or stem(after[0]) == span):
        return Amount(f"per:{unit}", value / _SECONDS[span])
    return Amount("count:tries" if unit in _TRIES else f"count:{unit}", value)
