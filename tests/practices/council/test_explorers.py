"""Explorers: questions first, then all of them at once, then the judge with their answers."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.practices.council.judge import LONGEST_QUESTION, read_questions

ASKED = json.dumps({"questions": ["Who calls total?", "Is it tested?"]})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (ASKED, ("Who calls total?", "Is it tested?")),
        (f"Here they are:\n```json\n{ASKED}\n```", ("Who calls total?", "Is it tested?")),
        ('["one?", "two?"]', ("one?", "two?")),
        ("They are {questions: ['one?', 'two?',]}.", ("one?", "two?")),
        ('It has:\n```python\n["one?", "two?"]\n```', ()),
        ("1. one?\n2) two?\n- three?\n", ("one?", "two?", "three?")),
        ("I would rather not.", ()),
        ('{"questions": "all of it"}', ()),
        ("", ()),
    ],
)
def test_questions_are_read_in_whatever_form_they_come(text, found):
    assert read_questions(text, 5) == found


@given(st.text(max_size=300), st.integers(min_value=1, max_value=5))
def test_no_reply_makes_more_questions_than_there_are_explorers(text, most):
    questions = read_questions(text, most)
    assert len(questions) <= most
    assert all(0 < len(question) <= LONGEST_QUESTION for question in questions)
    assert all("\n" not in question for question in questions)


def seat_explorers(moot, label, **answers):
    """A judge whose script answers for its explorers too."""
    names = {f"{label}__{key}": value for key, value in answers.items()}
    moot.judge(label, "")
    moot.say(label, moot.verdict("PASS"), **names)


def test_a_judge_gets_what_its_explorers_found(moot):
    answers = {"explorer-1": "Findings: nobody", "explorer-2": "Findings: not at all"}
    seat_explorers(moot, "judge-1", questions=ASKED, **answers)
    report = moot.sit(moot.plan(explorers=2))
    [judge] = report.judges
    assert judge.explored == (
        ("Who calls total?", "Findings: nobody"),
        ("Is it tested?", "Findings: not at all"),
    )
    rounds = moot.folder / report.stem / "rounds"
    assert {path.name for path in rounds.iterdir()} == {
        "questions-judge-1.md",
        "explorer-1-judge-1.md",
        "explorer-2-judge-1.md",
    }


def test_an_explorer_that_fails_costs_a_note_and_not_the_judge(moot):
    seat_explorers(
        moot, "judge-1", questions=ASKED, **{"explorer-1": {"hang": True}, "explorer-2": "yes"}
    )
    report = moot.sit(moot.plan(explorers=2, explorer_timeout=1.0))
    assert report.outcome == "PASS"
    assert report.judges[0].explored == (("Is it tested?", "yes"),)
    assert "judge-1: 1 of 2 explorers came back" in report.notes


def test_a_judge_that_names_no_question_judges_without(moot):
    seat_explorers(moot, "judge-1", questions="I need none.")
    report = moot.sit(moot.plan(explorers=2))
    assert report.outcome == "PASS"
    assert any("named no question" in note for note in report.notes)
