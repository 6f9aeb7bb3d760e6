"""Holds a client at work to its tokens and money: what it says that it took is read as it comes, to end it in time."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

from guildmoot.backends.work import PAID_OUT, SPENT
from guildmoot.model.call import Usage, Work
from guildmoot.system.files import put_in_place
from guildmoot.system.process import ProcessResult

_REST = 20
"""A look may take one part in so many of the time: output is read anew each time."""

_BEAT = 1.0
"""Seconds between two signs of life that are left for others."""

_POLL = 1.0
"""Seconds between two looks at a client that prints nothing: what it took stands in its session log."""


class LifeSigns:
    """Leaves word that a client says something, and what it does where its events tell: a heartbeat of its lane's."""

    def __init__(self, place: str, step: Callable[[bytes, str], str]) -> None:
        self._place, self._step_of = place, step
        self._line, self._step, self._next = b"", "", 0.0

    def hear(self, data: bytes) -> None:
        """It wrote something; whole lines say what it does."""
        *lines, self._line = (self._line + data).split(b"\n")
        before = self._step
        for line in lines:
            self._step = self._step_of(line, self._step)
        if self._place and (self._step != before or time.monotonic() >= self._next):
            self._next = time.monotonic() + _BEAT
            with suppress(OSError):
                put_in_place(Path(self._place), json.dumps({"step": self._step}).encode())


class TokenMeter:
    """Listens to a client, and knows when it took more than its work may."""

    def __init__(self, work: Work | None, read: Callable[[bytes], Usage | None]) -> None:
        self._most = work.max_tokens if work else 0
        self._rates = work.rates if work else None
        self._usd = (work.max_usd or 0.0) if work and work.rates else 0.0
        self._read = read
        self._said = b""
        self._next = 0.0
        self._due: asyncio.TimerHandle | None = None
        self.why = ""
        """What it took too much of, once it did."""
        self.over = asyncio.Event()

    def hear(self, data: bytes) -> None:
        """It wrote something."""
        self._said += data
        self._look_soon()

    def _look_soon(self) -> None:
        if (self._most or self._usd) and self._due is None:
            loop = asyncio.get_running_loop()
            self._due = loop.call_later(max(self._next - time.monotonic(), 0), self._look)

    def _look(self) -> None:
        self._due = None
        began = time.monotonic()
        found = self._read(self._said)
        if found and (why := self._too_much(found)):
            self.why = why
            self.over.set()
        ended = time.monotonic()
        self._next = ended + _REST * (ended - began)

    def _too_much(self, usage: Usage) -> str:
        if 0 < self._most < usage.fresh_tokens:
            return f"{SPENT}: {usage.fresh_tokens} of {self._most}"
        cost = self._rates.cost(usage) if self._rates else 0.0
        return f"{PAID_OUT}: ${cost:.2f} of ${self._usd:.2f}" if 0 < self._usd < cost else ""

    async def hold(self, running: Coroutine[Any, Any, ProcessResult]) -> ProcessResult:
        """How the client ended; one that took too much is ended, with everything that it started."""
        task = asyncio.ensure_future(running)
        over = asyncio.ensure_future(self.over.wait())
        try:
            while not task.done() and not over.done():
                first = asyncio.FIRST_COMPLETED
                await asyncio.wait({task, over}, timeout=_POLL, return_when=first)
                self._look_soon()
            if task.done():
                self.over.clear()  # it came to its end all the same
                return task.result()
        finally:
            over.cancel()
            if self._due:
                self._due.cancel()
            task.cancel()
            await asyncio.wait({task})
        return ProcessResult("exited", None, self._said)
