"""Where judges really differ, and what they advise together."""

from hypothesis import given
from hypothesis import strategies as st

from builders import finding, issue
from guildmoot.consensus.splits import JudgeSaid, find_disagreements, merge_advice

A, B, C = (JudgeSaid(name, "FAIL", f"{name} says so") for name in "abc")


def raised(*severities):
    """One issue that judges a, b, c raise with these severities."""
    members = (
        finding(seat, title=f"{seat}: rows are kept", severity=severity, blocking=False)
        for seat, severity in zip("abc", severities, strict=False)
    )
    return issue(*members)


def test_who_does_not_raise_a_finding_does_not_dispute_it():
    assert find_disagreements([A, B, C], [raised("critical")]) == []
    assert find_disagreements([A, B, C], [raised("critical", "critical")]) == []


def test_one_issue_of_two_severities_is_a_disagreement_with_who_says_which():
    [found] = find_disagreements([A, B, C], [raised("low", "critical", "critical")])
    assert "rows are kept" in found.issue
    held = {position.says: position.who for position in found.positions}
    assert held == {"critical": ("b", "c"), "minor": ("a",)}


def test_what_one_judge_says_is_not_so_is_a_disagreement():
    yes = issue(finding("a", title="The token is not checked", path="x.py"))
    no = issue(finding("b", title="The token is checked", path="x.py"))
    [found] = find_disagreements([A, B], [yes, no])
    assert [(position.who, position.says) for position in found.positions] == [
        (("a",), "The token is not checked"),
        (("b",), "The token is checked"),
    ]
    assert find_disagreements([A], [yes, no]) == []


def test_severities_that_are_one_in_the_councils_words_are_one():
    assert find_disagreements([A, B], [raised("high", "medium")]) == []


def test_a_tool_disputes_nothing():
    assert find_disagreements([A], [raised("low", "critical")]) == []


def test_a_judge_that_passes_what_another_blocks_is_told_though_the_severity_is_one():
    both = [finding(seat, title="no limit", severity="critical") for seat in "ab"]
    [_, found] = find_disagreements([A, B._replace(word="PASS")], [issue(*both)])
    assert [position.who for position in found.positions] == [("a",), ("b",)]


def test_pass_against_fail_is_one_disagreement_with_every_judges_insight():
    [found] = find_disagreements([A, B._replace(word="PASS"), C._replace(word="WARN")], [])
    assert [position.says[:4] for position in found.positions] == ["PASS", "WARN", "FAIL"]
    assert find_disagreements([A, C._replace(word="WARN")], []) == []


def test_advice_of_all_judges_is_merged_and_no_wording_is_lost():
    said = [
        A._replace(word="PASS", advice="Ship it as it is."),
        B._replace(advice="Bind the parameters of the login query."),
        C._replace(advice="Bind parameters in the login query."),
    ]
    first, last = merge_advice(said, "FAIL")
    assert (first.who, first.words, last.who) == (("b", "c"), ("FAIL",), ("a",))
    told = {first.text, *(text for _, text in first.others)}
    assert told == {said[1].advice, said[2].advice}


def test_advice_that_only_shares_a_verb_is_not_the_same():
    said = [A._replace(advice="Fix both."), B._replace(advice="Fix expiry; schedule purge.")]
    assert [each.who for each in merge_advice(said, "FAIL")] == [("a",), ("b",)]
    said = [A._replace(advice="Purge before the release"), B._replace(advice="Purge after it")]
    assert len(merge_advice(said, "FAIL")) == 2


@given(st.lists(st.tuples(st.sampled_from("PWF"), st.text("ab c", max_size=9)), max_size=6))
def test_every_judges_advice_is_told_exactly_once(given_advice):
    words = {"P": "PASS", "W": "WARN", "F": "FAIL"}
    said = [
        JudgeSaid(f"j{at}", words[word], advice=advice)
        for at, (word, advice) in enumerate(given_advice)
    ]
    named = [name for each in merge_advice(said, "FAIL") for name in each.who]
    assert sorted(named) == [each.name for each in said if each.advice.strip()]
