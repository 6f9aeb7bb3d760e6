"""How many contradictions are told on boards that were only counted, in each form, and that nothing is told falsely.

``benchmarks/boards.py`` prints the same figures and what they are made of.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from benchmarks.boards import FORMS, boards, in_markdown, labels, measure, rows, section, worded

from guildmoot.practices.whiteboard.minutes import contradictions_in, minutes_of
from guildmoot.reading.board import Board, BoardRound, BoardSection

HELD = ("held", "fresh held", "unread held", "forms held")
WITH_QUESTIONS = ("held", "unread held", "forms held")
WAYS = ("para", "bullets", "bold", "table")


@pytest.mark.parametrize(
    ("style", "halves", "least"),
    [
        ("blocks", HELD, 0.7),
        ("prose", HELD, 0.5),
        ("answers", WITH_QUESTIONS, 0.9),
        ("markdown", ("forms held",), 0.9),
    ],
)
def test_most_of_what_contradicts_is_told_by_code_alone_and_nothing_falsely(
    style: str, halves: Sequence[str], least: float
) -> None:
    scores = [measure(style, clerk=False, half=half) for half in halves]
    assert sum(each.told for each in scores) >= least * sum(each.real for each in scores)
    assert [each.alarms for each in scores if each.alarms] == []


@pytest.mark.parametrize(
    ("style", "least"), [("blocks", 0.9), ("prose", 0.8), ("answers", 0.95), ("markdown", 0.95)]
)
def test_with_a_clerk_that_errs_once_in_twenty_nearly_all_is_told(style: str, least: float) -> None:
    """In prose the clerk loses one statement in twenty before it is asked about pairs."""
    scores = [measure(style, clerk=True, half="forms held", seed=seed) for seed in range(4)]
    assert sum(each.told for each in scores) >= least * sum(each.real for each in scores)


@pytest.mark.parametrize("way", WAYS)
def test_compatible_answers_to_one_question_in_markdown_are_never_firm(way: str) -> None:
    firm = []
    for pair in rows("form_pairs"):
        said = [
            BoardSection(who, _asked(str(pair["question"]), str(pair[who]), way)) for who in "ab"
        ]
        firm += [pair] if contradictions_in(said).contradictions else []
    assert firm == []


def _asked(question: str, answer: str, way: str) -> str:
    more = {"question": "What else matters?", "answer": "the bill", "text": "Watch the bill."}
    return in_markdown([{"question": question, "answer": answer, "text": ""}, more], way)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("question", "answers", "firm"),
    [
        ("How long are drafts kept?", ("14 days, the law asks for no more", "One year."), True),
        ("How long are drafts kept?", ("two weeks", "14 days"), False),
        ("Do we sign images?", ("Yes, with cosign.", "No."), True),
        ("Do we sign images?", ("yes", "Yes, with cosign"), False),
    ],
)
def test_two_amounts_and_yes_and_no_to_one_question_in_markdown_are_firm(
    way: str, question: str, answers: tuple[str, str], firm: bool
) -> None:
    said = [
        BoardSection(who, _asked(question, answer, way))
        for who, answer in zip(("ana", "ben"), answers, strict=True)
    ]
    assert bool(contradictions_in(said).contradictions) == firm


@pytest.mark.parametrize("way", WAYS)
def test_yes_with_a_condition_and_no_with_another_may_contradict(way: str) -> None:
    said = [
        BoardSection(who, _asked("Do we sign images?", answer, way))
        for who, answer in (("ana", "Yes, those of releases."), ("ben", "No: nobody checks it."))
    ]
    found = contradictions_in(said)
    assert (found.contradictions, len(found.possible)) == ((), 1)


@pytest.mark.parametrize("style", ["blocks", "prose", "answers", "markdown"])
def test_no_board_on_which_something_contradicts_is_settled(style: str) -> None:
    settled = []
    for half in FORMS:
        known = labels(half, style)
        for board in (worded(each, style) for each in boards(half)):
            said = {}
            for each in board["statements"]:  # type: ignore[attr-defined]
                said.setdefault(each["engineer"], []).append(each)
            ways: dict[str, str] = board["styles"]  # type: ignore[assignment]
            sections = tuple(
                BoardSection(who, section(each, style, ways[who])) for who, each in said.items()
            )
            held = Board("it", (BoardRound(1, sections), BoardRound(2, sections)))
            settled += [board["board"]] if minutes_of(held).settled.settled else []
        assert "contradict" in known.values()
    assert settled == []


def block(scope: str, text: str) -> str:
    return f"View.\n\n```decisions\n- scope: {scope}\n  stance: adopt\n  text: {text}\n```"


@pytest.mark.parametrize(
    ("ana", "ben"),
    [
        (block("staging logs", "Keep logs for 2 days"), block("production logs", "Keep logs for 30 days")),
        (block("timeouts", "Set it to 5 seconds"), block("retry delay", "Set it to 10 seconds")),
        (block("cache ttl", "Set it to 5 minutes"), block("cache key", "Set it to 60 minutes")),
        (block("sessions of staff", "Keep sessions in Redis"), block("sessions of guests", "Keep sessions in signed cookies")),
        ("**Staging:** Keep logs for 2 days.", "**Production:** Keep logs for 30 days."),
        ("## Cache\n\n- **TTL**: 5 minutes", "## DNS\n\n- **TTL**: 60 seconds"),
        ("## Reads\n\n**How long may it take?** 2 s", "## Writes\n\n**How long may it take?** 9 s"),
        ("## How long are logs kept?\n\n2 days on disk", "## How long are logs kept?\n\n30 days in cold storage"),
        ("Do not retry writes.", "Retry reads 3 times."),
        ("Store avatars in S3.", "Store thumbnails in Redis."),
    ],
)  # fmt: skip
def test_one_statement_about_two_things_is_never_firm(ana: str, ben: str) -> None:
    said = [BoardSection("ana", ana), BoardSection("ben", ben)]
    assert contradictions_in(said).contradictions == ()
