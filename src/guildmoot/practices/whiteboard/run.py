"""A run of a whiteboard: engineers plan on one board, round after round. Read it from top to bottom.

Every round is put on the board when it ends, whole; so a run that is killed leaves a valid board, and
running it again goes on from what is there.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from guildmoot.agents.registry import load_agents, user_agents_folder
from guildmoot.calls import Watch
from guildmoot.calls.estimate import seat_costs
from guildmoot.calls.pricing import read_prices
from guildmoot.calls.session import ReusePolicy, open_session
from guildmoot.config import Config
from guildmoot.errors import (
    EXIT_INFRASTRUCTURE,
    EXIT_INTERRUPTED,
    EXIT_OK,
    InfrastructureError,
    UsageError,
)
from guildmoot.model.agent import Roster
from guildmoot.packet import manifest
from guildmoot.practices.resuming import restore_roster
from guildmoot.practices.whiteboard.boards import append_round, init_board, read_board
from guildmoot.practices.whiteboard.hearing import contradictions_in, minutes_of
from guildmoot.practices.whiteboard.record import BoardRecord, read_plan, recorded_config
from guildmoot.practices.whiteboard.request import CAP, Plan, WhiteboardRequest, check_request
from guildmoot.practices.whiteboard.rounds import (
    Held,
    Table,
    failures,
    hold_round,
    lay_before,
    named_by_round,
)
from guildmoot.practices.whiteboard.seating import seat_engineers
from guildmoot.reading.board import Board
from guildmoot.reports.whiteboard import BoardReport, RoundReport, run_json
from guildmoot.runs.record import RunRecord, read_part
from guildmoot.text.clean import one_line


class _Run(NamedTuple):
    """What one run works with."""

    plan: Plan
    root: Path
    config: Config
    roster: Roster
    record: BoardRecord
    watch: Watch


async def run_whiteboard(
    request: WhiteboardRequest, root: Path, config: Config, watch: Watch | None = None
) -> BoardReport:
    """Hold the rounds that the request asks for and return what the board comes to."""
    board = read_board(request.board, request.words)
    plan = check_request(request, board)
    roster = seat_engineers(load_agents(root, user_agents_folder()), config, request.engineers)
    keep = request.record and plan.first_round <= plan.last_round and (root / ".git").exists()
    record = BoardRecord.begin(root if keep else None, datetime.now(UTC))
    run = _Run(plan, root, config, roster, record, watch or Watch())
    packet, _ = lay_before(_table(run), board)
    record.asked(plan, config, manifest(packet), roster)
    return await _hold(run, ReusePolicy(only=record.run_id if request.fresh else ""))


async def resume_whiteboard(
    root: Path, run_folder: Path, config: Config, watch: Watch | None = None
) -> BoardReport:
    """Go on with a recorded run under its own id, from what is on its board."""
    plan, config = read_plan(run_folder), recorded_config(run_folder, config)
    folder = RunRecord(run_folder)
    if not folder.hold():
        raise UsageError(f"{run_folder.name} is still going on", "Wait for it, or stop it first.")
    roster = restore_roster(read_part(run_folder, "roster"), root)
    run = _Run(plan, root, config, roster, BoardRecord(folder), watch or Watch())
    only = run_folder.name if plan.request.fresh else ""
    return await _hold(run, ReusePolicy(only=only, resumed=True))


async def _hold(run: _Run, reuse: ReusePolicy) -> BoardReport:
    """The rounds one after another; what is on the board is not held again."""
    started, interrupted, stopped = time.monotonic(), False, ""
    with open_session(run.record.root, run.record.run_id, run.config, reuse=reuse) as session:
        while not stopped:
            board = _board(run)
            if stopped := _why_stop(run.plan, board):
                break
            number = _last(board) + 1
            run.watch.on_begin([seat.name for seat in run.roster.seats], f"round {number}")
            held = await hold_round(_table(run), session, board, number, run.watch.on_event)
            run.record.heard(named_by_round(held.replies, number))
            if interrupted := held.interrupted:
                stopped = f"by the user, in round {number}; what was answered in it is kept"
                break
            _put_on_board(run, held)
            for engineer, why in failures(held.sections):
                told = f"round {number}: {engineer} did not answer: {one_line(why)}"
                run.watch.on_note(told)
    report = _report(run, stopped, interrupted=interrupted)
    report = report._replace(
        seconds=round(time.monotonic() - started, 3),
        problem=run.record.problem or session.problem,
    )
    report = report._replace(exit_code=_exit_code(report))
    run.record.finish(run_json(report), interrupted=interrupted)
    report = report._replace(problem=report.problem or run.record.problem)
    return report._replace(exit_code=_exit_code(report))


def _why_stop(plan: Plan, board: Board) -> str:
    """Why no further round is held; empty when there is one to hold."""
    last = _last(board)
    settled = minutes_of(board).settled if plan.request.until_settled else None
    if settled and settled.settled and last >= plan.first_round:
        return f"settled: {settled.reason}"
    if last < plan.last_round:
        return ""
    if last < plan.first_round:
        return f"the board has {last} rounds already; --rounds {last + 1} holds one more"
    if settled and last >= CAP:
        return f"not settled after {last} rounds, which is the most: {settled.reason}"
    return f"round {last} is the last that was asked for" + (
        f"; not settled: {settled.reason}" if settled else ""
    )


def _put_on_board(run: _Run, held: Held) -> None:
    """Append the round, whole; a round in which nobody answered is no round."""
    failed = failures(held.sections)
    if len(failed) == len(held.sections):
        reasons = "; ".join(f"{name}: {why}" for name, why in failed)
        raise InfrastructureError(
            f"nobody answered in round {held.number}: {reasons}",
            "The board is as it was. Run it again to go on from there.",
        )
    request = run.plan.request
    init_board(request.board, run.plan.topic, request.words)
    append_round(request.board, held.sections, request.words)


def _board(run: _Run) -> Board:
    return read_board(run.plan.request.board, run.plan.request.words)


def _last(board: Board) -> int:
    return max((each.number for each in board.rounds), default=0)


def _table(run: _Run) -> Table:
    request = run.plan.request
    return Table(
        run.roster,
        run.config,
        str(run.root),
        run.plan.topic,
        request.brief,
        request.manners,
        request.context,
    )


def _report(run: _Run, stopped: str, *, interrupted: bool) -> BoardReport:
    """What the board comes to; it is made from the board alone, so a resumed run gives the same."""
    board, request = _board(run), run.plan.request
    added = tuple(
        RoundReport(
            each.number,
            each.sections,
            failures(each.sections),
            contradictions_in(each.sections, each.number),
        )
        for each in board.rounds
        if run.plan.first_round <= each.number
    )
    return BoardReport(
        path=str(request.board),
        path_key=request.words.path_key,
        board=board,
        minutes=minutes_of(board),
        run_id=run.record.run_id,
        seed=request.manners.seed,
        rounds=added,
        stopped=stopped,
        interrupted=interrupted,
        usd=_cost(run),
    )


def _cost(run: _Run) -> float | None:
    """What all replies of the run cost; None when a price is not known."""
    replies = list(run.record.replies.values())
    by_name = {seat.name: seat for seat in run.roster.seats}
    seats = [by_name[reply.seat.rpartition("~")[0]] for reply in replies]
    prices = read_prices(run.config.prices, "[prices]")
    costs = [each.usd for each in seat_costs(seats, replies, prices, run.record.run_id)]
    return None if None in costs else sum(cost for cost in costs if cost)


def _exit_code(report: BoardReport) -> int:
    if report.interrupted:
        return EXIT_INTERRUPTED
    incomplete = report.problem or any(each.failed for each in report.rounds)
    return EXIT_INFRASTRUCTURE if incomplete else EXIT_OK
