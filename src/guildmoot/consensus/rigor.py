"""The rigor gate of plans and specs: four items, answered in numbers, weighed into floors.

A judge answers each item from 0 to 1 in its ``satisfaction_breakdown``. The lowest answer counts: one
judge that finds an item missing is enough. An item that nobody answered was not looked at, and a
plan that nobody looked at cannot pass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from guildmoot.consensus.floors import Floor, rigor_floor

CHECKABLE = "rigor-checkable"
"""1 when every critical invariant can be checked by a machine, 0 when one cannot."""
ITEMS: dict[str, str] = {
    "rigor-sequence": "one sequence of change and acknowledgement",
    "rigor-once": "consumed at most once, also across a crash",
    "rigor-precedence": "precedence of states as a truth table",
    "rigor-conformance": "conformance tests with failpoints",
}
"""The items by the key under which judges answer them."""

COVERED = 0.75
"""From here on an item is stated and deterministically tested; 1 is what judges are asked to give."""
STATED = 0.25
"""Below this it is missing or contradictory; in between it is stated, but nothing tests it."""


def rigor_floors(answers: Sequence[Mapping[str, float]]) -> list[Floor]:
    """The floors that the judges' answers call for, one mapping for each judge that read the plan."""
    missing = [f"{name}{_state(_lowest(key, answers))}" for key, name in ITEMS.items()]
    short = [name for name, known in zip(missing, ITEMS.values(), strict=True) if name != known]
    checkable = _lowest(CHECKABLE, answers)
    uncheckable = ["a critical invariant"] if checkable is not None and checkable < 0.5 else []
    return rigor_floor(short, uncheckable)


def _lowest(key: str, answers: Sequence[Mapping[str, float]]) -> float | None:
    return min((given[key] for given in answers if key in given), default=None)


def _state(score: float | None) -> str:
    if score is None:
        return " (nobody answered it)"
    if score >= COVERED:
        return ""
    return " (missing or contradictory)" if score < STATED else " (no deterministic test)"
