"""Replies as models really misformat them, each with the reading that we expect."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from guildmoot.model.verdict import Finding, Judgement
from guildmoot.reading.grammar import read_verdict

CORPUS = Path(__file__).parents[1] / "data" / "reading" / "malformed.jsonl"
CASES = [json.loads(line) for line in CORPUS.read_bytes().splitlines()]


def shown(finding: Finding, like: list[str]) -> list[str]:
    """As much of the finding as the case states: code, evidence, remedy."""
    return [finding.code, finding.title, finding.fix][: len(like)]


def listed(found: list[Finding], expected: list[list[str]]) -> list[list[str]]:
    likes = [*expected, *([["", ""]] * len(found))]
    return [shown(finding, like) for finding, like in zip(found, likes, strict=False)]


def extras(judgement: Judgement, case: dict[str, Any]) -> dict[str, Any]:
    """What the case states beyond verdict and findings."""
    read: dict[str, Any] = {
        "reason": judgement.reason,
        "severities": [finding.severity for finding in judgement.findings],
        "quotes": [finding.quote for finding in judgement.findings],
        "runs": [[run.command, run.passed] for run in judgement.cli_runs],
        "places": [
            [finding.path, finding.line, finding.end_line][: len(place)]
            for finding, place in zip(judgement.findings, case.get("places", []), strict=False)
        ],
    }
    return {key: read[key] for key in read if key in case}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_malformed_reply_is_read_as_expected(case: dict[str, Any]) -> None:
    judgement = read_verdict(case["text"], "judge")
    blocking = [finding for finding in judgement.findings if finding.blocking]
    advisory = [finding for finding in judgement.findings if not finding.blocking]
    assert judgement.outcome == case["outcome"]
    assert listed(blocking, case["blocking"]) == case["blocking"]
    assert listed(advisory, case["advisory"]) == case["advisory"]
    assert judgement.confidence == case.get("confidence")
    assert extras(judgement, case) == {key: case[key] for key in extras(judgement, case)}


def test_the_corpus_is_large_and_its_names_are_unique() -> None:
    assert len({case["name"] for case in CASES}) == len(CASES) >= 300
