"""Lanes in panes of tmux: to look at, not to type into. The work itself runs as without tmux, and ends for certain.

Inside tmux a window of the current session is used and its active pane is left alone; else a detached session, which
``guild team attach`` shows.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path

from guildmoot.guard.scrub import write_durable
from guildmoot.lifecycle.execution.journal import now
from guildmoot.lifecycle.execution.workers.base import (
    LaneJob,
    LaneWorkers,
    WorkerHandle,
    WorkerState,
)
from guildmoot.system.files import folder_inside

_TRIES, _PAUSE = 5, 0.2


class TmuxWorkers:
    """Shows what the workers behind it write, one pane a lane."""

    name = "tmux"

    def __init__(self, inner: LaneWorkers, run_folder: Path, root: Path, *, inside: bool) -> None:
        self.inner, self._folder, self._root, self._inside = inner, run_folder, root, inside
        self.session = f"guild-{run_folder.name}"
        where = "a window of this tmux session" if inside else f"the tmux session {self.session}"
        self.nudged = inner.nudged
        self.why = f"{inner.why}, shown in {where}"
        self._target = ""
        self._opening = asyncio.Lock()
        self._panes: dict[int, tuple[str, str]] = {}

    def unavailable(self) -> str:
        return self.inner.unavailable() if shutil.which("tmux") else "tmux is not installed"

    async def spawn(self, job: LaneJob) -> WorkerHandle:
        job.live.touch()
        async with self._opening:  # the first pane makes the session
            pane = await asyncio.to_thread(self._open, job)
        handle = await self.inner.spawn(job)
        if pane:
            self._panes[id(handle)] = (job.task, pane)
            self._write_manifest()
        return handle

    def _open(self, job: LaneJob) -> str:
        """A pane that follows the lane's output; empty where tmux has no room, which ends nothing."""
        show = f"tail -n +1 -F {shlex.quote(str(job.live))}"
        form = ("-P", "-F", "#{pane_id}", "-c", str(job.folder), show)
        if self._target:
            pane = tmux("split-window", "-d", "-t", self._target, *form)
            if pane:
                tmux("select-layout", "-t", self._target, "tiled")
        elif self._inside:
            pane = tmux("new-window", "-d", "-n", "guild", *form)
        else:
            pane = tmux("new-session", "-d", "-s", self.session, "-n", "lanes", *form)
        if not self._target and pane:
            self._target = tmux("display-message", "-p", "-t", pane, "#{window_id}")
        if pane:
            tmux("select-pane", "-t", pane, "-T", job.task)
        return pane

    def _write_manifest(self) -> None:
        place = self._folder / "agent-team"
        folder_inside(self._root, place.relative_to(self._root))
        told = {
            "schema_version": "guild.tmux_team.v1", "run_id": self._folder.name, "created_at": now(),
            "session_name": "" if self._inside else self.session, "window": self._target,
            "teammate_panes": [{"task": t, "pane_id": p} for t, p in self._panes.values()],
        }  # fmt: skip
        write_durable(place / "session.json", json.dumps(told, indent=2) + "\n")

    async def send_task(self, handle: WorkerHandle, text: str) -> bool:
        return await self.inner.send_task(handle, text)

    def read_state(self, handle: WorkerHandle) -> WorkerState:
        return self.inner.read_state(handle)

    async def dismiss(self, handle: WorkerHandle) -> bool:
        ended = await self.inner.dismiss(handle)
        _, pane = self._panes.pop(id(handle), ("", ""))
        return ended and (not pane or await self._closed(pane))

    async def _closed(self, pane: str) -> bool:
        """Kill a pane and look until it is gone. The last one takes the session with it."""
        await asyncio.to_thread(tmux, "kill-pane", "-t", pane)
        for _ in range(_TRIES):
            if pane not in (await asyncio.to_thread(tmux, "list-panes", "-a", "-F", "#{pane_id}")).split():  # fmt: skip
                if not self._panes:
                    self._target = ""
                return True
            await asyncio.sleep(_PAUSE)
        return False

    async def teardown(self) -> None:
        await self.inner.teardown()
        for _, pane in list(self._panes.values()):
            await self._closed(pane)
        self._panes.clear()


def end_left_panes(run_folder: Path) -> None:
    """End panes that a killed engine left: those, and no others, that show a file of this run."""
    if not (run_folder / "agent-team" / "session.json").is_file():
        return
    for row in tmux("list-panes", "-a", "-F", "#{pane_id} #{pane_start_command}").splitlines():
        pane, _, command = row.partition(" ")
        if f"{run_folder}{os.sep}" in command:
            tmux("kill-pane", "-t", pane)


def tmux(*words: str) -> str:
    """What tmux prints; empty when it fails, for it only shows."""
    try:
        done = subprocess.run(
            ["tmux", *words], capture_output=True, text=True, timeout=10, check=False, env=os.environ
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
