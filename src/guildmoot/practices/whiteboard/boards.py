"""Boards on disk: read as they are, changed whole and one writer at a time.

The grammar is ``reading.board``, what a change looks like ``board_edits``.
"""

from __future__ import annotations

import os

from guildmoot.errors import UsageError
from guildmoot.reading import board as grammar
from guildmoot.reading.board import Board, BoardDecision, read_board_bytes
from guildmoot.system.files import change_document, read_document, refuse_links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import NamedTuple

    from guildmoot.consensus.board.contradictions import Contradiction
    from guildmoot.model.verdict import Signal
    from guildmoot.practices.whiteboard.board_edits import Pieces
    from guildmoot.reading.board import BoardSection
else:
    from guildmoot.model.verdict import NamedTuple


class BoardWords(NamedTuple):
    """One of the two vocabularies for the same thing."""

    verb: str
    """The verb of ``guild``, and the noun in messages."""
    title: str
    """What a new board's heading begins with."""
    path_key: str
    """The key of the board's path in results."""
    error: str
    """What every error message begins with."""


class AppendedRound(NamedTuple):
    """A round that was written on a board, and what its sections say."""

    number: int
    contradictions: tuple[Contradiction, ...]
    """What code is certain of."""
    signals: tuple[Signal, ...]
    possible: tuple[Contradiction, ...] = ()
    """Pairs that may contradict, the likeliest first."""


WHITEBOARD = BoardWords("whiteboard", "Whiteboard", "whiteboard_path", "guild-whiteboard-error")
PLAN = BoardWords("plan", "Plan", "plan_path", "guild-plan-error")


def read_board(path: str | os.PathLike[str], words: BoardWords) -> Board:
    """The board, under either vocabulary; an empty one when there is no file."""
    return read_board_bytes(read_bytes(path, words))


def read_bytes(path: str | os.PathLike[str], words: BoardWords) -> bytes:
    """The board's bytes, none when there is no file; UsageError when no board can be there."""
    return read_document(_checked(path, words)) or b""


def next_round(path: str | os.PathLike[str], words: BoardWords) -> int:
    """The number that the next round gets."""
    return grammar.next_round(read_bytes(path, words))


def init_board(path: str | os.PathLike[str], topic: str, words: BoardWords) -> None:
    """A new board on the topic; one that is there already stays as it is."""
    if not topic.strip():
        raise UsageError("missing topic", 'Give one with --topic "TEXT".')
    from guildmoot.practices.whiteboard.board_edits import new_board

    def change(data: bytes | None) -> Pieces | None:
        return [new_board(words.title, topic.strip())] if data is None else None

    change_document(_checked(path, words), change)


def append_round(
    path: str | os.PathLike[str],
    sections: Sequence[BoardSection],
    words: BoardWords,
    *,
    round_number: int | None = None,
) -> int:
    """Write the sections as one round, and return its number.

    Without a number it is a new round. With one, a round that is there is run again: a section takes
    the place of its engineer's earlier one, further ones are added, and what others wrote stays; so
    the same call twice leaves the same board.
    """
    from guildmoot.practices.whiteboard.board_edits import with_round

    numbers: list[int] = []

    def change(data: bytes | None) -> Pieces | None:
        number, pieces = with_round(data or b"", sections, words.title, round_number)
        numbers.append(number)
        return pieces

    change_document(_checked(path, words), change)
    return numbers[0]


def add_round(
    path: str | os.PathLike[str],
    sections: Sequence[BoardSection],
    words: BoardWords,
    *,
    round_number: int | None = None,
) -> AppendedRound:
    """Write a round as ``append_round`` does, and tell what its sections say against each other."""
    from guildmoot.consensus.panel import aggregate
    from guildmoot.reading.grammar import read_verdict

    judged = [read_verdict(text, engineer, places=False) for engineer, text in sections]
    signals = tuple(aggregate(judged).signals)
    number = append_round(path, sections, words, round_number=round_number)
    if len(sections) < 2:  # one alone contradicts nobody, and costs no import
        return AppendedRound(number, (), signals)
    from guildmoot.practices.whiteboard.minutes import contradictions_in

    found = contradictions_in(sections, number)
    return AppendedRound(number, found.contradictions, signals, found.possible)


def decide(
    path: str, name: str, why: str, words: BoardWords, choice: str = ""
) -> tuple[BoardDecision, bool]:
    """Record a person's choice; without one, the decision on the board that has the ID ``name``.

    The decision, and whether it is new.
    """
    from time import gmtime, strftime

    from guildmoot.practices.whiteboard.minutes import check_id, find_choice, named_id

    check_exists(path, words)
    board = read_board(path, words)
    name = named_id(board, name)
    if choice:
        check_id(board, name, words)
    else:
        name, choice = find_choice(board, name, words)
    decision = BoardDecision(name, choice, why, strftime("%Y-%m-%d", gmtime()))
    return decision, record_decision(path, decision, words)


def record_decision(
    path: str | os.PathLike[str], decision: BoardDecision, words: BoardWords
) -> bool:
    """Write what a person chose on the board; False when that is what stands there already.

    The newest choice for an id counts, and the earlier ones stay on the board as its history.
    """
    from guildmoot.practices.whiteboard.board_edits import with_decision

    board = _checked(path, words)
    made: list[Pieces | None] = []

    def change(data: bytes | None) -> Pieces | None:
        made.append(with_decision(data or b"", decision))
        return made[0]

    check_exists(board, words)
    change_document(board, change)
    return made[0] is not None


def record_rulings(
    path: str | os.PathLike[str], rulings: Mapping[tuple[str, str], bool], words: BoardWords
) -> None:
    """Keep on the board what a clerk ruled on pairs of statements, by their marks."""
    from guildmoot.practices.whiteboard.board_edits import with_rulings

    change_document(_checked(path, words), lambda data: with_rulings(data or b"", rulings))


def shown_path(path: str | os.PathLike[str], words: BoardWords) -> str:
    """The board's path in results: as it was given for a whiteboard, from the root on for a plan."""
    return os.fspath(path) if words is WHITEBOARD else os.path.abspath(path)


def check_exists(path: str | os.PathLike[str], words: BoardWords) -> None:
    """UsageError where there is no board."""
    if not os.path.exists(path):
        hint = f"'guild {words.verb} init {path} --topic TEXT' makes one."
        raise UsageError(f"there is no {words.verb} {path}", hint)


def _checked(path: str | os.PathLike[str], words: BoardWords) -> str:
    """The path as text; an empty one names no board, and a link in a repository may lead anywhere."""
    text = os.fspath(path)
    if not text:
        raise UsageError(f"missing {words.verb} path")
    refuse_links(text)
    return text
