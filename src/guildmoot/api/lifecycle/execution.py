"""Carrying out an approved plan, as functions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import NamedTuple

from guildmoot.api.drafting import WorkSite, work_place
from guildmoot.config import NO_FLAGS, Flags
from guildmoot.errors import GuildmootError, UndecidedError, UsageError
from guildmoot.guard.undo.snapshot import take_snapshot
from guildmoot.lifecycle import steps, view
from guildmoot.lifecycle.execution import control
from guildmoot.lifecycle.execution.advisor import Advisor
from guildmoot.lifecycle.execution.carrying import carry_over
from guildmoot.lifecycle.execution.control import ControlRequest
from guildmoot.lifecycle.execution.dispatch import Dispatcher
from guildmoot.lifecycle.execution.engine import Execution, ExecutionTerms, RunWatcher
from guildmoot.lifecycle.execution.finish import finish, leave_word, mend_receipts
from guildmoot.lifecycle.execution.journal import Journal, is_at_work, read_run
from guildmoot.lifecycle.execution.looking import LaneSight, sights
from guildmoot.lifecycle.execution.preview import preview_rows
from guildmoot.lifecycle.execution.schedule import new_lanes, report_of
from guildmoot.lifecycle.execution.values import ExecuteRequest, ExecutionReport, RunState
from guildmoot.lifecycle.execution.workers.base import LaneWorkers
from guildmoot.lifecycle.execution.workers.choose import choose_backend
from guildmoot.lifecycle.execution.workers.tmux import end_left_panes
from guildmoot.lifecycle.execution.worktrees import RunRepository, begin_commit
from guildmoot.lifecycle.places import WorkFolder, find_work
from guildmoot.lifecycle.standing import is_waiting
from guildmoot.lifecycle.team.roster import roster
from guildmoot.lifecycle.view import WorkView
from guildmoot.loops.workshop import dirty_paths
from guildmoot.practices.dispositions import user_name
from guildmoot.system import fence
from guildmoot.system.threads import off_loop, relayed

__all__ = ["ExecuteRequest", "ExecutionReport", "ask_of_run", "execute_work", "run_state"]


_UNCOUNTED = (
    "what a worker's command costs is not known here: budget.run_usd and day_usd do not hold it"
)


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
    place = work_place(request.cwd, settings)
    found = _ready(place, request.slug)
    journal = Journal(place.folder, found.run)
    try:
        return await _carry_out(request, place, found, journal, watcher)
    finally:
        journal.close()


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
    return found


async def _carry_out(
    request: ExecuteRequest, place: WorkSite, found: WorkView, journal: Journal, watcher: RunWatcher
) -> ExecutionReport:
    folder, config, terms = place
    plan = found.plan
    if plan is None:  # _ready made sure
        raise UsageError(f"{found.slug} has no plan")
    repository = RunRepository(folder, found.run)
    command = request.worker or journal.state.worker
    mend_receipts(folder, journal)
    state = journal.state
    if state.lanes and all(lane.status in ("done", "skipped") for lane in state.lanes):
        finish(folder, state, repository)
        problem = repository.point_branch(state.branch, state.tip, state.base)
        report = report_of(state)
        return report._replace(status="undecided", notes=(problem,)) if problem else report
    end_left_panes(folder.run(found.run))
    backend: LaneWorkers = choose_backend(
        command, dict(terms.tiers), config, folder.root, folder.run(found.run), state.mode
    )
    asked = config.text("work.agent_mode")
    _begin(
        journal, found, repository,
        {"worker": command, "rung": backend.name, "why": backend.why,
         "mode": state.mode if asked == "auto" else asked},
    )  # fmt: skip
    carry_over(folder, journal, repository)
    jobs = request.jobs or int(config.number("work.jobs"))
    repository.check_room(min(jobs, len(plan.lanes)), journal.state.base)
    specialists, _ = roster(folder.root)
    silence = request.silence or config.number("work.lane_silence")
    fenced = config.flag("work.fence") and fence.works(str(folder.root))
    repository.fenced = fenced
    limit = config.number("budget.run_usd") or config.number("budget.day_usd")
    if command and limit and _UNCOUNTED not in journal.state.notes:
        journal.add("note", reason=_UNCOUNTED)
    if not fenced:
        _without_fence(journal, folder.root)
    dispatcher = Dispatcher(
        folder, found.run, found.slug, plan, terms, specialists, backend.name,
        journal.scrubber, silence, fenced,
    )  # fmt: skip
    execution = Execution(
        journal, repository, dispatcher, backend,
        ExecutionTerms(
            jobs, int(config.number("work.lane_attempts")), config.number("work.lane_backoff"),
            silence, (*config.strings("work.checks"), *request.checks), request.sure,
            60 * config.number("work.run_minutes"), int(config.number("work.run_attempts")),
            backend.name == "host",
        ),
        watcher, Advisor(folder, found.run, config),
    )  # fmt: skip
    report = await execution.run()
    for problem in finish(folder, journal.state, repository):
        journal.add("note", reason=problem)
    with suppress(OSError) if report.status == "error" else nullcontext():  # a full disk was told
        leave_word(folder, journal.state, report)
    later = [note for note in report.notes if note not in journal.state.notes]
    return report._replace(notes=tuple(dict.fromkeys((*journal.said, *later))))


def _without_fence(journal: Journal, root: Path) -> None:
    """Workers could change the user's checkout: it is kept as it is, for ``guild undo``."""
    take_snapshot(root, f"before {journal.state.run}")
    said = (
        "no fence is around your checkout here: if a lane changes it, 'guild undo' brings it back"
    )
    if said not in journal.state.notes:
        journal.add("note", reason=said)


def _begin(
    journal: Journal, found: WorkView, repository: RunRepository, how: dict[str, str]
) -> None:
    """The first row of a run names its lanes; later ones who does the work, where that changed."""
    state = journal.state
    fields: dict[str, object] = {"slug": found.slug, **how}
    if not state.lanes and found.plan:
        fields |= {
            "base": begin_commit(repository.root),
            "branch": f"guild/{found.run}",
            "lanes": [
                {"task": lane.task, "owner": lane.owner, "tier": lane.tier,
                 "depends_on": list(lane.depends_on), "after": list(lane.after), "digest": lane.digest}
                for lane in new_lanes(found.plan)
            ],
        }  # fmt: skip
        journal.add("begun", "", **fields)
        dirty = [path for path in dirty_paths(repository.root) if not path.startswith(".guild/")]
        if dirty:
            said = (
                f"{', '.join(dirty[:3])} in your checkout is not committed, and no part of the run"
            )
            journal.add("note", reason=said)
        return
    head = begin_commit(repository.root)
    if (
        state.untouched and head != state.base
    ):  # no lane was begun: what was committed since is part of it
        fields["base"] = head
    known = {name: getattr(state, name) for name in how}
    if known != how or state.stopped or "base" in fields:
        journal.add("begun", "", **fields)


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
            backend = choose_backend(
                worker or state.worker, dict(place.terms.tiers), place.config, place.folder.root,
                place.folder.run(found.run or name), state.mode,
            )  # fmt: skip
            how = f"{backend.name}: {backend.why}"
        except UsageError as wrong:
            how = f"nobody: {wrong.message} ({wrong.hint})"
        checks = (*place.config.strings("work.checks"),)
        at_once = jobs or int(place.config.number("work.jobs"))
        return preview_rows(found, state, place.terms, how, at_once, checks)

    return await asyncio.to_thread(look)


def lanes_at_work(state: RunState, cwd: Path = Path(), lines: int = 1) -> dict[str, LaneSight]:
    """How long each lane is at work, what it cost, and what it printed last."""
    return sights(find_work(cwd), state, lines)


class WorkQuestion(NamedTuple):
    """Something that waits for a person, and how it is answered."""

    work: str
    task: str
    """The lane; empty where the whole piece of work waits."""
    text: str
    command: str


async def open_questions(cwd: Path = Path()) -> list[WorkQuestion]:
    """What pieces of work wait for: approvals, lanes that ask, failed or conflict."""
    return await asyncio.to_thread(_questions, cwd)


def _questions(cwd: Path) -> list[WorkQuestion]:
    try:
        folder = find_work(cwd)
    except GuildmootError:
        return []
    found = []
    for slug in view.known_slugs(folder):
        seen = view.look(folder, slug)
        if is_waiting(seen.standing):
            found.append(WorkQuestion(slug, "", seen.standing.why, seen.command))
            continue
        state = read_run(folder, seen.run) if seen.run else RunState("", slug)
        for lane in state.lanes:
            if lane.status in ("blocked", "conflict", "failed"):
                how = f"guild lane retry {lane.task} --run {slug} --why 'ANSWER'"
                found.append(WorkQuestion(slug, lane.task, f"{lane.status}: {lane.reason}", how))
        if state.red and state.untouched:
            text = f"fails before anything is done: {', '.join(state.red)}"
            found.append(WorkQuestion(slug, "", text, f"guild work execute {slug} --yes"))
    return found


async def run_state(run: str = "", cwd: Path = Path()) -> tuple[RunState, bool]:
    """A run of a piece of work, and whether a process carries it out now; without a name the newest."""

    def read() -> tuple[RunState, bool]:
        folder = find_work(cwd)
        name = find_run(folder, run)
        return read_run(folder, name), is_at_work(folder, name)

    return await asyncio.to_thread(read)


def find_run(folder: WorkFolder, run: str) -> str:
    """The run that is meant: by its id, by a slug, or the newest of the open work."""
    from guildmoot.lifecycle.work_runs import latest_run

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
        control.ask_run(folder, state, asked._replace(who=user_name(folder.root)))
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
