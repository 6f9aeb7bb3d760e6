"""Runs git and the like while this thread waits: bounded in time, output and memory, and gone when we are.

For short programs of the machine's own. Judges and tools run below a keeper, see ``system.process``.
"""

from __future__ import annotations

import contextlib
import os
import resource
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from guildmoot.named import NamedTuple

MOST_OUTPUT = 256_000_000
MOST_MEMORY = 1_500_000_000
"""Bytes that it may write to in memory (Linux)."""
_CHUNK = 1 << 20
_GUARD = (
    'n=" "; while read -r what p; do case $what in'
    ' +) n="$n$p ";; -) n="${n%% $p *} ${n#* $p }";; esac; done; [ "$n" = " " ] || kill -9 $n'
)
"""Is told the numbers of programs that begin and end; when nobody is left to tell it, it ends the rest."""


class BoundedResult(NamedTuple):
    """How the program ended."""

    status: Literal["exited", "timeout", "overflow", "stopped"]
    code: int
    stdout: bytes
    stderr: bytes


class _Running:
    """One program and why it was ended, if it was."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.ended: Literal["", "timeout", "overflow", "stopped"] = ""

    def end(self, why: Literal["timeout", "overflow", "stopped"]) -> None:
        self.ended = self.ended or why
        self.process.kill()


_running: set[_Running] = set()


def stop_bounded() -> None:
    """End all that run now; those who wait for them are told."""
    for each in list(_running):
        each.end("stopped")


def run_bounded(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: bytes,
    timeout: float,
    guarded: bool,
) -> BoundedResult:
    """What the program printed; OSError when it cannot be started.

    ``guarded`` programs end also when this process is killed.
    """
    with contextlib.ExitStack() as stack:
        errors = stack.enter_context(tempfile.TemporaryFile())
        source = stack.enter_context(tempfile.TemporaryFile()) if stdin else None
        if source:
            source.write(stdin)
            source.seek(0)
        process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=dict(env),
            stdin=source or subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        running = _Running(process)
        stack.enter_context(_attended(running, timeout, guarded=guarded, env=env))
        printed = _printed(running)
        code = process.wait()
        errors.seek(0)
        return BoundedResult(running.ended or "exited", code, printed, errors.read(_CHUNK))


@contextlib.contextmanager
def _attended(
    running: _Running, timeout: float, *, guarded: bool, env: Mapping[str, str]
) -> Iterator[None]:
    process = running.process
    clock = threading.Timer(timeout, running.end, ("timeout",))
    clock.daemon = True
    _running.add(running)
    try:
        with _guard(process.pid, env) if guarded else contextlib.nullcontext():
            _limit(process.pid)
            clock.start()
            yield
    except BaseException:  # an interrupt
        process.kill()
        raise
    finally:
        clock.cancel()
        _running.discard(running)
        if process.stdout:
            process.stdout.close()
        process.wait()


@contextlib.contextmanager
def _guard(pid: int, env: Mapping[str, str]) -> Iterator[None]:
    _tell_guard(f"+ {pid}\n", env)
    try:
        yield
    finally:
        _tell_guard(f"- {pid}\n", env)


class _Guard(NamedTuple):
    """The one process that outlives this one by a moment."""

    process: subprocess.Popen[bytes]
    owner: int
    """A forked process has its own."""


_guarding: _Guard | None = None
_telling = threading.Lock()


def _tell_guard(line: str, env: Mapping[str, str]) -> None:
    """Tell the guard, which is begun with the first program, and again if somebody killed it."""
    global _guarding
    with _telling:
        for _ in range(2):
            if _guarding is None or _guarding.owner != os.getpid():
                _guarding = _Guard(_begin_guard(env), os.getpid())
            try:
                if into := _guarding.process.stdin:
                    os.write(into.fileno(), line.encode())
                return
            except BrokenPipeError:
                _guarding.process.poll()
                _guarding = None
                if line.startswith("-"):  # a new one knows of none that could be forgotten
                    return


def _begin_guard(env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    quiet = subprocess.DEVNULL
    return subprocess.Popen(
        ("sh", "-c", _GUARD),
        cwd="/",
        env={"PATH": env.get("PATH", os.defpath)},
        stdin=subprocess.PIPE,
        stdout=quiet,
        stderr=quiet,
        start_new_session=True,
    )


def _limit(pid: int) -> None:
    """What it maps only to read, as git does with packs, is not counted."""
    if hasattr(resource, "prlimit"):
        with contextlib.suppress(OSError, ValueError):
            resource.prlimit(pid, resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))


def _printed(running: _Running) -> bytes:
    chunks, size, out = [], 0, running.process.stdout
    while out and (chunk := out.read(_CHUNK)):
        size += len(chunk)
        if size > MOST_OUTPUT:
            running.end("overflow")
            return b""
        chunks.append(chunk)
    return b"".join(chunks)
