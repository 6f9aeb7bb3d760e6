"""The council: one packet, judges from several angles, perhaps a debate, one honest answer.

packet ─▶ seats ─▶ explorers ─▶ hear ─▶ debate ─▶ verdict ─▶ report ─▶ records

Read it from top to bottom; ``holding`` is what happens at the table. A brainstorm or a research gathers
ideas in place of a verdict, and a duel lets named experts score each other: nothing is voted on there.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from guildmoot.agents.registry import Registry, load_agents, user_agents_folder
from guildmoot.agents.roster import is_installed
from guildmoot.backends import traits_of
from guildmoot.calls import Watch
from guildmoot.calls.session import DEFAULT_REUSE, ReusePolicy, keep_packet, open_session
from guildmoot.config import Config, Value
from guildmoot.errors import EXIT_INFRASTRUCTURE, EXIT_INTERRUPTED
from guildmoot.model.agent import Roster
from guildmoot.model.council import CouncilReport
from guildmoot.model.packet import Packet, Section
from guildmoot.packet import Request, build_packet, manifest, materialise
from guildmoot.practices.council.compare import follow
from guildmoot.practices.council.explorers import Explored, explore
from guildmoot.practices.council.extracting import stage_candidates
from guildmoot.practices.council.holding import Case, Held, hold
from guildmoot.practices.council.judges import STOPPED
from guildmoot.practices.council.plan import CouncilPlan, CouncilRequest
from guildmoot.practices.council.remembering import (
    Check,
    Remembered,
    from_plain,
    masked_plan,
    to_plain,
)
from guildmoot.practices.council.seating import CouncilSeat, passed_over, seat_council
from guildmoot.practices.findings import NO_TRIALS, Trials
from guildmoot.reports.council.json import render_json
from guildmoot.runs.council_record import FOLDER, is_report_of, write_council
from guildmoot.runs.practice import Practice, Reports, Restored, Summary, number, rows, total_usd
from guildmoot.runs.record import PracticeRecord, read_part
from guildmoot.runs.resume import restore_case

_UNLOGGED = "--commit-ready wrote nothing to docs/council-log: this run keeps no records"

ReportHook = Callable[[CouncilReport], CouncilReport]
"""What a wrapper adds to the report before it is written: its decision, its tables."""
ReportHookMaker = Callable[[Packet, Path | None], ReportHook]
"""Makes the hook for a packet; the path is where records are kept, None when nothing is."""


async def convene(
    plan: CouncilPlan,
    packet_request: Request,
    config: Config,
    watch: Watch,
    *,
    root: Path | None,
    previous: str = "",
    extra_sections: Sequence[Section] = (),
    checks: Sequence[Check] = (),
    wrapper: str = "",
    dress: ReportHook | None = None,
    fresh: bool = False,
    parent: str = "",
) -> CouncilReport:
    """Convene the council and return its report; with ``root`` it is also written there.

    ``extra_sections`` and ``checks`` are a wrapper's: texts for the judges, and what programs found.
    ``previous`` is the run that this one follows up. ``fresh`` asks every judge, even where the
    ledger has its answer to the same question.
    """
    now = datetime.now(UTC)
    plan = masked_plan(plan)
    packet = build_packet(with_sections(packet_request, plan, extra_sections))
    registry = _registry(plan, packet)
    seats, others = seat(plan, packet, registry), _passed_over(plan, packet, registry)
    unlogged = (_UNLOGGED,) if plan.commit_ready and root is None else ()
    plan = plan._replace(notes=(*plan.notes, *_untaken(plan, others), *unlogged))
    asked = Remembered(
        plan,
        date=f"{now:%Y-%m-%d}",
        previous=previous,
        checks=tuple(checks),
        wrapper=wrapper,
        angles=tuple(each.perspective for each in seats if each.perspective),
    )
    case = Case(asked, packet, seats, config)
    record = PracticeRecord.begin(root, now)
    if root:
        keep_packet(root, packet)
    reuse = ReusePolicy(only=record.run_id if fresh else "")
    begin(record, case, {"course": reuse._asdict()}, others, parent)
    return await sit(case, record, watch, reuse, dress)


def restore_council(
    root: Path,
    folder: Path,
    flags: Mapping[str, Value],
    rerun_at: datetime | None,
    hook: ReportHookMaker | None = None,
) -> Restored[CouncilReport]:
    """A recorded council as it was put, with the seats and agents of then."""
    asked = from_plain(read_part(folder, "request"))
    if rerun_at:
        asked = asked._replace(date=f"{rerun_at:%Y-%m-%d}", previous=folder.name)
    packet, roster, config = restore_case(root, folder, flags)
    angles = {angle.name: angle for angle in asked.angles}
    seats = tuple(
        CouncilSeat(each.name, each, roster.agents[each.name], angles.get(each.perspective))
        for each in roster.seats
    )
    case = Case(asked, packet, seats, config)

    async def proceed(record: PracticeRecord, watch: Watch, reuse: ReusePolicy) -> CouncilReport:
        kept = record.root if record.keeps else None
        return await sit(case, record, watch, reuse, hook(packet, kept) if hook else None)

    def ask(record: PracticeRecord, more: Mapping[str, object]) -> None:
        begin(record, case, more)

    return Restored(_announced(case), proceed, ask)


def begin(
    record: PracticeRecord,
    case: Case,
    more: Mapping[str, object],
    others: Sequence[tuple[str, str]] = (),
    parent: str = "",
) -> None:
    """Put on record what is asked of whom, before anyone is."""
    agents = {each.label: each.agent for each in case.seats}
    record.asked(
        {**to_plain(case.asked), **more},
        case.config,
        manifest(case.packet),
        Roster(tuple(each.seat for each in case.seats), agents, tuple(others)),
        kind=case.asked.wrapper or COUNCIL.name,
        parent=parent,
    )


async def sit(
    case: Case,
    record: PracticeRecord,
    watch: Watch,
    reuse: ReusePolicy = DEFAULT_REUSE,
    dress: ReportHook | None = None,
) -> CouncilReport:
    """Let the judges judge, and write down what came of it, however far it got."""
    started = time.monotonic()
    watch.on_begin([each.name for each in _announced(case).seats], "")
    with (
        open_session(record.root, record.run_id, case.config, reuse=reuse) as session,
        _trials(case) as trials,
    ):
        explored = await explore(session, case.seats, case.packet, case.plan, case.config, watch)
        held = await hold(case, session, watch, explored, trials)
    report = _complete(held, explored)
    seconds = round(time.monotonic() - started, 3)
    report = report._replace(header=report.header._replace(run_id=record.run_id, seconds=seconds))
    report = follow(report, Path(case.packet.root))
    return _written(case, record, dress(report) if dress else report, held, session.problem)


def seat(
    plan: CouncilPlan, packet: Packet, registry: Registry | None = None
) -> tuple[CouncilSeat, ...]:
    """Who would judge this packet."""
    registry = registry or _registry(plan, packet)
    paths = [file.path for file in packet.files]
    return tuple(map(_named, seat_council(plan, registry, is_installed, paths)))


def _registry(plan: CouncilPlan, packet: Packet) -> Registry:
    """Who can be called by name; no file is read where only built-in judges sit."""
    if plan.vendors and not plan.seated and not any(vendor.agent for vendor in plan.vendors):
        return Registry({}, (), (), {})
    return load_agents(Path(packet.root), user_agents_folder())


def _named(each: CouncilSeat) -> CouncilSeat:
    """The seat under the judge's label, with its perspective, as records and replies name it."""
    angle = each.perspective.name if each.perspective else each.seat.perspective
    return each._replace(seat=each.seat._replace(name=each.label, perspective=angle))


def _passed_over(
    plan: CouncilPlan, packet: Packet, registry: Registry
) -> tuple[tuple[str, str], ...]:
    return passed_over(plan, registry, is_installed, [file.path for file in packet.files])


def _untaken(plan: CouncilPlan, others: Sequence[tuple[str, str]]) -> list[str]:
    """Angles that were asked for and that nobody takes."""
    angles = {f"angle {angle.name}" for angle in plan.perspectives}
    return [f"{name}: {why}" for name, why in others if name in angles]


def _complete(held: Held, explored: Explored) -> CouncilReport:
    """What a stopped council says of itself, and what its explorers cost it."""
    report = held.report._replace(notes=(*held.report.notes, *explored.notes))
    if not held.interrupted:
        return report
    reasons = (f"INCOMPLETE: {STOPPED}", *report.header.reasons)
    return report._replace(
        header=report.header._replace(reasons=reasons, exit_code=EXIT_INTERRUPTED),
        outcome="INCOMPLETE" if report.outcome else None,
        verdict=None,
    )


def _written(
    case: Case, record: PracticeRecord, report: CouncilReport, held: Held, unkept: str
) -> CouncilReport:
    """Put the report and the record where they last; the verdict stands even if that fails."""
    names = record.part("report")
    stem, log = str(names.get("stem", "")), str(names.get("log", ""))
    if not record.keeps or record.root is None:
        return report._replace(stem=stem or report.stem)
    record.answered((*held.replies, *(each for each in held.aside if each not in held.replies)))
    done = write_council(
        record.root,
        report,
        stem=stem,
        commit_ready=case.plan.commit_ready,
        replies=held.aside,
        log=log,
    )
    report = done.report
    if done.file:
        # Kept, so that a resumed run writes the same files again.
        logged = {"log": done.log.stem} if done.log else {}
        record.put("report", {"schema_version": 1, "stem": report.stem, **logged})
    if done.log:
        told = f"also written to {done.log.relative_to(record.root)}, to be committed"
        report = report._replace(notes=(*report.notes, told))
    report = stage_candidates(record.root, report)
    record.finish({"result": render_json(report)}, interrupted=held.interrupted)
    problems = [problem for problem in (done.problem, record.problem, unkept) if problem]
    if not problems:
        return report
    header = report.header._replace(exit_code=EXIT_INFRASTRUCTURE)
    return report._replace(notes=(*report.notes, *problems), header=header)


def with_sections(request: Request, plan: CouncilPlan, extra: Sequence[Section]) -> Request:
    """The request with what the project's reviewers are told, a wrapper's texts, and the question."""
    context = [Section("reviewers", "reviewer config", plan.context)] if plan.context else []
    question = request.question or ("" if plan.task == "validate" else plan.target)
    return request._replace(sections=(*request.sections, *context, *extra), question=question)


def _announced(case: Case) -> Roster:
    """Everybody who will be called, explorers included, for whoever shows progress."""
    seats = [each.seat for each in case.seats]
    askers = [each for each in case.seats if not traits_of(each.agent.backend).is_tool]
    for each in askers if case.plan.explorers else ():
        numbers = range(1, case.plan.explorers + 1)
        names = ("questions", *(f"explorer-{number}" for number in numbers))
        seats += [each.seat._replace(name=f"{each.label}~{name}") for name in names]
    return Roster(tuple(seats), {each.label: each.agent for each in case.seats}, ())


@contextmanager
def _trials(case: Case) -> Iterator[Trials]:
    """What findings may run to prove themselves: nothing, unless programs are allowed by name."""
    allowed = case.config.strings("grounding.allow")
    if not allowed:
        yield NO_TRIALS
        return
    with tempfile.TemporaryDirectory(prefix="guildmoot-") as scratch:
        folder, _ = materialise(case.packet, Path(scratch))
        yield Trials(folder, allowed, case.config.number("grounding.timeout"))


async def run_council(request: CouncilRequest, config: Config, watch: Watch) -> CouncilReport:
    """Convene the council that the request describes."""
    return await convene(
        request.plan,
        request.packet,
        config,
        watch,
        root=request.root,
        previous=request.previous,
        fresh=request.fresh,
        parent=request.parent,
    )


def summarise_council(result: Mapping[str, object]) -> Summary:
    """A recorded result in one line."""
    issues = rows(result.get("issues"))
    blocking = sum(bool(issue.get("blocking")) for issue in issues)
    roster = result.get("roster")
    return Summary(
        str(result.get("outcome") or "-"),
        blocking,
        len(issues) - blocking,
        seconds=number(result.get("seconds")),
        usd=total_usd(rows(roster.get("judges")) if isinstance(roster, dict) else ()),
    )


def council_reports() -> Reports[CouncilReport]:
    """How a council's report is shown."""
    from guildmoot.reports.council import FORMATS, render

    return Reports(render_json, _show, render, tuple(FORMATS))


def _show(report: CouncilReport, root: Path, details: bool) -> None:
    import sys

    from guildmoot.reports.council.terminal import render_terminal
    from guildmoot.reports.pen import open_console

    render_terminal(report, open_console(), verbose=details)
    file = FOLDER / f"{report.stem}.md"
    if is_report_of(root, report.stem, report.run_id) and (root / file).is_file():
        sys.stdout.write(f"  {file}\n")


COUNCIL = Practice(
    "council", CouncilRequest, run_council, summarise_council, council_reports, restore_council
)
