"""Boards in prose and with decision blocks: what contradicts on them is told without a model, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from guildmoot.practices.whiteboard.minutes import contradictions_in, minutes_of
from guildmoot.reading.board import Board, BoardSection
from guildmoot.reports import document as doc
from guildmoot.reports.whiteboard import BoardReport, run_json
from guildmoot.reports.whiteboard_view import board_document

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


@pytest.mark.parametrize(
    ("usd", "told"), [(None, ["cost: unknown"]), (0.0, []), (0.25, ["cost: $0.25"])]
)
def test_what_a_run_cost_is_told_and_a_price_that_nobody_knows_is_unknown(
    usd: float | None, told: list[str]
) -> None:
    board = Board("money", ())
    report = BoardReport("b.md", "whiteboard_path", board, minutes_of(board), "run", usd=usd)
    rows = [b.text for b in board_document(report).blocks if isinstance(b, doc.Paragraph)]
    assert [row for row in rows if str(row).startswith("cost")] == told


def test_answers_of_an_earlier_run_are_marked_in_every_view() -> None:
    board, kept = Board("money", ()), "20261118-080000-aaaaaa"
    report = BoardReport(
        "b.md", "whiteboard_path", board, minutes_of(board), f"{kept[:11]}0100-bbbbbb"
    )
    report = report._replace(reused=(("ana", kept),))
    rows = [str(b.text) for b in board_document(report).blocks if isinstance(b, doc.Paragraph)]
    assert f"1 answer reused of run {kept}, 1 minute old" in rows
    assert run_json(report)["reused"] == [{"seat": "ana", "run_id": kept, "age_seconds": 60.0}]
