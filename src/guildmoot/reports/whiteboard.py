"""What a board comes to, as programs get it; ``whiteboard_view`` shows the same to people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from guildmoot.consensus.board.contests import Contest, NotRead, PositionChange
from guildmoot.consensus.board.contradictions import Contradiction, SharedPosition
from guildmoot.consensus.board.minutes import Minutes
from guildmoot.consensus.board.positions import BoardPosition
from guildmoot.reading.board import Board, BoardSection

MOST_UNREAD = 12
"""Sentences of one engineer that are listed as unread; the others are counted."""


MOST_POSSIBLE, MOST_OF_SUBJECT = 48, 6
"""Pairs that may contradict and are listed, on a board and of one subject; all are counted."""


class RoundReport(NamedTuple):
    """One round as a run reports it."""

    number: int
    sections: tuple[BoardSection, ...]
    failed: tuple[tuple[str, str], ...]
    """Engineers without an answer, and why."""
    contradictions: tuple[Contradiction, ...]
    """What code is certain of, or a clerk ruled."""
    possible: tuple[Contradiction, ...] = ()
    """Pairs that may contradict, the likeliest first."""


class BoardReport(NamedTuple):
    """A board and its minutes, and the run that wrote on it where there was one."""

    path: str
    path_key: str
    """What programs call the path: ``whiteboard_path`` or ``plan_path``."""
    board: Board
    minutes: Minutes
    run_id: str = ""
    seed: int = 0
    rounds: tuple[RoundReport, ...] = ()
    """Those that the run added, also before it was resumed."""
    stopped: str = ""
    """Why no further round was held."""
    interrupted: bool = False
    usd: float | None = None
    seconds: float = 0.0
    exit_code: int = 0
    problem: str = ""
    """What could not be recorded, and why."""
    shown: tuple[str, ...] = ()
    """The files that all engineers were shown."""
    opened: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Who looked into which further files."""
    notices: tuple[str, ...] = ()
    """What was not used, and which road was taken where the engineers are agents of the host."""
    reused: tuple[tuple[str, str], ...] = ()
    """Who was not asked, each with the earlier run whose answer stands."""
    clerk: str = ""
    """What a clerk was asked last, and how much of it it could tell."""
    not_ruled: int = 0
    """Pairs that it was to rule on, or could not be asked about any more, and of which it said nothing."""


def summary_json(report: BoardReport) -> dict[str, object]:
    """The summary of a board."""
    return {"schema_version": 1, report.path_key: report.path, **_minutes_json(report)}


def run_json(report: BoardReport) -> dict[str, object]:
    """What a run did, and what the board comes to after it."""
    from guildmoot.reports.view import reused_json  # most verbs run nobody

    return {
        "schema_version": 1,
        "run_id": report.run_id,
        report.path_key: report.path,
        "round": report.rounds[-1].number if report.rounds else None,
        "sections": [section._asdict() for each in report.rounds[-1:] for section in each.sections],
        **_last_told(report),
        "rounds": [_round_json(each) for each in report.rounds],
        "seed": report.seed,
        "shown": list(report.shown),
        "opened": [{"engineer": who, "paths": list(paths)} for who, paths in report.opened],
        "reused": reused_json(report),
        "clerk": report.clerk,
        "not_ruled": report.not_ruled,
        "stopped": report.stopped,
        "interrupted": report.interrupted,
        "settled": report.minutes.settled._asdict(),
        "summary": _minutes_json(report),
        "cost_usd": report.usd,
        "seconds": report.seconds,
        "notices": list(report.notices),
        "problem": report.problem,
        "exit_code": report.exit_code,
    }


def _last_told(report: BoardReport) -> dict[str, object]:
    *_, last = (RoundReport(0, (), (), ()), *report.rounds)
    return told_json(last.contradictions, last.possible)


def contradiction_json(found: Contradiction) -> dict[str, object]:
    """A contradiction as the seeds reserved it: scope, engineers, positions; and whether code is certain of it."""
    return {
        "level": found.level,
        "likelihood": found.likelihood,
        "scope": found.scope,
        "engineers": list(found.engineers),
        "positions": [_position_json(position) for position in found.positions],
        "why": found.why,
    }


def told_json(
    firm: Sequence[Contradiction], possible: Sequence[Contradiction]
) -> dict[str, object]:
    """Both levels, under a name each; of the possible ones the likeliest of each subject, and how many there are."""
    return {
        "contradictions": [contradiction_json(found) for found in firm],
        "possible_contradictions": [contradiction_json(found) for found in likeliest(possible)],
        "possible_count": len(possible),
    }


def likeliest(possible: Sequence[Contradiction]) -> list[Contradiction]:
    """The first few of each subject, the likeliest first: a board of many engineers would fill pages."""
    taken: Counter[str] = Counter()
    shown: list[Contradiction] = []
    for found in possible:
        taken[found.scope] += 1
        if taken[found.scope] <= MOST_OF_SUBJECT and len(shown) < MOST_POSSIBLE:
            shown.append(found)
    return shown


def _round_json(each: RoundReport) -> dict[str, object]:
    return {
        "round": each.number,
        "sections": [section._asdict() for section in each.sections],
        "failed": [{"engineer": name, "why": why} for name, why in each.failed],
        **told_json(each.contradictions, each.possible),
    }


def _minutes_json(report: BoardReport) -> dict[str, object]:
    minutes, board = report.minutes, report.board
    return {
        "topic": board.topic,
        "rounds": list(minutes.rounds),
        "decided": [decision._asdict() for decision in board.decisions],
        "decisions": [
            {
                **_stand_json(stand, minutes),
                "choice_id": name,
                "contested": minutes.contested(stand),
            }
            for name, stand in minutes.choices.items()
        ],
        "contradictions": [_contest_json(contest, report) for contest in minutes.contests],
        "possible_contradictions": [contradiction_json(e) for e in likeliest(minutes.possible)],
        "possible_count": len(minutes.possible),
        "options": [_stand_json(stand, minutes) for stand in minutes.options],
        "open_questions": [_stand_json(stand, minutes) for stand in minutes.questions],
        "engineers": [_holder_json(name, minutes) for name in minutes.engineers],
        "failed": [{"round": number, "engineer": name} for number, name in minutes.failed],
        "rounds_not_compared": minutes.left_out,
        "not_read": [_unread_json(each) for each in minutes.not_read],
    }


def _unread_json(each: NotRead) -> dict[str, object]:
    more = max(len(each.texts) - MOST_UNREAD, 0)
    texts = list(each.texts[:MOST_UNREAD])
    return {"engineer": each.engineer, "round": each.round, "texts": texts, "more": more}


def _stand_json(stand: SharedPosition, minutes: Minutes) -> dict[str, object]:
    return {
        "id": minutes.ids[stand.scope],
        "scope": stand.scope,
        "stance": stand.stance,
        "text": stand.text,
        "engineers": list(stand.engineers),
    }


def _contest_json(contest: Contest, report: BoardReport) -> dict[str, object]:
    name = report.minutes.ids[contest.contradiction.scope]
    choice = next((each for each in report.board.decisions if each.id == name), None)
    return {
        "id": name,
        **contradiction_json(contest.contradiction),
        "state": contest.state,
        "decided": choice._asdict() if choice else None,
        "first_round": contest.first_round,
        "last_round": contest.last_round,
        "moved": [_move_json(move) for move in contest.moves],
        "silent": list(contest.silent),
    }


def _move_json(move: PositionChange) -> dict[str, object]:
    return {
        "engineer": move.engineer,
        "round": move.round,
        "from": [_position_json(position) for position in move.before],
        "to": [_position_json(position) for position in move.after],
        "cited": list(move.cited),
    }


def _position_json(position: BoardPosition) -> dict[str, object]:
    return {
        "engineer": position.engineer,
        "stance": position.stance,
        "text": position.text,
        "cited": list(position.cited),
        "round": position.round,
    }


def _holder_json(name: str, minutes: Minutes) -> dict[str, object]:
    holds = [position for position in minutes.holds if position.engineer == name]
    return {
        "engineer": name,
        "holds": [
            {"id": minutes.ids[each.scope], "scope": each.scope, **_position_json(each)}
            for each in holds
        ],
    }
