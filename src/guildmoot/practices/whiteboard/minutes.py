"""From a board to its minutes: sections are read for decisions, and decisions become positions."""

from __future__ import annotations

import os
from collections.abc import Iterable

from guildmoot.consensus.board.contests import NotRead, Round
from guildmoot.consensus.board.contradictions import (
    NO_RULINGS,
    FoundContradictions,
    Rulings,
    find_contradictions,
)
from guildmoot.consensus.board.minutes import Minutes, take_minutes
from guildmoot.consensus.board.positions import BoardPosition, side_text
from guildmoot.consensus.board.scopes import align
from guildmoot.errors import UsageError, did_you_mean
from guildmoot.practices.whiteboard.boards import (
    BoardWords,
    check_exists,
    read_board,
    shown_path,
)
from guildmoot.reading.board import Board, BoardSection, mark_of
from guildmoot.reading.decisions import is_prose, own_sentences, read_absence, read_section
from guildmoot.reports.whiteboard import BoardReport
from guildmoot.text.clean import one_line

MOST_ROUNDS = 40
"""Rounds that are read and compared, the newest; a run never makes more than a few."""


def minutes_of(board: Board, rulings: Rulings = NO_RULINGS) -> Minutes:
    """What the board comes to; ``rulings`` are a clerk's on pairs that words alone leave open."""
    sections: dict[int, list[BoardSection]] = {}
    for each in board.rounds:  # two rounds of one number are one
        sections.setdefault(each.number, []).extend(each.sections)
    numbers = sorted(sections)
    rounds = [_round(number, sections[number]) for number in numbers[-MOST_ROUNDS:]]
    decided = [decision.id for decision in board.decisions]
    known = {**_kept(board, rounds), **rulings}
    return take_minutes(rounds, numbers[:-MOST_ROUNDS], known, decided)


def kept_rulings(board: Board) -> Rulings:
    """What a clerk ruled in earlier runs, of statements that still stand on the board."""
    return _kept(board, [_round(each.number, each.sections) for each in board.rounds])


def _kept(board: Board, rounds: Iterable[Round]) -> Rulings:
    if not board.rulings:
        return NO_RULINGS
    told = {(p.engineer, side_text(p)) for r in rounds for p in r.positions}
    said = {mark_of(*each): each for each in told}
    return {
        frozenset((said[a], said[b])): word
        for a, b, word in board.rulings
        if a in said and b in said
    }


def summarise_board(path: str | os.PathLike[str], words: BoardWords) -> BoardReport:
    """What a board comes to, and who holds what."""
    board = read_board(path, words)
    check_exists(path, words)
    return BoardReport(shown_path(path, words), words.path_key, board, minutes_of(board))


def find_choice(board: Board, name: str, words: BoardWords) -> tuple[str, str]:
    """The ID of the scope, and the one decision on the board that the given ID leads to."""
    minutes = minutes_of(board)
    choices = minutes.choices
    if stand := choices.get(name):
        return minutes.ids[stand.scope], stand.said
    several = [each for each in choices if each.rpartition(".")[0] == name]
    if several:
        told = "; ".join(f"{each} is {one_line(choices[each].said)!r}" for each in several)
        raise UsageError(
            f"there are {len(several)} choices for {name}: {told}", "Name one of them."
        )
    listed = f"'guild {words.verb} summary' lists the IDs."
    hint = did_you_mean(name, [*choices, *minutes.ids.values()], listed)
    raise UsageError(
        f"missing choice: no decision on the board has the ID {name!r}",
        f'{hint} Or say what you choose with --choice "TEXT".',
    )


def named_id(board: Board, name: str) -> str:
    """The ID of the scope that is called so, as reports name it in words; any other name as it is."""
    scopes = {scope.casefold(): id for scope, id in minutes_of(board).ids.items()}
    return scopes.get(name.strip().casefold(), name)


def check_id(board: Board, name: str, words: BoardWords) -> None:
    """UsageError where the board knows no such ID, and so nobody would find what is decided under it."""
    minutes = minutes_of(board)
    known = {*minutes.ids.values(), *minutes.choices, *(each.id for each in board.decisions)}
    if name not in known:
        listed = f"'guild {words.verb} summary' lists the IDs."
        hint = did_you_mean(name, sorted(known), listed)
        raise UsageError(f"the board has no scope with the ID {name!r}", hint)


def contradictions_in(
    sections: Iterable[BoardSection], number: int = 1, rulings: Rulings = NO_RULINGS
) -> FoundContradictions:
    """What pulls apart within one round, surely and perhaps."""
    return find_contradictions(align(_round(number, sections).positions), rulings)


def _round(number: int, sections: Iterable[BoardSection]) -> Round:
    positions: list[BoardPosition] = []
    answered: list[str] = []
    failed: list[str] = []
    not_read: list[NotRead] = []
    said = list(sections)
    for engineer, text in said:
        read = read_section(text)
        (failed if read_absence(text) else answered).append(engineer)
        positions += [
            BoardPosition(
                engineer,
                number,
                d.scope,
                d.stance,
                d.text,
                d.cited,
                d.answer,
                d.rejects,
                "",
                d.moves,
            )
            for d in read.decisions
        ]
        if read.unread:
            not_read.append(NotRead(engineer, number, read.unread))
    spoke, heard = tuple(dict.fromkeys(answered)), {each.engineer for each in positions}
    absent = tuple(name for name in dict.fromkeys(failed) if name not in answered)
    unread = tuple(name for name in spoke if name not in heard)
    prose = tuple(dict.fromkeys(name for name, text in said if is_prose(text)))
    own = tuple((name, own_sentences(text)) for name, text in said)
    return Round(number, tuple(positions), spoke, absent, unread, prose, tuple(not_read), own)
