"""What becomes of an attempt that ended: its receipt is accepted, sent back, or left to a person."""

from __future__ import annotations

import asyncio

from guildmoot.errors import InfrastructureError
from guildmoot.guard.scrub import write_durable
from guildmoot.guard.telemetry import CALLS, append_log
from guildmoot.lifecycle.execution import checking
from guildmoot.lifecycle.execution.advisor import EXHAUSTED, AdviceTrigger, Advisor, advice_text
from guildmoot.lifecycle.execution.attempt import AttemptEnd
from guildmoot.lifecycle.execution.budgets import all_tokens, told_usage
from guildmoot.lifecycle.execution.control import pause_before
from guildmoot.lifecycle.execution.dispatch import DIFFERENCE, Dispatcher, recorded_job
from guildmoot.lifecycle.execution.finish import assumptions_of
from guildmoot.lifecycle.execution.integration import Integration
from guildmoot.lifecycle.execution.journal import Journal, now
from guildmoot.lifecycle.execution.lane_folder import refused_pushes
from guildmoot.lifecycle.execution.merging import run_command
from guildmoot.lifecycle.execution.person import person_receipt, with_places
from guildmoot.lifecycle.execution.turns import Turns
from guildmoot.lifecycle.execution.values import MOST_RETURNS, RunState
from guildmoot.lifecycle.execution.workers.base import LaneJob
from guildmoot.lifecycle.execution.worktrees import LaneDiff, RunRepository
from guildmoot.lifecycle.plan import Lane
from guildmoot.lifecycle.proof.asked import criteria_of
from guildmoot.lifecycle.proof.leaks import Leak, added_leaks
from guildmoot.lifecycle.proof.packages import PackageChange
from guildmoot.lifecycle.proof.weakening.rule import Weakened
from guildmoot.lifecycle.proof.weakening.sides import changed_packages, weakened_by
from guildmoot.model.call import Usage
from guildmoot.text.clean import clean, one_line

BY_WORKER = "by-worker.md"
"""The receipt of a worker whose lane a person handed in: it says nothing of what the person did."""
_GONE = "its worktree is gone: guild lane retry makes a new one"


class Judging:
    """Judges what lanes hand over."""

    def __init__(
        self, journal: Journal, repository: RunRepository, dispatcher: Dispatcher,
        integration: Integration, advisor: Advisor, tries: int, metered: bool,
        turns: Turns,
    ) -> None:  # fmt: skip
        self._metered, self._turns = metered, turns
        self._journal, self._repository, self._dispatcher = journal, repository, dispatcher
        self._integration, self._advisor, self._tries = integration, advisor, tries
        self._criteria = criteria_of(dispatcher.folder.root, dispatcher.run)

    @property
    def _state(self) -> RunState:
        return self._journal.state

    def _note(self, task: str, said: str) -> None:
        self._journal.add("note", task, reason=said)

    async def judge(
        self, lane: Lane, job: LaneJob, end: AttemptEnd, *, recovered: bool = False
    ) -> bool:
        """What becomes of an attempt that ended; whether it is settled."""
        for note in end.notes:
            self._note(lane.task, note)
        root = self._dispatcher.folder.root
        text, problem, _ = checking.find_receipt(job, root)
        checking.mask_inbox(job, root, self._journal.scrubber)
        self._settle(lane, end.usage, told_usage(text), recovered=recovered)
        if end.over:
            await self._over_budget(lane, job, end.problem)
            return True
        if end.unpaid:  # nobody was asked, and it took nothing
            self._journal.add("interrupted", lane.task, reason=end.problem)
            pause_before(self._journal, lane.task, end.problem)
            return True
        if end.infrastructure:  # nothing was done, or what was done waits: the next call takes it
            self._journal.add("interrupted", lane.task, reason=end.problem)
            raise InfrastructureError(f"{lane.task}: {end.problem}", "Mend it, then run it again.")
        if end.problem or end.exit_code:
            why = end.problem or f"the worker ended with exit code {end.exit_code}"
            self._fail(lane, f"{why}{_tail(end.output)}")
            return True
        if not self._repository.folder(lane.task).is_dir():
            self._fail(lane, "its worktree is gone: the worker took it away")
            return True
        base = self._state.lane(lane.task).base
        async with self._turns.behind():
            diff = await asyncio.to_thread(self._repository.diff, lane.task, base)
        if self._state.lane(lane.task).by in ("merge", "review"):
            began, tip = self._state.base, self._state.tip
            diff = await asyncio.to_thread(
                self._repository.with_earlier, lane.task, diff, began, tip
            )
        rewritten = await asyncio.to_thread(self._repository.rewrote_history, lane.task, base)
        for place in refused_pushes(job.receipt):
            self._journal.note_once(f"a push was refused: {place}", lane.task)
        if problem:
            told = (
                f"{problem}: write it to the path in GUILD_RECEIPT, or to {job.inner_receipt} here",
            )
            judged = checking.JudgedReceipt("returned", told)
        else:
            allowed = self._state.lane(lane.task).allowed
            weaker, packages, leaks = await asyncio.to_thread(self._compared, lane, diff, base)
            facts = checking.ReceiptFacts(
                with_places(lane, allowed),
                diff,
                rewritten,
                allowed,
                self._criteria,
                weaker,
                packages,
                leaks,
            )
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
        again = self._state.lane(lane.task).again
        asks = not again and judged.verdict != "returned"
        trigger = self._advisor.trigger(text) if asks else None
        if trigger and await self._advise(lane, text, trigger):
            return True
        for note in judged.notes:
            self._journal.note_once(note, lane.task)
        if judged.verdict == "accepted":
            async with self._turns.behind():
                await self._accept(lane, job, text, diff.tree, base, judged)
            self._integration.forecast(lane.task, frozenset(diff.changed))
        elif judged.verdict == "blocked" or again or self._state.lane(lane.task).by == "person":
            self._journal.add(
                "blocked", lane.task, reason=_sentence(judged.differences), asks=list(judged.asks)
            )
        else:
            self._send_back(lane, judged.differences, "receipt", judged.asks)
        return True

    async def judge_again(self, lane: Lane) -> None:
        """What was handed over before, now that a person allowed what it asked for: no worker does it anew."""
        job = recorded_job(self._dispatcher, lane, self._state.lane(lane.task).attempt)
        if job and job.folder.is_dir():
            await self.judge(lane, job, AttemptEnd("ended", 0))
        else:
            self._journal.add("blocked", lane.task, reason=_GONE)

    def _compared(
        self, lane: Lane, diff: LaneDiff, base: str
    ) -> tuple[tuple[Weakened, ...], dict[str, PackageChange], tuple[Leak, ...]]:
        """What both sides of the lane's files show: weaker tests, other packages, new secrets."""
        if diff.refused:
            return (), {}, ()
        root, change = self._repository.root, (base, diff.tree)
        weaker = weakened_by(root, change, diff.changed, lane, self._criteria)
        packages = changed_packages(root, change, diff.changed)
        return weaker, packages, added_leaks(root, change, diff.changed)

    def _settle(
        self, lane: Lane, seen: Usage | None, told: Usage | None, *, recovered: bool
    ) -> None:
        """Count what an attempt took, once: as it was seen, else as its receipt tells.

        Of one that nobody saw end, all that was set aside where that is known.
        """
        held, usage = self._state.lane(lane.task), seen or told
        if not held.held_tokens:
            return
        if usage:
            tokens = all_tokens(usage)
            usd = usage.cost_usd or 0.0
            self._journal.add("spent", lane.task, tokens=tokens, usd=usd, told=seen is None)
            if tokens > held.held_tokens:
                self._note(lane.task, f"it took {tokens} tokens; {held.held_tokens} were set aside")
        elif recovered and self._metered:
            self._journal.add("spent", lane.task, tokens=held.held_tokens, usd=held.held_usd)

    async def _over_budget(self, lane: Lane, job: LaneJob, why: str) -> None:
        """What it did so far is kept; whether it gets more is a person's to say."""
        kept = await asyncio.to_thread(self._repository.keep_aside, lane.task, job.attempt)
        where = f"refs/guild/{job.run}/left/{lane.task}-{job.attempt}" if kept else "nowhere"
        reason = f"budget: {why}; what it did is kept in {where}"
        self._journal.add("blocked", lane.task, reason=reason)

    async def _advise(self, lane: Lane, receipt: str, trigger: AdviceTrigger) -> bool:
        """Whether the advisor answered, and the lane goes on with that."""
        state = self._state.lane(lane.task)
        if state.by == "person":
            return False
        if state.advised >= self._advisor.rounds:
            self._note(lane.task, EXHAUSTED)
            return False
        said = await self._advisor.ask(lane.task, lane.text, receipt, trigger, state.advised + 1)
        if said.problem:
            self._note(lane.task, f"the advisor did not answer: {said.problem}")
            return False
        place = self._dispatcher.place(lane.task, state.attempt)
        write_durable(place / DIFFERENCE, advice_text(said.text), self._journal.scrubber)
        self._note(lane.task, f"asked the advisor ({trigger.kind}), and goes on with its answer")
        self._journal.add(
            "advised", lane.task, reason=one_line(clean(said.text))[:400], by="advisor"
        )
        return True

    async def _accept(
        self, lane: Lane, job: LaneJob, text: str, tree: str, base: str,
        judged: checking.JudgedReceipt,
    ) -> None:  # fmt: skip
        summary = self._journal.scrubber.text(one_line(clean(judged.summary))).text
        subject = f"[{lane.task}] {summary[:160]}"
        commit = await asyncio.to_thread(self._repository.commit, lane.task, tree, base, subject)
        digest = await asyncio.to_thread(
            checking.keep_receipt, self._dispatcher.folder, job, text, self._journal.scrubber
        )
        self._journal.add(
            "accepted", lane.task, commit=commit, receipt=digest, commands=list(judged.commands)
        )
        if said := one_line(clean(assumptions_of(text))):
            self._journal.note_once(f"it assumed: {said[:400]}", lane.task)
        place = f"handoffs/{lane.owner}-{lane.task}.md"
        trace(self._dispatcher, self._journal, "specialist_receipt", lane, receipt_path=place)

    def _send_back(
        self, lane: Lane, differences: tuple[str, ...], by: str, asks: tuple[str, ...]
    ) -> None:
        """Once with the exact difference; the second time it has failed."""
        state = self._state.lane(lane.task)
        place = self._dispatcher.place(lane.task, state.attempt)
        write_durable(place / DIFFERENCE, checking.difference_text(differences))
        if state.returned >= MOST_RETURNS or (state.returned and state.by == by):
            said = _sentence(differences)
            self._journal.add("failed", lane.task, reason=said, asks=list(asks))
        else:
            self._journal.add("returned", lane.task, reason=_sentence(differences), by=by)

    def _fail(self, lane: Lane, why: str) -> None:
        """Tried again as often as the policy says."""
        state = self._state.lane(lane.task)
        if state.tries + 1 < self._tries:
            self._journal.add("retried", lane.task, reason=why, by="worker")
        else:
            self._journal.add("failed", lane.task, reason=why)

    async def hand_in(self, lane: Lane) -> None:
        """What a person did in the worktree is judged as any other work; what is wrong with it is theirs to mend."""
        state = self._state.lane(lane.task)
        job = recorded_job(self._dispatcher, lane, state.attempt)
        if not job or not job.folder.is_dir():
            self._journal.add("blocked", lane.task, reason=_GONE, by="person")
            return
        aside = job.bundle.parent / BY_WORKER
        if not aside.exists():  # handed in once more, what lies there is the person's
            found, _, _ = checking.find_receipt(job, self._dispatcher.folder.root)
            write_durable(aside, found, self._journal.scrubber)
        diff = await asyncio.to_thread(self._repository.diff, lane.task, state.base)
        text = person_receipt(lane, diff, state.tier or lane.tier, state.reason)
        write_durable(job.receipt, text, self._journal.scrubber)
        await self.judge(lane, job, AttemptEnd("ended", 0))


def trace(
    dispatcher: Dispatcher, journal: Journal, event: str, lane: Lane, **fields: object
) -> None:
    """A row of the run's log, which never stops the work."""
    row = {"ts": now(), "event": event, "run_id": dispatcher.run, "lane_id": lane.task,
           "specialist": lane.owner, "task_id": lane.task, **fields}  # fmt: skip
    place = dispatcher.folder.run(dispatcher.run)
    loop = asyncio.get_running_loop()
    loop.run_in_executor(None, append_log, place, CALLS, [row], journal.scrubber)


def _sentence(differences: tuple[str, ...]) -> str:
    more = f" (and {len(differences) - 1} more)" if len(differences) > 1 else ""
    return f"{differences[0]}{more}" if differences else ""


def _tail(output: str) -> str:
    line = one_line(clean(output.rstrip().rpartition("\n")[2]))[-200:]
    return f": {line}" if line else ""
