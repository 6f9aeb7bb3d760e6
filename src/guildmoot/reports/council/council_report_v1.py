"""A council as ``council-report.v1``: bounded, advisory, without a verdict, and checked before it leaves.

It holds the first round only, since a judge that has seen another's answer is no longer independent.
Agreement inside one method is one confirmation: a claim is consensus when two methods make it. Every
issue lands in exactly one bucket.
"""

from __future__ import annotations

from typing import NamedTuple

from guildmoot.errors import UsageError
from guildmoot.model.council import CouncilReport, Disagreement, Judge
from guildmoot.model.verdict import Issue
from guildmoot.reports.council.council_report_v1_check import (
    JUDGMENT,
    MAX_OUTPUT,
    MOST_EVIDENCE,
    VERSION,
    check_g4,
)
from guildmoot.reports.council.view import claim, ref
from guildmoot.text.clean import clean

__all__ = ["Limits", "check_g4", "to_g4"]

Json = dict[str, object]
_INDEPENDENT = "independent review"
_MOST_POSITIONS = 10


class Limits(NamedTuple):
    """What the round was held to, in seconds and bytes."""

    per_judge: int = 120
    round: int = 300
    output: int = MAX_OUTPUT


STANDARD = Limits()


def to_g4(report: CouncilReport, *, authorization_id: str, limits: Limits = STANDARD) -> Json:
    """The report as council-report.v1; raises UsageError when it does not fit its bounds.

    ``authorization_id`` names who allowed the council. Nothing is left out to make it fit.
    """
    attempts = [_attempt(report, judge, limits) for judge in report.judges]
    heard = [
        judge
        for judge, attempt in zip(report.judges, attempts, strict=True)
        if attempt["status"] == "completed"
    ]
    value: Json = {
        "schema_version": VERSION,
        "question": clean(report.header.target),
        "subject_digest": report.header.packet_hash,
        "authorization_id": authorization_id,
        "diversity_unsatisfied": len({_model(judge) for judge in heard}) < 2,
        "input_packet": {
            "source_refs": list(dict.fromkeys(map(clean, report.sources))),
            "byte_length": report.packet_bytes,
            "sha256": report.header.packet_hash,
        },
        "limits": {
            "judge_count": len(report.judges),
            "per_judge_timeout_seconds": limits.per_judge,
            "round_timeout_seconds": limits.round,
            "max_judge_output_bytes": limits.output,
        },
        "round_status": "sufficient" if len(heard) >= 2 else "insufficient",
        "cleanup_verified": True,  # a fan-out ends only when everything that it started has ended
        "judge_attempts": attempts,
        "judges": [_judge(report, judge) for judge in heard],
        "synthesis": _synthesis(report, heard) if len(heard) >= 2 else _insufficient(report, heard),
    }
    problems = check_g4(value)
    if problems:
        raise UsageError(
            f"the council does not fit council-report.v1: {'; '.join(problems)}",
            "Take the JSON report, which has no such bounds.",
        )
    return value


def _attempt(report: CouncilReport, judge: Judge, limits: Limits) -> Json:
    size = len(judge.text.encode("utf-8", "surrogatepass"))
    error = _failure(judge, size, limits)
    status = "completed" if not error else "error"
    attempt: Json = {
        "context_id": _context(report, judge),
        "adapter": clean(judge.seat.backend),
        "model_identity": _model(judge),
        "status": "timed_out" if judge.status == "timeout" else status,
        "output_bytes": min(size, limits.output),
        "cleanup_confirmed": True,
    }
    return {**attempt, "error": error} if error else attempt


def _failure(judge: Judge, size: int, limits: Limits) -> str:
    if judge.status != "answered" or judge.word is None:
        return clean(judge.reason).strip() or f"no judgement: {judge.status}"
    if size > limits.output:
        return f"its output of {size} bytes is beyond the limit of {limits.output}"
    return "" if _evidence(judge) else "a judgement without evidence is not counted"


def _judge(report: CouncilReport, judge: Judge) -> Json:
    first = judge.first or judge.verdict
    words = clean(first.key_insight if first else judge.reason).strip()
    return {
        "context_id": _context(report, judge),
        "methodology": _method(judge),
        "model_identity": _model(judge),
        "judgment": (words or _evidence(judge)[0])[:JUDGMENT],
        "evidence": _evidence(judge)[:MOST_EVIDENCE],
        "omissions": [],
    }


def _evidence(judge: Judge) -> list[str]:
    """What its judgement rests on: places and claims; without findings, what it saw."""
    first = judge.first or judge.verdict
    found = [f"{ref(finding)}: {claim(finding)}"[:JUDGMENT] for finding in judge.findings]
    seen = clean(first.key_insight).strip()[:JUDGMENT] if first else ""
    return found or ([seen] if seen else [])


def _synthesis(report: CouncilReport, heard: list[Judge]) -> Json:
    consensus, unresolved = [], []
    for issue in report.shared:
        methods = _methods(issue, heard)
        if len(methods) > 1:
            consensus.append({"claim": _point(issue), "methodologies": methods})
        else:
            unresolved.append(f"one confirmation only, by a single method: {_point(issue)}")
    return {
        "consensus": consensus,
        "divergence": [
            *(_divergence(issue, heard) for issue in report.split),
            *map(_disagreement, report.disagreements),
        ],
        "minority": [_point(issue) for issue in report.minority],
        "unresolved": unresolved,
    }


def _insufficient(report: CouncilReport, heard: list[Judge]) -> Json:
    why = f"{len(heard)} of {len(report.judges)} judges gave a judgement; two are needed"
    return {"consensus": [], "divergence": [], "minority": [], "unresolved": [why]}


def _methods(issue: Issue, heard: list[Judge]) -> list[str]:
    return list(
        dict.fromkeys(_method(judge) for judge in heard if {judge.seat.name} & {*issue.seats})
    )


def _divergence(issue: Issue, heard: list[Judge]) -> Json:
    sides = (
        f"{clean(judge.label)} {'raises it' if judge.seat.name in issue.seats else 'does not'}"
        for judge in heard
    )
    return {"point": _point(issue), "positions": list(sides)[:_MOST_POSITIONS]}


def _disagreement(each: Disagreement) -> Json:
    told = [f"{', '.join(map(clean, who))}: {clean(says)}" for who, says in each.positions]
    return {"point": clean(each.issue), "positions": told[:_MOST_POSITIONS]}


def _point(issue: Issue) -> str:
    return f"{claim(issue.representative)} ({ref(issue.representative)})"


def _context(report: CouncilReport, judge: Judge) -> str:
    return clean(f"{report.header.run_id or report.stem}/{judge.label}")


def _model(judge: Judge) -> str:
    return clean(judge.seat.model or judge.seat.family or judge.seat.backend)


def _method(judge: Judge) -> str:
    return clean(judge.perspective) or _INDEPENDENT
