"""The council: one packet, judges from several angles, perhaps a debate, one honest answer.

packet ─▶ seats ─▶ explorers ─▶ judges ─▶ debate ─▶ verdict ─▶ report ─▶ records

Read it from top to bottom, then ``stages``, which has the tasks. A brainstorm or a research gathers ideas
in place of a verdict, and a duel lets named experts score each other: nothing is voted on there.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from guildmoot.agents.registry import Registry, load_agents, user_agents_folder
from guildmoot.agents.roster import is_installed, known_as
from guildmoot.backends import traits_of
from guildmoot.calls import Watch
from guildmoot.calls.estimate import DryRun, estimate, wrapped
from guildmoot.calls.pricing import prices_of
from guildmoot.calls.session import (
    DEFAULT_REUSE,
    ReusePolicy,
    keep_packet,
    new_reuse,
    open_session,
)
from guildmoot.codec import from_plain
from guildmoot.config import Config, Value
from guildmoot.errors import EXIT_INFRASTRUCTURE, EXIT_INTERRUPTED, GuildmootError
from guildmoot.memory.candidates import FILE, stage
from guildmoot.memory.extraction import candidates_of
from guildmoot.model.agent import Agent, Roster
from guildmoot.model.call import Call
from guildmoot.model.council import CouncilReport
from guildmoot.model.packet import Packet
from guildmoot.packet import PacketRequest, manifest
from guildmoot.practices.calls import deleted
from guildmoot.practices.clerk import second_asks
from guildmoot.practices.council.chair import foreseen_chair
from guildmoot.practices.council.judge import (
    LONGEST_QUESTION,
    STOPPED,
    ExplorerAnswers,
    council_calls,
    explore,
    foreseen_calls,
)
from guildmoot.practices.council.packets import council_packet
from guildmoot.practices.council.plan import CouncilPlan, ReadyCouncil
from guildmoot.practices.council.seats import (
    Check,
    CouncilSeat,
    CouncilSeats,
    PlannedCouncil,
    SeatedCouncil,
    as_roster,
    seat_council,
    tell_spare,
)
from guildmoot.practices.council.stages import (
    TaskResult,
    masked_plan,
    run_task,
    to_record,
    with_costs,
)
from guildmoot.practices.findings import open_trials
from guildmoot.practices.lookups import open_lookups, opened_rows
from guildmoot.practices.run_diff import follow
from guildmoot.reports.council.json import council_json
from guildmoot.runs.council_record import FOLDER, check_places, is_report_of, write_council
from guildmoot.runs.origin import find_origin
from guildmoot.runs.practice import Practice, Reports, Restored, number, rows, run_usd
from guildmoot.runs.record import PracticeRecord, read_part
from guildmoot.runs.resume import restore_case
from guildmoot.runs.rows import Summary
from guildmoot.text.clean import count

_UNLOGGED = "--commit-ready wrote nothing to docs/council-log: this run keeps no records"
SECOND_ROUND = "A second round would ask every judge twice more; it is not in these numbers."
MAY_LOOK = (
    "They may look into further files of this repository, up to 3 times each: what .gitignore or"
    " .guildignore names is not there, secrets are masked, and the report lists what was opened."
)
THREE_ROUNDS = "A duel asks every expert three times; these numbers are for the first."

ReportHook = Callable[[CouncilReport], CouncilReport]
"""What a review adds to the report before it is written: its decision, its tables."""
ReportHookMaker = Callable[[Packet, Path | None], ReportHook]
"""Makes the hook for a packet; the path is where records are kept, None when nothing is."""


async def convene(
    request: ReadyCouncil,
    config: Config,
    watch: Watch,
    *,
    packet: Packet | None = None,
    checks: Sequence[Check] = (),
    wrapper: str = "",
    hook: ReportHook | None = None,
) -> CouncilReport:
    """Convene the council and return its report; with a ``root`` it is also written there.

    The rest is a review's: the packet that it has built already, what programs found in it, its name,
    and what it adds to the report.
    """
    now, root = datetime.now(UTC), request.root
    plan = masked_plan(request.plan)
    packet = packet or council_packet(plan, request.packet)
    seats, others = seat(plan, packet)
    unlogged = (_UNLOGGED,) if plan.commit_ready and root is None else ()
    angles = {f"angle {angle.name}" for angle in plan.perspectives}
    untaken = (f"{name}: {why}" for name, why in others if name in angles)
    plan = plan._replace(notes=(*plan.notes, *tell_spare(plan), *untaken, *unlogged))
    planned = PlannedCouncil(
        plan,
        date=f"{now:%Y-%m-%d}",
        previous=request.previous,
        checks=tuple(checks),
        wrapper=wrapper,
        angles=tuple(each.perspective for each in seats if each.perspective),
        origin=find_origin(Path(packet.root), packet.base, request.command, now),
    )
    council = SeatedCouncil(planned, packet, seats, config)
    if root:
        check_places(root, commit_ready=plan.commit_ready)
    record = PracticeRecord.begin(root, now)
    if root:
        keep_packet(root, packet)
    reuse = new_reuse(config, record.run_id, now, fresh=request.fresh)
    begin(record, council, {"course": reuse._asdict()}, others, request.parent)
    return await run_seated(council, record, watch, reuse, hook)


def dry_run(plan: CouncilPlan, request: PacketRequest | Packet, config: Config) -> DryRun:
    """What the council would take and send; nothing is called, recorded or spent."""
    packet = council_packet(plan, request)
    council = SeatedCouncil(
        PlannedCouncil(plan, ""), packet, seat(plan, packet, planned=True).seats, config
    )
    calls: list[Call] = foreseen_calls(council, "?" * LONGEST_QUESTION)
    with tempfile.TemporaryDirectory(prefix="guildmoot-") as scratch:
        judges, chair = council_calls(council, Path(scratch), {}).to_make, foreseen_chair(council)
    prices, most = prices_of(config), int(config.number("budget.max_output"))
    again = second_asks(judges, chair, config, most, votes=plan.task == "validate")
    found = estimate([*calls, *judges, *chair], prices, most)
    found = found._replace(again=estimate(again, prices, most).seats)
    settings = [f"  {name}: {value} ({source})" for name, value, source in plan.sources if value]
    told = (*plan.notes, *tell_spare(plan), *config.notices)
    notes = [line for note in told for line in wrapped(f"note: {note}")]
    return DryRun(
        found,
        packet,
        before=(f"COUNCIL {plan.task}: {plan.target}", *notes, "SETTINGS", *settings),
        after=_more(plan),
        more={
            "task": plan.task,
            "agents": plan.agents,
            "modes": list(plan.modes),
            "perspectives": [
                {"name": angle.name, "focus": angle.focus} for angle in plan.perspectives
            ],
            "notes": [*told, *_more(plan)],
            "settings": [
                {"setting": name, "value": value, "source": source}
                for name, value, source in plan.sources
            ],
        },
    )


def _more(plan: CouncilPlan) -> tuple[str, ...]:
    return (*_rounds_more(plan), *((MAY_LOOK,) if may_look(plan) else ()))


def may_look(plan: CouncilPlan) -> bool:
    """Whether somebody is asked who may look into the repository's files: explorers, and for ideas."""
    return bool(plan.explorers) or plan.task in ("brainstorm", "research")


def _rounds_more(plan: CouncilPlan) -> tuple[str, ...]:
    if plan.task == "debate":
        return (THREE_ROUNDS,)
    return (SECOND_ROUND,) if plan.debate != "off" else ()


def restore_council(
    root: Path,
    folder: Path,
    flags: Mapping[str, Value],
    rerun_at: datetime | None,
    hook: ReportHookMaker | None = None,
) -> Restored[CouncilReport]:
    """A recorded council as it was put, with the seats and agents of then."""
    planned = from_plain(PlannedCouncil, read_part(folder, "request"))
    if rerun_at:
        planned = planned._replace(date=f"{rerun_at:%Y-%m-%d}", previous=folder.name)
    packet, roster, config = restore_case(root, folder, flags)
    angles = {angle.name: angle for angle in planned.angles}
    seats = tuple(
        CouncilSeat(each, roster.agents[each.name], angles.get(each.perspective))
        for each in roster.seats
    )
    council = SeatedCouncil(planned, packet, seats, config)

    async def proceed(record: PracticeRecord, watch: Watch, reuse: ReusePolicy) -> CouncilReport:
        kept = record.root if record.keeps else None
        finish = hook(packet, kept) if hook else None
        return await run_seated(council, record, watch, reuse, finish)

    def ask(record: PracticeRecord, more: Mapping[str, object]) -> None:
        begin(record, council, more)

    return Restored(_announced(council), proceed, ask)


def begin(
    record: PracticeRecord,
    council: SeatedCouncil,
    more: Mapping[str, object],
    others: Sequence[tuple[str, str]] = (),
    parent: str = "",
) -> None:
    """Put on record what is asked of whom, before anyone is."""
    record.asked(
        {**to_record(council.planned), **more},
        council.config,
        manifest(council.packet),
        as_roster(council.seats)._replace(passed_over=tuple(others)),
        kind=council.planned.wrapper or COUNCIL.name,
        parent=parent,
    )


async def run_seated(
    council: SeatedCouncil,
    record: PracticeRecord,
    watch: Watch,
    reuse: ReusePolicy = DEFAULT_REUSE,
    hook: ReportHook | None = None,
) -> CouncilReport:
    """Let the judges judge, and write down what came of it, however far it got."""
    started = time.monotonic()
    heading = "round 1: each judge alone" if council.plan.debate != "off" else ""
    watch.on_begin([each.name for each in _announced(council).seats], heading)
    with (
        open_session(record.root, record.run_id, council.config, reuse=reuse) as session,
        open_trials(council.packet, council.config) as trials,
    ):
        looks = may_look(council.plan) and any(not each.is_tool for each in council.seats)
        lookups = open_lookups(Path(council.packet.root)) if looks else None
        explored = await explore(council, session, watch, lookups)
        done = await run_task(council, session, watch, explored, trials, lookups)
    report = _complete(done, explored)
    report = report._replace(opened=opened_rows(lookups.opened) if lookups else ())
    seconds = round(time.monotonic() - started, 3)
    header = report.header._replace(run_id=record.run_id, seconds=seconds, reused=session.reused)
    header = header._replace(origin=council.planned.origin)
    report = with_costs(report._replace(header=header), session.costs)
    report = report._replace(notes=(*report.notes, *session.over))
    report = follow(report, Path(council.packet.root))
    return _written(council, record, hook(report) if hook else report, done, session.problem)


def seat(plan: CouncilPlan, packet: Packet, *, planned: bool = False) -> CouncilSeats:
    """Who would judge this packet; no agent file is read where only built-in judges sit.

    Where it is only ``planned``, models sit whose client or key is not here.
    """

    def can_sit(agent: Agent) -> bool:
        return (planned and not traits_of(agent.backend).free) or is_installed(agent)

    registry = Registry({})
    if not plan.vendors or plan.seated or any(vendor.agent for vendor in plan.vendors):
        registry = load_agents(Path(packet.root), user_agents_folder(), packet.base)
    names = known_as(packet.files)
    paths = [names.get(file.path, file.path) for file in packet.files]
    paths += [check.path for check in packet.checks]
    change, gone = bool(packet.base), deleted(packet)
    return seat_council(plan, registry, can_sit, paths, change=change, gone=gone)


def _complete(done: TaskResult, explored: ExplorerAnswers) -> CouncilReport:
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
    record: PracticeRecord,
    report: CouncilReport,
    done: TaskResult,
    unkept: str,
) -> CouncilReport:
    """Put the report and the record where they last; the verdict stands even if that fails."""
    names = record.part("report")
    stem, log = str(names.get("stem", "")), str(names.get("log", ""))
    if not record.keeps or record.root is None:
        return report._replace(stem=stem or report.stem)
    record.answered((*done.replies, *(each for each in done.aside if each not in done.replies)))
    written = write_council(
        record.root,
        report,
        stem=stem,
        commit_ready=council.plan.commit_ready,
        replies=done.aside,
        log=log,
    )
    report = written.report
    if written.note:
        report = report._replace(notes=(*report.notes, written.note))
    if written.file:
        # Kept, so that a resumed run writes the same files again.
        logged = {"log": written.log.stem} if written.log else {}
        record.put("report", {"schema_version": 1, "stem": report.stem, **logged})
    if written.log:
        told = f"also written to {written.log.relative_to(record.root)}, to be committed"
        report = report._replace(notes=(*report.notes, told))
    report = report._replace(notes=(*report.notes, *_stage_candidates(record.root, report)))
    result = council_json(report)
    record.finish({"result": result}, summarise_council(result), interrupted=done.interrupted)
    problems = [problem for problem in (written.problem, record.problem, unkept) if problem]
    if not problems:
        return report
    header = report.header._replace(exit_code=EXIT_INFRASTRUCTURE)
    return report._replace(notes=(*report.notes, *problems), header=header)


def _stage_candidates(root: Path, report: CouncilReport) -> list[str]:
    """Stage what this council suggests to remember; what is to be said of it."""
    found = candidates_of(report)
    try:
        added = stage(root, found, report.header.run_id).added if found else ()
    except (OSError, GuildmootError) as error:
        return [f"the candidates of this council could not be written to {FILE}: {error}"]
    told = (
        f"{count(len(added), 'finding')} kept as worth remembering: guild council candidates list"
    )
    return [told] if added else []


def _announced(council: SeatedCouncil) -> Roster:
    """Everybody who will be called, explorers included, for whoever shows progress."""
    seats = [each.seat for each in council.seats]
    askers = [each for each in council.seats if not each.is_tool]
    for each in askers if council.plan.explorers else ():
        numbers = range(1, council.plan.explorers + 1)
        names = ("questions", *(f"explorer-{number}" for number in numbers))
        seats += [each.seat._replace(name=f"{each.name}~{name}") for name in names]
    return Roster(tuple(seats), {each.name: each.agent for each in council.seats}, ())


def summarise_council(result: Mapping[str, object]) -> Summary:
    """A recorded result in one line."""
    issues = rows(result.get("issues"))
    blocking = sum(bool(issue.get("blocking")) for issue in issues)
    return Summary(
        str(result.get("outcome") or "-"),
        blocking,
        len(issues) - blocking,
        seconds=number(result.get("seconds")),
        usd=run_usd(result, "judges"),
    )


def council_reports() -> Reports[CouncilReport]:
    """How a council's report is shown."""
    from guildmoot.reports import FORMATS, render

    return Reports(council_json, _show, render, FORMATS)


def _show(report: CouncilReport, root: Path, details: bool) -> None:
    import sys

    from guildmoot.reports.console import Console
    from guildmoot.reports.terminal import print_report

    print_report(report, Console(), show_all=details)
    file = FOLDER / f"{report.stem}.md"
    if is_report_of(root, report.stem, report.run_id) and (root / file).is_file():
        sys.stdout.write(f"  {file}\n")


COUNCIL = Practice(
    "council", ReadyCouncil, convene, summarise_council, council_reports, restore_council
)
