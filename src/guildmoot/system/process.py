"""Runs one program to its end within a time limit and leaves nothing of it behind: the one place.

The program leads a process group of its own. However the call ends (the program exits, its time is
up, the caller is cancelled) the whole group is ended: SIGTERM, a grace, SIGKILL. No shell takes part,
its environment is the caller's to give (``system.environment``), its output is bounded. What the
output means is left to the callers. POSIX only.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple, cast

from guildmoot.system.environment import CALL_MARK

MAX_OUTPUT = 64 * 1024 * 1024
"""Bytes kept of each of the two output streams."""
GRACE = 2.0
"""Seconds between SIGTERM and SIGKILL."""
DRAIN = 1.0
"""Seconds that others may hold its output after the program itself has exited."""
REAP = 5.0
"""Seconds that a killed process may take to go; one stuck in the kernel is then left to it."""

ProcessStatus = Literal[
    "exited",  # by itself or by a signal: see exit_code
    "timeout",
    "overflow",  # it wrote more than may be kept; the rest was read and dropped
    "missing",  # no such program, or not one that may be run
    "unstartable",  # the system refused to start it
]


class ProcessResult(NamedTuple):
    """How a program ended, with everything it wrote until then."""

    status: ProcessStatus
    exit_code: int | None = None
    """Negative for the signal that ended it."""
    stdout: bytes = b""
    stderr: bytes = b""
    seconds: float = 0.0
    error: str = ""
    """Why it could not be started."""


async def run_process(
    argv: Sequence[str],
    *,
    stdin: bytes = b"",
    cwd: str,
    env: Mapping[str, str],
    timeout: float | None = None,
    max_output: int = MAX_OUTPUT,
    joined: bool = False,
    both_ends: bool = False,
) -> ProcessResult:
    """Run ``argv`` and return how it ended; a cancellation passes once every child has ended.

    With ``joined`` standard error goes to ``stdout`` too; with ``both_ends`` the beginning and the end
    of a long output are kept, with a line between them that says how much is missing.
    """
    began = time.monotonic()
    child = Child(max_output, joined=joined, both_ends=both_ends)
    try:
        with _spooled(stdin) as source:
            in_time = await _attend(child, child.start(argv, source, cwd, env), timeout)
    except OSError as error:
        return _unstarted(argv[0], cwd, error)
    status: ProcessStatus = "timeout" if not in_time else "exited"
    if in_time and child.overflowed:
        status = "overflow"
    seconds = time.monotonic() - began
    return ProcessResult(status, child.exit_code, child.written(1), child.written(2), seconds)


def run_blocking(
    argv: Sequence[str],
    *,
    cwd: str,
    env: Mapping[str, str],
    timeout: float,
    max_output: int,
) -> ProcessResult:
    """The same for a caller that is no coroutine, in any thread, with both streams joined.

    An interrupt is passed on once every child has ended.
    """
    loop = asyncio.new_event_loop()
    task = loop.create_task(
        run_process(argv, cwd=cwd, env=env, timeout=timeout, max_output=max_output, joined=True)
    )
    ended = threading.Event()  # Thread.join takes an interrupt for the thread's end
    try:
        threading.Thread(target=_drive, args=(loop, task, ended)).start()
        ended.wait()
    except BaseException:  # an interrupt: end the program first
        with contextlib.suppress(RuntimeError):  # the loop is closed: it has ended
            loop.call_soon_threadsafe(task.cancel)
            ended.wait(GRACE + REAP + DRAIN)
        raise
    return task.result()


def _drive(
    loop: asyncio.AbstractEventLoop, task: asyncio.Task[ProcessResult], ended: threading.Event
) -> None:
    with contextlib.suppress(asyncio.CancelledError, Exception):
        loop.run_until_complete(task)
    loop.close()
    ended.set()


async def _attend(child: Child, starting: Coroutine[Any, Any, None], limit: float | None) -> bool:
    """From the start to the end of everything started; whether the program exited in time."""
    start = asyncio.ensure_future(starting)
    try:
        await asyncio.shield(start)  # half a start could not be ended
        in_time = await _happens(child.exited, limit)
        if in_time:
            await _happens(child.gone, DRAIN)
    finally:
        await _unbroken(_end(child, start))
    return in_time


async def _end(child: Child, start: asyncio.Future[None]) -> None:
    """End the group, however far it has come, and reap the program."""
    await asyncio.wait({start})
    if start.cancelled() or start.exception() is not None:
        child.close()
        return
    if not child.gone.is_set():
        child.send(signal.SIGTERM)
        await _happens(child.gone, GRACE)
    # Also after a clean exit: what it left running in the background ends with the call.
    child.send(signal.SIGKILL)
    if await _happens(child.exited, REAP):
        await _happens(child.gone, DRAIN)
    child.close()


async def _unbroken(work: Coroutine[Any, Any, None]) -> None:
    """Carry ``work`` through even when the caller is cancelled meanwhile; then pass that on."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
    task.result()


async def _happens(event: asyncio.Event, within: float | None) -> bool:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(within):
            await event.wait()
    return event.is_set()


@contextlib.contextmanager
def _spooled(stdin: bytes) -> Iterator[IO[bytes] | int]:
    """Standard input as an unnamed file: any size, no deadlock, whether or not it is read."""
    if not stdin:
        yield subprocess.DEVNULL
        return
    with tempfile.TemporaryFile() as file:
        file.write(stdin)
        file.seek(0)
        yield file


def _unstarted(program: str, cwd: str, error: OSError) -> ProcessResult:
    if not Path(cwd).is_dir():
        return ProcessResult("unstartable", error=f"its working folder {cwd} is not there")
    reason = error.strerror or str(error)
    if isinstance(error, FileNotFoundError | PermissionError):
        return ProcessResult("missing", error=f"{program} cannot be run: {reason}")
    return ProcessResult("unstartable", error=f"{program} could not be started: {reason}")


# --- one running program --------------------------------------------------------------------------


class _Output:
    """The beginning of a stream of any length, or its beginning and its end."""

    def __init__(self, most: int, both_ends: bool) -> None:
        self.overflowed = False
        self._room = most // 2 if both_ends else most
        self._tail_size = self._room if both_ends else 0
        self._head: list[bytes] = []
        self._tail = b""
        self._lost = 0

    def add(self, data: bytes) -> None:
        if head := data[: self._room]:
            self._head.append(head)
            self._room -= len(head)
        rest = self._tail + data[len(head) :]
        self._tail = rest[-self._tail_size :] if self._tail_size else b""
        self._lost += len(rest) - len(self._tail)
        self.overflowed = self._lost > 0

    def content(self) -> bytes:
        left_out = self._lost if self._tail_size else 0
        middle = f"\n[{left_out} bytes left out]\n".encode() if left_out else b""
        return b"".join((*self._head, middle, self._tail))


class Child(asyncio.SubprocessProtocol):
    """Collects what the program writes and tells when it has exited and when it is wholly gone.

    A protocol rather than ``asyncio.subprocess.Process``, whose ``wait`` does not return in Python
    3.11 while a grandchild holds a pipe.
    """

    def __init__(self, max_output: int, *, joined: bool = False, both_ends: bool = False) -> None:
        self.exited = asyncio.Event()
        self.gone = asyncio.Event()
        """Exited, and nobody holds its output any more."""
        self._mark = os.urandom(8).hex()
        self._transport: asyncio.SubprocessTransport | None = None
        self._due: signal.Signals | None = None
        self._kept = {fd: _Output(max_output, both_ends) for fd in (1, 2)}
        self._open = {1} if joined else {1, 2}

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
            stderr=subprocess.PIPE if 2 in self._open else subprocess.STDOUT,
            cwd=cwd,
            env={**env, CALL_MARK: marks},
            start_new_session=True,
        )

    @property
    def exit_code(self) -> int | None:
        return self._transport.get_returncode() if self._transport else None

    def written(self, fd: int) -> bytes:
        """What was kept of standard output (1) or standard error (2)."""
        return self._kept[fd].content()

    @property
    def overflowed(self) -> bool:
        return any(output.overflowed for output in self._kept.values())

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
        self._kept[fd].add(cast(bytes, data))

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
