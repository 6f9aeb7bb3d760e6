"""Stops a worker that others may take for dead before they do.

Whoever writes no heartbeat for the lease loses its calls to others. So it ends its own calls well before
that: a cut cable never has two machines make one call, and never has more calls run than a limit
allows.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from guildmoot.calls.cluster.schema import SHARE

T = TypeVar("T")


class Fence:
    """Up while our heartbeats are written."""

    def __init__(self, lease: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._patience = lease * SHARE
        self._clock = clock
        self._last_written = clock()
        self._up = asyncio.Event()
        self._down = asyncio.Event()
        self._up.set()

    def written(self, sent: float) -> None:
        """A heartbeat that was sent at that time has been written."""
        self._last_written = max(self._last_written, sent)
        if self._clock() - self._last_written < self._patience and not self._up.is_set():
            self._down.clear()
            self._up.set()

    def check(self) -> None:
        """Close when no heartbeat was written for too long."""
        if self._clock() - self._last_written >= self._patience and self._up.is_set():
            self._up.clear()
            self._down.set()

    async def restored(self) -> None:
        """Wait until calls may be made again."""
        await self._up.wait()

    async def guarded(self, work: Coroutine[Any, Any, T]) -> T | None:
        """What the work comes to; None when heartbeats stopped first, and then the work is ended."""
        task = asyncio.ensure_future(work)
        fall = asyncio.ensure_future(self._down.wait())
        try:
            await asyncio.wait((task, fall), return_when=asyncio.FIRST_COMPLETED)
            return await task if task.done() else None
        finally:
            fall.cancel()
            if not task.done():
                task.cancel()
                await asyncio.wait((task,))
