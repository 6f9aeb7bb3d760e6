"""The one process that starts programs for this one: begun with the first of them, and again if it is killed.

Beside it there may be a nursery: the same, with modules of ours loaded that are to be run as programs.
"""

from __future__ import annotations

import array
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress

from guildmoot.named import NamedTuple
from guildmoot.system import keeper
from guildmoot.system.environment import child_environment


class _Starter(NamedTuple):
    """The running ``system.keeper``."""

    process: subprocess.Popen[bytes]
    socket: socket.socket
    owner: int
    """A forked process starts its own."""


_begun: dict[str, _Starter] = {}
"""By the module that it is; the plain one has no name."""
_nursed: dict[bytes, str] = {}
"""The nursery of each module."""
_starting = threading.Lock()


def send_request(payload: bytes, handles: Sequence[int]) -> None:
    """Have a program started; OSError when nobody can be had who does it."""
    rights = array.array("i", handles)
    head = len(payload).to_bytes(keeper.HEAD, "big")
    with _starting:
        for module in (*_nurseries(payload), "", None):
            if module is None:
                raise BrokenPipeError("whoever starts programs was killed twice")
            starter = _get(module)
            try:
                starter.socket.sendmsg([head], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
                keeper.write_all(starter.socket.fileno(), payload)
                return
            except (BrokenPipeError, ConnectionResetError):  # somebody killed it
                starter.process.poll()
                starter.socket.close()
                del _begun[module]


def start_early(nursery: str = "", modules: Iterable[str] = ()) -> None:
    """Begin it now, so that nobody waits for it when the first program is to be started.

    ``nursery`` is the module of one that is to run these modules from now on.
    """
    with _starting, suppress(OSError):
        _get(nursery)
        _nursed.update({module.encode(): nursery for module in modules})


def _nurseries(payload: bytes) -> list[str]:
    """Who may run it beside the plain one; that one is tried twice."""
    _, _, *argv = payload.split(b"\0", 6)
    ours = argv[:3] == [os.fsencode(sys.executable), b"-P", b"-m"] and len(argv) > 3
    nursery = _nursed.get(argv[3], "") if ours else ""
    known = _begun.get(nursery)
    return [nursery] if known and known.owner == os.getpid() else [""]


def _get(module: str) -> _Starter:
    found = _begun.get(module)
    if found is None or found.owner != os.getpid():
        found = _begun[module] = _begin(module)
    return found


def _begin(module: str) -> _Starter:
    ours, theirs = socket.socketpair()
    program = ["-P", "-m", module] if module else ["-I", "-S", keeper.__file__]
    with theirs:
        process = subprocess.Popen(
            [sys.executable, *program, str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=child_environment(),
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
        )
    return _Starter(process, ours, os.getpid())
