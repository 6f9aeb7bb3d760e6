"""Answers to one question: which of them contradict each other, and which may stand side by side."""

import pytest

from guildmoot.consensus.board.contradictions import align, find_contradictions, pair_key
from guildmoot.consensus.board.positions import BoardPosition

WHERE = "Where are sessions stored?"


def told(
    scope: str, first: str, second: str, round: int = 2, stances: tuple[str, str] = ("adopt",) * 2
) -> bool:
    """Whether it is told as a contradiction; in a second round both had said the same in the first."""
    said = [
        BoardPosition(who, round, scope, stance, f"Words of {who}.", (), answer)  # type: ignore[arg-type]
        for who, stance, answer in zip(("ana", "ben"), stances, (first, second), strict=True)
    ]
    said = list(align(said))
    earlier = [each._replace(round=1) for each in said]
    return bool(find_contradictions(said, earlier=earlier).contradictions)


@pytest.mark.parametrize(
    ("scope", "first", "second"),
    [
        (WHERE, "Redis", "signed cookies"),
        ("Who runs it?", "the data team", "platform"),
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
    ],
)
def test_what_may_be_one_answer_or_two_side_by_side_does_not(
    scope: str, first: str, second: str
) -> None:
    assert not told(scope, first, second)


def test_in_the_first_round_two_names_may_mean_one_thing() -> None:
    assert not told(WHERE, "in git", "in the repository", round=1)
    assert told("default limit", "100 a minute", "200 a minute", round=1)


def test_two_wordings_that_nobody_had_seen_are_shown_and_a_clerk_may_call_them_one() -> None:
    scope, texts = "Where do templates live?", ("Keep templates in git.", "Keep them in the repo.")
    ana, ben = (
        BoardPosition(who, 2, scope, "adopt", text, (), answer)
        for who, text, answer in zip(("ana", "ben"), texts, ("git", "the repo"), strict=True)
    )
    unseen = find_contradictions([ana, ben])
    assert (unseen.contradictions, unseen.undecided) == ((), ((ana, ben),))
    assert unseen.possible[0].positions == (ana, ben)
    seen = [ana._replace(round=1)]
    assert find_contradictions([ana, ben], earlier=seen).contradictions
    ruled = find_contradictions([ana, ben], {pair_key(ana, ben): False}, seen)
    assert ruled.contradictions == ruled.possible == ()


def test_an_answer_that_one_adopts_and_another_rejects_contradicts() -> None:
    assert told("store", "a read replica", "a read replica", 1, ("adopt", "reject"))
    assert not told("store", "a read replica", "an event log", 1, ("adopt", "reject"))
