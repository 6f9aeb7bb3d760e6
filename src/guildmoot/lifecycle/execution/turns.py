"""Who goes first: workers that can start, before whatever else needs the processor.

Lanes that were started together end together. What is done with their results would then hold up those that come
after them, and every one of these is on the way to the end of the run.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

_PATIENCE = 0.25
"""Seconds that others wait for a start at the most: one that takes longer holds nobody up."""


class Turns:
    """Starts of workers, and what waits for them."""

    def __init__(self) -> None:
        self._starting = 0
        self._calm = asyncio.Event()
        self._calm.set()
        self._places = asyncio.Semaphore(max(os.cpu_count() or 1, 2))

    @contextmanager
    def first(self) -> Iterator[None]:
        """A worker is being started."""
        self._starting += 1
        self._calm.clear()
        try:
            yield
        finally:
            self._starting -= 1
            if not self._starting:
                self._calm.set()

    @asynccontextmanager
    async def behind(self) -> AsyncIterator[None]:
        """When no worker is being started, and with no more others at once than there are processors.

        For what is short: a command that is run again for a receipt may take its minutes elsewhere.
        """
        await asyncio.sleep(0)  # whoever was given the place of a lane that ended says so now
        async with self._places:
            with suppress(TimeoutError):
                async with asyncio.timeout(_PATIENCE):
                    await self._calm.wait()
            yield

    @asynccontextmanager
    async def making(self, *, at_once: bool) -> AsyncIterator[None]:
        """A worktree, for a worker that can start at once or for later."""
        if at_once:
            with self.first():
                yield
        else:
            async with self.behind():
                yield
