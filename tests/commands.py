"""Command lines of this package without the cost of starting Python for each.

:func:`run` is ``subprocess.run([sys.executable, *argv])``. Where it can, it has a process that imported the
package once (``command_server.py``) fork a child for it. That child is a process like any other: it has the
folder, environment, umask and streams that it is given and nothing else, it can be killed, it ends as
programs do, and what it does is not seen by the next. Python itself is started where the environment tells
it how to start. A test about starting, about what is imported or about the order of hashes starts
``sys.executable`` itself.
"""

from __future__ import annotations

import json
import os
import re
import select
import selectors
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

_AT_START = ("PYTHON", "LC_", "LANG", "LD_", "DYLD_")
"""What Python reads only when it starts."""
_LANGUAGE = {"LANG": "C.UTF-8"}
_LOCK = threading.Lock()
_NUMBER = struct.Struct("i")
_UMASK = re.compile(r"^Umask:\s*(\d+)", re.MULTILINE)

Ended = subprocess.CompletedProcess


def run(
    argv: Sequence[str],
    *,
    cwd: str | os.PathLike[str] | None = None,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    timeout: float = 60,
    to_the_last: bool = False,
) -> Ended[bytes]:
    """``python ARGV``, where ``ARGV`` begins with ``-m MODULE`` or ``-c PROGRAM``, perhaps after ``-P``.

    ``to_the_last`` waits also for whoever it forked and has let go of its streams.
    """
    if to_the_last:
        return _to_the_last(argv, cwd, env, stdin, timeout)
    return _run(argv, cwd, env, stdin, timeout)


def _to_the_last(*given: Any) -> Ended[bytes]:
    ended, held = os.pipe()
    try:
        done = _run(*given, held)
    finally:
        os.close(held)
        os.read(ended, 1)
        os.close(ended)
    return done


def _run(
    argv: Sequence[str],
    cwd: str | os.PathLike[str] | None,
    env: Mapping[str, str] | None,
    stdin: bytes,
    timeout: float,
    *held: int,
) -> Ended[bytes]:
    cwd = os.getcwd() if cwd is None else cwd
    env = _neutral() if env is None else env
    server = _server() if hasattr(os, "pidfd_open") else None
    if server and server.started_with == _at_start(env):
        return server.run(argv, os.fspath(cwd), env, stdin, timeout, *held)
    command = [sys.executable, *argv]
    return subprocess.run(
        command,
        cwd=cwd,
        env=dict(env),
        input=stdin,
        capture_output=True,
        timeout=timeout,
        pass_fds=held,
    )


def _neutral() -> dict[str, str]:
    """This process's environment, but for how Python starts and in whose language."""
    kept = (name for name in os.environ if name == "PYTHONPATH" or not name.startswith(_AT_START))
    return {**{name: os.environ[name] for name in kept}, **_LANGUAGE}


def _at_start(env: Mapping[str, str]) -> dict[str, str]:
    return {name: env[name] for name in env if name.startswith(_AT_START) and env[name]}


def _server() -> _Server:
    with _LOCK:  # many threads may be the first
        return _made()


@cache
def _made() -> _Server:
    return _Server()


class _Server:
    """The process that forks; it ends when this one does."""

    def __init__(self) -> None:
        env = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
        env |= _LANGUAGE
        self.started_with = _at_start(env)
        self._folder = tempfile.TemporaryDirectory(prefix="guildmoot-", ignore_cleanup_errors=True)
        self._address = f"{self._folder.name}/socket"
        program = str(Path(__file__).with_name("command_server.py"))
        self._process = subprocess.Popen(
            [sys.executable, program, self._address],
            cwd="/",
            env=env,
            stdin=subprocess.PIPE,  # pipes, as the children's will be
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self._process.stdout
        if not self._process.stdout.readline():
            raise RuntimeError(self._process.communicate()[1].decode())

    def run(
        self,
        argv: Sequence[str],
        cwd: str,
        env: Mapping[str, str],
        stdin: bytes,
        timeout: float,
        *held: int,
    ) -> Ended[bytes]:
        end = time.monotonic() + timeout
        job = {"argv": list(argv), "cwd": cwd, "env": dict(env), "umask": _umask()}
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(timeout)
            line.connect(self._address)
            pipes = [os.pipe() for _ in range(3)]
            (theirs_in, put), (out, theirs_out), (err, theirs_err) = pipes
            _send(line, json.dumps(job).encode(), [theirs_in, theirs_out, theirs_err, *held])
            for fd in (theirs_in, theirs_out, theirs_err):
                os.close(fd)
            pid = _number(line)
            try:
                heard = _converse(put, stdin, [out, err], end)
                status = _number(line)
            except TimeoutError:
                os.kill(pid, signal.SIGKILL)
                raise subprocess.TimeoutExpired(list(argv), timeout) from None
        return Ended([sys.executable, *argv], os.waitstatus_to_exitcode(status), *heard)


def _send(line: socket.socket, text: bytes, fds: list[int]) -> None:
    socket.send_fds(line, [_NUMBER.pack(len(text))], fds)
    line.sendall(text)


def _number(line: socket.socket) -> int:
    """What the server tells: the process, and later how it ended."""
    data = line.recv(_NUMBER.size, socket.MSG_WAITALL)
    if len(data) < _NUMBER.size:
        raise RuntimeError("the process that forks command lines has ended")
    return int(_NUMBER.unpack(data)[0])


def _converse(put: int, stdin: bytes, outputs: list[int], end: float) -> list[bytes]:
    """Give a process its input and hear it, until nobody holds its output any more."""
    left = memoryview(stdin)
    heard = {fd: bytearray() for fd in outputs}
    still_open = {put, *outputs}
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(put, selectors.EVENT_WRITE)
            for fd in outputs:
                selector.register(fd, selectors.EVENT_READ)
            while still_open:
                ready = selector.select(end - time.monotonic())
                if not ready and time.monotonic() > end:
                    raise TimeoutError
                for fd in (key.fd for key, _ in ready):
                    if fd == put:
                        left = _give(put, left)
                        done = not left
                    else:
                        chunk = os.read(fd, 1 << 16)
                        heard[fd] += chunk
                        done = not chunk
                    if done:
                        selector.unregister(fd)
                        os.close(fd)
                        still_open.remove(fd)
    finally:
        for fd in still_open:
            os.close(fd)
    return [bytes(text) for text in heard.values()]


def _give(put: int, left: memoryview) -> memoryview:
    if left:
        with suppress(BrokenPipeError):  # it does not want to read any more
            return left[os.write(put, left[: select.PIPE_BUF]) :]
    return left[:0]


def _umask() -> int:
    """This process's own, which asking the system for would change."""
    found = _UMASK.search(Path("/proc/self/status").read_text())
    return int(found[1], 8) if found else 0o022
