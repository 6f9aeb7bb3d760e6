"""Lets threads wake event loops where ``send`` is refused.

A thread wakes a loop by ``send`` on a pair of sockets of this process. A sandbox without network, such as that of
Codex, may refuse ``send`` even there, and asyncio says nothing of it: what a thread found is never heard, and the
program waits for ever. There ``write`` does the same. Whoever awaits threads imports this.
"""

from __future__ import annotations

import os
import socket
from asyncio import selector_events
from contextlib import suppress


def can_send() -> bool:
    """Whether this process may send between two ends of its own."""
    here, there = socket.socketpair()
    with here, there:
        try:
            here.send(b"\0")
        except PermissionError:
            return False
    return True


def wake_by_write(loop: selector_events.BaseSelectorEventLoop) -> None:
    """What a loop does to wake itself, without ``send``."""
    end: socket.socket | None = loop._csock  # type: ignore[attr-defined]
    if end is not None:
        with suppress(OSError):  # full: it is awake already; closed: nobody sleeps there
            os.write(end.fileno(), b"\0")


if not can_send():
    selector_events.BaseSelectorEventLoop._write_to_self = wake_by_write  # type: ignore[attr-defined]
