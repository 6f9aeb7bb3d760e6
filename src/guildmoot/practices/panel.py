"""The panel: one packet, many judges at once, one verdict. Read it from top to bottom.

target ─▶ packet ─▶ roster ─▶ spawn ─▶ reading ─▶ grounding ─▶ consensus ─▶ report
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from guildmoot.agents.registry import load_agents, user_agents_folder
from guildmoot.agents.roster import CANNOT, known_as, make_roster, told_missing
from guildmoot.backends import traits_of
from guildmoot.backends.tool import start_tools_early
from guildmoot.calls import Watch
from guildmoot.calls.estimate import DryRun, estimate, wrapped
from guildmoot.calls.pricing import prices_of
from guildmoot.calls.session import (
    DEFAULT_REUSE,
    CallSession,
    ReusePolicy,
    keep_packet,
    new_reuse,
    open_session,
)
from guildmoot.codec import from_plain, to_plain
from guildmoot.config import NO_FLAGS, Config, Flags, Value
from guildmoot.consensus.outcome import decide
from guildmoot.errors import EXIT_INFRASTRUCTURE
from guildmoot.guard.secrets import mask
from guildmoot.guard.settings import settings_for
from guildmoot.model.agent import Roster
from guildmoot.model.packet import Packet
from guildmoot.model.report import RunOrigin, RunReport, SeatReport, header_of, with_coverage
from guildmoot.model.verdict import Judgement
from guildmoot.named import NamedTuple
from guildmoot.packet import PacketRequest, manifest
from guildmoot.practices.calls import deleted, make_calls
from guildmoot.practices.coverage import file_coverage
from guildmoot.practices.decided import build_decided
from guildmoot.practices.deliberation import find_arbiter, load_calibration, rule, weigh
from guildmoot.practices.findings import open_trials
from guildmoot.practices.ignores import load_ignores
from guildmoot.practices.second_look import ASKED, SecondLooks, ask_others
from guildmoot.practices.stage import StageResult, ask_judges, with_usage
from guildmoot.reports.json import to_json
from guildmoot.runs.origin import find_origin
from guildmoot.runs.practice import (
    Practice,
    Reports,
    Restored,
    number,
    rows,
    run_usd,
)
from guildmoot.runs.record import PracticeRecord, read_part
from guildmoot.runs.rows import Summary
from guildmoot.system.git import project_root
from guildmoot.system.scratch import scratch_folder
from guildmoot.version import __version__

NO_ORIGIN = RunOrigin()
_OFFERS, _EVALUATORS = 2, 5


class PanelRequest(NamedTuple):
    """What to judge, and by whom; what is left empty comes from the configuration."""

    packet: PacketRequest
    agents: tuple[str, ...] = ()
    verify: str = ""
    """The project's own check, run as one more judge."""
    record: bool = True
    fresh: bool = False
    """Ask every seat, even where the ledger has its answer to the same question."""
    parent: str = ""
    """The run that this one is part of."""
    command: str = ""
    """What the user typed, for the report's head."""
    settings: Flags = NO_FLAGS
    """Settings given for this request alone, e.g. ``{"panel.timeout": 30}``; they win over all others."""
    home: Path | None = None
    """The repository that keeps the record, where the files that are judged lie in a clone of it."""


async def validate(
    request: PanelRequest, config: Config | None = None, watch: Watch | None = None
) -> RunReport:
    """Put the request before a panel and return what came of it."""
    place = project_root(request.packet.cwd.absolute())
    finding = partial(find_origin, place, "", request.command, datetime.now(UTC))
    origin_found = asyncio.get_running_loop().run_in_executor(None, finding)  # meanwhile
    packet = build_decided(request.packet)
    root = Path(packet.root)
    config = config or settings_for(root, base=packet.base)
    roster = seat_panel(request, config, packet, root)
    start_tools_early(a for a in roster.agents.values() if traits_of(a.backend).is_tool)
    home = request.home or root
    keep = request.record and (home / ".git").exists()
    began = datetime.now(UTC)
    record = PracticeRecord.begin(home if keep else None, began)
    if keep:
        keep_packet(home, packet)
    reuse = new_reuse(config, record.run_id, began, fresh=request.fresh)
    origin = (await origin_found)._replace(base=packet.base)
    plain = {**_plain(request, packet), "course": reuse._asdict(), "origin": origin._asdict()}
    record.asked(plain, config, manifest(packet), roster, kind=PANEL.name, parent=request.parent)
    return await judge(packet, roster, config, watch or Watch(), record, reuse, origin)


async def judge(
    packet: Packet,
    roster: Roster,
    config: Config,
    watch: Watch,
    record: PracticeRecord,
    reuse: ReusePolicy = DEFAULT_REUSE,
    origin: RunOrigin = NO_ORIGIN,
) -> RunReport:
    """Ask the seats about the packet and make one verdict of what they say.

    The same arguments give the same result, whether the ledger answers or the seats do: so this
    is what a resumed, replayed or rerun panel runs as well.
    """
    started, root = time.monotonic(), record.root or Path(packet.root)
    watch.on_begin([seat.name for seat in roster.seats], "")
    with open_session(record.root, record.run_id, config, reuse=reuse) as session:
        judged = await _ask(packet, roster, config, record, watch, session)
        past = load_calibration(root, roster.seats)
        asked = [seat.name for seat in roster.seats]
        arbiter = find_arbiter(config, packet, session, roster.agents.values())
        weighed = await weigh(judged.values, packet, config, arbiter)
        looks = SecondLooks()
        if not judged.interrupted:
            looks = await ask_others(
                session, roster, judged.values, weighed.issues, packet, config, past.record
            )
        judged = _with_looks(judged, looks, record)
    who = [roster.agents[seat.name] for seat in roster.seats]
    coverage = file_coverage(packet, zip(who, judged.values, strict=True), judged.existing)
    named = [seat.name for seat in roster.seats if seat.why == "named"]
    ruled = rule(judged.values, weighed, asked, packet, config, past, coverage, named, looks)
    decision = decide(
        ruled.result,
        judged.values,
        interrupted=judged.interrupted,
        fail_on_warn=config.text("panel.fail_on") == "warn",
    )
    header = with_coverage(header_of(packet, run_id=record.run_id), coverage)._replace(
        policy=ruled.policy,
        reasons=(*decision.reasons, *looks.told, *config.notices, *judged.notices, *session.over),
        floors=ruled.floors,
        counts=ruled.counts,
        seconds=round(time.monotonic() - started, 3),
        exit_code=decision.exit_code,
        origin=origin,
        reused=session.reused,
    )
    report = RunReport(
        header=header,
        verdict=decision.verdict,
        outcome=decision.outcome,
        blocking=ruled.result.blocking,
        advisory=ruled.result.advisory,
        conflicts=ruled.result.conflicts,
        cli_runs=ruled.result.cli_runs,
        signals=ruled.result.signals,
        seats=_seat_reports(roster, judged, session),
        costs=session.costs,
        passed_over=roster.passed_over,
        coverage=coverage,
        existing=judged.existing,
        outside=len(judged.existing),
        council=ruled.council,
        ignored=judged.ignored,
    )
    if session.problem:
        report = _with_record_problem(report, session.problem)
    result = to_json(report)
    parts = {"judgements": _plain_judgements(judged.values), "result": result}
    record.finish(
        parts, _summary(result), interrupted=judged.interrupted, whole=not session.problem
    )
    return _with_record_problem(report, record.problem) if record.problem else report


async def _ask(
    packet: Packet,
    roster: Roster,
    config: Config,
    record: PracticeRecord,
    watch: Watch,
    session: CallSession,
) -> StageResult[Judgement]:
    """Ask every seat, and put each reply on record as soon as it is there."""
    with (
        scratch_folder(sum(len(file.text) for file in packet.files)) as scratch,
        open_trials(packet, config) as trials,
    ):
        return await ask_judges(
            session,
            make_calls(packet, roster, config, Path(scratch)),
            packet,
            trials=trials,
            ignores=load_ignores(packet, config),
            deadline=config.number("panel.deadline"),
            limit=int(config.number("panel.limit")),
            on_event=watch.on_event,
            on_replies=record.answered,
        )


def _with_looks(
    judged: StageResult[Judgement], looks: SecondLooks, record: PracticeRecord
) -> StageResult[Judgement]:
    """The answers with what asking their judges once more took; all replies are on record."""
    if not looks.replies:
        return judged
    raw = [reply for answer in judged.answers for reply in answer.raw]
    firsts = [reply for reply in raw if "~repair-" not in reply.seat]
    repairs = [reply for reply in raw if "~repair-" in reply.seat]
    record.answered((*firsts, *repairs, *looks.replies))
    more = {reply.seat.removesuffix(ASKED): reply for reply in looks.replies}
    answers = [
        answer._replace(reply=with_usage(answer.reply, [more[answer.seat]]))
        if answer.seat in more
        else answer
        for answer in judged.answers
    ]
    interrupted = judged.interrupted or looks.interrupted
    return judged._replace(answers=tuple(answers), interrupted=interrupted)


def dry_run(request: PanelRequest, config: Config) -> DryRun:
    """What the panel would take and send; nothing is called, recorded or spent."""
    packet = build_decided(request.packet)
    roster = seat_panel(request, config, packet, Path(packet.root), planned=True)
    with tempfile.TemporaryDirectory(prefix="guildmoot-") as scratch:
        calls = make_calls(packet, roster, config, Path(scratch))
    prices = prices_of(config)
    most = int(config.number("budget.max_output"))
    unable = {
        name: why.removeprefix(CANNOT) for name, why in roster.passed_over if why.startswith(CANNOT)
    }
    notes = [*config.notices, *([told_missing(unable)] if unable else ())]
    told = tuple(line for note in notes for line in wrapped(f"note: {note}", ""))
    more = {"notes": notes} if told else {}
    return DryRun(estimate(calls.to_make, prices, most), packet, before=told, more=more)


def seat_panel(
    request: PanelRequest, config: Config, packet: Packet, root: Path, *, planned: bool = False
) -> Roster:
    """Who would judge this packet."""
    registry = load_agents(root, user_agents_folder(), packet.base)
    verify = request.verify or config.text("verify.command")
    names = known_as(packet.files)
    paths = [names.get(file.path, file.path) for file in packet.files]
    paths += [check.path for check in packet.checks]
    if not paths:  # a key file that a change brings alone is for the judge of secrets
        paths = [item.path for item in packet.omitted if item.reason == "key-file"]
    thinkers = _thinkers(packet, root) if config.text("panel.model") else ()
    return make_roster(
        registry, config, paths, request.agents, verify, thinkers,
        planned=planned, change=bool(packet.base), gone=deleted(packet),
    )  # fmt: skip


def _thinkers(packet: Packet, root: Path) -> Sequence[str]:
    """The evaluators that what the packet shows calls for; nobody where it shows nothing."""
    from guildmoot.agents.changed_files import panel_for

    shown = [file.path for file in packet.files]
    if not shown and not any(section.kind == "diff" for section in packet.sections):
        return ()
    return [each.agent for each in panel_for(shown, root).seatings]


def _plain(request: PanelRequest, packet: Packet) -> dict[str, object]:
    """The request as the record keeps it: enough to make the run again."""
    asked = request.packet
    return {
        "practice": "panel",
        "target": packet.target,
        "targets": list(asked.targets),
        "diff": asked.diff,
        "staged": asked.staged,
        "branch": asked.branch,
        "agents": list(request.agents),
        "verify": mask(request.verify, "command")[0],
        "version": __version__,
    }


def _plain_judgements(judgements: Sequence[Judgement]) -> dict[str, object]:
    """As the record keeps them; a council's reading is left out, for the reply is kept whole."""
    plain = [to_plain(judgement._replace(council=None)) for judgement in judgements]
    for entry in plain:
        del entry["council"]
    return {"schema_version": 1, "judgements": plain}


def _with_record_problem(report: RunReport, problem: str) -> RunReport:
    """The verdict stands, but a run that could not be recorded must not look like a clean one."""
    reasons = (*report.header.reasons, problem)
    header = report.header._replace(reasons=reasons, exit_code=EXIT_INFRASTRUCTURE)
    return report._replace(header=header)


def _seat_reports(
    roster: Roster, judged: StageResult[Judgement], session: CallSession
) -> tuple[SeatReport, ...]:
    took = {cost.seat: cost for cost in session.costs}  # of who was asked
    return tuple(
        SeatReport(
            seat=seat,
            status=reply.status,
            outcome=judgement.outcome,
            seconds=round(reply.seconds, 3),
            findings=len(judgement.findings),
            blocking=sum(finding.blocking for finding in judgement.findings),
            reason=judgement.reason,
            usage=reply.usage,
            usd=took[seat.name].usd if seat.name in took else 0.0,
            saved_usd=took[seat.name].saved_usd if seat.name in took else None,
            kept=reply.kept if reply.kept != session.run_id else "",
        )
        for seat, reply, judgement in zip(roster.seats, judged.replies, judged.values, strict=True)
    )


def _restore(
    root: Path, folder: Path, flags: Mapping[str, Value], rerun_at: datetime | None
) -> Restored[RunReport]:
    from guildmoot.runs.resume import restore_case

    packet, roster, config = restore_case(root, folder, flags)
    origin = from_plain(RunOrigin, read_part(folder, "request").get("origin") or {})

    def ask(record: PracticeRecord, more: Mapping[str, object]) -> None:
        request = {**read_part(folder, "request"), **more}
        record.asked(request, config, manifest(packet), roster, kind=PANEL.name)

    async def proceed(record: PracticeRecord, watch: Watch, reuse: ReusePolicy) -> RunReport:
        return await judge(packet, roster, config, watch, record, reuse, origin)

    return Restored(roster, proceed, ask)


def _summary(result: Mapping[str, object]) -> Summary:
    return Summary(
        str(result.get("verdict") or "-"),
        len(rows(result.get("blocking_findings"))),
        len(rows(result.get("advisory_findings"))),
        seconds=number(result.get("seconds")),
        usd=run_usd(result, "seats"),
    )


def _reports(*, existing: bool = False) -> Reports[RunReport]:
    from guildmoot.reports import FORMATS, render

    return Reports(to_json, partial(_show, existing=existing), render, FORMATS)


def _show(report: RunReport, root: Path, details: bool, *, existing: bool) -> None:
    from guildmoot.reports.console import Console
    from guildmoot.reports.terminal import print_report

    offers = tuple(_offers(report))
    print_report(report, Console(), show_all=details, existing=existing, offers=offers)


def _offers(report: RunReport) -> Iterator[tuple[str, str]]:
    """The models that are here to be asked too, where none was: offered, and never used unasked."""
    from guildmoot.backends.offers import find_offers
    from guildmoot.reports.costs import money

    command = report.header.origin.command
    named = "--agents" in command or any(s.seat.backend != "tool" for s in report.seats)
    if not command or named or not report.seats:
        return
    for offer in find_offers()[:_OFFERS]:
        usd = offer.about_usd(report.header.lines_reviewed, _EVALUATORS)
        cost = f"about {money(usd)}; " if usd else ""
        yield (
            f"{command} --model {offer.model}",
            f"asks evaluators too ({cost}{offer.found} is here)",
        )


PANEL = Practice("panel", PanelRequest, validate, _summary, _reports, _restore)
PANEL_WITH_EXISTING = PANEL._replace(reports=partial(_reports, existing=True))
"""The same, and what was there before a change is printed too."""
