"""From rulings to a result: one finding an issue, the panel's closing rule, and the floors last."""

from __future__ import annotations

from collections.abc import Sequence

from guildmoot.consensus.floors import VerdictFloor
from guildmoot.consensus.panel import aggregate
from guildmoot.consensus.policies import PolicyResult, Ruling
from guildmoot.model.verdict import SEVERITIES, UNREAL, Conflict, Finding, Judgement, PanelResult


def settle(
    judgements: Sequence[Judgement],
    ruled: PolicyResult,
    *,
    expected: Sequence[str],
    conflicts: Sequence[Conflict] = (),
    floors: Sequence[VerdictFloor] = (),
    precedence: Sequence[str] = (),
) -> PanelResult:
    """The panel's result under a policy's rulings; floors can only make it worse."""
    shown = [_floored(spokesman(ruling, precedence), floors) for ruling in ruled.rulings]
    spoken = [
        judgement._replace(findings=tuple(f for f in shown if f.seat == judgement.seat))
        for judgement in judgements
    ]
    result = aggregate(spoken, expected=expected, conflicts=conflicts)
    warnings = [_floor_finding(floor) for floor in floors if floor.at_least == "warn"]
    ordered = result._replace(
        blocking=tuple(by_severity(result.blocking)),
        advisory=tuple(by_severity([*result.advisory, *warnings])),
    )
    return _undecided(ordered, ruled, floors, _doubted(judgements, shown))


def spokesman(ruling: Ruling, precedence: Sequence[str] = ()) -> Finding:
    """The finding that stands for an issue, with who else says so.

    The highest seat of the precedence speaks; without one, the member closest to what all say.
    """
    issue = ruling.issue
    ranked = [f for seat in precedence for f in issue.members if f.seat == seat]
    best = ranked[0] if ranked else issue.representative
    others = tuple(seat for seat in issue.seats if seat != best.seat)
    note = "; ".join(filter(None, (best.note, ruling.why)))
    echoes = tuple((f.seat, f.title) for f in issue.members if f is not best)
    return best._replace(
        id=issue.id,
        also=others,
        echoes=echoes,
        severity=issue.severity,
        blocking=ruling.blocks,
        note=note,
    )


def by_severity(findings: Sequence[Finding]) -> list[Finding]:
    """Worst first, then by place; the order says nothing about who was asked first."""
    return sorted(findings, key=lambda f: (SEVERITIES.index(f.severity), f.path, f.line, f.code))


def _floored(finding: Finding, floors: Sequence[VerdictFloor]) -> Finding:
    """A failed verification blocks under every policy."""
    held = any(floor.name == "verification" for floor in floors)
    failed = finding.code == "verification-failed"
    return finding._replace(blocking=True) if held and failed else finding


def _floor_finding(floor: VerdictFloor) -> Finding:
    return Finding(
        f"floor:{floor.name}", f"floor-{floor.name}", floor.why, severity="medium", blocking=False
    )


def _doubted(judgements: Sequence[Judgement], shown: Sequence[Finding]) -> str:
    """Nothing is approved unless somebody approved: flags that lost their ground are no approval."""
    doubted = sorted({finding.seat for finding in shown if finding.grounding in UNREAL})
    if not doubted or any(judgement.outcome == "approved" for judgement in judgements):
        return ""
    return f"nobody approved; what {', '.join(doubted)} flagged could not be found"


def _undecided(
    result: PanelResult, ruled: PolicyResult, floors: Sequence[VerdictFloor], doubted: str
) -> PanelResult:
    """What a policy could not decide, or a floor does not let pass, is the operator's to decide."""
    open_questions = [ruled.undecided] if ruled.undecided else []
    if doubted:
        open_questions.append(doubted)
    open_questions += [
        f"{floor.name}: {floor.why}" for floor in floors if floor.at_least == "undecided"
    ]
    failed = [f"{floor.name}: {floor.why}" for floor in floors if floor.at_least == "flagged"]
    verdict = result.verdict
    if failed and verdict == "approved":
        verdict = "flagged"
    if ruled.split or (open_questions and verdict == "approved"):
        verdict = "operator-judgment-required"
    said = [ruled.split] if ruled.split else []
    return result._replace(
        verdict=verdict, reasons=(*result.reasons, *said, *open_questions, *failed)
    )
