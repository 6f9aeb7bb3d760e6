"""Carrying out an approved plan, as functions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import closing, nullcontext, suppress
from pathlib import Path

from guildmoot.api.drafting import WorkSite, work_place
from guildmoot.config import NO_FLAGS, Flags
from guildmoot.errors import GuildmootError, UndecidedError, UsageError
from guildmoot.guard.undo.snapshot import take_snapshot
from guildmoot.lifecycle import steps, view
from guildmoot.lifecycle.approval import ApprovalWatch
from guildmoot.lifecycle.documents import read_yaml
from guildmoot.lifecycle.execution import control
from guildmoot.lifecycle.execution.advisor import Advisor
from guildmoot.lifecycle.execution.budgets import RunLimits
from guildmoot.lifecycle.execution.carrying import carry_over
from guildmoot.lifecycle.execution.control import ControlRequest
from guildmoot.lifecycle.execution.dispatch import Dispatcher
from guildmoot.lifecycle.execution.engine import Execution, ExecutionTerms, RunWatcher
from guildmoot.lifecycle.execution.finish import finish, leave_word, mend_receipts
from guildmoot.lifecycle.execution.journal import Journal, is_at_work, read_run
from guildmoot.lifecycle.execution.lane_folder import closed_places
from guildmoot.lifecycle.execution.looking import LaneSight, sights
from guildmoot.lifecycle.execution.objects.commits import begin_commit
from guildmoot.lifecycle.execution.preview import preview_rows
from guildmoot.lifecycle.execution.recovery import find_traces, recover_lanes
from guildmoot.lifecycle.execution.schedule import new_lanes, report_of
from guildmoot.lifecycle.execution.values import ExecuteRequest, ExecutionReport, RunState
from guildmoot.lifecycle.execution.workers.base import LaneWorkers
from guildmoot.lifecycle.execution.workers.choose import (
    NoWorkerError,
    asked_mode,
    asks_clients,
    check_clients,
    check_command,
    choose_backend,
    forgotten_worker,
    unfenced_words,
)
from guildmoot.lifecycle.execution.workers.guarding import as_seated, check_guard, lane_tools
from guildmoot.lifecycle.execution.workers.host import forget_plan
from guildmoot.lifecycle.execution.workers.remote import RemoteWorkers
from guildmoot.lifecycle.execution.workers.tmux import end_left_panes
from guildmoot.lifecycle.execution.worktrees import RunRepository
from guildmoot.lifecycle.places import WorkFolder, find_work
from guildmoot.lifecycle.plan import Plan
from guildmoot.lifecycle.proof.commits import kept_name
from guildmoot.lifecycle.scoring import estimate, no_price
from guildmoot.lifecycle.standing import is_waiting
from guildmoot.lifecycle.team.roster import Specialist, roster
from guildmoot.lifecycle.team.teams import read_team
from guildmoot.lifecycle.view import WorkView
from guildmoot.lifecycle.work_runs import latest_run, mend_record
from guildmoot.loops.workshop import dirty_paths
from guildmoot.practices.dispositions import user_name
from guildmoot.system import fence
from guildmoot.system.starter import start_early
from guildmoot.system.threads import off_loop, relayed

__all__ = ["ExecuteRequest", "ExecutionReport", "ask_of_run", "execute_work", "run_state"]


_UNCHECKED = "no checks are set (work.checks, --check): only commands of the plan say whether a merge broke something"
_UNCOUNTED = (
    "what a worker's command costs is known only as its receipts tell it: budget.run_usd holds that,"
    " day_usd does not"
)
_NOBODY: Mapping[str, object] = {}
"""Who does the work of a run whose journal is gone; what is proven of it needs nobody."""


async def execute_work(
    request: ExecuteRequest,
    changed: Callable[[RunState], None] = lambda state: None,
    settings: Flags = NO_FLAGS,
) -> ExecutionReport:
    """Carry out an approved plan; the same call goes on with a run that was stopped or killed."""
    watcher = RunWatcher(relayed(changed))
    return await off_loop(_execute(request, watcher, settings))


async def _execute(
    request: ExecuteRequest, watcher: RunWatcher, settings: Flags
) -> ExecutionReport:
    start_early()  # whoever starts programs is there when the first lane is
    place = work_place(request.cwd, settings)
    found = _ready(place, request.slug)
    repository = RunRepository(place.folder, found.run)
    with closing(Journal(place.folder, found.run)) as journal, closing(repository):
        return await _carry_out(request, place, found, journal, repository, watcher)


def _ready(place: WorkSite, slug: str) -> WorkView:
    """The work with its bundles made; UndecidedError where something of it is not approved."""
    name = view.choose_slug(place.folder, slug)
    found = view.look(place.folder, name, place.terms)
    if is_waiting(found.standing):
        raise UndecidedError(
            f"{name} cannot be carried out: {found.standing.why}", f"First: {found.command}"
        )
    if not found.run or found.state.bundles < found.state.lanes:
        found, _ = steps.make_bundles(place.folder, name, place.terms)
    mend_record(place.folder, found.run)
    return found


async def _carry_out(
    request: ExecuteRequest, place: WorkSite, found: WorkView, journal: Journal,
    repository: RunRepository, watcher: RunWatcher,
) -> ExecutionReport:  # fmt: skip
    folder, config, terms = place
    plan = found.plan
    if plan is None:  # _ready made sure
        raise UsageError(f"{found.slug} has no plan")
    if not journal.state.lanes and (traces := find_traces(repository, f"guild/{found.run}")).base:
        _begin_lanes(journal, found, plan, traces.base)
        recover_lanes(folder, journal, repository, plan, traces)
    command = request.worker or journal.state.worker
    mend_receipts(folder, journal)
    state = journal.state
    if state.at_end:
        finish(folder, state, repository)
        problem = repository.point_branch(state.branch, state.tip, state.base)
        report = report_of(state)._replace(notes=(*journal.said, *_too_late(request.checks)))
        if problem:
            branch = kept_name(found.run)
            return report._replace(status="undecided", branch=branch, notes=(problem,))
        return report
    mode = asked_mode(config, state.mode)
    check_command(request.worker, mode)
    check_clients(command, mode, config)
    end_left_panes(folder.run(found.run))
    try:
        backend: LaneWorkers = choose_backend(
            command, dict(terms.tiers), config, folder.root, folder.run(found.run), state
        )
    except NoWorkerError as wrong:
        begun = not state.rung and (folder.run(found.run) / "attempts").is_dir()
        raise forgotten_worker(found.run, found.slug) if begun else wrong from None
    fenced = config.flag("work.fence") and fence.works(str(folder.root), whole=True)
    clients = not (command or config.text("work.worker")) and backend.name not in ("host", "hosts")
    specialists = _seated(folder, found)
    not_held = check_guard(
        lane_tools(plan, specialists), dict(terms.tiers), config.strings("work.fallback"), folder.root,
        fenced=fenced or not config.flag("work.fence"),
    ) if clients else []  # fmt: skip
    backend.why += unfenced_words(backend.name, wanted=config.flag("work.fence"), fenced=fenced)
    asked = config.text("work.agent_mode")
    ticket = state.ticket
    if isinstance(backend, RemoteWorkers):
        at_work = state.rung == "hosts" and any(each.status == "running" for each in state.lanes)
        ticket = backend.check_ticket(ticket, at_work=at_work)
    given = tuple(dict.fromkeys((*state.checks, *request.checks)))
    _begin(
        journal, found, plan, repository,
        {"worker": command, "clients": asks_clients(backend), "rung": backend.name, "why": backend.why,
         "mode": state.mode if asked == "auto" else asked, "checks": given, "ticket": ticket},
    )  # fmt: skip
    carry_over(folder, journal, repository)
    jobs = request.jobs or int(config.number("work.jobs"))
    repository.check_room(min(jobs, len(plan.lanes)), journal.state.base)
    asked_of_us = asks_clients(backend)
    by_command = bool(command) or (backend.name in ("command", "tmux") and not asked_of_us)
    if by_command:
        terms = terms._replace(price=no_price)  # what a command costs is its own affair
    for tier in {lane.tier for lane in plan.lanes}:
        estimate(tier, terms.price)  # the table of prices is read before lanes need it at once
    silence = request.silence or config.number("work.lane_silence")
    repository.writable = config.strings("work.writable") if fenced else None
    repository.most_bytes = int(config.number("work.max_file_mb")) << 20
    limit = next((n for n in ("budget.run_usd", "budget.day_usd") if config.number(n)), "")
    if (by_command or backend.name == "hosts") and limit:
        journal.note_once(_UNCOUNTED)
    checks = (*config.strings("work.checks"), *given)
    for said in (*config.notices, *not_held, *(() if checks else (_UNCHECKED,))):
        journal.note_once(said)
    if not fenced:
        _without_fence(journal, folder.root)
    dispatcher = Dispatcher(
        folder, found.run, found.slug, plan, terms, specialists, backend.name,
        journal.scrubber, silence, fenced, int(config.number("work.lane_tokens")),
        closed_places(folder.root, repository.store) if fenced else (),
    )  # fmt: skip
    execution = Execution(
        journal, repository, dispatcher, backend,
        ExecutionTerms(
            jobs, int(config.number("work.lane_attempts")), config.number("work.lane_backoff"),
            silence, checks, request.sure,
            RunLimits(
                int(config.number("work.run_tokens")), config.number("budget.run_usd"),
                60 * config.number("work.run_minutes"), int(config.number("work.run_attempts")),
                limit if asked_of_us else "",
            ),
            not by_command and backend.name != "host", backend.name == "host",
            ApprovalWatch(folder, found.slug),
        ),
        watcher, Advisor(folder, found.run, config),
    )  # fmt: skip
    report = await execution.run()
    if not any(lane.status == "running" for lane in journal.state.lanes):
        forget_plan(folder.run(found.run))
    for problem in finish(folder, journal.state, repository):
        journal.add("note", reason=problem)
    with suppress(OSError) if report.status == "error" else nullcontext():  # a full disk was told
        leave_word(folder, journal.state, report)
    later = [note for note in report.notes if note not in journal.state.notes]
    return report._replace(notes=tuple(dict.fromkeys((*journal.said, *later))))


def _seated(folder: WorkFolder, found: WorkView) -> tuple[Specialist, ...]:
    """The specialists as the approved team has them; work of one lane has no team."""
    known, _ = roster(folder.root)
    if found.state.one_lane or not folder.team(found.slug).is_file():
        return known
    return as_seated(known, read_team(read_yaml(view.document_text(folder, "team", found.slug))))


def _too_late(checks: tuple[str, ...]) -> tuple[str, ...]:
    """What is said of checks for a run whose lanes are all merged."""
    return tuple(
        f"`{each}` was not run: all lanes are merged; it is for runs that are begun or go on"
        for each in checks
    )


def _without_fence(journal: Journal, root: Path) -> None:
    """Workers could change the user's checkout: it is kept as it is, for ``guild undo``."""
    take_snapshot(root, f"before {journal.state.run}")
    journal.note_once(
        "no fence is around your checkout here: if a lane changes it, 'guild undo' brings it back; keys and"
        " approvals of yours lie open to it as to any program that you start"
    )


def _begin(
    journal: Journal, found: WorkView, plan: Plan, repository: RunRepository, how: dict[str, object]
) -> None:
    """The first row of a run names its lanes; later ones who does the work, where that changed."""
    head = begin_commit(repository.root)
    if not journal.state.lanes:
        _begin_lanes(journal, found, plan, head, how)
        dirty = [path for path in dirty_paths(repository.root) if not path.startswith(".guild/")]
        if dirty:
            said = (
                f"{', '.join(dirty[:3])} in your checkout is not committed, and no part of the run"
            )
            journal.add("note", reason=said)
        return
    state = journal.state
    # No lane was begun: what was committed since is part of it.
    moved = {"base": head} if state.untouched and head != state.base else {}
    known = {name: getattr(state, name) for name in how}
    if known != how or state.stopped or moved:
        journal.add("begun", "", slug=found.slug, **how, **moved)


def _begin_lanes(
    journal: Journal, found: WorkView, plan: Plan, base: str, how: Mapping[str, object] = _NOBODY
) -> None:
    lanes = [
        {"task": lane.task, "owner": lane.owner, "tier": lane.tier,
         "depends_on": list(lane.depends_on), "after": list(lane.after), "digest": lane.digest}
        for lane in new_lanes(plan)
    ]  # fmt: skip
    branch = f"guild/{found.run}"
    journal.add("begun", "", slug=found.slug, **how, base=base, branch=branch, lanes=lanes)


async def preview_work(
    slug: str = "", worker: str = "", jobs: int = 0, cwd: Path = Path()
) -> list[str]:
    """Everything that carrying out a plan would do, in lines; nothing is written."""

    def look() -> list[str]:
        place = work_place(cwd)
        name = view.choose_slug(place.folder, slug)
        found = view.look(place.folder, name, place.terms)
        state = read_run(place.folder, found.run) if found.run else RunState("", name)
        try:
            check_command(worker, asked_mode(place.config, state.mode))
            backend = choose_backend(
                worker, dict(place.terms.tiers), place.config, place.folder.root,
                place.folder.run(found.run or name), state,
            )  # fmt: skip
            how = f"{backend.name}: {backend.why}"
        except GuildmootError as wrong:
            how = f"nobody: {wrong.message} ({wrong.hint})"
        checks = (*place.config.strings("work.checks"),)
        at_once = jobs or int(place.config.number("work.jobs"))
        command = worker or state.worker or place.config.text("work.worker")
        others = asked_mode(place.config, state.mode) in ("agent", "hosts")
        terms = place.terms._replace(price=no_price) if command and not others else place.terms
        models = {} if command and not others else dict(terms.tiers)
        return preview_rows(found, state, terms.price, models, how, at_once, checks)

    return await asyncio.to_thread(look)


def lanes_at_work(state: RunState, cwd: Path = Path(), lines: int = 1) -> dict[str, LaneSight]:
    """How long each lane is at work, what it cost, and what it printed last."""
    return sights(find_work(cwd), state, lines)


async def run_state(run: str = "", cwd: Path = Path()) -> tuple[RunState, bool]:
    """A run of a piece of work, and whether a process carries it out now; without a name the newest."""

    def read() -> tuple[RunState, bool]:
        folder = find_work(cwd)
        name = find_run(folder, run)
        return read_run(folder, name), is_at_work(folder, name)

    return await asyncio.to_thread(read)


def find_run(folder: WorkFolder, run: str) -> str:
    """The run that is meant: by its id, by a slug, or the newest of the open work."""
    if run and (folder.guild / "runs" / run).is_dir() and "/" not in run:
        return run
    slug = view.choose_slug(folder, run)
    name = latest_run(folder, slug)
    if not name:
        raise UsageError(f"{slug} has no run yet", f"Begin it: guild work execute {slug}")
    return name


async def clear_worktrees(run: str, cwd: Path = Path()) -> list[str]:
    """Take the worktrees of a run away that nobody carries out; the names under which their content is kept."""

    def clear() -> list[str]:
        folder = find_work(cwd)
        journal = Journal(folder, find_run(folder, run))  # nobody begins it meanwhile
        try:
            repository = RunRepository(folder, journal.state.run)
            kept = [
                f"refs/guild/{journal.state.run}/left/{lane.task}-{lane.attempt}"
                for lane in journal.state.lanes
                if repository.folder(lane.task).is_dir()
                and repository.keep_aside(lane.task, lane.attempt)
            ]
            repository.end()
            return kept
        finally:
            journal.close()

    return await asyncio.to_thread(clear)


async def ask_of_run(run: str, asked: ControlRequest, cwd: Path = Path()) -> tuple[RunState, bool]:
    """Ask something of a run: whoever carries it out follows; where nobody does, it is done at once."""

    def ask() -> tuple[RunState, bool]:
        folder = find_work(cwd)
        name = find_run(folder, run)
        state = read_run(folder, name)
        try:
            control.ask_run(folder, state, asked._replace(who=user_name(folder.root)))
        except OSError as wrong:
            raise control.stop_unwritten(folder, state, asked, wrong) from None
        if is_at_work(folder, name):
            return state, True
        journal = Journal(folder, name)
        try:
            for number, each in control.new_requests(folder, journal.state):
                control.follow(journal, each, number)
            return journal.state, False
        finally:
            journal.close()

    return await asyncio.to_thread(ask)
