"""What a council leaves for later: candidates for learnings, findings and rules, staged on file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from guildmoot.errors import InfrastructureError
from guildmoot.memory.candidates import FILE, stage
from guildmoot.memory.extraction import Candidate, Confidence, extract
from guildmoot.model.council import CouncilReport
from guildmoot.reading.grammar import PARSE_FAILURE, WITHOUT_REASONS
from guildmoot.text.clean import count

_NOT_CLAIMED = (PARSE_FAILURE, WITHOUT_REASONS)
"""Findings that a reader made of a reply; no judge raised them."""


def candidates_of(report: CouncilReport) -> list[Candidate]:
    """What the report has that is worth keeping; nothing when it passed, or judged nothing."""
    if report.task != "validate" or report.outcome == "INCOMPLETE":
        return []
    issues = [issue for issue in report.issues if issue.representative.code not in _NOT_CLAIMED]
    sureness: dict[str, Confidence | None] = {
        judge.label: judge.verdict.confidence if judge.verdict else None for judge in report.judges
    }
    return extract(
        report.verdict,
        issues,
        sureness,
        date=report.date,
        council_id=report.stem,
        own=dict(_said_of_one(report)),
    )


def stage_candidates(root: Path | None, report: CouncilReport) -> CouncilReport:
    """Stage them, and say so in a note; without ``root`` nothing is kept and nothing said."""
    found = candidates_of(report) if root else []
    if not root or not found:
        return report
    try:
        staged = stage(root, found, report.header.run_id)
    except (OSError, InfrastructureError) as error:
        why = f"the candidates of this council could not be written to {FILE}: {error}"
        return report._replace(notes=(*report.notes, why))
    if not staged.added:
        return report
    note = f"{count(len(staged.added), 'candidate')} staged; see 'guild council candidates list'"
    return report._replace(notes=(*report.notes, note))


def _said_of_one(report: CouncilReport) -> Iterator[tuple[tuple[str, str], Confidence]]:
    """What judges said of single findings, where it differs from their confidence in the whole."""
    for judge in report.judges:
        for finding in judge.verdict.findings if judge.verdict else ():
            if finding.confidence:
                yield (judge.label, finding.description), finding.confidence
