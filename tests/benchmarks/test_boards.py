"""What is measured of contradictions on boards in natural words; the figures stand in docs/measurements.md."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import boards


@pytest.mark.parametrize("style", boards.STYLES)
def test_code_alone_tells_nothing_that_is_not_so(style):
    assert boards.measure(style, clerk=False).alarms == ()


def test_with_a_clerk_that_errs_most_of_what_contradicts_in_blocks_is_told():
    score = boards.measure("blocks", clerk=True)
    assert score.told >= 0.85 * score.real


def test_without_a_model_what_speaks_of_one_thing_is_shown_and_most_of_it_contradicts():
    score = boards.measure("blocks", clerk=False)
    shown, compatible = score.pairs_shown
    assert score.shown >= 0.4 * score.real
    assert compatible <= 0.4 * shown


@pytest.mark.parametrize("half", boards.HALVES)
def test_without_a_model_different_answers_to_one_question_are_told(half):
    score = boards.measure("kept", clerk=False, half=half)
    assert score.told >= 0.65 * score.real
    assert score.alarms == ()
    unseen = boards.measure("answers", clerk=False, half=half)
    assert unseen.shown >= 0.8 * unseen.real
    assert unseen.alarms == ()


@pytest.mark.parametrize("half", boards.HALVES)
def test_a_scope_that_is_no_question_may_have_two_answers_side_by_side(half):
    assert boards.one_scope("side by side", half)[0] == 0


@pytest.mark.parametrize("half", boards.HALVES)
def test_one_answer_in_two_wordings_that_nobody_had_seen_is_no_contradiction(half):
    assert boards.one_scope("one thing in two words", half)[0] == 0
