"""Runs a command whose result the judges should see, and never leaves a process behind."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO

from guildmoot.errors import InfrastructureError
from guildmoot.packet.request import EvidenceResult

_HALF = 32_768
_GRACE = 2.0
TIMED_OUT = 124  # what timeout(1) reports


def run_evidence(command: str, cwd: Path, timeout: float) -> EvidenceResult:
    """Run a shell command in its own process group and return its exit code and output.

    Of a long output the beginning and the end are kept. When the time is up, or the command has
    ended, everything that it started is ended too.
    """
    try:
        process = subprocess.Popen(
            ["/bin/sh", "-c", command],
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        raise InfrastructureError(
            f"The evidence command could not be started: {error.strerror}.", f"Command: {command}"
        ) from error
    kept = _Kept()
    reader = threading.Thread(target=_collect, args=(process.stdout, kept), daemon=True)
    reader.start()
    timed_out = False
    try:
        process.wait(timeout)
    except subprocess.TimeoutExpired:
        timed_out = True
    finally:
        _end_group(process)
        reader.join(_GRACE)  # a process that left the group may hold the pipe open for ever
    code = TIMED_OUT if timed_out else _exit_code(process.returncode)
    return EvidenceResult(command, code, kept.text(), timed_out)


class _Kept:
    """The first and the last bytes of a stream of any length."""

    def __init__(self) -> None:
        self._head = b""
        self._tail = b""
        self._size = 0
        self._lock = threading.Lock()

    def add(self, data: bytes) -> None:
        with self._lock:
            self._size += len(data)
            room = _HALF - len(self._head)
            self._head += data[:room]
            self._tail = (self._tail + data[room:])[-_HALF:] if room < len(data) else self._tail

    def text(self) -> str:
        with self._lock:
            lost = self._size - len(self._head) - len(self._tail)
            middle = f"\n[{lost} bytes left out]\n".encode() if lost else b""
            return (self._head + middle + self._tail).decode("utf-8", "replace")


def _collect(stream: IO[bytes] | None, kept: _Kept) -> None:
    if stream is None:
        return
    with stream:
        while data := os.read(stream.fileno(), 65_536):
            kept.add(data)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """TERM for a command that runs over its time, then KILL for whatever is left of its group."""
    if process.poll() is None:
        _signal(process, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
    _signal(process, signal.SIGKILL)
    process.wait()


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _exit_code(code: int) -> int:
    """As a shell reports it: 128 and the number of the signal that ended the command."""
    return 128 - code if code < 0 else code
