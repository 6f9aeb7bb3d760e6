"""From a policy's rulings to the panel's result, and from that to what the caller should do.

One finding an issue, the panel's closing rule, the floors last; then one outcome word, reasons and an
exit code. Infrastructure failure is its own outcome: it neither passes nor fails the work. But a
blocking finding that did arrive still fails it, whoever else did not answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from guildmoot.consensus.floors import VerdictFloor
from guildmoot.consensus.panel import aggregate, did_not_judge, told_silence
from guildmoot.consensus.policies import PolicyResult, Ruling
from guildmoot.errors import (
    EXIT_FLAGGED,
    EXIT_INFRASTRUCTURE,
    EXIT_INTERRUPTED,
    EXIT_OK,
    EXIT_UNDECIDED,
    EXIT_WARN,
)
from guildmoot.model.report import RunOutcome
from guildmoot.model.verdict import (
    SEVERITIES,
    Conflict,
    Finding,
    Judgement,
    PanelResult,
    PanelVerdict,
)
from guildmoot.named import NamedTuple
from guildmoot.text.clean import count

_EXIT: dict[RunOutcome, int] = {
    "approved": EXIT_OK,
    "flagged": EXIT_FLAGGED,
    "conflict": EXIT_UNDECIDED,
    "undecided": EXIT_UNDECIDED,
    "infrastructure": EXIT_INFRASTRUCTURE,
    "interrupted": EXIT_INTERRUPTED,
    "nothing": EXIT_OK,
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
    shown = [_floored(representative_of(ruling, precedence), floors) for ruling in ruled.rulings]
    shown_by_seat = [
        judgement._replace(findings=tuple(f for f in shown if f.seat == judgement.seat))
        for judgement in judgements
    ]
    result = aggregate(shown_by_seat, expected=expected, conflicts=conflicts)
    warnings = [_floor_finding(floor) for floor in floors if floor.at_least == "warn"]
    ordered = result._replace(
        blocking=tuple(by_severity(result.blocking)),
        advisory=tuple(by_severity([*result.advisory, *warnings])),
    )
    return _undecided(ordered, ruled, floors)


def representative_of(ruling: Ruling, precedence: Sequence[str] = ()) -> Finding:
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


def _undecided(
    result: PanelResult, ruled: PolicyResult, floors: Sequence[VerdictFloor]
) -> PanelResult:
    """What a policy could not decide, or a floor does not let pass, is the operator's to decide."""
    open_questions = [ruled.undecided] if ruled.undecided else []
    open_questions += [
        f"{floor.name}: {floor.why}" for floor in floors if floor.at_least == "undecided"
    ]
    failed = [f"{floor.name}: {floor.why}" for floor in floors if floor.at_least == "flagged"]
    verdict = result.verdict
    if failed and verdict in ("approved", "flagged-conflict"):
        verdict = "flagged"
    if ruled.split or (open_questions and verdict == "approved"):
        verdict = "operator-judgment-required"
    said = [ruled.split] if ruled.split else []
    return result._replace(
        verdict=verdict, reasons=(*result.reasons, *said, *open_questions, *failed)
    )


# --- what the caller should do --------------------------------------------------------------------


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
    outcome = _outcome(result, bool(silent), interrupted)
    code = _EXIT[outcome]
    if outcome == "approved" and fail_on_warn and result.advisory:
        code = EXIT_WARN
    return RunDecision(
        verdict, outcome, code, _reasons(result, judgements, silent, interrupted, code)
    )


def _outcome(result: PanelResult, silent: bool, interrupted: bool) -> RunOutcome:
    """Remedies that clash lift nothing: what blocks flags, whoever contradicts its remedy."""
    verdict = result.verdict
    if interrupted:
        return "interrupted"
    if verdict == "flagged-conflict" and result.blocking:
        return "flagged"
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
    reasons = ["the run was stopped before every judge had answered"] if interrupted else []
    if result.blocking:
        seats = sorted({finding.seat for finding in result.blocking})
        reasons.append(f"{count(len(result.blocking), 'blocking finding')} from {', '.join(seats)}")
    reasons += [told_silence(judgement) for judgement in silent]
    # Who would have judged the code was stopped or failed: another judge is not what is missing.
    untrue = "unjudged: " if interrupted or silent else "\n"
    told = [reason for reason in result.reasons if not reason.startswith(untrue)]
    reasons += [reason for reason in told if reason not in reasons]
    if code == EXIT_WARN:
        reasons.append(f"{count(len(result.advisory), 'advisory finding')}, and --fail-on is warn")
    if not reasons:
        reasons.append(f"{count(len(judgements), 'judge')} answered and nothing blocks")
    return tuple(reasons)
