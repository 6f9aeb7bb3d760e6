"""SARIF that the official schema and GitHub's code scanning accept."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, unquote_to_bytes

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from guildmoot.model.identity import fingerprint
from guildmoot.model.report import RunReport
from guildmoot.model.verdict import Finding
from guildmoot.reports import render
from guildmoot.reports.sarif import MAX_RESULTS, path_uri
from guildmoot.text.clean import web_address

SCHEMA = Path(__file__).parent.parent / "data" / "sarif" / "sarif-schema-2.1.0.json"
RELATIVE_URI = re.compile(r"(?!/)(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})+")
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=40)
FINDING = Finding("ruff", "F821", "Undefined name", path="a.py", line=3, quote="x = y")


@pytest.fixture(scope="module")
def schema() -> Draft7Validator:
    return Draft7Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))


def run_of(report: RunReport) -> dict[str, Any]:
    log = json.loads(render(report, ".sarif").encode())
    assert len(log["runs"]) == 1
    return dict(log["runs"][0])


def check_valid(report: RunReport, schema: Draft7Validator) -> None:
    log = json.loads(render(report, ".sarif").encode())
    assert [error.message for error in schema.iter_errors(log)] == []
    for result in log["runs"][0]["results"]:
        (location,) = result["locations"]
        assert RELATIVE_URI.fullmatch(location["physicalLocation"]["artifactLocation"]["uri"])


def test_the_file_is_what_was_agreed(report: RunReport, golden: Callable[[str, str], None]) -> None:
    golden("report.sarif", render(report, ".sarif"))


@pytest.mark.parametrize("name", ["report", "approved", "conflicting"])
def test_the_official_schema_accepts_it(
    name: str, schema: Draft7Validator, request: pytest.FixtureRequest
) -> None:
    check_valid(request.getfixturevalue(name), schema)


def test_hostile_text_stays_valid(
    hostile: str, schema: Draft7Validator, with_text: Callable[[str], RunReport]
) -> None:
    check_valid(with_text(hostile), schema)


@settings(max_examples=40, deadline=None)
@given(text=ANY_TEXT)
def test_any_text_stays_valid(
    text: str, schema: Draft7Validator, with_text: Callable[[str], RunReport]
) -> None:
    check_valid(with_text(text), schema)


def test_only_what_blocks_is_an_error(report: RunReport) -> None:
    results = run_of(report)["results"]
    blocking = [result["level"] for result in results if result["properties"]["blocking"]]
    advisory = [result["level"] for result in results if not result["properties"]["blocking"]]
    assert blocking == ["error"] * 3
    assert set(advisory) == {"warning", "note"}


def test_each_result_points_at_its_rule(report: RunReport) -> None:
    run = run_of(report)
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    assert all(rules[r["ruleIndex"]]["id"] == r["ruleId"] for r in run["results"])
    linked = {rule["id"]: rule.get("helpUri") for rule in rules}
    assert linked["F821"] == "https://docs.astral.sh/ruff/rules/undefined-name"


def test_a_finding_without_a_place_still_has_a_location(report: RunReport) -> None:
    """GitHub refuses the whole file for one result without a location."""
    nowhere = report._replace(blocking=(FINDING._replace(path="", line=0),), advisory=())
    (result,) = run_of(nowhere)["results"]
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "no-file-named", "uriBaseId": "%SRCROOT%"}
    }


def test_a_seat_that_did_not_answer_is_a_notification(report: RunReport) -> None:
    (invocation,) = run_of(report)["invocations"]
    (note,) = invocation["toolExecutionNotifications"]
    assert note["descriptor"]["id"] == "seat-timeout"
    assert note["message"]["text"] == "mypy: timed out: no answer in 120 s"
    assert invocation["executionSuccessful"] is True
    assert invocation["exitCode"] == 2


@pytest.mark.parametrize("outcome", ["infrastructure", "interrupted"])
def test_a_run_without_a_verdict_was_not_executed_successfully(
    report: RunReport, outcome: Any
) -> None:
    assert not run_of(report._replace(outcome=outcome))["invocations"][0]["executionSuccessful"]


@pytest.mark.slow  # tens of thousands of findings
def test_more_findings_than_services_take_are_cut_at_the_advisory_end_and_said(
    report: RunReport,
) -> None:
    many = (FINDING._replace(blocking=False),) * (MAX_RESULTS + 5)
    run = run_of(report._replace(advisory=many))
    notes = run["invocations"][0]["toolExecutionNotifications"]
    assert len(run["results"]) == MAX_RESULTS
    assert sum(result["level"] == "error" for result in run["results"]) == 3
    assert notes[-1]["message"]["text"].startswith("8 findings left out")


def test_the_fingerprint_survives_moving_but_not_another_problem() -> None:
    moved = FINDING._replace(line=90, quote="  x  =  y", title="worded otherwise")
    assert fingerprint(FINDING) == fingerprint(moved)
    others = (
        FINDING._replace(path="b.py"),
        FINDING._replace(code="F822"),
        FINDING._replace(quote="x = z"),
    )
    assert fingerprint(FINDING) not in map(fingerprint, others)


def test_numbers_in_a_title_do_not_change_the_fingerprint() -> None:
    long = FINDING._replace(quote="", title="Line too long (101 > 100)")
    assert fingerprint(long) == fingerprint(long._replace(title="Line too long (120 > 100)"))


def test_findings_with_one_fingerprint_are_numbered(report: RunReport) -> None:
    run = run_of(report._replace(blocking=(FINDING, FINDING._replace(line=9)), advisory=()))
    prints = [result["partialFingerprints"]["guildmoot/v1"] for result in run["results"]]
    assert [mark.split(":")[1] for mark in prints] == ["1", "2"]


@given(path=ANY_TEXT.filter(lambda text: not text.startswith("/")))
def test_a_path_can_be_read_back_from_its_uri(path: str) -> None:
    try:
        raw = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raw = path.encode("utf-8", "replace")
    assert unquote_to_bytes(path_uri(path)) == raw


def test_paths_are_percent_encoded() -> None:
    assert path_uri("a b/ü\n#?:[x].py") == "a%20b/%C3%BC%0A%23%3F%3A%5Bx%5D.py"
    assert unquote(path_uri("a b/ü.py")) == "a b/ü.py"


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "https://x y", 'https://x"onclick=', "//evil", "data:,x", ""]
)
def test_only_ordinary_web_addresses_become_links(url: str) -> None:
    assert web_address(url) == ""


def test_text_cannot_make_a_link_in_a_message(report: RunReport) -> None:
    finding = FINDING._replace(title="see [here](https://evil.example)")
    (result,) = run_of(report._replace(blocking=(finding,), advisory=()))["results"]
    assert result["message"]["text"] == r"see \[here\](https://evil.example)"
    assert (
        "[int]"
        in run_of(report._replace(blocking=(FINDING._replace(title="list[int]"),), advisory=()))[
            "results"
        ][0]["message"]["text"]
    )
