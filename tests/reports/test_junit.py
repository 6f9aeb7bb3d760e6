"""JUnit XML that CI services can read, and that fails exactly when the verdict does."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guildmoot.model.report import RunReport
from guildmoot.reports import render
from made_reports import changed

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)


def parsed(report: RunReport) -> ET.Element:
    return ET.fromstring(render(report, ".xml").encode())


def test_the_file_is_what_was_agreed(report: RunReport, golden: Callable[[str, str], None]) -> None:
    golden("report.xml", render(report, ".xml"))


def test_each_seat_has_a_suite_after_the_panel(report: RunReport) -> None:
    names = [suite.get("name") for suite in parsed(report)]
    assert names == ["panel", *(seat.seat.name for seat in report.seats)]


def test_blocking_fails_advice_is_skipped_and_silence_is_an_error(report: RunReport) -> None:
    root = parsed(report)
    assert (root.get("failures"), root.get("errors"), root.get("skipped")) == ("4", "1", "21")
    assert root.find("testsuite[@name='mypy']/testcase/error") is not None
    failure = root.find("testsuite[@name='secrets']/testcase/failure")
    assert failure is not None
    assert failure.get("message") == "critical: A private key is committed"
    assert "fix: Revoke the key" in (failure.text or "")


def test_the_counts_are_those_of_the_elements(report: RunReport) -> None:
    for suite in parsed(report):
        assert int(suite.get("tests", "")) == len(suite)
        for tag, name in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            assert int(suite.get(name, "")) == len(suite.findall(f"testcase/{tag}"))


def test_an_approved_run_is_green(approved: RunReport) -> None:
    root = parsed(approved)
    assert (root.get("failures"), root.get("errors"), root.get("skipped")) == ("0", "0", "0")


@pytest.mark.parametrize("outcome", ["flagged", "undecided", "conflict"])
def test_a_verdict_that_does_not_pass_is_red_even_without_findings(
    approved: RunReport, outcome: str
) -> None:
    unhappy = changed(approved, outcome=outcome, exit_code=2)  # type: ignore[arg-type]
    assert parsed(unhappy).get("failures") == "1"


def test_no_verdict_is_an_error_not_a_failure(approved: RunReport) -> None:
    root = parsed(changed(approved, outcome="infrastructure", exit_code=4))
    assert (root.get("failures"), root.get("errors")) == ("0", "1")


def check_parses(report: RunReport) -> None:
    cases = parsed(report).findall("testsuite/testcase")
    assert len(cases) == 1 + len(report.seats) + len(report.blocking) + len(report.advisory)


def test_hostile_text_stays_text(hostile: str, with_text: Callable[[str], RunReport]) -> None:
    check_parses(with_text(hostile))


@settings(max_examples=60, deadline=None)
@given(text=ANY_TEXT)
def test_any_text_gives_valid_xml(text: str, with_text: Callable[[str], RunReport]) -> None:
    check_parses(with_text(text))
