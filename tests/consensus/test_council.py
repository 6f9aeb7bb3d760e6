"""The council's voting table."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.consensus.council import CouncilVote, disagreement, tally_council, word_of
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
    assert "floor rigor: no order" in result.reasons


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
