"""A run of a whiteboard: engineers plan on one board, round after round. Read it from top to bottom.

Every round is put on the board when it ends, whole; so a run that is killed leaves a valid board, and
running it again goes on from what is there.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from guildmoot.agents.registry import load_agents, user_agents_folder
from guildmoot.agents.roster import seat_for
from guildmoot.calls import Watch
from guildmoot.calls.estimate import seat_costs
from guildmoot.calls.pricing import prices_of
from guildmoot.calls.session import CallSession, ReusePolicy, new_reuse, open_session
from guildmoot.config import Config, Value
from guildmoot.consensus.board.clashes import subject
from guildmoot.consensus.board.contradictions import find_contradictions, pair_key, propose_pairs
from guildmoot.consensus.board.positions import BoardPosition, side_text
from guildmoot.errors import (
    EXIT_INFRASTRUCTURE,
    EXIT_INTERRUPTED,
    EXIT_OK,
    InfrastructureError,
)
from guildmoot.model.agent import Roster
from guildmoot.model.call import Reply
from guildmoot.packet import manifest
from guildmoot.practices.clerk import PairRulings, find_clerk, rule_on_pairs
from guildmoot.practices.lookups import Lookups, open_lookups, opened_rows
from guildmoot.practices.whiteboard.boards import (
    append_round,
    init_board,
    read_board,
    record_rulings,
    shown_path,
)
from guildmoot.practices.whiteboard.minutes import contradictions_in, kept_rulings, minutes_of
from guildmoot.practices.whiteboard.request import (
    CAP,
    BoardPlan,
    WhiteboardRequest,
    check_request,
    earlier_replies,
    plain_request,
    read_plan,
    seat_engineers,
)
from guildmoot.practices.whiteboard.rounds import (
    RoundResult,
    RoundSetup,
    failures,
    named_by_round,
    round_packet,
    run_round,
    shown_files,
)
from guildmoot.reading.board import Board, mark_of
from guildmoot.reading.clerk.pairs import AskedPair
from guildmoot.reports.whiteboard import BoardReport, RoundReport, run_json
from guildmoot.runs.practice import Practice, Reports, Restored, number
from guildmoot.runs.record import PracticeRecord
from guildmoot.runs.resume import restore_seats
from guildmoot.runs.rows import Summary
from guildmoot.text.clean import count, one_line

_MOST_PAIRS = 96
"""Pairs that a clerk is asked about after one round."""
_MOST_LEFT_OPEN = 12
"""Pairs that are shown as left open although the clerk said nothing of them."""


class _Run(NamedTuple):
    """What one run works with."""

    plan: BoardPlan
    root: Path
    config: Config
    roster: Roster
    record: PracticeRecord
    watch: Watch
    replies: dict[str, Reply]
    """All of the run, also from before it was stopped, by seat and round."""
    rulings: dict[frozenset[tuple[str, str]], bool | None]
    """What a clerk could show of pairs that words alone leave open; None is what it left open."""
    lookups: Lookups | None
    ruled: list[tuple[str, int]]
    """What came of asking the clerk, each time, and of how many pairs it said nothing."""


async def run_whiteboard(
    request: WhiteboardRequest, config: Config, watch: Watch | None = None
) -> BoardReport:
    """Run the rounds that the request asks for and return what the board comes to."""
    root, (plan, board) = request.root, check_request(request)
    roster = seat_engineers(load_agents(root, user_agents_folder()), config, request.engineers)
    keep = request.record and plan.first_round <= plan.last_round and (root / ".git").exists()
    began = datetime.now(UTC)
    record = PracticeRecord.begin(root if keep else None, began)
    eyes = open_lookups(root)
    run = _Run(plan, root, config, roster, record, watch or Watch(), {}, {}, eyes, [])
    packet, _ = round_packet(_setup(run), board)
    reuse = new_reuse(config, record.run_id, began, fresh=request.fresh)
    record.asked(
        {**plain_request(plan), "course": reuse._asdict()},
        config,
        manifest(packet),
        roster,
        kind=WHITEBOARD_RUN.name,
        parent=request.parent,
    )
    return await _run_rounds(run, reuse)


def _restore(
    root: Path, folder: Path, flags: Mapping[str, Value], rerun_at: datetime | None
) -> Restored[BoardReport]:
    """A recorded run, to be gone on with from what is on its board."""
    plan = read_plan(folder)
    roster, config = restore_seats(root, folder, flags)

    async def proceed(record: PracticeRecord, watch: Watch, reuse: ReusePolicy) -> BoardReport:
        before, eyes = earlier_replies(folder), open_lookups(root)
        run = _Run(plan, root, config, roster, record, watch, before, {}, eyes, [])
        only = folder.name if plan.request.fresh else ""
        return await _run_rounds(run, reuse._replace(only=reuse.only or only))

    return Restored(roster, proceed)


async def _run_rounds(run: _Run, reuse: ReusePolicy) -> BoardReport:
    """The rounds one after another; what is on the board is not asked for again."""
    started, interrupted, stopped = time.monotonic(), False, ""
    with open_session(run.record.root, run.record.run_id, run.config, reuse=reuse) as session:
        while not stopped:
            board = _board(run)
            if run.plan.request.until_settled or _last(board) >= run.plan.last_round:
                await _ask_clerk(run, session, board)
            if stopped := _why_stop(run, board):
                break
            number = run.plan.request.round or _last(board) + 1
            run.watch.on_begin([seat.name for seat in run.roster.seats], f"round {number}")
            before = board._replace(rounds=tuple(r for r in board.rounds if r.number < number))
            done = await run_round(_setup(run), session, before, number, run.watch.on_event)
            run.replies.update({r.seat: r for r in named_by_round(done.replies, number)})
            run.record.answered(tuple(run.replies.values()))
            if interrupted := done.interrupted:
                stopped = f"by the user, in round {number}; what was answered in it is kept"
                break
            _put_on_board(run, done)
            if run.plan.request.round:
                stopped = f"round {number} was held, as asked for"
            for engineer, why in failures(done.sections):
                run.watch.on_note(f"round {number}: {engineer} did not answer: {one_line(why)}")
    report = _report(run, stopped, interrupted=interrupted)
    report = report._replace(
        seconds=round(time.monotonic() - started, 3),
        problem=run.record.problem or session.problem,
        reused=session.reused,
    )
    report = report._replace(exit_code=_exit_code(report))
    result = run_json(report)
    run.record.finish({"result": result}, _summary(result), interrupted=interrupted)
    report = report._replace(problem=report.problem or run.record.problem)
    return report._replace(exit_code=_exit_code(report))


async def _ask_clerk(run: _Run, session: CallSession, board: Board) -> None:
    """Have a clerk look at the pairs that share a subject, where words alone leave them open."""
    clerk = find_clerk(run.config, [run.roster.agents[seat.name] for seat in run.roster.seats])
    for pair, ruling in kept_rulings(board).items():
        run.rulings.setdefault(pair, ruling)
    held = minutes_of(board, run.rulings).holds
    proposed = _once_each(propose_pairs(held, run.rulings)) if clerk else []
    pairs = proposed[:_MOST_PAIRS]
    if not clerk or not pairs or _last(board) < run.plan.first_round:
        return
    asked = [AskedPair(a.scope, side_text(a), b.scope, side_text(b)) for a, b in pairs]
    undecided = {pair_key(*pair) for pair in find_contradictions(held, run.rulings).undecided}
    likely = [at for at, pair in enumerate(pairs) if pair_key(*pair) in undecided]
    timeout = run.config.number("panel.timeout")
    ruled = await rule_on_pairs(session, clerk, asked, timeout, likely=likely)
    silent = _keep_rulings(run, proposed, ruled)
    told = {True: "contradict", False: "compatible", None: "left open"}
    found = (f"{ruled.rulings.count(each)} {word}" for each, word in told.items())
    run.ruled.append((f"asked about {count(len(pairs), 'pair')}: {', '.join(found)}", silent))
    [kept] = named_by_round([ruled.reply], _last(board))
    run.replies[kept.seat] = kept
    run.record.answered(tuple(run.replies.values()))


def _keep_rulings(
    run: _Run, proposed: Sequence[tuple[BoardPosition, BoardPosition]], ruled: PairRulings
) -> int:
    """Keep what the clerk said, and how many pairs were not ruled on.

    Of these a few that share a subject are left open one by one; a clerk that is silent floods no board.
    """
    silent = listed = 0
    for at, (a, b) in enumerate(proposed):
        ruling = ruled.rulings[at] if at < len(ruled.rulings) else None
        if ruling is not None or at in ruled.unclear:
            run.rulings[pair_key(a, b)] = ruling
            continue
        silent += 1
        if listed < _MOST_LEFT_OPEN and subject(a) & subject(b):
            run.rulings[pair_key(a, b)] = None
            listed += 1
    marked = {}
    for pair, ruling in run.rulings.items():
        if ruling is not None and len(pair) > 1:
            one, other = sorted(mark_of(*each) for each in pair)
            marked[one, other] = ruling
    record_rulings(run.plan.request.board, marked, run.plan.request.words)
    return silent


def _once_each(
    pairs: Sequence[tuple[BoardPosition, BoardPosition]],
) -> list[tuple[BoardPosition, BoardPosition]]:
    """Each pair once, whichever of the two comes first."""
    return list({pair_key(a, b): (a, b) for a, b in reversed(pairs)}.values())[::-1]


def _why_stop(run: _Run, board: Board) -> str:
    """Why no further round is run; empty when there is one to run."""
    plan, last = run.plan, _last(board)
    if plan.request.round:
        return ""
    settled = minutes_of(board, run.rulings).settled if plan.request.until_settled else None
    if settled and settled.settled and last >= plan.first_round:
        return f"settled: {settled.reason}"
    if settled and settled.quiet and last >= plan.first_round:
        choose = (
            f"a person has to look, and 'guild {plan.request.words.verb} decide' takes a choice"
        )
        return f"round {last} added nothing new, but it is not settled: {settled.reason}; {choose}"
    if last < plan.last_round:
        return ""
    if last < plan.first_round:
        return f"the board has {last} rounds already; --rounds {last + 1} holds one more"
    if settled and last >= CAP:
        return f"not settled after {last} rounds, which is the most: {settled.reason}"
    return f"round {last} is the last that was asked for" + (
        f"; not settled: {settled.reason}" if settled else ""
    )


def _put_on_board(run: _Run, done: RoundResult) -> None:
    """Append the round, whole; a round in which nobody answered is no round."""
    failed = failures(done.sections)
    if len(failed) == len(done.sections):
        reasons = "; ".join(f"{name}: {why}" for name, why in failed)
        raise InfrastructureError(
            f"nobody answered in round {done.number}: {reasons}",
            "The board is as it was. Run it again to go on from there.",
        )
    request = run.plan.request
    init_board(request.board, run.plan.topic, request.words)
    append_round(request.board, done.sections, request.words, round_number=request.round)


def _board(run: _Run) -> Board:
    return read_board(run.plan.request.board, run.plan.request.words)


def _last(board: Board) -> int:
    return max((each.number for each in board.rounds), default=0)


def _setup(run: _Run) -> RoundSetup:
    request = run.plan.request
    return RoundSetup(
        run.roster,
        run.config,
        str(run.root),
        run.plan.topic,
        request.brief,
        request.view,
        request.context,
        request.files,
        run.lookups,
    )


def _report(run: _Run, stopped: str, *, interrupted: bool) -> BoardReport:
    """What the board comes to; it is made from the board alone, so a resumed run gives the same."""
    board, request = _board(run), run.plan.request
    added = tuple(
        RoundReport(
            each.number,
            each.sections,
            failures(each.sections),
            *contradictions_in(each.sections, each.number, run.rulings),
        )
        for each in board.rounds
        if run.plan.first_round <= each.number <= (request.round or each.number)
    )
    return BoardReport(
        path=shown_path(request.named or request.board, request.words),
        path_key=request.words.path_key,
        board=board,
        minutes=minutes_of(board, run.rulings),
        run_id=run.record.run_id,
        seed=request.view.seed,
        rounds=added,
        stopped=stopped,
        interrupted=interrupted,
        usd=_cost(run),
        shown=tuple(file.path for file in shown_files(str(run.root), request.files)),
        opened=opened_rows(run.lookups.opened) if run.lookups else (),
        notices=run.config.notices,
        clerk=run.ruled[-1][0] if run.ruled else "",
        not_ruled=run.ruled[-1][1] if run.ruled else 0,
    )


def _cost(run: _Run) -> float | None:
    """What all replies of the run cost; None when a price is not known."""
    replies = list(run.replies.values())
    by_name = {seat.name: seat for seat in run.roster.seats}
    if clerk := find_clerk(run.config, run.roster.agents.values()):
        by_name.setdefault(clerk.name, seat_for(clerk, ""))
    seats = [by_name[reply.seat.rpartition("~")[0]] for reply in replies]
    prices = prices_of(run.config)
    costs = [each.usd for each in seat_costs(seats, replies, prices, run.record.run_id)]
    return None if None in costs else sum(cost for cost in costs if cost)


def _exit_code(report: BoardReport) -> int:
    if report.interrupted:
        return EXIT_INTERRUPTED
    incomplete = report.problem or any(each.failed for each in report.rounds)
    return EXIT_INFRASTRUCTURE if incomplete else EXIT_OK


def _summary(result: Mapping[str, object]) -> Summary:
    last, settled = result.get("round"), result.get("settled")
    done = isinstance(settled, dict) and settled.get("settled")
    cost = result.get("cost_usd")
    return Summary(
        "settled" if done else "-",
        counts=f"round {last}" if last else "no round",
        seconds=number(result.get("seconds")),
        usd=None if cost is None else number(cost),
    )


def _reports() -> Reports[BoardReport]:
    return Reports(run_json, _show)


def _show(report: BoardReport, root: Path, details: bool) -> None:
    from guildmoot.reports.console import Console
    from guildmoot.reports.terminal import print_document
    from guildmoot.reports.whiteboard_view import board_document

    print_document(board_document(report), Console())


WHITEBOARD_RUN = Practice(
    "whiteboard", WhiteboardRequest, run_whiteboard, _summary, _reports, _restore, ("resume",)
)
