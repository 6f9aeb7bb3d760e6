"""One running program and its process group: what it writes, when it is gone, signals to all of it.

When to signal, and how long to wait, is decided in :mod:`guildmoot.system.process`.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from typing import IO, cast

from guildmoot.system.environment import CALL_MARK


class Child(asyncio.SubprocessProtocol):
    """Collects what the program writes and tells when it has exited and when it is wholly gone.

    A protocol rather than ``asyncio.subprocess.Process``, whose ``wait`` does not return in Python
    3.11 while a grandchild holds a pipe.
    """

    def __init__(self, max_output: int) -> None:
        self.exited = asyncio.Event()
        self.gone = asyncio.Event()
        """Exited, and nobody holds its output any more."""
        self.overflowed = False
        self._mark = os.urandom(8).hex()
        self._transport: asyncio.SubprocessTransport | None = None
        self._due: signal.Signals | None = None
        self._kept: dict[int, list[bytes]] = {1: [], 2: []}
        self._room = {1: max_output, 2: max_output}
        self._open = {1, 2}

    async def start(
        self, argv: Sequence[str], stdin: IO[bytes] | int, cwd: str, env: Mapping[str, str]
    ) -> None:
        """Start the program as the leader of a session of its own."""
        _running.add(self)
        marks = f"{os.environ.get(CALL_MARK, '')}:{self._mark}"  # a nested call belongs to both
        await asyncio.get_running_loop().subprocess_exec(
            lambda: self,
            *argv,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env={**env, CALL_MARK: marks},
            start_new_session=True,
        )

    @property
    def exit_code(self) -> int | None:
        return self._transport.get_returncode() if self._transport else None

    def written(self, fd: int) -> bytes:
        """What was kept of standard output (1) or standard error (2)."""
        return b"".join(self._kept[fd])

    def send(self, number: signal.Signals) -> None:
        """Signal the group and, unless the call is gone, also those that left the group."""
        if self._transport is None:
            self._due = number  # it is being started; it gets the signal as soon as it has an id
            return
        group = self._transport.get_pid()
        strays = [] if self.gone.is_set() else _strays(self._mark, group)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)
        for pid in strays:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)

    def close(self) -> None:
        """Let go of the pipes; whoever still holds the other end no longer concerns us."""
        _running.discard(self)
        if self._transport is not None:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.SubprocessTransport, transport)
        if self._due is not None:
            self.send(self._due)

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        chunk = cast(bytes, data)[: self._room[fd]]
        self.overflowed |= len(chunk) < len(data)
        self._room[fd] -= len(chunk)
        if chunk:
            self._kept[fd].append(chunk)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self._open.discard(fd)
        self._check_gone()

    def process_exited(self) -> None:
        self.exited.set()
        self._check_gone()

    def _check_gone(self) -> None:
        if self.exited.is_set() and not self._open:
            self.gone.set()


def kill_all() -> None:
    """SIGKILL everything that this process has started and that still runs, without waiting."""
    for child in list(_running):
        child.send(signal.SIGKILL)


_running: set[Child] = set()
"""Process-wide, as children are: for the second Ctrl-C and for the end of the interpreter."""
atexit.register(kill_all)


def _strays(mark: str, group: int) -> list[int]:
    """Processes of the call that left its group; they can be found only where there is /proc."""
    try:
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []
    return [pid for pid in pids if _is_stray(pid, mark, group)]


def _is_stray(pid: int, mark: str, group: int) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as environ:
            return mark.encode() in environ.read() and os.getpgid(pid) != group
    except OSError:  # it has just ended, or it belongs to somebody else
        return False
