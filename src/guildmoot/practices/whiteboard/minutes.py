"""From a board to its minutes: sections are read for decisions, and decisions become positions."""

from __future__ import annotations

from collections.abc import Iterable

from guildmoot.consensus.board.contradictions import Contradiction, align, find_contradictions
from guildmoot.consensus.board.minutes import Minutes, Round, take_minutes
from guildmoot.consensus.board.positions import BoardPosition
from guildmoot.reading.board import Board, BoardSection
from guildmoot.reading.decisions import read_absence, read_decisions

MOST_ROUNDS = 40
"""Rounds that are read and compared, the newest; a run never makes more than a few."""


def minutes_of(board: Board) -> Minutes:
    """What the board comes to."""
    sections: dict[int, list[BoardSection]] = {}
    for each in board.rounds:  # two rounds of one number are one
        sections.setdefault(each.number, []).extend(each.sections)
    numbers = sorted(sections)
    rounds = [_round(number, sections[number]) for number in numbers[-MOST_ROUNDS:]]
    return take_minutes(rounds, numbers[:-MOST_ROUNDS])


def contradictions_in(
    sections: Iterable[BoardSection], number: int = 1
) -> tuple[Contradiction, ...]:
    """What pulls apart within one round."""
    return find_contradictions(align(_round(number, sections).positions)).contradictions


def _round(number: int, sections: Iterable[BoardSection]) -> Round:
    positions: list[BoardPosition] = []
    answered: list[str] = []
    failed: list[str] = []
    for engineer, text in sections:
        (failed if read_absence(text) else answered).append(engineer)
        positions += [
            BoardPosition(engineer, number, d.scope, d.stance, d.text, d.cited)
            for d in read_decisions(text)
        ]
    absent = [name for name in dict.fromkeys(failed) if name not in answered]
    return Round(number, tuple(positions), tuple(dict.fromkeys(answered)), tuple(absent))
