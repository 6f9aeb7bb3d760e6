"""A council in the words of a panel's run, for whatever takes findings one by one."""

from __future__ import annotations

from guildmoot.errors import UsageError
from guildmoot.model.council import CouncilReport, Judge
from guildmoot.model.report import RunOutcome, RunReport, SeatReport
from guildmoot.model.verdict import Finding, Issue, Outcome, PanelVerdict
from guildmoot.reports.council.remedies import remedy

_OUTCOMES: dict[str, tuple[PanelVerdict, RunOutcome]] = {
    "PASS": ("approved", "approved"),
    "WARN": ("approved", "approved"),
    "FAIL": ("flagged", "flagged"),
    "DISAGREE": ("flagged-conflict", "conflict"),
    "INCOMPLETE": ("operator-judgment-required", "undecided"),
    "ERROR": ("operator-judgment-required", "infrastructure"),
}
_WORDS: dict[str, Outcome] = {"PASS": "approved", "WARN": "approved", "FAIL": "flagged"}


def run_outcome(report: CouncilReport) -> RunOutcome | None:
    """What ``guild validate`` would call it; None where nothing was judged."""
    return _OUTCOMES[report.outcome][1] if report.outcome else None


def as_run(report: CouncilReport) -> RunReport:
    """A council in the words of a panel's run: its issues as findings, its judges as seats."""
    if report.outcome is None:
        raise UsageError(
            f"a {report.task} has no findings that SARIF or JUnit could carry",
            "They are written for validate; take .md, .json or .html.",
        )
    verdict, outcome = _OUTCOMES[report.outcome]
    found = [issue_finding(issue) for issue in report.issues]
    return RunReport(
        header=report.header._replace(reasons=(*report.header.reasons, *report.notes)),
        verdict=verdict,
        outcome=outcome,
        blocking=tuple(finding for finding in found if finding.blocking),
        advisory=tuple(finding for finding in found if not finding.blocking),
        seats=tuple(map(_judge_seat, report.judges)),
        council=report.outcome,
        costs=report.costs,
    )


def issue_finding(issue: Issue) -> Finding:
    """The issue as one finding: its speaker, and who else says so in which words."""
    shown = issue.representative
    others = [member for member in issue.members if member.seat != shown.seat]
    return shown._replace(
        severity=issue.severity,
        blocking=issue.blocking,
        id=issue.id,
        fix=remedy(issue, shown),
        also=tuple(dict.fromkeys(member.seat for member in others)),
        echoes=tuple((member.seat, member.title) for member in others),
    )


def _judge_seat(judge: Judge) -> SeatReport:
    silent: Outcome = "unreadable" if judge.status == "answered" else "absent"
    return SeatReport(
        seat=judge.seat,
        status=judge.status,
        outcome=_WORDS[judge.word] if judge.word else silent,
        seconds=judge.seconds,
        findings=len(judge.findings) if judge.word else 0,
        blocking=sum(finding.blocking for finding in judge.findings),
        reason=judge.reason,
        usage=judge.usage,
        usd=judge.usd,
    )
