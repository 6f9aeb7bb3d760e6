"""Answers to one question: which of them contradict each other, and which may stand side by side."""

import pytest

from guildmoot.consensus.board.contradictions import find_contradictions, pair_key
from guildmoot.consensus.board.positions import BoardPosition
from guildmoot.consensus.board.scopes import align

WHERE = "Where are sessions stored?"


def told(
    scope: str, first: str, second: str, round: int = 2, stances: tuple[str, str] = ("adopt",) * 2
) -> bool:
    """Whether it is told as a contradiction."""
    said = [
        BoardPosition(who, round, scope, stance, f"{answer}.", (), answer)  # type: ignore[arg-type]
        for who, stance, answer in zip(("ana", "ben"), stances, (first, second), strict=True)
    ]
    return bool(find_contradictions(align(said)).contradictions)


@pytest.mark.parametrize(
    ("scope", "first", "second"),
    [
        ("How long are logs kept?", "14 days", "one year"),
        ("Do we sample?", "yes, one in ten", "no"),
        ("default limit", "100 requests per minute", "1000 requests per minute"),
    ],
)
def test_two_answers_to_one_question_contradict(scope: str, first: str, second: str) -> None:
    assert told(scope, first, second)


@pytest.mark.parametrize(
    ("scope", "first", "second"),
    [
        (WHERE, "Redis", "the Redis cluster"),
        ("Which database do we use?", "Postgres", "PostgreSQL 16"),
        ("How long are logs kept?", "two weeks", "14 days"),
        ("Do we sample?", "yes", "yes, one in ten"),
        ("retries", "exponential backoff", "five tries"),
        ("How do we retry?", "exponential backoff", "with jitter"),
        (WHERE, "Redis", ""),
        (WHERE, "Redis", "signed cookies"),
        ("Who runs it?", "the data team", "platform"),
    ],
)
def test_what_may_be_one_answer_or_two_side_by_side_does_not(
    scope: str, first: str, second: str
) -> None:
    assert not told(scope, first, second)


@pytest.mark.parametrize("round", [1, 2])
def test_two_names_may_mean_one_thing_in_any_round(round: int) -> None:
    assert not told(WHERE, "in git", "in the repository", round)
    assert not told("Who is on call?", "the crew of the week", "whoever holds the pager", round)
    assert told("default limit", "100 a minute", "200 a minute", round)


def test_two_wordings_are_shown_and_a_clerk_may_call_them_one() -> None:
    scope, texts = "Where do templates live?", ("Keep templates in git.", "Keep them in the repo.")
    ana, ben = (
        BoardPosition(who, 2, scope, "adopt", text, (), answer)
        for who, text, answer in zip(("ana", "ben"), texts, ("git", "the repo"), strict=True)
    )
    shown = find_contradictions([ana, ben])
    assert (shown.contradictions, shown.undecided) == ((), ((ana, ben),))
    assert shown.possible[0].positions == (ana, ben)
    ruled = find_contradictions([ana, ben], {pair_key(ana, ben): False})
    assert ruled.contradictions == ruled.possible == ()


def test_an_answer_that_one_adopts_and_another_rejects_contradicts() -> None:
    assert told("store", "a read replica", "a read replica", 1, ("adopt", "reject"))
    assert not told("store", "a read replica", "an event log", 1, ("adopt", "reject"))
