"""Boards in prose and with decision blocks: what contradicts on them is told without a model, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from guildmoot.practices.whiteboard.minutes import contradictions_in
from guildmoot.reading.board import BoardSection

DATA = Path(__file__).parents[2] / "data" / "whiteboard" / "contradictions.jsonl"
BOARDS = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]


def told(board: dict[str, Any]) -> int:
    return len(contradictions_in(BoardSection(*each) for each in board["sections"].items()))


@pytest.mark.parametrize("style", ["blocks", "prose"])
def test_two_thirds_of_what_contradicts_is_told(style: str) -> None:
    boards = [board for board in BOARDS if board["name"].startswith(style)]
    found = sum(min(told(board), board["contradictions"]) for board in boards)
    assert found >= 0.65 * sum(board["contradictions"] for board in boards)


def test_no_board_tells_more_than_there_is() -> None:
    assert [b["name"] for b in BOARDS if told(b) > b["contradictions"]] == []
