"""Whether a new version of a skill is taken over: what it fixes, what it breaks, what it costs. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal, NamedTuple

from guildmoot.errors import UsageError

Outcome = Literal["PROMOTED", "REJECTED", "DEFERRED"]
_CHEAPER = 0.10
"""The share of tokens that must be saved where nothing else changes."""
_FORM = '{"current": [{"case_id": "c1", "passed": true, "tokens": 900}], "proposed": [...]}'


class GradedCase(NamedTuple):
    """How one version did in one case."""

    case_id: str
    passed: bool
    tokens: int = 0
    ms: int = 0


class Grading(NamedTuple):
    """Both versions on the same cases."""

    current: tuple[GradedCase, ...]
    proposed: tuple[GradedCase, ...]


class Flips(NamedTuple):
    """What became of each case."""

    regressions: tuple[str, ...]
    fixes: tuple[str, ...]
    stable_pass: tuple[str, ...]
    stable_fail: tuple[str, ...]
    missing_pairs: tuple[str, ...]
    """Cases that only one of the two was tried on."""
    tokens_current: int
    tokens_proposed: int


class Promotion(NamedTuple):
    """What is done with the new version, and why."""

    outcome: Outcome
    why: str


def read_grading(text: str) -> Grading:
    """The results as they lie in ``grading.json``; UsageError for what is none."""
    try:
        told = json.loads(text)
        found = Grading(*(tuple(map(_result, told[side])) for side in Grading._fields))
    except (ValueError, KeyError, TypeError, RecursionError) as wrong:
        raise UsageError(f"this is no grading of two versions: {wrong}", f"Write {_FORM}") from None
    for side, rows in zip(Grading._fields, found, strict=True):
        names = [row.case_id for row in rows]
        if twice := next((name for name in names if names.count(name) > 1), ""):
            raise UsageError(f"{side} has the case {twice} twice", "Give every case its own name.")
    return found


def _result(row: dict[str, object]) -> GradedCase:
    case, passed = row["case_id"], row["passed"]
    tokens, ms = (row.get(key, 0) for key in ("tokens", "ms"))
    numbers = isinstance(tokens, int) and isinstance(ms, int) and min(tokens, ms) >= 0
    if not isinstance(case, str) or not isinstance(passed, bool) or not numbers:
        raise ValueError(f"{row} needs case_id, passed (true or false), tokens and ms as numbers")
    return GradedCase(case, passed, int(str(tokens)), int(str(ms)))


def flips_of(grading: Grading) -> Flips:
    """Case by case, in the order of their names."""
    before = {row.case_id: row for row in grading.current}
    after = {row.case_id: row for row in grading.proposed}
    both = sorted(before.keys() & after.keys())

    def cases(was: bool, now: bool) -> tuple[str, ...]:
        return tuple(n for n in both if (before[n].passed, after[n].passed) == (was, now))

    return Flips(
        cases(True, False), cases(False, True), cases(True, True), cases(False, False),
        tuple(sorted(before.keys() ^ after.keys())),
        sum(before[name].tokens for name in both), sum(after[name].tokens for name in both),
    )  # fmt: skip


def decide(flips: Flips, *, agreed: bool = False) -> Promotion:
    """By the rule; ``agreed`` is a person's yes to what got worse, which no setting can give."""
    if flips.missing_pairs:
        return Promotion("DEFERRED", f"{flips.missing_pairs[0]} was tried on one of the two only")
    if not any(flips[:4]):
        return Promotion("DEFERRED", "no case was tried")
    if flips.regressions:
        worse = f"{_many(flips.regressions)} no longer pass"
        return Promotion(
            *(("PROMOTED", f"{worse}, and a person agreed") if agreed else ("REJECTED", worse))
        )
    if flips.fixes:
        return Promotion("PROMOTED", f"{_many(flips.fixes)} now pass, and nothing broke")
    saved = flips.tokens_current - flips.tokens_proposed
    if flips.tokens_current and saved >= _CHEAPER * flips.tokens_current:
        return Promotion("PROMOTED", f"the same cases pass with {saved:,} tokens less")
    return Promotion("REJECTED", "no case flipped, and less than a tenth of the tokens is saved")


def _many(cases: Sequence[str]) -> str:
    return ", ".join(cases[:3]) + (f" and {len(cases) - 3} more" if len(cases) > 3 else "")
