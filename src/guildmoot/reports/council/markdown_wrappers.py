"""The reports of vibe, pre-mortem and post-mortem: a council with checks before it and a decision after.

Their verdict stands under ``## Council Verdict: X``, the heading that tools look for.
"""

from __future__ import annotations

from collections.abc import Iterator

from guildmoot.model.council import CouncilReport
from guildmoot.model.verdict import Issue
from guildmoot.reports.council.blocks import bullets, plain_table
from guildmoot.reports.council.markdown_debate import debate_sections
from guildmoot.reports.council.markdown_findings import (
    check_sections,
    cross_vendor,
    delta_section,
    disagreements,
    evidence_sections,
    findings_table,
    minority,
    partly_shared,
    recommendation,
    shared_findings,
    verdicts,
)
from guildmoot.reports.council.view import claim, fix, full_name, gate_word, insight, ref
from guildmoot.reports.markdown import prose
from guildmoot.text.clean import one_line

_TITLES = {"vibe": "Vibe Report", "pre-mortem": "Pre-Mortem", "post-mortem": "Post-Mortem"}
_MOST_FINDINGS = 5
"""Tools read no more lines than this."""


def wrapper_sections(report: CouncilReport, header: str) -> Iterator[str]:
    """Checks, verdict, findings, decision."""
    yield f"# {_TITLES.get(report.wrapper, prose(report.wrapper))}: {prose(report.header.target)}"
    yield header
    yield from check_sections(report, "##")
    # without a verdict to gate on, the heading must not look like one
    yield f"## Council Verdict: {gate_word(report) or f'none ({report.outcome})'}"
    yield from verdicts(report)
    if report.debate:
        yield from debate_sections(report, report.debate)
    yield from shared_findings(report)
    if report.wrapper == "vibe":
        yield from _blocking(report)
    yield from _concerns(report)
    yield from disagreements(report)
    yield from cross_vendor(report)
    yield from partly_shared(report)
    yield from minority(report)
    yield from evidence_sections(report)
    yield from delta_section(report)
    yield from _predictions(report)
    yield from recommendation(report, "##")
    if report.decision:
        yield "## Decision"
        yield f"**{prose(report.decision)}**"
    yield from _for_a_retry(report)


def _blocking(report: CouncilReport) -> Iterator[str]:
    blocking = [issue for issue in report.issues if issue.blocking]
    advice = [issue for issue in report.issues if not issue.blocking]
    yield "### CRITICAL (blocks ship)"
    yield findings_table(blocking) if blocking else "None."
    yield "### INFORMATIONAL"
    yield findings_table(advice) if advice else "None."


def _concerns(report: CouncilReport) -> Iterator[str]:
    yield "### Concerns"
    lines = [
        f"**{prose(full_name(judge))}** ({judge.word}): {prose(insight(judge))}"
        for judge in report.judges
        if judge.word in ("WARN", "FAIL")
    ]
    yield bullets(lines) if lines else "None."


def _predictions(report: CouncilReport) -> Iterator[str]:
    if report.predictions:
        yield "### Predictions"
        yield plain_table(("Id", "Foretold"), report.predictions)


def _for_a_retry(report: CouncilReport) -> Iterator[str]:
    """One line a finding, in the form that a tool hands to the next attempt."""
    if report.verdict == "FAIL" and report.issues:
        yield "## Findings for the Next Attempt"
        yield from map(_finding_line, report.issues[:_MOST_FINDINGS])


def _finding_line(issue: Issue) -> str:
    shown = issue.representative
    parts = (("FINDING", claim(shown)), ("FIX", fix(shown)), ("REF", ref(shown)))
    # a bar of the judge's own would end the field for whoever reads the line
    told = (f"{name}: {prose(one_line(text).replace('|', '¦'))}" for name, text in parts)
    return " | ".join(told)
