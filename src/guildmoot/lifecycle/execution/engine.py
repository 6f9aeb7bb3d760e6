"""Carries a run out: does what ``schedule`` says, writes each step down, and goes on where it was killed.

It needs no event to go on: every round starts from the journal's state and from what a person asked for meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import NamedTuple

from guildmoot.errors import GuildmootError, InfrastructureError, UndecidedError
from guildmoot.guard.scrub import write_durable
from guildmoot.guard.telemetry import CALLS, append_log
from guildmoot.lifecycle.execution import checking, control
from guildmoot.lifecycle.execution.attempt import Attempt, AttemptEnd
from guildmoot.lifecycle.execution.dispatch import DIFFERENCE, Dispatcher, recorded_job
from guildmoot.lifecycle.execution.finish import put_aside
from guildmoot.lifecycle.execution.integration import Integration
from guildmoot.lifecycle.execution.journal import Journal, now
from guildmoot.lifecycle.execution.lane_folder import refused_pushes
from guildmoot.lifecycle.execution.merging import run_command
from guildmoot.lifecycle.execution.person import person_receipt, with_places
from guildmoot.lifecycle.execution.schedule import base_parts, next_moves, report_of
from guildmoot.lifecycle.execution.values import MOST_RETURNS, ExecutionReport, LaneState, RunState
from guildmoot.lifecycle.execution.workers.base import LaneJob, LaneWorkers
from guildmoot.lifecycle.execution.workers.host import write_plan
from guildmoot.lifecycle.execution.worktrees import RunRepository
from guildmoot.lifecycle.plan import Lane
from guildmoot.text.clean import clean, one_line

TICK = 0.5
"""Seconds between two looks at what a person asked for."""
_AHEAD = 2
"""Worktrees are made for so many times the lanes that run at once, so that no slot waits for one."""
_MAKING = 4
"""Worktrees that are made at once."""


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
    hands_out: bool = False
    """Lanes are written to a dispatch plan for the agents of a host; the next call collects their receipts."""


class RunWatcher(NamedTuple):
    """Who looks on; called after every change and about twice a second."""

    changed: Callable[[RunState], None] = lambda state: None


class Execution:
    """One process that carries a run out."""

    def __init__(
        self, journal: Journal, repository: RunRepository, dispatcher: Dispatcher,
        backend: LaneWorkers, terms: ExecutionTerms, watcher: RunWatcher,
    ) -> None:  # fmt: skip
        self._journal, self._repository, self._dispatcher = journal, repository, dispatcher
        self._backend, self._terms, self._watcher = backend, terms, watcher
        self._lanes = {lane.task: lane for lane in dispatcher.plan.lanes}
        self._active: dict[str, asyncio.Task[None]] = {}
        self._merging: asyncio.Task[None] | None = None
        self._slots = asyncio.Semaphore(terms.jobs)
        self._queued: asyncio.Event | None = None
        self._hands_out = terms.hands_out
        self._handed: list[LaneJob] = []
        self._making = asyncio.Semaphore(_MAKING)
        self._integration = Integration(journal, repository, dispatcher, terms.checks)

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
            if self._handed:
                place = write_plan(self._dispatcher.folder.run(self.state.run), self._handed)
                said = f"{len(self._handed)} lanes are handed out: start their agents by {place}, then run it again"
                self._journal.add("note", reason=said)
        except InfrastructureError as wrong:
            await self._abandon()
            hint = f" {wrong.hint}" if wrong.hint else ""
            self._journal.add("note", reason=f"{wrong.message}.{hint}")
            return report_of(self.state, wrong.message)
        except BaseException:  # an interrupt: nothing keeps running, and the attempts do not count
            await self._abandon()
            raise
        report = report_of(self.state)
        astray = self._integration.astray and report.status == "done"
        return report._replace(status="undecided") if astray else report

    async def _red_from_the_start(self) -> bool:
        """Checks that fail before anything was done: a person says whether it begins all the same."""
        untouched = self.state.untouched
        found = await self._integration.baseline(self.state.base, again=untouched)
        return bool(found.failing) and untouched and not self._terms.sure

    async def _loop(self) -> None:
        while True:
            self._follow_person()
            moves = next_moves(self.state)
            room = _AHEAD * self._terms.jobs - len(self._active)
            for task in [each for each in moves.start if each not in self._active][: max(room, 0)]:
                before, self._queued = self._queued, asyncio.Event()
                work = self._lane(self._lanes[task], before, self._queued)
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

    def _collect(self) -> None:
        """Forget what ended; what failed for reasons of the machine ends the run."""
        for task, work in list(self._active.items()):
            if not work.done():
                continue
            del self._active[task]
            if not work.cancelled():
                work.result()
            elif self.state.lane(task).status == "running":
                self._journal.add("interrupted", task, reason="it was stopped")
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
                    self._journal.add("interrupted", lane.task, reason="it was cut short")
        self._active, self._merging = {}, None

    # What was left when the scheduler died.

    async def _recover(self) -> None:
        """Lanes that were at work: one that left a receipt is judged, another is started again."""
        for state in self.state.lanes:
            if state.status != "running":
                continue
            lane = self._lanes[state.task]
            if state.by == "person":
                await self._hand_in(lane)
                continue
            job = recorded_job(self._dispatcher, lane, state.attempt)
            if job and checking.find_receipt(job, self._dispatcher.folder.root)[2]:
                with contextlib.suppress(InfrastructureError):
                    settled = await self._judge(
                        lane, job, AttemptEnd("ended", 0), recovered=not self._hands_out
                    )
                    if settled:
                        continue
            if job and self._hands_out:
                continue  # the host's agent is at work, or never was: 'guild lane retry' starts it anew
            self._journal.add("interrupted", state.task, reason="the scheduler was killed")
        await self._integration.settle()

    async def _hand_in(self, lane: Lane) -> None:
        """What a person did in the worktree is judged as any other work; what is wrong with it is theirs to mend."""
        state = self.state.lane(lane.task)
        job = recorded_job(self._dispatcher, lane, state.attempt)
        if not job or not job.folder.is_dir():
            why = "its worktree is gone: guild lane retry makes a new one"
            self._journal.add("blocked", lane.task, reason=why, by="person")
            return
        if not checking.find_receipt(job, self._dispatcher.folder.root)[2]:
            diff = await asyncio.to_thread(self._repository.diff, lane.task, state.base)
            text = person_receipt(lane, diff, state.tier or lane.tier, state.reason)
            write_durable(job.receipt, text, self._journal.scrubber)
        await self._judge(lane, job, AttemptEnd("ended", 0))

    # One lane.

    async def _lane(self, lane: Lane, before: asyncio.Event | None, queued: asyncio.Event) -> None:
        """One attempt, from its worktree to what became of its receipt; lanes queue up in the order of the plan."""
        state = self.state.lane(lane.task)
        try:
            job, base = await self._prepare(lane, state)
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
            if self.state.paused or self.state.stopped:
                return
            put_aside(self._dispatcher.folder, self.state.run)
            self._journal.add("dispatched", lane.task, base=base, tier=job.tier)
            self._trace("specialist_dispatch", lane, prompt_excerpt=lane.scope[:200], tier=job.tier)
            if self._hands_out:
                self._handed.append(job)
                return
            attempt = Attempt(self._backend, job, self._terms.silence)
            end = await attempt.run(lambda said: self._note(lane.task, said))
        log = job.bundle.parent / "output.log"
        await asyncio.to_thread(write_durable, log, end.output or "\n", self._journal.scrubber)
        await self._judge(lane, job, end)

    def _trace(self, event: str, lane: Lane, **fields: object) -> None:
        """The run's log, which never stops the work."""
        row = {"ts": now(), "event": event, "run_id": self.state.run, "lane_id": lane.task,
               "specialist": lane.owner, "task_id": lane.task, **fields}  # fmt: skip
        place = self._dispatcher.folder.run(self.state.run)
        scrubber = self._journal.scrubber
        asyncio.get_running_loop().run_in_executor(None, append_log, place, CALLS, [row], scrubber)

    async def _prepare(self, lane: Lane, state: LaneState) -> tuple[LaneJob | None, str]:
        """A worktree at the right commit, and the record of the dispatch."""
        kept = state.base and (
            state.by == "person" or (state.by in ("receipt", "advisor") and state.sent_back)
        )
        async with self._making:
            base = state.base if kept else await self._base(lane, state)
            if not base:
                return None, ""
            place = self._repository.folder(lane.task)
            if not (kept and place.is_dir()):
                place = await asyncio.to_thread(
                    self._repository.add, lane.task, base, state.attempt
                )
        found = await self._integration.baseline(base)
        job = await asyncio.to_thread(self._dispatcher.prepare, lane, state, place, found)
        return job, base

    async def _base(self, lane: Lane, state: LaneState) -> str:
        if state.by in ("merge", "review") or state.unjoined:
            return self.state.tip
        parts = base_parts(self.state, lane.task)
        base = await asyncio.to_thread(self._repository.joined, self.state.base, parts)
        if not base:
            said = "the lanes that it builds on conflict: it starts once they are merged"
            self._note(lane.task, said)
            self._journal.add("unjoined", lane.task)
        return base

    def _note(self, task: str, said: str) -> None:
        self._journal.add("note", task, reason=said)

    async def _judge(
        self, lane: Lane, job: LaneJob, end: AttemptEnd, *, recovered: bool = False
    ) -> bool:
        """What becomes of an attempt that ended; whether it is settled."""
        if end.infrastructure:
            raise InfrastructureError(f"{lane.task}: {end.problem}", "Mend it, then run it again.")
        if end.problem or end.exit_code:
            why = end.problem or f"the worker ended with exit code {end.exit_code}"
            self._fail(lane, f"{why}{_tail(end.output)}")
            return True
        if not self._repository.folder(lane.task).is_dir():
            self._fail(lane, "its worktree is gone: the worker took it away")
            return True
        base = self.state.lane(lane.task).base
        text, problem, _ = checking.find_receipt(job, self._dispatcher.folder.root)
        diff = await asyncio.to_thread(self._repository.diff, lane.task, base)
        if self.state.lane(lane.task).by in ("merge", "review"):
            began, tip = self.state.base, self.state.tip
            diff = await asyncio.to_thread(
                self._repository.with_earlier, lane.task, diff, began, tip
            )
        rewritten = await asyncio.to_thread(self._repository.rewrote_history, lane.task, base)
        for place in refused_pushes(job.receipt):
            self._note(lane.task, f"a push was refused: {place}")
        if problem:
            told = (f"{problem}: write it to the path in GUILD_RECEIPT",)
            judged = checking.JudgedReceipt("returned", told)
        else:
            allowed = self.state.lane(lane.task).allowed
            facts = checking.ReceiptFacts(with_places(lane, allowed), diff, rewritten, allowed)
            judged = checking.judge_receipt(text, facts)
        if judged.verdict == "accepted":
            wrong = [
                each for command in judged.commands
                if (each := checking.failed_command(command, *await run_command(command, self._repository, lane.task)))
            ]  # fmt: skip
            if wrong:
                judged = judged._replace(verdict="returned", differences=tuple(wrong))
        if recovered and judged.verdict == "returned":
            return False
        for note in judged.notes:
            self._note(lane.task, note)
        if judged.verdict == "accepted":
            await self._accept(lane, job, text, diff.tree, base, judged)
            self._integration.forecast(lane.task, frozenset(diff.changed))
        elif judged.verdict == "blocked" or self.state.lane(lane.task).by == "person":
            self._journal.add("blocked", lane.task, reason=_sentence(judged.differences))
        else:
            self._send_back(lane, judged.differences, "receipt")
        return True

    async def _accept(
        self, lane: Lane, job: LaneJob, text: str, tree: str, base: str,
        judged: checking.JudgedReceipt,
    ) -> None:  # fmt: skip
        subject = f"[{lane.task}] {one_line(clean(judged.summary))[:160]}"
        commit = await asyncio.to_thread(self._repository.commit, lane.task, tree, base, subject)
        digest = await asyncio.to_thread(
            checking.keep_receipt, self._dispatcher.folder, job, text, self._journal.scrubber
        )
        self._journal.add(
            "accepted", lane.task, commit=commit, receipt=digest, commands=list(judged.commands)
        )
        place = f"handoffs/{lane.owner}-{lane.task}.md"
        self._trace("specialist_receipt", lane, receipt_path=place)

    def _send_back(self, lane: Lane, differences: tuple[str, ...], by: str) -> None:
        """Once with the exact difference; the second time it has failed."""
        state = self.state.lane(lane.task)
        place = self._dispatcher.place(lane.task, state.attempt)
        write_durable(place / DIFFERENCE, checking.difference_text(differences))
        if state.returned >= MOST_RETURNS or (state.returned and state.by == by):
            self._journal.add("failed", lane.task, reason=_sentence(differences))
        else:
            self._journal.add("returned", lane.task, reason=_sentence(differences), by=by)

    def _fail(self, lane: Lane, why: str) -> None:
        """Tried again as often as the policy says."""
        state = self.state.lane(lane.task)
        if state.tries + 1 < self._terms.tries:
            self._journal.add("retried", lane.task, reason=why, by="worker")
        else:
            self._journal.add("failed", lane.task, reason=why)

    # What a person asked for.

    def _follow_person(self) -> None:
        for number, asked in control.new_requests(self._dispatcher.folder, self.state):
            problem = control.follow(self._journal, asked, number)
            if problem:
                self._journal.add("note", asked.task, reason=problem)
            if asked.do == "hand-in" and not problem:
                work = self._hand_in(self._lanes[asked.task])
                self._active[asked.task] = asyncio.create_task(work)
            if asked.do == "stop" or (asked.do in ("skip", "take-over", "retry") and not problem):
                for task, work in self._active.items():
                    if asked.do == "stop" or task == asked.task:
                        work.cancel()


def _sentence(differences: tuple[str, ...]) -> str:
    more = f" (and {len(differences) - 1} more)" if len(differences) > 1 else ""
    return f"{differences[0]}{more}" if differences else ""


def _tail(output: str) -> str:
    line = one_line(clean(output.rstrip().rpartition("\n")[2]))[-200:]
    return f": {line}" if line else ""
