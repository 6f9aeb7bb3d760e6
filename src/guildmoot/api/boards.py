"""What is done with a board's file outside a run: made, read, written on, decided on, summed up.

The plain functions are in ``practices.whiteboard``; each verb runs one of them on a thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from guildmoot.practices.whiteboard import boards, minutes
from guildmoot.practices.whiteboard.boards import WHITEBOARD, AppendedRound, BoardWords
from guildmoot.reading.board import Board, BoardDecision, BoardSection
from guildmoot.reports.whiteboard import BoardReport


async def init_board(path: Path, topic: str, words: BoardWords = WHITEBOARD) -> None:
    """Make a board on a topic; one that is there already stays as it is."""
    await asyncio.to_thread(boards.init_board, path, topic, words)


async def read_board(path: Path, words: BoardWords = WHITEBOARD) -> Board:
    """The rounds and decisions on a board; none where there is no file."""
    return await asyncio.to_thread(boards.read_board, path, words)


async def next_round(path: Path, words: BoardWords = WHITEBOARD) -> int:
    """The number that the next round gets."""
    return await asyncio.to_thread(boards.next_round, path, words)


async def append_round(
    path: Path,
    sections: Sequence[BoardSection],
    number: int | None = None,
    words: BoardWords = WHITEBOARD,
) -> AppendedRound:
    """Write sections as a round; one that is there already is run again."""
    return await asyncio.to_thread(boards.add_round, path, sections, words, round_number=number)


async def decide_on_board(
    path: Path, name: str, why: str, choice: str = "", words: BoardWords = WHITEBOARD
) -> tuple[BoardDecision, bool]:
    """Record a person's choice; without one it is the decision with this ID. False: it stood already."""
    return await asyncio.to_thread(boards.decide, str(path), name, why, words, choice)


async def summarise_board(path: Path, words: BoardWords = WHITEBOARD) -> BoardReport:
    """What a board comes to, and who holds what."""
    return await asyncio.to_thread(minutes.summarise_board, path, words)
