"""Who moves or withdraws in a later round, in whatever form they write it, ends what they held before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from guildmoot.consensus.board.contests import Contest
from guildmoot.consensus.board.contradictions import Rulings
from guildmoot.practices.whiteboard.minutes import minutes_of
from guildmoot.reading.board import Board, BoardRound, BoardSection
from guildmoot.reading.clerk.forms import section_text
from guildmoot.reading.decisions import read_decisions
from guildmoot.reports import document as doc
from guildmoot.reports.whiteboard import BoardReport
from guildmoot.reports.whiteboard_view import board_document

DATA = Path(__file__).parents[2] / "data" / "whiteboard" / "moves.jsonl"
CASES = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]


def contests(case: dict[str, Any]) -> tuple[Contest, ...]:
    """What stood on the board; nothing is settled where something stands open."""
    minutes = minutes_of(*board_of(case))
    assert not (minutes.open and minutes.settled.settled)
    return minutes.contests


def board_of(case: dict[str, Any]) -> tuple[Board, Rulings]:
    """The board, and what was ruled; ``ruled`` are two statements that a clerk found to contradict."""
    rounds = tuple(
        BoardRound(at, tuple(BoardSection(who, section_text(text)) for who, text in said.items()))
        for at, said in enumerate(case["rounds"], 1)
    )
    ruled = (
        {frozenset(zip(("ana", "ben"), case["ruled"], strict=True)): True}
        if "ruled" in case
        else {}
    )
    return Board("the topic", rounds), ruled


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_move_is_told_and_closes_what_it_closes_and_nothing_else_does(
    case: dict[str, Any],
) -> None:
    [contest] = contests(case)
    assert contest.state == case["state"]
    assert [move.engineer for move in contest.moves] == case["moved"]
    assert contest.silent == ()


HELD = ("Store thumbnails in Redis.", "Store thumbnails in a bucket.")
TURNS = r"""
My position has changed: store thumbnails in a bucket.
I'm switching my vote to a bucket.
Position: a bucket (moved from Redis).
### Position\n\nMoved to a bucket.
**Position:** I move to a bucket.
- Thumbnails: moved to a bucket
| Topic | Position |\n|---|---|\n| Thumbnails | moved to a bucket |
| Topic | Stance | Choice |\n|---|---|---|\n| Thumbnails | move | a bucket |
Moving to a bucket.
I was wrong about Redis; store thumbnails in a bucket.
I agree with ben: store thumbnails in a bucket.
Ben is right, let's store thumbnails in a bucket.
I give up Redis in favour of a bucket.
Withdrawn: storing thumbnails in Redis.
~~Store thumbnails in Redis.~~
After ben's numbers I no longer support Redis for thumbnails.
I take back my proposal to store thumbnails in Redis.
I hereby retract my earlier recommendation.
I withdraw my position.
""".strip().splitlines()
STAYS = """
I still prefer Redis.
I won't move to a bucket. Store thumbnails in Redis.
I would move to a bucket if it were cheaper. Store thumbnails in Redis.
I do not withdraw my proposal. Store thumbnails in Redis.
""".strip().splitlines()


@pytest.mark.parametrize("said", [*TURNS, *STAYS])
def test_a_turn_is_read_in_plain_words(said: str) -> None:
    second = {"ana": said.replace(r"\n", "\n"), "ben": HELD[1]}
    [contest] = contests({"rounds": [dict(zip(("ana", "ben"), HELD, strict=True)), second]})
    turned = said in TURNS
    assert contest.state == ("closed" if turned else "open")
    assert [move.engineer for move in contest.moves] == (["ana"] if turned else [])


@pytest.mark.parametrize(
    ("said", "text", "cited"),
    [
        ("I move to a bucket for thumbnails; ben's point on disks convinces me.", "Use a bucket for thumbnails", ("ben's point on disks convinces me",)),
        ("I'm switching to a bucket - disks fill up.", "Use a bucket", ("disks fill up",)),
        ("I move to a bucket because disks fill up (load.md:3).", "Use a bucket", ("disks fill up", "load.md:3")),
        ("I move to a bucket; keep the index in Redis.", "Use a bucket; keep the index in Redis", ()),
        ("I no longer hold Redis; store thumbnails in a bucket.", "store thumbnails in a bucket", ()),
        ("I move to letting a bucket keep them.", "Let a bucket keep them", ()),
        ("I move to storing thumbnails in a bucket.", "Store thumbnails in a bucket", ()),
        ("I move to rolling buckets.", "Rolling buckets", ()),
        ("I move to polling.", "Use polling", ()),
        ("I move to a bucket as the store.", "Use a bucket as the store", ()),
    ],
)  # fmt: skip
def test_a_move_is_told_as_a_decision_with_its_reason(
    said: str, text: str, cited: tuple[str, ...]
) -> None:
    for form in (said, f"View.\n\n```decisions\n- scope: thumbnails\n  stance: adopt\n  text: {said}\n```"):  # fmt: skip
        [decision] = read_decisions(form)
        assert decision.moves
        if form == said:
            assert decision.text == text
        assert decision.cited == cited
    case = {"rounds": [dict(zip(("ana", "ben"), HELD, strict=True)), {"ana": said, "ben": HELD[1]}]}
    board, ruled = board_of(case)
    report = BoardReport("b.md", "whiteboard_path", board, minutes_of(board, ruled))
    told = [str(getattr(each, "text", "")) for each in board_document(report).blocks]
    assert any("named no reason" in row for row in told) <= (not cited)


HOLDS = """
I considered moving to a bucket but stay with Redis.
My position is unchanged.
Unchanged.
No change here.
I stand by what I wrote in round 1.
As in round 1.
I do not withdraw it.
I am not convinced yet.
Still Redis.
Redis was chosen for a reason.
Ben wants a bucket; I do not.
I could move to a bucket if somebody shows me numbers.
About thumbnails there is nothing to add.
""".strip().splitlines()
ELSE = ["I have nothing to add on logging.", "The build takes ten minutes.", ""]
BESIDE = "```decisions\n- scope: {}\n  stance: adopt\n  text: {}\n```"


@pytest.mark.parametrize("said", [*HOLDS, *ELSE])
@pytest.mark.parametrize("after", ["", BESIDE.format("sign-in", "Log each sign-in")])
def test_nobody_drops_without_a_word_what_they_write_of(said: str, after: str) -> None:
    first = {
        who: BESIDE.format("thumbnails", text)
        for who, text in zip(("ana", "ben"), HELD, strict=True)
    }
    rounds = [first, {"ana": f"{said}\n\n{after}".strip() or "Nothing.", "ben": first["ben"]}]
    minutes = minutes_of(*board_of({"rounds": rounds}))
    [contest] = minutes.contests
    assert (contest.state, contest.silent) == (
        ("open", ()) if said in HOLDS else ("dropped", ("ana",))
    )
    assert not minutes.settled.settled


def test_a_choice_that_is_said_again_under_another_name_is_not_dropped() -> None:
    rounds = [
        {"ana": BESIDE.format("thumbnails", HELD[0]), "ben": BESIDE.format("thumbnails", HELD[1])},
        {"ana": BESIDE.format("the picture cache", "Put thumbnails in Redis"),
         "ben": BESIDE.format("thumbnails", HELD[1])},
    ]  # fmt: skip
    [contest, *_] = minutes_of(*board_of({"rounds": rounds})).contests
    assert (contest.state, contest.silent) == ("open", ())


@pytest.mark.parametrize(
    "fields",
    [
        "stance: withdraw", "stance: WITHDRAW\n  text: Redis", "stance: withdraw my proposal\n  text: Redis",
        "stance: I withdraw this\n  text: Store thumbnails in Redis", "stance: no longer hold\n  text: Redis",
        "stance: move\n  from: Redis\n  to: a bucket", "stance: moved\n  answer: a bucket",
        "stance: moved to a bucket", "stance: adopt (moved)\n  text: Store thumbnails in a bucket",
        "stance: adopt\n  text: ~~Store thumbnails in Redis~~ Store thumbnails in a bucket",
    ],
)  # fmt: skip
def test_a_turn_is_read_in_the_fields_of_a_block(fields: str) -> None:
    block = "View.\n\n```decisions\n- scope: thumbnails\n  {}\n```"
    first = [block.format(f"stance: adopt\n  text: {text}") for text in HELD]
    rounds = [
        {"ana": first[0], "ben": first[1]}, {"ana": block.format(fields), "ben": first[1]},
    ]  # fmt: skip
    [contest] = contests({"rounds": rounds})
    assert (contest.state, [move.engineer for move in contest.moves]) == ("closed", ["ana"])


def test_people_are_told_who_withdrew() -> None:
    case = next(each for each in CASES if each["name"] == "withdraw, same words")
    board, ruled = board_of(case)
    report = BoardReport("b.md", "whiteboard_path", board, minutes_of(board, ruled))
    told = [
        row
        for each in board_document(report).blocks
        for row in (each.items if isinstance(each, doc.Bullets) else (getattr(each, "text", ""),))
    ]
    assert "ana withdrew in round 2: Keep images in S3 (named no reason)" in told
    assert "ana: withdrew Keep images in S3" in told
