"""A PASS that names what could not be checked, or a condition, is no plain PASS, however it words the rest."""

import json

import pytest

from guildmoot.reading.council.read import read_council
from guildmoot.reading.schema_reply import panel_judgement, read_object
from guildmoot.reading.verdict_schema import PANEL_SCHEMA

PASS = {
    "verdict": "PASS",
    "confidence": "HIGH",
    "key_insight": "The lock is released on every path.",
    "findings": [],
    "recommendation": "Merge it.",
    "schema_version": 4,
}
APPROVED = {"verdict": "approved", "confidence": "high", "reasons": [], "advisories": []}
OPEN = [
    {"could_not_check": ["the migration on a filled table: nothing here can run it"]},
    {"could_not_check": ["sign.py, which was cut off"], "conditions": None},
    {"conditions": ["the follow-up that validates the input lands before the release"]},
    {"could_not_check": [], "conditions": ["somebody confirms the token check"]},
]
PLAIN = [
    {},
    {"could_not_check": [], "conditions": []},
    {"could_not_check": None, "conditions": None},
    {"could_not_check": ["none"], "conditions": [""]},
]


@pytest.mark.parametrize("ends", OPEN)
def test_a_council_s_pass_with_an_open_end_is_no_vote_and_says_which(ends) -> None:
    read = read_council(json.dumps(PASS | ends))
    assert read.verdict is None
    assert read.failure == "contradiction"
    assert any(each in str(read.reasons) for each in ends if ends[each])


@pytest.mark.parametrize("ends", PLAIN)
def test_a_council_s_pass_without_one_stands_and_warns_of_nothing(ends) -> None:
    read = read_council(json.dumps(PASS | ends))
    assert read.verdict is not None
    assert (read.verdict.verdict, read.warnings) == ("PASS", ())


def test_what_a_warn_leaves_open_is_kept() -> None:
    read = read_council(json.dumps(PASS | OPEN[0] | {"verdict": "WARN"}))
    assert read.verdict is not None
    assert dict(read.verdict.extras)["could_not_check"].startswith('["the migration')


@pytest.mark.parametrize(
    ("ends", "outcome"),
    [*((ends, "unreadable") for ends in OPEN), *((ends, "approved") for ends in PLAIN)],
)
def test_a_panel_s_approval_goes_by_the_same_rule(ends, outcome) -> None:
    value = read_object(json.dumps(APPROVED | ends), PANEL_SCHEMA)
    assert panel_judgement(value, "one", "").outcome == outcome
