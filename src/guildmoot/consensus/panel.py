"""The panel's rule, as the seeds have it, but closed: nothing is approved unless somebody approved.

    somebody asks for the operator         operator-judgment-required
    remedies that cannot both be applied   flagged-conflict
    a blocking finding                     flagged
    nobody judged, or a seat is missing    operator-judgment-required
    otherwise                              approved

Advisories never gate. The order of the judgements decides nothing.
"""

from __future__ import annotations

from guildmoot.model.verdict import (
    VOTED,
    Conflict,
    Finding,
    Judgement,
    PanelResult,
    PanelVerdict,
    Signal,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def aggregate(
    judgements: Sequence[Judgement],
    expected: Sequence[str] | None = None,
    conflicts: Sequence[Conflict] = (),
) -> PanelResult:
    """One result; without an answer from every seat in ``expected`` it is no approval."""
    findings = [finding for judgement in judgements for finding in judgement.findings]
    blocking = tuple(finding for finding in findings if finding.blocking)
    gaps = _gaps(judgements, expected or ())
    return PanelResult(
        verdict=_verdict(judgements, blocking, conflicts, gaps),
        blocking=blocking,
        advisory=tuple(finding for finding in findings if not finding.blocking),
        cli_runs=tuple(run for judgement in judgements for run in judgement.cli_runs),
        conflicts=tuple(conflicts),
        signals=tuple(
            _signal(judgement) for judgement in judgements if judgement.outcome != "absent"
        ),
        reasons=gaps,
    )


def seed_shape(result: PanelResult) -> dict[str, object]:
    """The result under the six keys that the seeds' callers depend on, in their order."""
    return {
        "verdict": result.verdict,
        "blocking_findings": [_plain(finding) for finding in result.blocking],
        "advisory_findings": [_plain(finding) for finding in result.advisory],
        "cli_runs": [run._asdict() for run in result.cli_runs],
        "conflicts": [
            {
                "scope": conflict.scope,
                "evaluators": list(conflict.seats),
                "findings": [_plain(finding) for finding in conflict.findings],
            }
            for conflict in result.conflicts
        ],
        "agent_signals": [signal._asdict() for signal in result.signals],
    }


def _verdict(
    judgements: Sequence[Judgement],
    blocking: Sequence[Finding],
    conflicts: Sequence[Conflict],
    gaps: Sequence[str],
) -> PanelVerdict:
    if any(judgement.outcome == "operator-judgment" for judgement in judgements):
        return "operator-judgment-required"
    if conflicts:
        return "flagged-conflict"
    if blocking:
        return "flagged"
    return "operator-judgment-required" if gaps else "approved"


def did_not_judge(judgement: Judgement) -> bool:
    """The seat gave no usable answer: nothing came, it was no vote, or a tool's output could not be read."""
    blocks = any(finding.blocking for finding in judgement.findings)
    return judgement.outcome == "absent" or (judgement.outcome == "unreadable" and not blocks)


def has_voted(judgement: Judgement) -> bool:
    """For whichever side."""
    return judgement.outcome in VOTED and not did_not_judge(judgement)


def told_silence(judgement: Judgement) -> str:
    """Who did not judge, and why."""
    how = "did not answer" if judgement.outcome == "absent" else "gave a reply that is no vote"
    how = "could not be read" if judgement.computed and judgement.outcome != "absent" else how
    return f"{judgement.seat} {how}: {judgement.reason}"


def _gaps(judgements: Sequence[Judgement], expected: Sequence[str]) -> tuple[str, ...]:
    """Why silence here is not consent."""
    seats = {judgement.seat for judgement in judgements}
    gaps = [f"{seat} was asked but gave no answer" for seat in expected if seat not in seats]
    gaps += [told_silence(judgement) for judgement in judgements if did_not_judge(judgement)]
    if not judgements:
        gaps.append("the panel is empty: nobody judged")
    elif all(judgement.outcome == "recused" for judgement in judgements):
        gaps.append("everybody recused: nobody judged")
    elif not any(judgement.outcome in VOTED for judgement in judgements):
        gaps.append("nobody who answered judged")
    return tuple(dict.fromkeys(gaps))


def _signal(judgement: Judgement) -> Signal:
    """The seeds know three outcomes; whoever was asked for a verdict is gated, readable or not."""
    outcome = judgement.outcome
    if outcome == "recused" or outcome == "operator-judgment":
        return Signal(judgement.seat, judgement.confidence, outcome, judgement.reason or None)
    return Signal(judgement.seat, judgement.confidence, "gated", None)


def _plain(finding: Finding) -> dict[str, str]:
    return {
        "evaluator": finding.seat,
        "code": finding.code,
        "evidence": finding.title,
        "remedy": finding.fix,
    }
