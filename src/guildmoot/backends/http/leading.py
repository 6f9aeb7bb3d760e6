"""Lets one call write the provider's prompt cache before the others that would read it.

Of calls that begin alike the first goes ahead; the rest wait until its reply begins, which is when
providers offer what it wrote, or until waiting would cost more than it saves.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable

WORTH_FROM = 8000
"""Characters in common; providers do not cache less than about 1,000 tokens."""
LONGEST_WAIT = 8.0
KEPT_SECONDS = 240.0
"""For so long a prefix is taken to be in the cache; providers keep one for five minutes."""


class Leaders:
    """Who goes first for each prefix; belongs to one event loop."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._begun: dict[Hashable, asyncio.Event] = {}
        self._since: dict[Hashable, float] = {}

    async def follow(self, prefix: Hashable) -> bool:
        """Wait for the leader of this prefix; True when there is none, so that the caller leads.

        A leader must call ``begun`` or ``failed``.
        """
        until = self._clock() + LONGEST_WAIT
        while True:
            event = self._begun.get(prefix)
            if event is None or self._is_stale(prefix):
                self._begun[prefix], self._since[prefix] = asyncio.Event(), self._clock()
                return True
            try:
                async with asyncio.timeout(max(0.0, until - self._clock())):
                    await event.wait()
            except TimeoutError:
                return False
            if self._begun.get(prefix) is event:
                return False

    def begun(self, prefix: Hashable) -> None:
        """The leader's reply has begun: the others may go."""
        self._since[prefix] = self._clock()
        self._begun[prefix].set()

    def failed(self, prefix: Hashable) -> None:
        """The leader wrote nothing: the next in line leads."""
        event = self._begun.pop(prefix, None)
        if event is not None:
            event.set()

    def _is_stale(self, prefix: Hashable) -> bool:
        return self._begun[prefix].is_set() and self._clock() - self._since[prefix] > KEPT_SECONDS
