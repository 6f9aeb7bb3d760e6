"""Replies as judges write them, each with the reading that is expected of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from guildmoot.model.council_verdict import CouncilReading
from guildmoot.reading.council.judgement import read_judgement
from guildmoot.reading.council.read import read_council

TABLE = Path(__file__).parents[2] / "data" / "council" / "replies.jsonl"
REPLIES = [json.loads(row) for row in TABLE.read_text(encoding="utf-8").splitlines()]


def observed(reading: CouncilReading) -> dict[str, object]:
    """What was read, under the names of the table's columns."""
    verdict = reading.verdict
    if verdict is None:
        return {"failure": reading.failure}
    notes = verdict.debate_notes
    seen: dict[str, object] = {
        "verdict": verdict.verdict,
        "how": reading.how,
        "findings": len(verdict.findings),
        "severities": [finding.severity for finding in verdict.findings],
        "confidence": verdict.confidence,
        "version": verdict.schema_version,
        "score": verdict.satisfaction_score,
        "insight": verdict.key_insight,
        "extras": [key for key, _ in verdict.extras],
        "revised_from": notes.revised_from if notes else None,
    }
    for finding in verdict.findings[:1]:
        seen |= {
            "fix": finding.fix or finding.recommendation or "none given",
            "why": finding.why or "none given",
            "ref": finding.ref or finding.location or "none",
            "description": finding.description,
            "location": finding.location,
            "assertions": len(finding.test_assertions),
        }
    return seen


@pytest.mark.parametrize("row", REPLIES, ids=lambda row: row["name"])
def test_a_reply_is_read_as_expected(row):
    reading = read_council(row["reply"])
    expected = {key: value for key, value in row.items() if key not in ("name", "reply", "warns")}
    seen = observed(reading)
    assert {key: seen.get(key) for key in expected} == expected
    if "warns" in row:
        assert any(row["warns"] in warning for warning in reading.warnings), reading.warnings


@pytest.mark.parametrize("row", REPLIES, ids=lambda row: row["name"])
def test_a_reading_is_either_a_verdict_or_a_failure_with_a_reason(row):
    reading = read_council(row["reply"])
    assert (reading.verdict is None) == (reading.how is None)
    assert (reading.verdict is None) == bool(reading.failure and reading.reasons)


@pytest.mark.parametrize("row", REPLIES, ids=lambda row: row["name"])
def test_what_failed_to_be_read_blocks_and_what_failed_to_pass_flags(row):
    reading = read_council(row["reply"])
    judgement = read_judgement(reading, "seat")
    blocks = any(finding.blocking for finding in judgement.findings)
    if reading.verdict is None:
        assert judgement.outcome == "unreadable"
        assert blocks
    elif reading.verdict.verdict == "FAIL":
        assert judgement.outcome == "flagged"
        assert blocks
    else:
        assert judgement.outcome == "approved"


def test_the_table_is_large_and_its_names_are_unique():
    names = {row["name"] for row in REPLIES}
    assert len(names) == len(REPLIES) >= 120
