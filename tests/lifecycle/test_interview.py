"""The interview asks for what is open, refuses what cannot be measured, and says each group back."""

from __future__ import annotations

import pytest

from guildmoot.lifecycle.commands import command_notes, command_problem, programs_of
from guildmoot.lifecycle.documents import read_markdown
from guildmoot.lifecycle.interview import (
    CLUSTERS,
    answer_problem,
    confidence_of,
    hold_interview,
    open_clusters,
    write_spec,
)
from guildmoot.lifecycle.spec import (
    ASSUMPTIONS,
    AUTONOMY,
    CRITERIA,
    GOAL,
    RISKS,
    SECTIONS,
    check_spec,
    commands_of,
)

QUESTIONS = {each.text: each for group in CLUSTERS for each in group}


class Person:
    """Answers by field, one after the other; silence when there is nothing left."""

    def __init__(self, **said: list[str]) -> None:
        self.said, self.asked, self.told = said, [], []

    def ask(self, question, problem: str) -> str:
        self.asked.append((question.field, problem))
        answers = self.said.get(question.label or question.field, [])
        return answers.pop(0) if answers else ""


def test_a_whole_interview_makes_a_spec_that_is_valid():
    person = Person(**{
        "Audience / operator": ["Customers"],
        CRITERIA: ["it is fast", "`python -m unittest` exits 0"],
        "Non-goals": ["accounts"],
        "Constraints": ["Python"],
        "may act without asking": ["files below app/\nand tests/"],
        "forbidden": ["the network"],
        RISKS: ["a wrong place", "a wrong place -> revert"],
        ASSUMPTIONS: ["a parcel has one number"],
    })  # fmt: skip
    fields = hold_interview(set(SECTIONS) - {GOAL}, person.ask, person.told.append)
    spec = write_spec("Parcels", {GOAL: "Track parcels", **fields}, "2026-11-01")
    assert check_spec(read_markdown(spec)) == []
    assert "confidence: high" in spec
    assert "requires confirmation: none" in fields[AUTONOMY]
    assert fields[ASSUMPTIONS] == "a parcel has one number (agreed by the user)"
    assert [problem for field, problem in person.asked if field == CRITERIA][1].startswith("'fast'")
    assert person.told[0] == "So: Audience / operator: Customers."


def test_who_says_nothing_changes_nothing():
    person = Person()
    assert hold_interview(SECTIONS, person.ask, person.told.append) == {}
    assert person.told == []


def test_only_what_is_open_is_asked():
    assert [[each.field for each in group] for group in open_clusters({CRITERIA, RISKS})] == [
        [CRITERIA], [RISKS],
    ]  # fmt: skip
    assert open_clusters(()) == ()


def test_a_vague_answer_is_refused_with_what_would_do():
    question = next(each for each in QUESTIONS.values() if each.field == CRITERIA)
    assert "kill -9" in answer_problem(question, "- robust")
    assert "No closing quotation".casefold() in answer_problem(question, "`echo 'x` exits 0")
    assert answer_problem(question, "robust: `make chaos` exits 0") == ""


def test_confidence_goes_by_what_was_assumed():
    whole = dict.fromkeys(SECTIONS, "said")
    assert confidence_of(whole) == "high"
    assert confidence_of({**whole, ASSUMPTIONS: "x (inferred, low-significance)"}) == "medium"
    assert confidence_of({**whole, ASSUMPTIONS: "a blocking unknown (agreed by the user)"}) == "low"
    assert confidence_of({**whole, GOAL: ""}) == "low"


@pytest.mark.parametrize(
    ("command", "programs"),
    [
        ("pytest -q", ["pytest"]),
        ("A=1 make x && ./run.sh | tee 'a && b'", ["make", "./run.sh", "tee"]),
        ("cd app; npm test", ["cd", "npm"]),
    ],
)
def test_the_programs_of_a_command_line(command, programs):
    assert programs_of(command) == programs
    assert command_problem(command) == ""


def test_a_program_that_is_not_there_is_told(tmp_path):
    (tmp_path / "run.sh").write_text("#!/bin/sh\n")
    (tmp_path / "run.sh").chmod(0o755)
    commands = ("pytst -q", "./run.sh", "./gone.sh x", "test -f x && ls")
    notes = command_notes(commands, tmp_path)
    assert [note.split("`")[1] for note in notes] == ["pytst", "./gone.sh"]
    assert "pytest" in notes[0]


def test_what_counts_as_a_command():
    assert commands_of("`make test` and `make` exits 0, `Name` is kept") == ["make test", "make"]
