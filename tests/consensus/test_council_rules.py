"""What a council's word counts as, who shares an issue, and what the rigor gate holds down."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import finding, issue
from guildmoot.consensus.agreement import (
    bucket_of,
    measured,
    sort_issues,
)
from guildmoot.consensus.council import CouncilVote, tally_council, weigh_severity
from guildmoot.consensus.count_vote import count_vote
from guildmoot.consensus.floors import CHECKABLE, ITEMS, facts_floor, rigor_floors
from guildmoot.consensus.votes.counting import Ability

SEATS = ("a", "b", "c")
words = st.sampled_from(("PASS", "WARN", "FAIL"))


def real(seat="a", **more):
    return finding(seat, path="x.py", line=1, grounding="grounded", **more)


def unreal(seat="a"):
    note = "names a file that the judges did not see, so it cannot block alone"
    return finding(seat, blocking=False, grounding="no-such-file", note=note)


def test_a_fail_needs_one_reason_that_stands():
    assert count_vote("FAIL", [real()], []).word == "FAIL"
    assert count_vote("FAIL", [unreal()], [issue(unreal())]).word == "WARN"
    assert count_vote("FAIL", [unreal(), real()], []).word == "FAIL"


def test_a_fail_is_not_alone_when_another_says_the_same_of_a_real_place():
    both = issue(unreal("a"), real("b"))
    assert count_vote("FAIL", [unreal("a")], [both]).word == "FAIL"
    assert count_vote("FAIL", [unreal("a")], [issue(unreal("a"), unreal("b"))]).word == "WARN"


@pytest.mark.parametrize(
    ("severity", "blocking", "word"),
    [
        ("critical", True, "WARN"),
        ("high", False, "WARN"),
        ("medium", False, "PASS"),
        ("low", False, "PASS"),
    ],
)
def test_a_pass_beside_something_grave_counts_as_a_warn_and_says_why(severity, blocking, word):
    counted = count_vote("PASS", [real(severity=severity, blocking=blocking)], [])
    assert counted.word == word
    assert ("it says PASS, yet names something" in counted.why) == (word == "WARN")


def test_a_fail_without_any_finding_stays_one():
    assert count_vote("FAIL", [], []).word == "FAIL"


@given(words, st.lists(st.sampled_from((real(), unreal(), real(blocking=False))), max_size=4))
def test_checking_never_makes_a_word_better_than_warn(said, findings):
    counted = count_vote(said, findings, []).word
    assert counted == said or counted == "WARN"


@given(
    st.lists(st.sets(st.sampled_from(SEATS), min_size=1), max_size=6),
    st.sets(st.sampled_from(SEATS)),
)
def test_every_issue_is_in_exactly_one_bucket(raised, readers):
    issues = [issue(*(real(seat) for seat in sorted(seats))) for seats in raised]
    found = sort_issues(issues, readers)
    assert sum(map(len, found)) == len(issues)
    for one in found.shared:
        assert readers <= set(one.seats)
        assert len(one.seats) > 1
    assert all(len(one.seats) == 1 for one in found.minority)


def test_a_tool_need_not_raise_what_all_readers_share():
    assert bucket_of(issue(real("a"), real("b")), ("a", "b")) == "shared"
    assert bucket_of(issue(real("a"), real("ruff")), ("a", "b")) == "split"
    assert bucket_of(issue(real("a")), ("a",)) == "minority"


scores = st.floats(min_value=0, max_value=1)
answers = st.lists(st.dictionaries(st.sampled_from([*ITEMS, CHECKABLE]), scores), max_size=3)


@given(answers)
def test_the_gate_passes_only_what_everybody_who_answered_finds_complete(given_answers):
    floors = rigor_floors(given_answers)
    complete = all(any(key in one for one in given_answers) for key in ITEMS) and all(
        one.get(key, 1) >= 0.75 for one in given_answers for key in ITEMS
    )
    uncheckable = any(one.get(CHECKABLE, 1) < 0.5 for one in given_answers)
    assert any(floor.at_least == "warn" for floor in floors) is not complete
    assert any(floor.at_least == "flagged" for floor in floors) is uncheckable


def test_a_program_and_a_judge_are_not_at_odds():
    votes = [CouncilVote("a", "anthropic", "PASS"), CouncilVote("ruff", "ruff", "FAIL", "", True)]
    assert tally_council(votes).outcome == "FAIL"


def test_only_the_votes_of_one_pair_can_be_at_odds():
    one = [CouncilVote("a", "anthropic", "PASS"), CouncilVote("b", "openai", "FAIL")]
    two = [CouncilVote("c", "anthropic", "FAIL"), CouncilVote("d", "openai", "PASS")]
    assert tally_council([*one, *two]).outcome == "FAIL", "both vendors stand on FAIL"
    assert tally_council([*one, *two], pairs=[one, two]).outcome == "DISAGREE"


def test_confidence_is_the_share_of_all_judges_and_their_record():
    votes = [
        CouncilVote("a", "x", "WARN"),
        CouncilVote("b", "x", "PASS"),
        CouncilVote("c", "x", None),
    ]
    assert measured("WARN", votes, {}).startswith("1 of 3 judges say WARN (33%)")
    assert "a right on 9 of 10 (60% to 98%)" in measured("WARN", votes, {"a": Ability(9, 10)})
    assert measured(None, votes, {}) == ""
    votes[0] = CouncilVote("a", "x", "FAIL", light=True)
    weighed = weigh_severity(votes)
    assert measured("WARN", weighed, {}).startswith("1 of 3 judges count as WARN (33%)")
    assert (
        "WARN by a (a said FAIL, on nothing but minor findings)" in tally_council(weighed).reasons
    )
    tools = [CouncilVote("ruff", "ruff", "FAIL", "", True), CouncilVote("b", "b", "PASS", "", True)]
    said = "the one judge says FAIL, 1 tool found nothing to report"
    assert measured("FAIL", tools, {}).startswith(said)


def test_a_verdict_that_nobody_voted_for_claims_no_share_of_the_judges():
    said = "no judge says WARN: a check or the rule sets it"
    tools = [CouncilVote("ruff", "ruff", "PASS", "", True)]
    assert measured("WARN", tools, {}).startswith(f"{said}, 1 tool found nothing to report;")
    readers = [CouncilVote("a", "x", "PASS"), CouncilVote("b", "x", "PASS")]
    assert measured("WARN", readers, {}).startswith(f"{said};")


@given(words)
def test_a_fact_that_blocks_counts_as_a_fail_whatever_its_judge_says(said):
    assert count_vote(said, [real(proven=True)], []).word == "FAIL"
    assert count_vote("PASS", [real(proven=True, blocking=False)], []).word == "PASS"


@given(words)
def test_no_vote_lifts_a_fact_that_blocks(said):
    floors = facts_floor([real(proven=True), real()])
    assert tally_council([CouncilVote("a", "a", said)], floors=floors).verdict == "FAIL"
    assert facts_floor([real(), real(proven=True, blocking=False)]) == []
