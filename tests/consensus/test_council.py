"""The council's voting table."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.consensus.council import (
    CouncilVote,
    disagreement,
    tally_council,
    tell_silent,
    vendor_positions,
    weigh_severity,
    word_of,
)
from guildmoot.consensus.floors import VerdictFloor
from guildmoot.model.verdict import Finding, Judgement


def votes(*words, family=None):
    return [CouncilVote(f"j{n}", family or f"f{n}", word, "late") for n, word in enumerate(words)]


@pytest.mark.parametrize(
    ("words", "outcome", "code"),
    [
        (["PASS", "PASS"], "PASS", 0),
        (["PASS", "WARN"], "WARN", 0),
        (["WARN", "WARN"], "WARN", 0),
        (["WARN", "FAIL"], "FAIL", 2),
        (["FAIL", "FAIL"], "FAIL", 2),
        (["PASS", "FAIL"], "DISAGREE", 3),
        ([None, None], "ERROR", 4),
        ([], "ERROR", 4),
    ],
)
def test_the_table(words, outcome, code):
    result = tally_council(votes(*words))
    assert (result.outcome, result.exit_code()) == (outcome, code)
    assert result.reasons


def test_too_few_words_are_incomplete():
    result = tally_council(votes("PASS", None, None), quorum=2)
    assert (result.outcome, result.verdict) == ("INCOMPLETE", None)
    assert "1 of 3 judges" in result.reasons[0]


def test_a_warning_fails_only_when_asked():
    assert tally_council(votes("WARN")).exit_code(fail_on_warn=True) == 1


def test_a_split_inside_one_family_is_a_fail_and_no_disagreement_between_vendors():
    assert tally_council(votes("PASS", "FAIL", family="claude")).outcome == "FAIL"


def test_both_positions_of_a_disagreement_are_told_and_the_gate_fails():
    result = tally_council(votes("PASS", "FAIL"))
    assert result.verdict == "FAIL"
    assert "f0 said PASS; f1 said FAIL" in result.reasons[-1]


@pytest.mark.parametrize(
    ("level", "outcome"), [("warn", "WARN"), ("flagged", "FAIL"), ("undecided", "INCOMPLETE")]
)
def test_a_floor_lowers_the_outcome_and_is_named(level, outcome):
    result = tally_council(votes("PASS"), floors=[VerdictFloor("rigor", level, "no order")])
    assert result.outcome == outcome
    assert "rigor: no order" in result.reasons


def test_a_panels_judgement_becomes_a_word():
    advice = Finding("a", "x", "y", blocking=False)
    assert word_of(Judgement("a", "approved")).word == "PASS"
    assert word_of(Judgement("a", "approved", (advice,))).word == "WARN"
    assert word_of(Judgement("a", "flagged")).word == "FAIL"
    assert word_of(Judgement("a", "absent", reason="late")) == CouncilVote("a", "a", None, "late")


words = st.lists(st.sampled_from(["PASS", "WARN", "FAIL", None]), max_size=6)
levels = st.lists(st.sampled_from(["warn", "undecided", "flagged"]), max_size=3)


@given(words, levels, st.randoms())
def test_order_changes_nothing_and_pass_needs_every_word_to_pass(said, floors, random):
    cast = votes(*said)
    held = [VerdictFloor("f", level, "w") for level in floors]
    result = tally_council(cast, floors=held)
    random.shuffle(cast)
    assert tally_council(cast, floors=held).outcome == result.outcome
    if result.outcome == "PASS":
        assert set(said) - {None} == {"PASS"}
        assert not floors
    assert bool(disagreement(cast)) == ("PASS" in said and "FAIL" in said)


TABLE = [
    # what vendor a's judges say, what vendor b's say, the outcome
    ("FFP", "FFF", "FAIL"),
    ("PPF", "PPF", "FAIL"),
    ("PPP", "PPF", "DISAGREE"),
    ("PPP", "FFF", "DISAGREE"),
    ("PPP", "WPP", "WARN"),
    ("WWW", "FFF", "FAIL"),
    ("PWP", "PFP", "FAIL"),
    ("PPP", "PPP", "PASS"),
    ("P-P", "F--", "DISAGREE"),
    ("---", "PPF", "FAIL"),
    ("FPF", "PPP", "DISAGREE"),
]
WORDS = {"P": "PASS", "W": "WARN", "F": "FAIL", "-": None}


def sides(first, second):
    return [
        CouncilVote(f"{family}{n}", family, WORDS[letter])
        for family, said in (("a", first), ("b", second))
        for n, letter in enumerate(said)
    ]


@pytest.mark.parametrize(("first", "second", "outcome"), TABLE)
def test_vendors_disagree_when_their_own_consensus_does(first, second, outcome):
    assert tally_council(sides(first, second)).outcome == outcome
    assert tally_council(sides(second, first)).outcome == outcome


def test_a_vendor_whose_own_judges_split_is_shown_as_split():
    reasons = tally_council(sides("PPF", "PPF")).reasons
    assert "a's judges split: 2 PASS, 1 FAIL" in reasons
    assert "b's judges split: 2 PASS, 1 FAIL" in reasons
    assert "DISAGREE: b said PASS; a said FAIL" in tally_council(sides("PFP", "PPP")).reasons


letters = st.text("PWF-", min_size=1, max_size=4)


@given(letters, letters)
def test_a_vendor_stands_where_a_council_of_its_own_would(first, second):
    cast = sides(first, second)
    stands = vendor_positions(cast)
    for family in "ab":
        own = tally_council([vote for vote in cast if vote.family == family])
        assert stands.get(family) == own.verdict
    split = set(stands.values()) >= {"PASS", "FAIL"}
    assert (tally_council(cast).outcome == "DISAGREE") == split


@given(st.lists(st.tuples(st.sampled_from(["PASS", "WARN", "FAIL", None]), st.booleans())))
def test_a_light_fail_is_a_warn_against_others_and_never_lifts_a_grave_one(said):
    cast = [CouncilVote(f"j{n}", "f", word, light=light) for n, (word, light) in enumerate(said)]
    weighed = weigh_severity(cast)
    grave = any(word == "FAIL" and not light for word, light in said)
    given_words = [word for word, _ in said if word]
    fails = any(vote.word == "FAIL" for vote in weighed)
    assert fails == (grave or (bool(given_words) and set(given_words) == {"FAIL"}))
    assert all(new.word == old.word or new.word == "WARN" for new, old in zip(weighed, cast))


def test_judges_that_are_silent_for_one_reason_are_told_once() -> None:
    votes = [CouncilVote(f"openai-{n}", "openai", None, "failed: HTTP 400") for n in (1, 2, 3)]
    assert tell_silent(votes) == ["openai-1, openai-2, openai-3 gave no verdict: failed: HTTP 400"]
