"""Boards in prose and with decision blocks: what contradicts on them is told without a model, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from guildmoot.practices.whiteboard.minutes import contradictions_in, minutes_of
from guildmoot.reading.board import Board, BoardRound, BoardSection
from guildmoot.reports import document as doc
from guildmoot.reports.whiteboard import BoardReport, run_json, told_json
from guildmoot.reports.whiteboard_view import board_document

DATA = Path(__file__).parents[2] / "data" / "whiteboard" / "contradictions.jsonl"
BOARDS = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]


def told(board: dict[str, Any]) -> tuple[int, int]:
    """How many are firm, and how many are told at all."""
    found = contradictions_in(BoardSection(*each) for each in board["sections"].items())
    return len(found.contradictions), len(found.contradictions) + len(found.possible)


@pytest.mark.parametrize("style", ["blocks", "prose"])
def test_two_thirds_of_what_contradicts_is_told(style: str) -> None:
    boards = [board for board in BOARDS if board["name"].startswith(style)]
    found = sum(min(told(board)[1], board["contradictions"]) for board in boards)
    assert found >= 0.65 * sum(board["contradictions"] for board in boards)


def test_no_board_is_certain_of_more_than_there_is() -> None:
    assert [b["name"] for b in BOARDS if told(b)[0] > b["contradictions"]] == []


def test_programs_and_people_are_told_what_is_certain_and_what_is_not() -> None:
    section = "```decisions\n- scope: Where are carts kept?\n  stance: adopt\n  answer: {}\n  text: {}\n{}\n```"
    ana = section.format("Redis", "Put them into Redis.", "  rejects: the browser")
    ben = section.format("the browser", "Leave them there.", "")
    cy = section.format("Postgres", "A table has them.", "")
    for others, firm, possible in ((ben, ["firm"], []), (cy, [], ["possible"])):
        said = (BoardSection("ana", ana), BoardSection("ben", others))
        found = contradictions_in(said)
        told = told_json(found.contradictions, found.possible)
        assert [each["level"] for each in told["contradictions"]] == firm
        assert [each["level"] for each in told["possible_contradictions"]] == possible
        board = Board("carts", (BoardRound(1, said),))
        document = board_document(BoardReport("b.md", "plan_path", board, minutes_of(board)))
        titles = [b.title for b in document.blocks if isinstance(b, doc.SectionHeading)]
        assert ("Contradictions" in titles, "May contradict" in titles) == (
            bool(firm),
            bool(possible),
        )
        written = str(document.blocks)
        assert "% likely" not in written, "no share of one set of boards holds on another"
        assert ("(likely: " in written) == bool(possible)


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


def test_a_scope_can_be_decided_by_the_words_that_reports_call_it(shop) -> None:
    rows = "| Topic | Decision |\n|---|---|\n| Rate limit | {} |\n"
    sides = "".join(f"### From {who}\n\n{rows.format(n)}\n" for who, n in (("a", 10), ("b", 90)))
    (shop.root / "b.md").write_text(f"# Whiteboard: API\n\n## Round 1\n\n{sides}")
    ran = shop.guild(
        "whiteboard", "decide", "b.md", "Rate Limit", "--choice", "10", "--why", "load"
    )
    assert ran.code == 0, ran.err
    told = shop.guild("whiteboard", "summary", "b.md", "--json").json
    assert [each["id"] for each in told["decided"]] == ["rate-limit"]
