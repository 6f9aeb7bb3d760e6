"""What a council's judge said, as small frozen values: schema v4 with what the prompts add to it.

A field holds what the judge gave; nothing is filled in here.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from guildmoot.model.verdict import Assertion, Severity

CouncilWord = Literal["PASS", "WARN", "FAIL"]
CouncilOutcome = Literal["PASS", "WARN", "FAIL", "DISAGREE", "INCOMPLETE", "ERROR"]
Confidence = Literal["HIGH", "MEDIUM", "LOW"]
FindingSeverity = Literal["critical", "significant", "minor"]

VERDICTS: tuple[CouncilWord, ...] = ("PASS", "WARN", "FAIL")
CONFIDENCES: tuple[Confidence, ...] = ("HIGH", "MEDIUM", "LOW")
FINDING_SEVERITIES: tuple[FindingSeverity, ...] = ("critical", "significant", "minor")
COUNCIL_SEVERITIES: dict[Severity, FindingSeverity] = {
    "critical": "critical",
    "high": "significant",
    "medium": "significant",
    "low": "minor",
}
"""Our severities in the council's words."""
NEWEST = 4
"""The newest schema version; the oldest, 0, is a verdict that names none."""

Extras = tuple[tuple[str, str], ...]
"""Keys that no schema knows, each with its value as JSON text."""


class CouncilFinding(NamedTuple):
    """One finding as the judge gave it."""

    severity: FindingSeverity
    category: str = ""
    description: str = ""
    location: str = ""
    """``file:line`` where it applies."""
    recommendation: str = ""
    fix: str | None = None
    why: str | None = None
    ref: str | None = None
    id: str | None = None
    confidence: Confidence | None = None
    """None means the judge's own confidence."""
    test_assertions: tuple[Assertion, ...] = ()
    extras: Extras = ()


class Challenge(NamedTuple):
    """A claim of another judge that was disputed in a debate."""

    target_judge: str = ""
    claim: str = ""
    response: str = ""


class Acknowledgment(NamedTuple):
    """A point of another judge that was granted in a debate."""

    source_judge: str = ""
    point: str = ""
    impact: str = ""


class DebateNotes(NamedTuple):
    """What a judge adds in the second round."""

    revised_from: CouncilWord | None = None
    """The first round's verdict, when it was changed."""
    steel_man: str = ""
    challenges: tuple[Challenge, ...] = ()
    acknowledgments: tuple[Acknowledgment, ...] = ()
    extras: Extras = ()


class CouncilVerdict(NamedTuple):
    """One judge's verdict on the whole."""

    verdict: CouncilWord
    confidence: Confidence | None = None
    """None when the judge gave none that could be read."""
    key_insight: str = ""
    findings: tuple[CouncilFinding, ...] = ()
    recommendation: str = ""
    schema_version: int = NEWEST
    satisfaction_score: float | None = None
    """0 to 1."""
    satisfaction_breakdown: tuple[tuple[str, float], ...] | None = None
    debate_notes: DebateNotes | None = None
    extras: Extras = ()


How = Literal[
    "json",  # the whole reply was JSON
    "json-block",  # one block of the reply was JSON
    "repaired",  # the JSON was broken, and mended without guessing
    "salvaged",  # there was no JSON; the verdict stands in the prose
]

Failure = Literal[
    "empty",
    "refusal",  # the judge would not judge
    "echo",  # it only repeats the template or the schema of the prompt
    "signal",  # it only says that the verdict is somewhere else
    "no-verdict",
    "unknown-verdict",  # the word is not PASS, WARN or FAIL
    "contradiction",  # several verdicts that differ
    "unconfirmed",  # a PASS beside words that are no plain approval, and nobody stood by it
    "quoted",  # the only verdict stands where the reply quotes something else
    "cut-off",  # it ends before the findings do
    "unreadable",  # JSON that is broken beyond mending
]


class CouncilReading(NamedTuple):
    """What came of reading a reply: a verdict and how it was read, or a failure and why."""

    verdict: CouncilVerdict | None = None
    how: How | None = None
    warnings: tuple[str, ...] = ()
    """What was missing, mended or doubtful, one sentence each."""
    failure: Failure | None = None
    reasons: tuple[str, ...] = ()
    """Why there is no verdict; may be put to the judge when it is asked again."""


def verdict_to_json(verdict: CouncilVerdict) -> dict[str, object]:
    """The verdict as an object of schema version 4, ready for JSON, without keys that no schema knows.

    Debate notes, assertions and a finding's confidence stand in it only when given, so that readers of
    the upstream schema accept the rest. Where the judge gave no confidence it says null, which no
    schema allows: better than a guess.
    """
    breakdown = verdict.satisfaction_breakdown
    value: dict[str, object] = {
        "verdict": verdict.verdict,
        "confidence": verdict.confidence,
        "key_insight": verdict.key_insight,
        "findings": [_finding_to_json(finding) for finding in verdict.findings],
        "recommendation": verdict.recommendation,
        "schema_version": NEWEST,
        "satisfaction_score": verdict.satisfaction_score,
        "satisfaction_breakdown": None if breakdown is None else dict(breakdown),
    }
    notes = verdict.debate_notes
    if notes:
        value["debate_notes"] = {
            "revised_from": notes.revised_from,
            "steel_man": notes.steel_man,
            "challenges": [challenge._asdict() for challenge in notes.challenges],
            "acknowledgments": [point._asdict() for point in notes.acknowledgments],
        }
    return value


def _finding_to_json(finding: CouncilFinding) -> dict[str, object]:
    value = finding._asdict()
    checks = value.pop("test_assertions")
    del value["extras"]
    if not value["confidence"]:
        del value["confidence"]
    if checks:
        value["test_assertions"] = [
            {
                "description": check.description,
                "verifies_by": check.verifies_by,
                "command": check.command,
                "expected_result": check.expected,
            }
            for check in checks
        ]
    return value
