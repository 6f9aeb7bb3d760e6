"""Takes jobs from the store and runs their handlers, several at a time."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Awaitable, Callable, Mapping

from jobs.retry import delay, may_retry
from jobs.store import Job, claim, finish

Handler = Callable[[Job], Awaitable[None]]

HANDLER_SECONDS = 45.0
"""Less than the lease, so that a slow job is given up before another worker takes it."""

log = logging.getLogger(__name__)


class Worker:
    """One worker with a fixed number of jobs in hand."""

    def __init__(self, db: sqlite3.Connection, handlers: Mapping[str, Handler], limit: int) -> None:
        self._db = db
        self._handlers = handlers
        self._slots = asyncio.Semaphore(limit)
        self.failed: list[int] = []

    async def run_once(self) -> bool:
        """Run one job to its end; False when there is none."""
        async with self._slots:
            job = claim(self._db, time.time())
            if job is None:
                return False
            await self._attempt(job)
            return True

    async def _attempt(self, job: Job) -> None:
        try:
            handler = self._handlers[job.kind]
            await asyncio.wait_for(handler(job), HANDLER_SECONDS)
        except asyncio.CancelledError:
            raise
        except Exception:
            log.exception("job %d failed at attempt %d", job.id, job.attempts)
            await self._give_up_or_wait(job)
        else:
            finish(self._db, job)

    async def _give_up_or_wait(self, job: Job) -> None:
        if may_retry(job.attempts):
            await asyncio.sleep(delay(job.attempts))
        else:
            self.failed.append(job.id)
            finish(self._db, job)
