"""Writes a council verdict as JSON of schema version 0 to 4.

An older version leaves out what it does not know. Version 4 loses nothing but the unknown keys that
a judge added; debate notes, assertions and a finding's confidence stand in it only when given, so
that readers of the upstream schema accept the rest.
"""

from __future__ import annotations

from guildmoot.errors import UsageError
from guildmoot.model.council_verdict import (
    NEWEST,
    CouncilFinding,
    CouncilVerdict,
    DebateNotes,
)


def to_json(verdict: CouncilVerdict, version: int = NEWEST) -> dict[str, object]:
    """The verdict as an object ready for JSON; raises ``UsageError`` for an unknown version.

    Where the judge gave no confidence it says null, which no schema allows: better than a guess.
    """
    if version not in range(NEWEST + 1):
        hint = f"Versions 0 to {NEWEST} can be written."
        raise UsageError(f"There is no council schema of version {version}.", hint)
    value: dict[str, object] = {
        "verdict": verdict.verdict,
        "confidence": verdict.confidence,
        "key_insight": verdict.key_insight,
        "findings": [_finding(finding, version) for finding in verdict.findings],
        "recommendation": verdict.recommendation,
    }
    if version:
        value["schema_version"] = version
    if version >= 4:
        breakdown = verdict.satisfaction_breakdown
        value["satisfaction_score"] = verdict.satisfaction_score
        value["satisfaction_breakdown"] = None if breakdown is None else dict(breakdown)
        if verdict.debate_notes:
            value["debate_notes"] = _notes(verdict.debate_notes)
    return value


def _finding(finding: CouncilFinding, version: int) -> dict[str, object]:
    value: dict[str, object] = {
        "severity": finding.severity,
        "category": finding.category,
        "description": finding.description,
        "location": finding.location,
        "recommendation": finding.recommendation,
    }
    if version >= 2:
        value |= {"fix": finding.fix, "why": finding.why, "ref": finding.ref}
    if version >= 4 or (version == 3 and finding.id is not None):
        value["id"] = finding.id
    if version >= 4 and finding.confidence:
        value["confidence"] = finding.confidence
    if version >= 4 and finding.test_assertions:
        value["test_assertions"] = [check._asdict() for check in finding.test_assertions]
    return value


def _notes(notes: DebateNotes) -> dict[str, object]:
    return {
        "revised_from": notes.revised_from,
        "steel_man": notes.steel_man,
        "challenges": [challenge._asdict() for challenge in notes.challenges],
        "acknowledgments": [point._asdict() for point in notes.acknowledgments],
    }
