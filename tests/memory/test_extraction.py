"""Which findings of a council are kept for later, and under which keys."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import finding, issue
from guildmoot.memory.extraction import (
    Candidate,
    classify,
    dedup_key,
    extract,
    is_alike,
    normal_key,
)


def found(title="totals are halved", seat="judge-1", severity="critical", **more):
    return finding(
        seat, "correctness", title, **{"severity": severity, "grounding": "grounded", **more}
    )


def keep(verdict, *issues, sureness=None, **more):
    sure = sureness or {"judge-1": "HIGH", "judge-2": "MEDIUM", "judge-3": "LOW"}
    return extract(verdict, issues, sure, date="2026-03-01", council_id="stem", **more)


@pytest.mark.parametrize(("verdict", "number"), [("PASS", 0), (None, 0), ("WARN", 1), ("FAIL", 1)])
def test_only_a_council_that_warns_or_fails_yields_candidates(verdict, number):
    assert len(keep(verdict, issue(found()))) == number


def test_the_line_has_the_seven_fields_in_their_order():
    [candidate] = keep("FAIL", issue(found(severity="high")))
    assert list(candidate._asdict()) == [
        "date",
        "council_id",
        "finding_description",
        "severity",
        "source_judge",
        "candidate_type",
        "dedup_key",
    ]
    assert candidate == Candidate(
        "2026-03-01",
        "stem",
        "totals are halved",
        "significant",
        "judge-1",
        "finding",
        hashlib.sha256(b"totals are halved").hexdigest(),
    )


def test_what_is_minor_unsure_or_not_really_there_is_skipped():
    assert keep("FAIL", issue(found(severity="low"))) == []
    assert keep("FAIL", issue(found(seat="judge-3"))) == []
    assert keep("FAIL", issue(found(seat="nobody"))) == []
    assert keep("FAIL", issue(found(grounding="quote-not-found"))) == []


def test_a_programs_finding_needs_no_confidence():
    assert len(keep("FAIL", issue(found(seat="tool", proven=True)))) == 1


def test_what_a_judge_says_of_one_finding_stands_over_its_confidence_in_the_whole():
    one = found(seat="judge-3")
    assert len(keep("FAIL", issue(one), own={("judge-3", one.title): "HIGH"})) == 1
    sure = found()
    assert keep("FAIL", issue(sure), own={("judge-1", sure.title): "LOW"}) == []


def test_judges_that_say_the_same_make_one_candidate_of_the_one_who_is_sure():
    unsure, sure = found("half the total", "judge-3"), found("totals are halved", "judge-2")
    [candidate] = keep("FAIL", issue(unsure, sure))
    assert candidate.source_judge == "judge-2"


@pytest.mark.parametrize(
    ("title", "more", "kind"),
    [
        ("every query must be bound, never built by hand", {"path": "a.py"}, "rule"),
        ("retries must not exceed the budget", {}, "rule"),
        ("Never log a token", {}, "rule"),
        ("the retry loop never gives up", {}, "finding"),
        ("the release has no rollback and no runbook", {}, "learning"),
        ("nobody reviews migrations before they run", {}, "learning"),
        ("the review count is off by one", {"path": "a.py", "line": 3}, "finding"),
        ("totals are halved", {}, "finding"),
    ],
)
def test_a_rule_always_holds_a_learning_is_about_how_people_work(title, more, kind):
    assert classify(found(title, **more)) == kind


def test_a_sentence_that_is_turned_around_has_the_same_normal_key():
    one = normal_key("Totals are halved at prices.py:2, so the invoices are wrong.")
    assert one == normal_key("the invoice is wrong: total halved (prices.py:41)")
    assert one != normal_key("The cache is never emptied.")


def test_near_duplicates_are_alike_and_others_are_not():
    first = normal_key("user input is joined into the SQL query of the search page")
    second = normal_key("user input gets joined into the SQL query of the search page")
    assert is_alike(first, second)
    assert not is_alike(first, normal_key("the search page does not escape HTML"))


@given(st.text())
def test_the_keys_of_a_text_are_stable_and_alike_to_themselves(text):
    assert dedup_key(text) == hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    assert is_alike(normal_key(text), normal_key(text))


@given(
    st.lists(st.tuples(st.sampled_from(["critical", "high", "medium", "low"]), st.text(min_size=1)))
)
def test_no_key_is_given_twice_and_nothing_minor_comes_through(rows):
    issues = [issue(found(title, severity=severity)) for severity, title in rows]
    kept = keep("WARN", *issues)
    assert len({each.dedup_key for each in kept}) == len(kept)
    assert {each.severity for each in kept} <= {"critical", "significant"}
    assert {each.finding_description for each in kept} == {t for s, t in rows if s != "low"}
