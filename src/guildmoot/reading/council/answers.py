"""Finds the one JSON object that answers a question which is no verdict; mended if need be.

What is quoted does not count, and several objects that differ are no answer. Verdicts are read by
``read``, and what the fields mean is left to the caller.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from guildmoot.reading.council.coerce import snake
from guildmoot.reading.council.parts import cut, spoken
from guildmoot.reading.council.repair import Broken, Parsed, parse
from guildmoot.reading.refusal import not_a_vote

_TRIES = 40
"""Opening brackets that are looked at: a reply with more of them before its answer is none."""
_BLANK = " \t\r\n\v\f\u00a0\u200b\u2060\ufeff"


class Answer(NamedTuple):
    """The object, or why there is none."""

    value: dict[str, object]
    warnings: tuple[str, ...] = ()
    problem: str = ""


def find_answer(text: str, names: Collection[str]) -> Answer:
    """The object that has at least one of the names as a key; never raises."""
    said = spoken(text).strip(_BLANK)
    problem = not_a_vote(said)
    if problem:
        return Answer({}, problem=problem)
    found = [p for p in _objects(said) if isinstance(p.value, dict) and _has(p.value, names)]
    if not found:
        return Answer({}, problem=f"no JSON object with {', '.join(names)} was found")
    values = [dict(parsed.value) for parsed in found if isinstance(parsed.value, dict)]
    if any(value != values[0] for value in values[1:]):
        return Answer({}, problem="the reply holds several answers that differ")
    warnings = [f"the JSON was mended: {what}" for what in found[0].repairs]
    return Answer(values[0], tuple(warnings))


def _objects(said: str) -> Iterator[Parsed]:
    """The whole reply when it is JSON, else the objects in the parts that count."""
    try:
        whole = parse(said, strict=True)
    except Broken:
        whole = None
    if whole and whole.end == len(said):
        yield whole
        return
    for part in cut(said).counting:
        if not part.cited:
            yield from _within(part.text)


def _within(text: str) -> Iterator[Parsed]:
    at = text.find("{")
    for _ in range(_TRIES):
        if at < 0:
            return
        try:
            parsed = parse(text, at)
        except Broken:
            at = text.find("{", at + 1)
            continue
        yield parsed
        at = text.find("{", max(parsed.end, at + 1))


def _has(value: dict[str, object], names: Collection[str]) -> bool:
    return not {snake(key) for key in value}.isdisjoint(names)
