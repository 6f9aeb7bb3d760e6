"""From a panel's verdict to what the caller should do: one outcome word, reasons and an exit code.

Infrastructure failure is its own outcome: it neither passes nor fails the work. But a blocking
finding that did arrive still fails it, whoever else did not answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from guildmoot.errors import (
    EXIT_FLAGGED,
    EXIT_INFRASTRUCTURE,
    EXIT_INTERRUPTED,
    EXIT_OK,
    EXIT_UNDECIDED,
    EXIT_WARN,
)
from guildmoot.model.verdict import Judgement, PanelResult, PanelVerdict

RunOutcome = Literal[
    "approved", "flagged", "conflict", "undecided", "infrastructure", "interrupted"
]

_EXIT: dict[RunOutcome, int] = {
    "approved": EXIT_OK,
    "flagged": EXIT_FLAGGED,
    "conflict": EXIT_UNDECIDED,
    "undecided": EXIT_UNDECIDED,
    "infrastructure": EXIT_INFRASTRUCTURE,
    "interrupted": EXIT_INTERRUPTED,
}
_BY_VERDICT: dict[PanelVerdict, RunOutcome] = {
    "approved": "approved",
    "flagged": "flagged",
    "flagged-conflict": "conflict",
    "operator-judgment-required": "undecided",
}


class RunDecision(NamedTuple):
    """What the run comes to."""

    verdict: PanelVerdict
    outcome: RunOutcome
    exit_code: int
    reasons: tuple[str, ...]


def decide(
    result: PanelResult,
    judgements: Sequence[Judgement],
    *,
    interrupted: bool = False,
    fail_on_warn: bool = False,
) -> RunDecision:
    """The run's outcome; an approval only when every seat answered and nothing blocks."""
    silent = [judgement for judgement in judgements if did_not_judge(judgement)]
    verdict: PanelVerdict = result.verdict
    if verdict == "approved" and (interrupted or silent):
        verdict = "operator-judgment-required"
    outcome = _outcome(result.verdict, bool(silent), interrupted)
    code = _EXIT[outcome]
    if outcome == "approved" and fail_on_warn and result.advisory:
        code = EXIT_WARN
    return RunDecision(
        verdict, outcome, code, _reasons(result, judgements, silent, interrupted, code)
    )


def did_not_judge(judgement: Judgement) -> bool:
    """The seat gave no usable answer: nothing came, or a tool's output could not be read."""
    blocks = any(finding.blocking for finding in judgement.findings)
    return judgement.outcome == "absent" or (judgement.outcome == "unreadable" and not blocks)


def _outcome(verdict: PanelVerdict, silent: bool, interrupted: bool) -> RunOutcome:
    if interrupted:
        return "interrupted"
    if silent and verdict not in ("flagged", "flagged-conflict"):
        return "infrastructure"
    return _BY_VERDICT[verdict]


def _reasons(
    result: PanelResult,
    judgements: Sequence[Judgement],
    silent: Sequence[Judgement],
    interrupted: bool,
    code: int,
) -> tuple[str, ...]:
    reasons = ["the run was stopped before every seat had answered"] if interrupted else []
    if result.blocking:
        seats = sorted({finding.seat for finding in result.blocking})
        reasons.append(
            f"{_count(len(result.blocking), 'blocking finding')} from {', '.join(seats)}"
        )
    reasons += [f"{judgement.seat} did not answer: {judgement.reason}" for judgement in silent]
    reasons += [reason for reason in result.reasons if reason not in reasons]
    if code == EXIT_WARN:
        reasons.append(f"{_count(len(result.advisory), 'advisory finding')}, and --fail-on is warn")
    if not reasons:
        reasons.append(f"{_count(len(judgements), 'seat')} answered and nothing blocks")
    return tuple(reasons)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
