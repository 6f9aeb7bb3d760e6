"""The one process that starts programs for this one: begun with the first of them, and again if it is killed."""

from __future__ import annotations

import array
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from guildmoot.system import keeper
from guildmoot.system.environment import child_environment


class _Starter(NamedTuple):
    """The running ``system.keeper``."""

    process: subprocess.Popen[bytes]
    socket: socket.socket
    owner: int
    """A forked process starts its own."""


_starter: _Starter | None = None
_starting = threading.Lock()


def send_request(payload: bytes, handles: Sequence[int]) -> None:
    """Have a program started; OSError when nobody can be had who does it."""
    global _starter
    rights = array.array("i", handles)
    head = len(payload).to_bytes(keeper.HEAD, "big")
    with _starting:
        for attempt in (1, 2):
            if _starter is None or _starter.owner != os.getpid():
                _starter = _begin()
            try:
                _starter.socket.sendmsg([head], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
                _starter.socket.sendall(payload)
                return
            except (BrokenPipeError, ConnectionResetError):  # somebody killed it
                _starter.process.poll()
                _starter.socket.close()
                _starter = None
                if attempt == 2:
                    raise


def start_early() -> None:
    """Begin it now, so that nobody waits for it when the first program is to be started."""
    global _starter
    with _starting, suppress(OSError):
        if _starter is None or _starter.owner != os.getpid():
            _starter = _begin()


def _begin() -> _Starter:
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", keeper.__file__, str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=child_environment(),
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
        )
    return _Starter(process, ours, os.getpid())
