"""The run's branch: what its checks say before a lane starts, trial merges, merges, and conflicts told with both sides.

Merging waits for nobody who works: the branch of the user's repository and the removal of worktrees follow behind.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from guildmoot.guard.scrub import write_durable
from guildmoot.lifecycle.execution import checking
from guildmoot.lifecycle.execution.dispatch import DIFFERENCE, Dispatcher
from guildmoot.lifecycle.execution.journal import Journal
from guildmoot.lifecycle.execution.merging import conflict_text, failing_checks, merge_lane
from guildmoot.lifecycle.execution.objects.contested import UndoneChange, undone_changes
from guildmoot.lifecycle.execution.schedule import HANDED, base_parts, next_moves
from guildmoot.lifecycle.execution.values import MOST_RETURNS, BaseChecks, LaneState, RunState
from guildmoot.lifecycle.execution.worktrees import RunRepository
from guildmoot.system.files import read_text_inside

_SHOWN = 3
_MOST = 1_000_000
_LATER = 1.0
"""Seconds within which the run's branch follows its journal."""


class Integration:
    """Brings the lanes of a run together; one thing at a time in the worktree that it has for that."""

    def __init__(
        self, journal: Journal, repository: RunRepository, dispatcher: Dispatcher, checks: tuple[str, ...]
    ) -> None:  # fmt: skip
        self._journal, self._repository, self._dispatcher = journal, repository, dispatcher
        self._checks = checks
        self._tree = asyncio.Lock()
        self._files: dict[str, frozenset[str]] = {}
        self._behind: set[asyncio.Task[None]] = set()
        self._pointed = ""
        self._ending = asyncio.Event()
        self.astray = ""
        """Why the run's branch is not where the journal says; empty where it is."""

    @property
    def _state(self) -> RunState:
        return self._journal.state

    async def baseline(self, commit: str, *, again: bool = False) -> BaseChecks:
        """How the run's checks end on a commit before a lane starts from it; a commit is checked once.

        ``again`` tries once more what failed: somebody may have mended the machine.
        """
        async with self._tree:
            known = self._state.baseline(commit, self._checks)
            if known and not (again and known.failing):
                return known
            failing = await failing_checks(self._repository, commit, self._checks)
            self._journal.add(
                "baseline", commit=commit, checks=list(self._checks), failing=list(failing)
            )
            first = commit == self._state.base
            where = "before any lane" if first else "where a lane would start, its base joined"
            for reason in failing.values():
                self._note("", f"{where}, at {commit[:12]}: {reason}")
        return BaseChecks(commit, self._checks, tuple(failing))

    def forecast(self, task: str, files: frozenset[str]) -> None:
        """A trial merge of a lane that handed over with all that it does not hold, unless its turn is now."""
        self._files[task] = files
        if next_moves(self._state).merge != task:
            self._follow(self._try_merges(task))

    async def _try_merges(self, task: str) -> None:
        lane, held = self._state.lane(task), base_parts(self._state, task)
        for other in self._state.lanes:
            if other.task == task or other.status not in HANDED or other.commit in ("", *held):
                continue
            if not await self._changed(other) & self._files[task]:
                continue
            against = self._state.tip if other.status == "done" else other.commit
            paths = await asyncio.to_thread(self._repository.conflicts, lane.commit, against)
            if paths:
                self._note(
                    task, f"a trial merge with {other.task} conflicts in {', '.join(paths[:_SHOWN])}; the later"
                    " of the two is sent back with both diffs when its turn comes",
                )  # fmt: skip

    async def _changed(self, lane: LaneState) -> frozenset[str]:
        if lane.task not in self._files:
            found = await asyncio.to_thread(self._repository.changed, lane.base, lane.commit)
            self._files[lane.task] = found
        return self._files[lane.task]

    async def merge(self, lane: LaneState) -> None:
        """Merge a lane and run the checks; what cannot be joined goes back to the lane once, on top of the rest."""
        checks = tuple(dict.fromkeys((*self._checks, *lane.commands)))
        tip = self._state.tip
        async with self._tree:
            done = await merge_lane(
                self._repository, tip, lane.task, lane.commit, checks, self._state.red
            )
        if done.status == "merged":
            if lane.clash and not await self._both_hold(lane, done.tip):
                return
            if done.by_rerere:
                self._settle_conflict(
                    lane.task, "a conflict was resolved as one like it was before"
                )
            self._journal.add("merged", lane.task, tip=done.tip, passed=list(done.passed))
            if not any(each.get_name() == "point" for each in self._behind):
                self._follow(self._point_later(), "point")
            self._follow(asyncio.to_thread(self._remove, lane.task))
            return
        place = self._dispatcher.place(lane.task, lane.attempt)
        sides = await asyncio.to_thread(
            conflict_text, self._repository, (lane.base, tip), (lane.base, lane.commit), lane.task
        )
        if lane.returned >= MOST_RETURNS or (lane.returned and lane.by == "merge"):
            write_durable(place / "conflict.md", sides)
            event = "conflict" if done.status == "conflict" else "failed"
            self._journal.add(event, lane.task, reason=f"{done.reason}; {place / 'conflict.md'}")
            return
        write_durable(place / DIFFERENCE, checking.unmerged_text(done.reason, sides))
        clash = [lane.base, tip, lane.commit] if done.status == "conflict" else []
        self._journal.add("returned", lane.task, reason=done.reason, by="merge", clash=clash)
        if clash:
            self._note(lane.task, f"a conflict: {done.reason}; it is done again on top of the rest")

    async def _both_hold(self, lane: LaneState, result: str) -> bool:
        """Whether a lane that was done again after a conflict left standing what the run had there, or says why not.

        Where it did neither nothing is merged: both diffs are left to a person.
        """
        if lane.by == "person":
            self._settle_conflict(lane.task, "a conflict was solved by a person")
            return True
        folder = self._dispatcher.folder
        place = folder.run(self._state.run) / "handoffs" / f"{lane.owner}-{lane.task}.md"
        receipt, _ = read_text_inside(place, folder.root, _MOST)
        undone, named = await asyncio.to_thread(
            undone_changes, self._repository, lane.clash, (lane.base, lane.commit), result, receipt
        )
        if undone == UndoneChange():
            how = (
                f"{named} lines of the run's are gone or back, and its receipt says why"
                if named
                else "both sides hold"
            )
            self._settle_conflict(lane.task, f"a conflict was solved by doing it again: {how}")
            return True
        told = (
            ("what the run had is gone", undone.gone),
            ("what the run had taken away is back", undone.back),
        )
        reason = "after a conflict it was done again, and " + "; ".join(
            f"{how}: {', '.join(f'`{each.strip()}`' for each in lines[:_SHOWN])}"
            for how, lines in told
            if lines
        )
        why = "\nIt was done again after a conflict, and its receipt does not say why:\n"
        for how, lines in told:
            rows = "".join(f"    {each}\n" for each in lines)
            why += f"\n{how}:\n\n{rows}" if lines else ""
        base, tip, _ = lane.clash
        sides = await asyncio.to_thread(
            conflict_text, self._repository, (base, tip), (lane.base, lane.commit), lane.task, why
        )
        file = self._dispatcher.place(lane.task, lane.attempt) / "conflict.md"
        write_durable(file, sides)
        self._journal.add("conflict", lane.task, reason=f"{reason}; {file}")
        self._journal.add("settled", lane.task, reason=f"{reason}: left to a person")
        return False

    def _settle_conflict(self, task: str, how: str) -> None:
        """Told now, and in the review and the verification."""
        self._journal.note_once(how, task)
        self._journal.add("settled", task, reason=how)

    def _remove(self, task: str) -> None:
        self._journal.force()
        self._repository.remove(task)

    def _note(self, task: str, said: str) -> None:
        self._journal.add("note", task, reason=said)

    # What follows behind.

    def _follow(self, work: Coroutine[Any, Any, None], name: str = "") -> None:
        task = asyncio.create_task(work, name=name or None)
        self._behind.add(task)

    async def settle(self) -> None:
        """Wait for what follows behind; the branch is then where the journal says."""
        self._ending.set()
        while self._behind:
            ended, _ = await asyncio.wait(self._behind)
            self._behind -= ended
            for task in ended:
                task.result()
        await self._point()
        self._ending.clear()

    async def _point_later(self) -> None:
        """Once for all that is merged in the next moments; the journal knows the tip all the same."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_LATER):
                await self._ending.wait()
        await self._point()

    async def _point(self) -> None:
        """One that somebody else moved or looks at is left alone."""
        while self._pointed != self._state.tip:
            tip, state = self._state.tip, self._state
            problem = await asyncio.to_thread(
                self._repository.point_branch, state.branch, tip, state.base
            )
            self._pointed, self.astray = tip, problem
            if problem and not any(problem in note for note in self._state.notes):
                self._note("", problem)
