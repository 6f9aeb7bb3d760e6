"""Any program as a worker: run in the lane's worktree, ended with everything that it started."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

from guildmoot.backends.enclosure import enclosed
from guildmoot.guard.secrets import mask
from guildmoot.lifecycle.execution.workers.base import (
    LaneJob,
    WorkerHandle,
    WorkerState,
    WorkerStatus,
)
from guildmoot.system import fence
from guildmoot.system.process import ProcessResult, run_process
from guildmoot.text.clean import clean, one_line

_KEPT = 200_000
"""Bytes of its output, from the beginning and the end."""


class _Running:
    """One running command."""

    def __init__(self, live: Path) -> None:
        self._live, self._written, self._line = live, 0, b""
        self.task: asyncio.Task[ProcessResult] | None = None
        self.started = False
        self.last_sign = 0.0
        self.done = asyncio.Event()

    def hear(self, data: bytes) -> None:
        self.started, self.last_sign = True, time.time()
        if self._written < _KEPT:
            self._follow(data)

    def _follow(self, data: bytes) -> None:
        """Whole lines, masked before they are on the disk, up to a size."""
        lines, end, rest = (self._line + data).rpartition(b"\n")
        self._line = rest[-_KEPT:]
        if end:
            text = _plain(clean(lines.decode("utf-8", "replace"))) + "\n"
            self._written += len(text)
            with self._live.open("a", encoding="utf-8") as stream:
                stream.write(text)

    async def ended(self) -> None:
        await self.done.wait()


class CommandWorkers:
    """``--worker CMD``: the user's own command, as in a Makefile."""

    name = "command"
    nudged = "GUILD_NUDGE"

    def __init__(self, command: str, writable: tuple[str, ...] = ()) -> None:
        self._command, self._writable = command, writable
        self.why = f"each lane runs `{command}`"
        self._running: list[_Running] = []
        self._own: dict[str, list[str]] = {}

    def unavailable(self) -> str:
        return "" if self._command.strip() else "no command is given"

    async def spawn(self, job: LaneJob) -> WorkerHandle:
        handle = _Running(job.live)
        self._running.append(handle)
        env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        handle.task = asyncio.create_task(
            run_process(
                self.words(job), cwd=str(job.folder), env={**env, **job.environment},
                timeout=job.seconds or None, max_output=_KEPT, joined=True, both_ends=True,
                heard=handle.hear,
            )
        )  # fmt: skip
        handle.task.add_done_callback(lambda task: handle.done.set())
        return handle

    def words(self, job: LaneJob) -> list[str]:
        """What is run."""
        command = ["/bin/sh", "-c", self._command]
        if not job.root:
            return command
        if job.root not in self._own:
            self._own[job.root] = fence.own_places("/")
        return enclosed(job.root, job.open_places, self._writable, command, self._own[job.root])

    async def send_task(self, handle: WorkerHandle, text: str) -> bool:
        return False  # a program reads GUILD_NUDGE, or does not

    def read_state(self, handle: WorkerHandle) -> WorkerState:
        if not isinstance(handle, _Running) or handle.task is None:
            return WorkerState("lost")
        if not handle.task.done():
            status: WorkerStatus = "running" if handle.started else "starting"
            return WorkerState(status, None, handle.last_sign)
        if handle.task.cancelled():
            return WorkerState("ended", problem="it was ended")
        done = handle.task.result()
        text = _plain(clean(done.stdout.decode("utf-8", "replace")))
        problem = {
            "timeout": f"it did not end within {done.seconds:.0f} s",
            "missing": done.error,
            "unstartable": done.error,
        }.get(done.status, "")
        broken = done.status in ("missing", "unstartable") or done.exit_code in (126, 127)
        if done.exit_code in (126, 127) and not problem:
            problem = f"the command cannot be run: {one_line(text)[-200:]}"
        return WorkerState("ended", done.exit_code, handle.last_sign, text, problem, broken)

    async def dismiss(self, handle: WorkerHandle) -> bool:
        if not isinstance(handle, _Running) or handle.task is None:
            return False
        handle.task.cancel()
        await asyncio.wait({handle.task})
        return handle.task.done()

    async def teardown(self) -> None:
        for handle in self._running:
            await self.dismiss(handle)


def _plain(text: str) -> str:
    return mask(text, "output")[0]
