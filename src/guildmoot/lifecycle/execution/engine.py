"""Carries a run out: does what ``schedule`` says, writes each step down, and goes on where it was killed.

It needs no event to go on: every round starts from the journal's state and from what a person asked for meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import NamedTuple

from guildmoot.errors import GuildmootError, InfrastructureError, UndecidedError
from guildmoot.guard.scrub import write_durable
from guildmoot.lifecycle.execution import checking, control
from guildmoot.lifecycle.execution.advisor import Advisor
from guildmoot.lifecycle.execution.attempt import Attempt, AttemptEnd
from guildmoot.lifecycle.execution.budgets import LaneBudget, RunLimits, shortfall
from guildmoot.lifecycle.execution.dispatch import DIFFERENCE, Dispatcher, recorded_job
from guildmoot.lifecycle.execution.finish import put_aside
from guildmoot.lifecycle.execution.integration import Integration
from guildmoot.lifecycle.execution.journal import Journal
from guildmoot.lifecycle.execution.judging import Judging, trace
from guildmoot.lifecycle.execution.lane_folder import is_made
from guildmoot.lifecycle.execution.schedule import (
    base_parts,
    is_due,
    next_moves,
    outdated,
    report_of,
)
from guildmoot.lifecycle.execution.turns import Turns
from guildmoot.lifecycle.execution.values import ExecutionReport, LaneState, RunState
from guildmoot.lifecycle.execution.workers.base import LaneJob, LaneWorkers
from guildmoot.lifecycle.execution.workers.host import write_plan
from guildmoot.lifecycle.execution.worktrees import RunRepository
from guildmoot.lifecycle.plan import Lane
from guildmoot.lifecycle.proof.commits import kept_name
from guildmoot.lifecycle.scoring import estimate
from guildmoot.system.files import put_in_place

TICK = 0.5
"""Seconds between two looks at what a person asked for."""
_AHEAD = 2
"""Worktrees are made for so many times the lanes that run at once, so that no slot waits for one."""


class ExecutionTerms(NamedTuple):
    """How a run is carried out."""

    jobs: int = 4
    tries: int = 1
    """Attempts at a lane whose worker fails."""
    backoff: float = 0.0
    """Seconds before the second attempt; doubled each time."""
    silence: float = 0.0
    checks: tuple[str, ...] = ()
    sure: bool = False
    """Begin also where the checks fail before anything is done."""
    limits: RunLimits = RunLimits()
    metered: bool = False
    """Who does the work tells what it took; then an attempt that nobody saw end counts in full."""
    hands_out: bool = False
    """Lanes are written to a dispatch plan for the agents of a host; the next call collects their receipts."""
    withdrawn: Callable[[], str] = str
    """Why nothing more may be dispatched, asked before each dispatch; empty while all is approved."""


class RunWatcher(NamedTuple):
    """Who looks on; called after every change and about twice a second."""

    changed: Callable[[RunState], None] = lambda state: None


class Execution:
    """One process that carries a run out."""

    def __init__(
        self, journal: Journal, repository: RunRepository, dispatcher: Dispatcher,
        backend: LaneWorkers, terms: ExecutionTerms, watcher: RunWatcher, advisor: Advisor,
    ) -> None:  # fmt: skip
        self._journal, self._repository, self._dispatcher = journal, repository, dispatcher
        self._backend, self._terms, self._watcher = backend, terms, watcher
        self._lanes = {lane.task: lane for lane in dispatcher.plan.lanes}
        self._active: dict[str, asyncio.Task[None]] = {}
        self._merging: asyncio.Task[None] | None = None
        self._slots = asyncio.Semaphore(terms.jobs)
        self._ended = asyncio.Event()
        self._turns = Turns()
        self._queued: asyncio.Event | None = None
        self._began = time.monotonic()
        self._hands_out = terms.hands_out
        self._handed: list[LaneJob] = []
        self._integration = Integration(journal, repository, dispatcher, terms.checks)
        self._judging = Judging(
            journal, repository, dispatcher, self._integration, advisor, terms.tries,
            terms.metered, self._turns,
        )  # fmt: skip

    @property
    def state(self) -> RunState:
        """As the journal has it."""
        return self._journal.state

    async def run(self) -> ExecutionReport:
        """Until nothing is left that can be done here."""
        try:
            await self._recover()
            if await self._red_from_the_start():
                return report_of(self.state)._replace(status="undecided")
            await self._loop()
            await self._integration.settle()
            self._watcher.changed(self.state)
            if self._handed:
                place = write_plan(self._dispatcher.folder.run(self.state.run), self._handed)
                said = f"{len(self._handed)} lanes are handed out: start their agents by {place}, then run it again"
                self._journal.add("note", reason=said)
        except (InfrastructureError, OSError) as wrong:
            await self._abandon()
            said = control.end_words(self.state, wrong)
            with contextlib.suppress(
                GuildmootError, OSError
            ):  # where nothing can be written any more
                self._journal.add("note", reason=said)
            report = report_of(self.state, said)
            return report._replace(notes=tuple(dict.fromkeys((*report.notes, said))))
        except BaseException:  # an interrupt: nothing keeps running, and the attempts do not count
            await self._abandon()
            raise
        report = report_of(self.state)
        if self._integration.astray:  # the branch holds commits of somebody else's
            report = report._replace(branch=kept_name(self.state.run))
            return report._replace(status="undecided") if report.status == "done" else report
        return report

    async def _red_from_the_start(self) -> bool:
        """Checks that fail before anything was done: a person says whether it begins all the same."""
        untouched = self.state.untouched
        found = await self._integration.baseline(self.state.base, again=untouched)
        red = bool(found.failing) and untouched and not self._terms.sure
        if red:
            self._note("", "nothing was begun: mend these checks, or begin all the same with --yes")
        return red

    async def _loop(self) -> None:
        while True:
            self._follow_person()
            self._start_anew()
            moves = next_moves(self.state)
            room = _AHEAD * self._terms.jobs - len(self._active)
            for task in [each for each in moves.start if each not in self._active][: max(room, 0)]:
                before, self._queued = self._queued, asyncio.Event()
                at_once = len(self._active) < self._terms.jobs
                work = self._lane(self._lanes[task], before, self._queued, at_once)
                self._active[task] = asyncio.create_task(work)
            if moves.merge and self._merging is None:
                due = self.state.lane(moves.merge)
                self._merging = asyncio.create_task(self._integration.merge(due))
            waiting = {*self._active.values(), *filter(None, (self._merging,))}
            if not waiting and (moves.over or (self._hands_out and not moves.start)):
                return
            self._watcher.changed(self.state)
            if waiting:
                await asyncio.wait(waiting, timeout=TICK, return_when=asyncio.FIRST_COMPLETED)
            self._collect()

    def _start_anew(self) -> None:
        """What was built on work that was sent back since is ended, or taken back before it is merged."""
        for task in outdated(self.state):
            lane = self.state.lane(task)
            if task in self._active:
                self._active[task].cancel()
            elif lane.status == "handed-over" and self._merging is None:
                reason = "a lane that it was built on was done anew"
                place = self._dispatcher.place(task, lane.attempt)
                own = self._repository.between(lane.base, lane.commit)
                sides = f"## What {task} changed\n\n```diff\n{own}```\n"
                write_durable(place / DIFFERENCE, checking.unmerged_text(reason, sides))
                self._journal.add("outdated", task, reason=reason)

    def _collect(self) -> None:
        """Forget what ended; what failed for reasons of the machine ends the run."""
        for task, work in list(self._active.items()):
            if not work.done():
                continue
            del self._active[task]
            if not work.cancelled():
                work.result()
            elif self.state.lane(task).status == "running":
                self._cut_short(self.state.lane(task), "it was stopped")
        if self._merging and self._merging.done():
            ended, self._merging = self._merging, None
            ended.result()

    async def _abandon(self) -> None:
        """End all that is at work; these attempts did not count."""
        for work in (*self._active.values(), *filter(None, (self._merging,))):
            work.cancel()
        await asyncio.gather(*self._active.values(), return_exceptions=True)
        if self._merging:
            await asyncio.gather(self._merging, return_exceptions=True)
        with contextlib.suppress(GuildmootError, OSError):  # the next call points the branch
            await self._integration.settle()
        await self._backend.teardown()
        for lane in self.state.lanes:
            if lane.status == "running":
                with contextlib.suppress(GuildmootError, OSError):  # a full disk: the fold knows
                    self._cut_short(lane, "it was cut short")
        self._active, self._merging = {}, None

    def _cut_short(self, lane: LaneState, reason: str) -> None:
        """The attempt does not count; what it may have taken does, where that would have been told."""
        taken = {"tokens": lane.held_tokens, "usd": lane.held_usd} if self._terms.metered else {}
        self._journal.add("interrupted", lane.task, reason=reason, **taken)

    # What was left when the scheduler died.

    async def _recover(self) -> None:
        """Lanes that were at work: one that left a receipt is judged, another is started again."""
        for state in self.state.lanes:
            if state.status != "running":
                continue
            lane = self._lanes[state.task]
            if state.by == "person":
                await self._judging.hand_in(lane)
                continue
            job = recorded_job(self._dispatcher, lane, state.attempt)
            if job and checking.find_receipt(job, self._dispatcher.folder.root)[2]:
                with contextlib.suppress(InfrastructureError):
                    settled = await self._judging.judge(
                        lane, job, AttemptEnd("ended", 0), recovered=not self._hands_out
                    )
                    if settled:
                        continue
            if job and self._hands_out:
                root = self._dispatcher.folder.root
                if stray := checking.stray_receipt(job, root, state.receipt):
                    self._journal.note_once(stray, lane.task)
                continue  # the host's agent is at work, or never was: 'guild lane retry' starts it anew
            self._cut_short(self.state.lane(state.task), "the scheduler was killed")
        await self._integration.settle()

    # One lane.

    async def _lane(
        self, lane: Lane, before: asyncio.Event | None, queued: asyncio.Event, at_once: bool
    ) -> None:
        """One attempt, from its worktree to what became of its receipt; lanes queue up in the order of the plan."""
        state = self.state.lane(lane.task)
        if state.again and is_due(self.state, lane.task, state.on):
            queued.set()
            await self._judging.judge_again(lane)
            return
        try:
            job, base, on = await self._prepare(lane, state, at_once)
            if before:
                await before.wait()
        except UndecidedError as wrong:
            self._journal.add("blocked", lane.task, reason=wrong.message)
            return
        finally:
            queued.set()
        if not job:
            return
        if state.tries and self._terms.backoff:
            await asyncio.sleep(self._terms.backoff * 2 ** (state.tries - 1))
        async with self._slots:
            if not is_due(self.state, lane.task, on):
                return
            budget = self._budget(job)
            if why := self._terms.withdrawn():
                control.pause_before(self._journal, lane.task, why)
                return
            if not await self._fits(lane, budget) or not is_due(self.state, lane.task, on):
                return
            attempt = Attempt(self._backend, job, self._terms.silence)
            with self._turns.first():
                put_aside(self._dispatcher.folder, self.state.run)
                self._journal.add(
                    "dispatched", lane.task, base=base, on=list(on), tier=job.tier,
                    held_tokens=budget.tokens, held_usd=budget.usd or 0.0,
                )  # fmt: skip
                if self._hands_out:
                    self._handed.append(job)
                    return
                handle = await attempt.start()
            said = {"prompt_excerpt": lane.scope[:200], "tier": job.tier}
            trace(self._dispatcher, self._journal, "specialist_dispatch", lane, **said)
            end = await attempt.run(handle, lambda said: self._note(lane.task, said))
            self._ended.set()
        async with self._turns.behind():
            await asyncio.to_thread(self._keep_output, job, end.output)
        await self._judging.judge(lane, job, end)

    def _budget(self, job: LaneJob) -> LaneBudget:
        """What is set aside for an attempt; the money of a command is its own affair."""
        seconds = 60.0 * estimate(job.tier).minutes
        usd = job.max_usd if self._terms.metered else 0.0
        return LaneBudget(job.max_tokens, usd, seconds, job.model)

    async def _fits(self, lane: Lane, budget: LaneBudget) -> bool:
        """Whether it can be set aside, once those at work have told what they took; else a person decides."""
        while why := shortfall(
            self.state, budget, self._terms.limits, time.monotonic() - self._began
        ):
            at_work = any(each.held_tokens for each in self.state.lanes)
            if not at_work or self.state.paused or self.state.stopped:
                break
            self._ended.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(TICK):
                    await self._ended.wait()
        if why:
            control.pause_before(self._journal, lane.task, why)
        return not why

    def _keep_output(self, job: LaneJob, output: str) -> None:
        """What a worker printed, for people: not forced to the disk, for nothing follows from it."""
        log = job.bundle.parent / "output.log"
        text = self._journal.scrubber.text(output or "\n", log.name).text
        put_in_place(log, text.encode("utf-8", "surrogatepass"))

    async def _prepare(
        self, lane: Lane, state: LaneState, at_once: bool
    ) -> tuple[LaneJob | None, str, tuple[str, ...]]:
        """A worktree at the right commit, and the record of the dispatch; with the commits that it is built on."""
        kept = (
            state.base
            and is_due(self.state, lane.task, state.on)
            and (
                state.by in ("person", "given back")
                or (state.by in ("receipt", "advisor") and state.sent_back)
            )
        )
        async with self._turns.making(at_once=at_once):
            base, on = (state.base, state.on) if kept else await self._base(lane, state)
            if not base:
                return None, "", ()
            place = self._repository.folder(lane.task)
            if place.exists() and not is_made(place):
                where = f"refs/guild/{self.state.run}/left/{lane.task}-{state.attempt}"
                said = f"a folder lay where its worktree goes; it is kept in {where}"
                self._journal.note_once(said, lane.task)
            if state.by == "person" and place.is_dir():  # whoever does it now may undo it
                await asyncio.to_thread(self._keep_person, lane.task, state.attempt)
            if not (kept and place.is_dir()):
                add = self._repository.add
                place = await asyncio.to_thread(add, lane.task, base, state.attempt)
        found = await self._integration.baseline(base)
        blamed = [each for each in found.failing if each not in self.state.red]
        if blamed and on and not state.unjoined:  # whose fault it is comes out when they are merged
            self._note(
                lane.task,
                f"`{blamed[0]}` fails on what it builds on: it starts once that is merged",
            )
            self._journal.add("unjoined", lane.task)
            return None, "", ()
        job = await asyncio.to_thread(self._dispatcher.prepare, lane, state, place, found)
        await asyncio.to_thread(checking.put_receipt_aside, job)
        return job, base, on

    def _keep_person(self, task: str, attempt: int) -> None:
        """What a person did in a worktree that they give back."""
        if self._repository.keep_aside(task, f"{attempt}-person"):
            where = f"refs/guild/{self.state.run}/left/{task}-{attempt}-person"
            self._journal.note_once(f"what you did in its worktree is kept in {where}", task)

    async def _base(self, lane: Lane, state: LaneState) -> tuple[str, tuple[str, ...]]:
        if state.by in ("merge", "review") or state.unjoined:
            return self.state.tip, ()
        parts = base_parts(self.state, lane.task)
        base = await asyncio.to_thread(self._repository.joined, self.state.base, parts)
        if not base:
            said = "the lanes that it builds on conflict: it starts once they are merged"
            self._note(lane.task, said)
            self._journal.add("unjoined", lane.task)
        return base, parts

    def _note(self, task: str, said: str) -> None:
        self._journal.add("note", task, reason=said)

    # What a person asked for.

    def _follow_person(self) -> None:
        for number, asked in control.new_requests(self._dispatcher.folder, self.state):
            problem = control.follow(self._journal, asked, number)
            if problem:
                self._journal.add("note", asked.task, reason=problem)
            if asked.do == "hand-in" and not problem:
                hand_in = self._judging.hand_in(self._lanes[asked.task])
                self._active[asked.task] = asyncio.create_task(hand_in)
            if asked.do == "stop" or (asked.do in ("skip", "take-over", "retry") and not problem):
                for task, work in self._active.items():
                    if asked.do == "stop" or task == asked.task:
                        work.cancel()
