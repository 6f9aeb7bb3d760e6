"""Runs one program to its end and leaves nothing of it behind.

The program leads a process group of its own. However the call ends (the program exits, its time is
up, the caller is cancelled) the whole group is ended: SIGTERM, a grace, SIGKILL. What the output
means is left to the backends. POSIX only.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import subprocess
import tempfile
import time
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple

from guildmoot.system.child import Child

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
) -> ProcessResult:
    """Run ``argv`` and return how it ended; a cancellation passes once every child has ended."""
    began = time.monotonic()
    child = Child(max_output)
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
