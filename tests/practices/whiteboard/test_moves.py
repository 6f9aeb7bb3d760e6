"""Who moves or withdraws in a later round, in whatever form they write it, ends what they held before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from guildmoot.consensus.board.contests import Contest
from guildmoot.practices.whiteboard.minutes import minutes_of
from guildmoot.reading.board import Board, BoardRound, BoardSection
from guildmoot.reading.clerk.forms import section_text

DATA = Path(__file__).parents[2] / "data" / "whiteboard" / "moves.jsonl"
CASES = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]


def contests(case: dict[str, Any]) -> tuple[Contest, ...]:
    """What stood on the board; ``ruled`` are two statements that a clerk found to contradict."""
    rounds = tuple(
        BoardRound(at, tuple(BoardSection(who, section_text(text)) for who, text in said.items()))
        for at, said in enumerate(case["rounds"], 1)
    )
    ruled = (
        {frozenset(zip(("ana", "ben"), case["ruled"], strict=True)): True}
        if "ruled" in case
        else {}
    )
    return minutes_of(Board("the topic", rounds), ruled).contests


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_move_is_told_and_closes_what_it_closes_and_nothing_else_does(
    case: dict[str, Any],
) -> None:
    [contest] = contests(case)
    assert contest.state == case["state"]
    assert [move.engineer for move in contest.moves] == case["moved"]
    assert contest.silent == ()
