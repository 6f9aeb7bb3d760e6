"""The short form of one judge's check: its verdict as JSON, its analysis, and where to go on."""

from __future__ import annotations

import json
from collections.abc import Iterator

from guildmoot.model.council import CouncilReport, Judge
from guildmoot.model.council_verdict import (
    CouncilFinding,
    CouncilVerdict,
    FindingSeverity,
    verdict_to_json,
)
from guildmoot.model.verdict import Finding, Severity
from guildmoot.reports.council.blocks import bullets, facts, said
from guildmoot.reports.council.view import claim, fix, insight, ref, severity, strength
from guildmoot.reports.markdown import code, fenced, prose
from guildmoot.system.jsonio import dumps
from guildmoot.text.clean import clean

_SCALE: dict[Severity, FindingSeverity] = {
    "critical": "critical",
    "high": "significant",
    "medium": "significant",
    "low": "minor",
}


def quick_sections(report: CouncilReport) -> Iterator[str]:
    """The whole body of a quick report."""
    yield f"# Council Quick Check: {prose(report.header.target)}"
    yield facts(
        ("Date", prose(report.date)),
        ("Mode", "quick (single-agent)"),
        ("Target", prose(report.header.target)),
        ("Votes", prose(strength(report))),
        ("Confidence", prose(report.confidence)),
    )
    yield f"## Verdict: {report.outcome or 'none'}"
    for judge in report.judges:
        if judge.word:
            yield fenced(carriable(dumps(verdict_to_json(_verdict(judge)))), "json")
    yield "## Analysis"
    yield from _analysis(report)
    yield "One judge is one opinion. For several: `guild council validate` with the same target."


def carriable(text: str) -> str:
    """JSON text without invisible or control characters: escaped as JSON does, so it still parses."""
    if clean(text) == text:
        return text
    return "".join(
        mark if mark == "\n" or clean(mark) == mark else json.dumps(mark)[1:-1] for mark in text
    )


def _verdict(judge: Judge) -> CouncilVerdict:
    """What it said, or a tool's findings in the same form."""
    if judge.verdict:
        return judge.verdict
    found = tuple(map(_as_council, judge.findings))
    return CouncilVerdict(judge.word or "WARN", key_insight=insight(judge), findings=found)


def _as_council(finding: Finding) -> CouncilFinding:
    where = ref(finding)
    return CouncilFinding(
        severity=_SCALE[finding.severity],
        category=finding.code,
        description=finding.title,
        location="" if where == "none" else where,
        recommendation=finding.fix,
        fix=finding.fix or None,
        why=finding.why or None,
        ref=finding.url or None,
    )


def _analysis(report: CouncilReport) -> Iterator[str]:
    for judge in report.judges:
        yield prose(insight(judge)) or "It gave no reason."
    lines = [
        f"{severity(issue)}: {prose(claim(shown))} ({code(ref(shown))}). Fix: {prose(fix(shown))}"
        for issue in report.issues
        for shown in [issue.representative]
    ]
    yield bullets(lines) if lines else "It has no findings."
    yield said(report.recommendation)
