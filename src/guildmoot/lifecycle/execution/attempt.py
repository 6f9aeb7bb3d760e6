"""One attempt of a worker at a lane: picked up, watched, nudged once, ended for certain."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

from guildmoot.lifecycle.execution.liveness import (
    COMPACTING,
    LaneClock,
    health,
    is_compacting,
    silence_in,
    silence_of,
)
from guildmoot.lifecycle.execution.workers.base import LaneJob, LaneWorkers, WorkerHandle
from guildmoot.model.call import Usage
from guildmoot.system.files import read_own
from guildmoot.system.removal import walk

_LOOK = 1.0
"""Seconds between two looks at a worker, unless the silence is shorter than that."""
_MOST_FILES = 20_000
_COMPACTS = f"it compacts its context: that is no death, {COMPACTING:g} s of silence are left to it"


class AttemptEnd(NamedTuple):
    """How an attempt ended, before anybody looked at the files."""

    status: Literal["ended", "given up"]
    exit_code: int | None = None
    output: str = ""
    problem: str = ""
    infrastructure: bool = False
    notes: tuple[str, ...] = ()
    usage: Usage | None = None
    over: bool = False
    """It was ended because it took more tokens or money than it may."""
    unpaid: bool = False
    """Nobody was asked: a limit leaves no money for it."""


class Attempt:
    """A worker at work on a lane."""

    def __init__(self, backend: LaneWorkers, job: LaneJob, silence: float = 0.0) -> None:
        self._backend, self._job = backend, job
        self._silence = silence_of(job.tier, silence)

    async def start(self) -> WorkerHandle:
        """Give the job to a worker."""
        return await self._backend.spawn(self._job)

    async def run(self, handle: WorkerHandle, tell: Callable[[str], None]) -> AttemptEnd:
        """Until it has ended by itself, or was ended because it was silent for too long."""
        began = time.time()
        clock = LaneClock(began, picked_up=False, last_sign=began)
        ended = asyncio.ensure_future(handle.ended())
        compacts = False
        try:
            while not ended.done():
                await asyncio.wait({ended}, timeout=min(_LOOK, self._silence / 4))
                if compacts != is_compacting(self._step()):
                    compacts = not compacts
                    tell(_COMPACTS if compacts else "it goes on after it compacted its context")
                state = self._backend.read_state(handle)
                clock = clock._replace(
                    picked_up=clock.picked_up or state.status != "starting",
                    last_sign=max(clock.last_sign, state.last_sign, self._beat()),
                )
                if 0 < self._job.max_tokens < (told := self._told_tokens()) and not ended.done():
                    sure = await self._backend.dismiss(handle)
                    return self._over(handle, told, sure)
                found = health(clock, time.time(), self._silence)
                if found != "fine":
                    clock = clock._replace(last_sign=max(clock.last_sign, newest(self._job.folder)))
                    silence = silence_in(self._silence, self._step())
                    found = health(clock, time.time(), silence)
                if found == "nudge" and not ended.done():
                    await self._nudge(handle, tell)
                    clock = clock._replace(nudged=time.time())
                elif found in ("silent", "not picked up") and not ended.done():
                    sure = await self._backend.dismiss(handle)
                    return self._given_up(handle, found, sure)
            state = self._backend.read_state(handle)
            return AttemptEnd(
                "ended", state.exit_code, state.output, state.problem, state.infrastructure,
                state.notes, state.usage, state.over, state.unpaid,
            )  # fmt: skip
        finally:
            ended.cancel()
            await asyncio.shield(self._backend.dismiss(handle))

    async def _nudge(self, handle: WorkerHandle, tell: Callable[[str], None]) -> None:
        said = f"No sign of life for {self._silence:g} s: go on, or hand over what you have."
        self._job.nudge.write_text(f"{said}\n", encoding="utf-8")
        sent = await self._backend.send_task(handle, said)
        tell(
            f"nudged after {self._silence:g} s of silence{'' if sent else f' ({self._backend.nudged})'}"
        )

    def _given_up(self, handle: WorkerHandle, found: str, sure: bool) -> AttemptEnd:
        state = self._backend.read_state(handle)
        why = (
            "nobody picked it up within 60 s"
            if found == "not picked up"
            else f"silent for {self._silence:g} s, nudged, and silent again"
        )
        left = "" if sure else "; its end could not be confirmed"
        return AttemptEnd("given up", None, state.output, f"{why}{left}")

    def _over(self, handle: WorkerHandle, told: int, sure: bool) -> AttemptEnd:
        state = self._backend.read_state(handle)
        left = "" if sure else "; its end could not be confirmed"
        why = f"it told of {told} tokens, and may take {self._job.max_tokens}: it was ended{left}"
        return AttemptEnd("given up", None, state.output, why, usage=Usage(told), over=True)

    def _step(self) -> str:
        """What the worker's heartbeat says that it does."""
        told = self._heartbeat()
        return str(told.get("step") or told.get("state") or "")

    def _told_tokens(self) -> int:
        """What the worker's heartbeat says that it took so far."""
        told = self._heartbeat().get("tokens")
        return told if isinstance(told, int) and not isinstance(told, bool) else 0

    def _heartbeat(self) -> dict[str, object]:
        try:
            told = json.loads(read_own(self._job.heartbeat, 100_000))
        except (OSError, ValueError, RecursionError):
            return {}
        return told if isinstance(told, dict) else {}

    def _beat(self) -> float:
        return max(map(_changed, (self._job.heartbeat, self._job.receipt)))


def _changed(path: Path) -> float:
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return 0.0


def newest(folder: Path) -> float:
    """When a file of the worktree last changed; only asked before a lane is given up."""
    latest, seen = 0.0, 0
    for place, names, _ in walk(folder):
        for name in names:
            latest = max(latest, _changed(Path(place, name)))
        seen += len(names)
        if seen > _MOST_FILES:
            break
    return min(latest, time.time())
