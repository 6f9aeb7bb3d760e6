"""Progress: drawn on a real terminal, one line a seat elsewhere."""

from __future__ import annotations

import io
import os
import pty
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Literal, NamedTuple

import pytest

from guildmoot.model.call import ReplyStatus
from guildmoot.reports.console import Console
from guildmoot.reports.progress import Progress, SeatBoard


class Event(NamedTuple):
    seat: str
    kind: Literal["started", "finished"]
    status: ReplyStatus | None = None
    seconds: float = 0.0
    kept: str = ""


def started(seat: str) -> Event:
    return Event(seat, "started")


def finished(seat: str, status: ReplyStatus = "answered", seconds: float = 0.4) -> Event:
    return Event(seat, "finished", status, seconds)


EVENTS = (started("ruff"), started("mypy"), finished("ruff"), finished("mypy", "timeout", 120.0))


def follow(console: Console) -> None:
    with Progress(console) as progress:
        progress.begin(["ruff", "mypy"])
        for event in EVENTS:
            progress.on_event(event)


def drawn(board: SeatBoard) -> str:
    return "".join(f"{row.plain}\n" for row in board.rows())


def board_of(names: list[str], *events: Event, height: int = 25) -> SeatBoard:
    clock = iter([0.0] * len(events))
    console = Console(io.StringIO(), width=60, height=height)
    board = SeatBoard(console, names, lambda: next(clock, 5.0))
    for event in events:
        board.add(event)
    return board


def test_a_log_gets_one_line_for_each_seat_that_finished() -> None:
    out = io.StringIO()
    follow(Console(file=out, width=80))
    assert out.getvalue() == "[1/2] ruff replied  0.4 s\n[2/2] ✗ mypy timeout  2 min\n"


def test_forced_colour_does_not_draw_over_a_log() -> None:
    out = io.StringIO()
    follow(Console(out, width=80, environ={"FORCE_COLOR": "1", "TERM": "xterm"}))
    assert re.findall(r"\x1b\[[^m]*[A-Za-ln-z]", out.getvalue()) == []
    assert out.getvalue().count("\n") == 2


def on_a_terminal(act: Callable[[Console], None]) -> str:
    """Everything that a real terminal was sent."""
    leader, follower = pty.openpty()
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.extend(until_closed(leader)))
    reader.start()
    with open(follower, "w", encoding="utf-8") as out:
        act(Console(file=out, width=60, height=25, environ={"TERM": "xterm-256color"}))
    reader.join()
    os.close(leader)
    return b"".join(received).decode()


def until_closed(leader: int) -> Iterator[bytes]:
    with suppress(OSError):  # how Linux says that the other side of a terminal is gone
        while data := os.read(leader, 4096):
            yield data


def test_a_terminal_is_drawn_on_and_left_clean() -> None:
    seen = on_a_terminal(follow)
    assert "ruff" in seen
    assert seen.index("\x1b[?25l") < seen.rindex("\x1b[?25h")  # the cursor comes back
    assert seen.endswith("\x1b[2K")  # and what was drawn is wiped


def follow_and_stop(console: Console) -> None:
    with Progress(console) as progress:
        progress.begin(["ruff"])
        raise KeyboardInterrupt


def test_the_cursor_comes_back_when_the_run_is_stopped() -> None:
    def act(console: Console) -> None:
        with pytest.raises(KeyboardInterrupt):
            follow_and_stop(console)

    seen = on_a_terminal(act)
    assert seen.index("\x1b[?25l") < seen.rindex("\x1b[?25h")


def test_the_board_shows_who_waits_works_and_is_done() -> None:
    board = board_of(["a", "b", "c", "d"], started("a"), finished("a"), started("b"),
                     finished("c", "failed", 1.0))  # fmt: skip
    lines = drawn(board).splitlines()
    assert lines[0] == "a replied  0.4 s"
    assert re.fullmatch(r". b  \d+ s", lines[1])
    assert lines[2:] == ["✗ c failed  1.0 s", "  d", "2 of 4 judges"]


def test_many_seats_become_one_bar() -> None:
    names = [f"seat-{number}" for number in range(200)]
    board = board_of(names, *(finished(name) for name in names[:50]), finished("seat-60", "failed"))
    (line,) = drawn(board).splitlines()
    assert line.rstrip().endswith("51 of 200 judges, 1 without an answer")


def test_a_low_window_gets_the_bar_too() -> None:
    assert len(drawn(board_of(list("abcdef"), height=5)).splitlines()) == 1


def test_a_seat_is_one_row_whatever_its_name() -> None:
    board = board_of(["x\x1b[2J\n" * 60], started("x\x1b[2J\n" * 60))
    text = drawn(board)
    assert len(text.splitlines()) == 2
    assert "\x1b" not in text


def test_an_answer_that_was_not_asked_for_is_told_as_such() -> None:
    event = finished("judge-1")._replace(kept="20261118-080000-aaaaaa")
    line = drawn(board_of(["judge-1"], event)).splitlines()[0]
    assert line.startswith("judge-1 not asked: its answer of 20261118-080000-aaaaaa")
