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
    assert score.firm >= 0.85 * score.real


@pytest.mark.parametrize("half", [*boards.HALVES, *boards.UNREAD])
def test_without_a_model_different_answers_to_one_question_are_told(half):
    score = boards.measure("answers", clerk=False, half=half)
    assert score.told >= 0.85 * score.real
    assert score.precision >= 0.5
    assert score.alarms == ()


@pytest.mark.parametrize("half", ["", boards.FRESH[0], boards.UNREAD[0]])
def test_under_names_of_their_own_two_thirds_are_told_and_about_half_of_it_is_so(half):
    score = boards.measure("blocks", clerk=False, half=half)
    assert score.told >= 0.65 * score.real
    assert score.precision >= 0.45
    assert score.alarms == ()


@pytest.mark.parametrize("half", boards.HALVES)
def test_no_compatible_pair_that_was_written_before_the_rules_were_read_is_firm(half):
    assert boards.side_by_side(half, "unread_pairs")[0] == 0


@pytest.mark.parametrize("half", [*boards.HALVES, "second"])
def test_different_aspects_of_one_subject_are_no_contradiction(half):
    told, _, pairs = boards.side_by_side(half)
    assert (told, pairs) == (0, 50)


@pytest.mark.parametrize("half", boards.HALVES)
def test_a_scope_that_is_no_question_may_have_two_answers_side_by_side(half):
    assert boards.one_scope("side by side", half)[0] == 0


@pytest.mark.parametrize("half", boards.HALVES)
def test_one_answer_in_two_wordings_is_no_contradiction(half):
    assert boards.one_scope("one thing in two words", half)[0] == 0
