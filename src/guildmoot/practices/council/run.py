"""The council: one packet, judges from several angles, perhaps a debate, one honest answer.

packet ─▶ seats ─▶ explorers ─▶ judges ─▶ debate ─▶ verdict ─▶ report ─▶ records

Read it from top to bottom, then ``stages``, which has the tasks. A brainstorm or a research gathers ideas
in place of a verdict, and a duel lets named experts score each other: nothing is voted on there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from guildmoot.agents.registry import Registry, load_agents, user_agents_folder
from guildmoot.agents.roster import is_installed
from guildmoot.calls import Watch
from guildmoot.calls.session import DEFAULT_REUSE, ReusePolicy, keep_packet, open_session
from guildmoot.config import Config, Value
from guildmoot.errors import EXIT_INFRASTRUCTURE, EXIT_INTERRUPTED
from guildmoot.model.agent import Roster
from guildmoot.model.council import CouncilReport
from guildmoot.model.packet import Packet, Section
from guildmoot.packet import Request, build_packet, manifest
from guildmoot.practices.council.compare import follow
from guildmoot.practices.council.explorers import Explored, explore
from guildmoot.practices.council.extracting import stage_candidates
from guildmoot.practices.council.judge import STOPPED
from guildmoot.practices.council.plan import CouncilPlan
from guildmoot.practices.council.record import (
    Check,
    PlannedCouncil,
    from_plain,
    masked_plan,
    to_plain,
)
from guildmoot.practices.council.seats import CouncilSeat, CouncilSeats, as_roster, seat_council
from guildmoot.practices.council.stages import SeatedCouncil, TaskResult, run_task
from guildmoot.practices.findings import open_trials
from guildmoot.practices.resuming import asking_anew, check_seats, restore, restore_reuse
from guildmoot.runs.council_record import CouncilRecord, write_council
from guildmoot.runs.record import read_part

_UNLOGGED = "--commit-ready wrote nothing to docs/council-log: this run keeps no records"

ReportHook = Callable[[CouncilReport], CouncilReport]
"""What a wrapper adds to the report before it is written: its decision, its tables."""


async def convene(
    plan: CouncilPlan,
    packet_request: Request,
    config: Config,
    watch: Watch,
    *,
    root: Path | None,
    previous: str = "",
    checks: Sequence[Check] = (),
    wrapper: str = "",
    hook: ReportHook | None = None,
    fresh: bool = False,
) -> CouncilReport:
    """Convene the council and return its report; with ``root`` it is also written there.

    ``checks`` are a wrapper's: what programs found. ``previous`` is the run that this one follows up.
    ``fresh`` asks every judge, even where the ledger has its answer to the same question.
    """
    now = datetime.now(UTC)
    plan = masked_plan(plan)
    packet = build_packet(with_sections(packet_request, plan))
    seats, others = seat(plan, packet)
    unlogged = (_UNLOGGED,) if plan.commit_ready and root is None else ()
    plan = plan._replace(notes=(*plan.notes, *_untaken(plan, others), *unlogged))
    planned = PlannedCouncil(
        plan,
        date=f"{now:%Y-%m-%d}",
        previous=previous,
        checks=tuple(checks),
        wrapper=wrapper,
        angles=tuple(each.perspective for each in seats if each.perspective),
    )
    council = SeatedCouncil(planned, packet, seats, config)
    record = CouncilRecord.open_new(root, now)
    if root:
        keep_packet(root, packet)
    reuse = ReusePolicy(only=record.run_id if fresh else "")
    _begin(record, council, reuse, others)
    return await run_council(council, record, watch, reuse, hook)


async def resume_council(
    root: Path,
    folder: Path,
    flags: Mapping[str, Value],
    watch: Watch,
    hook: ReportHook | None = None,
) -> CouncilReport:
    """Go on with the same run: what was answered is taken from the ledger, the rest is asked."""
    record = CouncilRecord.reopen(folder)
    council = _recorded(root, folder, flags)
    reuse = restore_reuse(folder)._replace(resumed=True)
    return await run_council(council, record, watch, reuse, hook)


async def replay_council(
    root: Path, folder: Path, flags: Mapping[str, Value], hook: ReportHook | None = None
) -> CouncilReport:
    """What the recorded replies come to under other settings; nothing is called or written."""
    reuse = restore_reuse(folder)._replace(replayed=True)
    council = _recorded(root, folder, flags)
    return await run_council(council, CouncilRecord.reread(folder), Watch(), reuse, hook)


async def rerun_council(
    root: Path,
    folder: Path,
    labels: Sequence[str],
    flags: Mapping[str, Value],
    watch: Watch,
    hook: ReportHook | None = None,
) -> CouncilReport:
    """A new run in which the judges of these labels are asked anew and the others keep their words."""
    council = _recorded(root, folder, flags)
    check_seats(labels, _announced(council))
    now = datetime.now(UTC)
    record = CouncilRecord.open_new(root, now)
    reuse = asking_anew(restore_reuse(folder), folder.name, labels, record.run_id)
    planned = council.planned._replace(date=f"{now:%Y-%m-%d}", previous=folder.name)
    council = council._replace(planned=planned)
    _begin(record, council, reuse, ())
    return await run_council(council, record, watch, reuse._replace(resumed=True), hook)


def _begin(
    record: CouncilRecord,
    council: SeatedCouncil,
    reuse: ReusePolicy,
    others: Sequence[tuple[str, str]],
) -> None:
    """Put on record what is asked of whom, before anyone is."""
    roster = as_roster(council.seats)
    record.asked(
        {**to_plain(council.planned), "course": reuse._asdict()},
        council.config,
        manifest(council.packet),
        roster.seats,
        roster.agents,
        others,
    )


def _recorded(root: Path, folder: Path, flags: Mapping[str, Value]) -> SeatedCouncil:
    """The council as it was begun, with the seats and agents of then."""
    planned = from_plain(read_part(folder, "request"))
    packet, roster, config = restore(root, folder, flags)
    angles = {angle.name: angle for angle in planned.angles}
    seats = tuple(
        CouncilSeat(each, roster.agents[each.name], angles.get(each.perspective))
        for each in roster.seats
    )
    return SeatedCouncil(planned, packet, seats, config)


async def run_council(
    council: SeatedCouncil,
    record: CouncilRecord,
    watch: Watch,
    reuse: ReusePolicy = DEFAULT_REUSE,
    hook: ReportHook | None = None,
) -> CouncilReport:
    """Let the judges judge, and write down what came of it, however far it got."""
    started = time.monotonic()
    watch.on_begin([each.name for each in _announced(council).seats], "")
    with (
        open_session(record.root, record.run_id, council.config, reuse=reuse) as session,
        open_trials(council.packet, council.config) as trials,
    ):
        explored = await explore(
            session, council.seats, council.packet, council.plan, council.config, watch
        )
        done = await run_task(council, session, watch, explored, trials)
    report = _complete(done, explored)
    seconds = round(time.monotonic() - started, 3)
    report = report._replace(header=report.header._replace(run_id=record.run_id, seconds=seconds))
    report = follow(report, Path(council.packet.root))
    return _written(council, record, hook(report) if hook else report, done, session.problem)


def seat(plan: CouncilPlan, packet: Packet) -> CouncilSeats:
    """Who would judge this packet; no agent file is read where only built-in judges sit."""
    registry = Registry({}, (), (), {})
    if not plan.vendors or plan.seated or any(vendor.agent for vendor in plan.vendors):
        registry = load_agents(Path(packet.root), user_agents_folder())
    return seat_council(plan, registry, is_installed, [file.path for file in packet.files])


def _untaken(plan: CouncilPlan, others: Sequence[tuple[str, str]]) -> list[str]:
    """Angles that were asked for and that nobody takes."""
    angles = {f"angle {angle.name}" for angle in plan.perspectives}
    return [f"{name}: {why}" for name, why in others if name in angles]


def _complete(done: TaskResult, explored: Explored) -> CouncilReport:
    """What a stopped council says of itself, and what its explorers cost it."""
    report = done.report._replace(notes=(*done.report.notes, *explored.notes))
    if not done.interrupted:
        return report
    reasons = (f"INCOMPLETE: {STOPPED}", *report.header.reasons)
    return report._replace(
        header=report.header._replace(reasons=reasons, exit_code=EXIT_INTERRUPTED),
        outcome="INCOMPLETE" if report.outcome else None,
        verdict=None,
    )


def _written(
    council: SeatedCouncil,
    record: CouncilRecord,
    report: CouncilReport,
    done: TaskResult,
    unkept: str,
) -> CouncilReport:
    """Put the report and the record where they last; the verdict stands even if that fails."""
    if not record.keeps or record.root is None:
        return report._replace(stem=record.stem or report.stem)
    record.answered((*done.replies, *(each for each in done.aside if each not in done.replies)))
    written = write_council(
        record.root,
        report,
        stem=record.stem,
        commit_ready=council.plan.commit_ready,
        replies=done.aside,
        log=record.log,
    )
    report = written.report
    if written.file:
        record.named(report.stem, written.log.stem if written.log else "")
    if written.log:
        told = f"also written to {written.log.relative_to(record.root)}, to be committed"
        report = report._replace(notes=(*report.notes, told))
    report = stage_candidates(record.root, report)
    record.conclude(report, interrupted=done.interrupted)
    problems = [problem for problem in (written.problem, record.problem, unkept) if problem]
    if not problems:
        return report
    header = report.header._replace(exit_code=EXIT_INFRASTRUCTURE)
    return report._replace(notes=(*report.notes, *problems), header=header)


def with_sections(request: Request, plan: CouncilPlan) -> Request:
    """The request with what the project's reviewers are told, and the question."""
    context = [Section("reviewers", "reviewer config", plan.context)] if plan.context else []
    question = request.question or ("" if plan.task == "validate" else plan.target)
    return request._replace(sections=(*request.sections, *context), question=question)


def _announced(council: SeatedCouncil) -> Roster:
    """Everybody who will be called, explorers included, for whoever shows progress."""
    seats = [each.seat for each in council.seats]
    askers = [each for each in council.seats if not each.is_tool]
    for each in askers if council.plan.explorers else ():
        numbers = range(1, council.plan.explorers + 1)
        names = ("questions", *(f"explorer-{number}" for number in numbers))
        seats += [each.seat._replace(name=f"{each.name}~{name}") for name in names]
    return Roster(tuple(seats), {each.name: each.agent for each in council.seats}, ())
