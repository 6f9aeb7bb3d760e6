"""Runs one program to its end within a time limit and leaves nothing of it behind: the one place.

A keeper (``system.keeper``) starts the program and knows whatever it starts in turn. However the call
ends (the program exits, its time is up, the caller is cancelled, this process is killed) all of that is
ended: SIGTERM, a grace, SIGKILL; or SIGKILL at once when this process is gone. No shell takes part, its
environment is the caller's to give (``system.environment``), its output is bounded. What the output
means is left to the callers. POSIX only.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import errno
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any, Literal

from guildmoot.named import NamedTuple
from guildmoot.system import keeper
from guildmoot.system.starter import send_request

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
    heard: Callable[[bytes], None] | None = None,
) -> ProcessResult:
    """Run ``argv`` and return how it ended; a cancellation passes once every child has ended.

    With ``joined`` standard error goes to ``stdout`` too; with ``both_ends`` the beginning and the end
    of a long output are kept, with a line between them that says how much is missing. ``heard`` is told
    what it writes as it comes; the first time, with nothing, that it has started.
    """
    began = time.monotonic()
    child = Child(max_output, joined=joined, both_ends=both_ends, heard=heard)
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
    """End the program and all that it started, however far it has come."""
    await asyncio.wait({start})
    if start.cancelled() or start.exception() is not None:
        child.close()
        return
    if not child.gone.is_set():
        child.send(keeper.TERM)
        await _happens(child.gone, GRACE)
    # Also after a clean exit: what it left running in the background ends with the call.
    child.send(keeper.KILL)
    if await _happens(child.ended, REAP):
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


class Child:
    """Collects what the program writes and tells when it has exited and when it is wholly gone."""

    def __init__(
        self, max_output: int, *, joined: bool = False, both_ends: bool = False,
        heard: Callable[[bytes], None] | None = None,
    ) -> None:  # fmt: skip
        self._listener = heard
        self.exit_code: int | None = None
        self.exited = asyncio.Event()
        self.gone = asyncio.Event()
        """Exited, and nobody holds its output any more."""
        self.ended = asyncio.Event()
        """The keeper has ended: nothing that the program started is left."""
        self._control, self._keepers = socket.socketpair()
        self._heard = b""
        self._started: asyncio.Future[None] | None = None
        self._pipes: list[asyncio.ReadTransport] = []
        self._kept = {fd: _Output(max_output, both_ends) for fd in (1, 2)}
        self._open = {1} if joined else {1, 2}

    async def start(
        self, argv: Sequence[str], stdin: IO[bytes] | int, cwd: str, env: Mapping[str, str]
    ) -> None:
        """Start the program as the leader of a session of its own."""
        _running.add(self)
        loop = asyncio.get_running_loop()
        self._started = loop.create_future()
        plain = {os.fsencode(name): os.fsencode(value) for name, value in env.items()}
        payload = keeper.pack([os.fsencode(word) for word in argv], os.fsencode(cwd), plain)
        with contextlib.ExitStack() as theirs:
            theirs.callback(self._keepers.close)
            source = os.open(os.devnull, os.O_RDONLY) if isinstance(stdin, int) else stdin.fileno()
            if isinstance(stdin, int):
                theirs.callback(os.close, source)
            writers = []
            for fd in sorted(self._open):
                reader, writer = os.pipe()
                theirs.callback(os.close, writer)
                writers.append(writer)
                pipe, _ = await loop.connect_read_pipe(
                    partial(_Pipe, self, fd), os.fdopen(reader, "rb", buffering=0)
                )
                self._pipes.append(pipe)
            handles = (source, writers[0], writers[-1], self._keepers.fileno())
            send_request(payload, handles)
        self._control.setblocking(False)
        loop.add_reader(self._control, self._hear)
        await self._started

    def written(self, fd: int) -> bytes:
        """What was kept of standard output (1) or standard error (2)."""
        return self._kept[fd].content()

    @property
    def overflowed(self) -> bool:
        return any(output.overflowed for output in self._kept.values())

    def send(self, word: bytes) -> None:
        """Have the keeper signal everything; one that only starts reads it as soon as it can."""
        with contextlib.suppress(OSError):  # it has ended
            keeper.write_all(self._control.fileno(), word)

    def close(self) -> None:
        """Let go of the pipes; whoever still holds the other end no longer concerns us."""
        _running.discard(self)
        if self._control.fileno() >= 0:
            asyncio.get_running_loop().remove_reader(self._control)
        for pipe in self._pipes:
            pipe.close()
        for end in (self._control, self._keepers):
            end.close()

    def add(self, fd: int, data: bytes) -> None:
        """It has written something."""
        self._kept[fd].add(data)
        if self._listener:
            self._listener(data)

    def lose(self, fd: int) -> None:
        """Nobody holds that output any more."""
        self._open.discard(fd)
        self._check_gone()

    def _hear(self) -> None:
        """What the keeper says."""
        data = b""
        with contextlib.suppress(ConnectionError):
            data = self._control.recv(4096)
        self._heard += data
        size = 1 + keeper.NUMBER
        while len(self._heard) >= size:
            word, number = self._heard[:1], self._heard[1:size]
            self._heard = self._heard[size:]
            if word == keeper.EXITED:
                self._exit(int.from_bytes(number, "big", signed=True))
            else:
                self._start(int.from_bytes(number, "big") if word == keeper.FAILED else 0)
        if not data:
            asyncio.get_running_loop().remove_reader(self._control)
            self._start(errno.ECHILD)  # unless it had started, its keeper was killed
            self._exit(-signal.SIGKILL)
            self.ended.set()

    def _start(self, wrong: int) -> None:
        if self._started is not None and not self._started.done():
            if wrong:
                self._started.set_exception(OSError(wrong, os.strerror(wrong)))
            else:
                self._started.set_result(None)
                if self._listener:
                    self._listener(b"")

    def _exit(self, code: int) -> None:
        if self.exit_code is None:
            self.exit_code = code
        self.exited.set()
        self._check_gone()

    def _check_gone(self) -> None:
        if self.exited.is_set() and not self._open:
            self.gone.set()


class _Pipe(asyncio.Protocol):
    """One of a program's outputs."""

    def __init__(self, child: Child, fd: int) -> None:
        self._child, self._fd = child, fd

    def data_received(self, data: bytes) -> None:
        self._child.add(self._fd, data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._child.lose(self._fd)


def kill_all() -> None:
    """SIGKILL everything that this process has started and that still runs, without waiting."""
    for child in list(_running):
        child.send(keeper.KILL)


_running: set[Child] = set()
"""Process-wide, as children are: for the second Ctrl-C and for the end of the interpreter."""
atexit.register(kill_all)
