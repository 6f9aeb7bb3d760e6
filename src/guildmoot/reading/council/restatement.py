"""Reads what a judge says of its own position before it is shown the others; it is no vote.

Nothing in it is read for a verdict: whatever word stands there, the first round's counts.
"""

from __future__ import annotations

from typing import NamedTuple

from guildmoot.reading.council.coerce import Fields, as_text, snake
from guildmoot.reading.council.parts import spoken
from guildmoot.reading.council.repair import Broken, parse
from guildmoot.reading.refusal import not_a_vote

MOST = 1_200
"""Characters that are kept; two or three sentences were asked for."""
_NAMES = ("restatement", "restated", "position", "summary", "text", "key_insight")
_FENCE = "```"


class Restatement(NamedTuple):
    """The judge's own view, or why there is none."""

    text: str = ""
    problem: str = ""


def read_restatement(text: str) -> Restatement:
    """The position in a reply; never raises."""
    said = _unfenced(spoken(text).strip())
    problem = not_a_vote(said)
    if problem:
        return Restatement(problem=problem)
    if said.startswith("{"):
        said = _from_json(said)
        if not said.strip():
            return Restatement(problem="the reply is an object without a position")
    return Restatement(shortened(" ".join(said.split())))


def shortened(text: str, most: int = MOST) -> str:
    """The text, cut at a word when it is longer than asked for, and marked so."""
    if len(text) <= most:
        return text
    head, blank, _ = text[: most - 1].rpartition(" ")
    return f"{head if blank and len(head) > most // 2 else text[: most - 1]}…"


def _unfenced(text: str) -> str:
    """What stands in one fence around all of it."""
    lines = text.split("\n")
    if len(lines) > 2 and lines[0].startswith(_FENCE) and lines[-1].strip() == _FENCE:
        return "\n".join(lines[1:-1]).strip()
    return text


def _from_json(text: str) -> str:
    try:
        value = parse(text).value
    except Broken:
        return text
    if not isinstance(value, dict):
        return text
    fields = Fields(value, "", [])
    named = next((as_text(fields.get(name)) for name in _NAMES if name in fields), "")
    if named.strip():
        return named
    return " ".join(item for key, item in value.items() if isinstance(item, str) and _is_prose(key))


def _is_prose(key: str) -> bool:
    return snake(key) not in ("verdict", "confidence", "type", "schema_version")
