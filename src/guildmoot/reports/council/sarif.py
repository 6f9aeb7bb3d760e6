"""A council's findings as SARIF 2.1.0, through the panel's writer: one set of rules for scanners."""

from __future__ import annotations

from typing import Literal

from guildmoot.errors import UsageError
from guildmoot.model.council import CouncilReport, Judge
from guildmoot.model.report import RunReport, SeatReport
from guildmoot.model.verdict import Finding, Issue, Outcome, PanelVerdict
from guildmoot.reports.sarif import to_sarif
from guildmoot.system.jsonio import dumps

_RunOutcome = Literal[
    "approved", "flagged", "conflict", "undecided", "infrastructure", "interrupted"
]
_OUTCOMES: dict[str, tuple[PanelVerdict, _RunOutcome]] = {
    "PASS": ("approved", "approved"),
    "WARN": ("approved", "approved"),
    "FAIL": ("flagged", "flagged"),
    "DISAGREE": ("flagged-conflict", "conflict"),
    "INCOMPLETE": ("operator-judgment-required", "undecided"),
    "ERROR": ("operator-judgment-required", "infrastructure"),
}
_WORDS: dict[str, Outcome] = {"PASS": "approved", "WARN": "approved", "FAIL": "flagged"}


def render_sarif(report: CouncilReport) -> str:
    """The findings as a SARIF file; raises UsageError where nothing was judged."""
    return dumps(to_sarif(as_run(report))) + "\n"


render = render_sarif


def as_run(report: CouncilReport) -> RunReport:
    """The council in the words of a panel's run."""
    if report.outcome is None:
        raise UsageError(
            f"a {report.task} has no findings that SARIF could carry",
            "SARIF is written for validate; take .md, .json or .html.",
        )
    verdict, outcome = _OUTCOMES[report.outcome]
    found = [_spoken(issue) for issue in report.issues]
    return RunReport(
        header=report.header._replace(reasons=(*report.header.reasons, *report.notes)),
        verdict=verdict,
        outcome=outcome,
        blocking=tuple(finding for finding in found if finding.blocking),
        advisory=tuple(finding for finding in found if not finding.blocking),
        seats=tuple(map(_seat, report.judges)),
        council=report.outcome,
    )


def _spoken(issue: Issue) -> Finding:
    """The issue as one finding: its speaker, and who else says so in which words."""
    shown = issue.representative
    others = [member for member in issue.members if member.seat != shown.seat]
    return shown._replace(
        severity=issue.severity,
        blocking=issue.blocking,
        id=issue.id,
        also=tuple(dict.fromkeys(member.seat for member in others)),
        echoes=tuple((member.seat, member.title) for member in others),
    )


def _seat(judge: Judge) -> SeatReport:
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
