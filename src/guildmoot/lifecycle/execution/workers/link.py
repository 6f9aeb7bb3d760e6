"""The way to the lanes of a run in the shared database: each question in a thread, under the run's own ticket."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, TypeVar

from guildmoot.errors import GuildmootError
from guildmoot.lifecycle.execution.workers.parcel import LONGEST
from guildmoot.system.files import write_atomic
from guildmoot.system.state import TICKET_KEY, user_secret

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from guildmoot.calls.cluster.lanes import LaneRow, LaneWorker
    from guildmoot.lifecycle.execution.workers.base import LaneJob

T = TypeVar("T")
_TICKET = "lanes-ticket"
_BRIEF = 5.0
"""Seconds to wait for the database where somebody waits for an answer."""


class LaneLink:
    """Asks for the lanes of one run; InfrastructureError where the database stays away."""

    def __init__(self, url: str, wait: float, run_folder: Path) -> None:
        from guildmoot.calls.cluster import database, lanes

        self._url, self._wait, self._database, self._lanes = url, wait, database, lanes
        self._engine, self._closing = database.connect(url, 4), Event()
        self._folder, self._ticket = run_folder, ""
        database.check_reachable(self._engine, url)

    def ask(self, work: Callable[[Connection], T], patience: float | None = None) -> T:
        """Do it in one transaction, in this thread."""
        with self._database.told(self._url):
            wait = self._wait if patience is None else patience
            return self._database.transact(self._engine, work, wait, self._closing)

    def rest(self) -> None:
        """Wait for nothing any more, and let go of the connections; the next question makes new ones."""
        self._closing.set()
        self._closing = Event()
        self._engine.dispose()

    @property
    def has_ticket(self) -> bool:
        """Whether its file is there."""
        return (self._folder / _TICKET).is_file()

    @property
    def ticket(self) -> str:
        """The secret by which the run's lanes are known: the same again where its file was deleted."""
        file = self._folder / _TICKET
        if not self._ticket and not file.is_file():
            named = f"{self._folder.resolve()}".encode("utf-8", "surrogateescape")
            made = hmac.new(user_secret(TICKET_KEY), named, "sha256").hexdigest()
            write_atomic(file, made.encode())
            file.chmod(0o600)
        self._ticket = self._ticket or file.read_text(encoding="ascii", errors="replace")
        return self._ticket

    @property
    def mark(self) -> str:
        """By which the journal knows the ticket again, and nobody else."""
        return hashlib.sha256(self.ticket.encode()).hexdigest()[:16]

    async def offer(self, key: str, job: LaneJob, worker: LaneWorker, text: str) -> bool:
        """Put a lane before a worker; False where that has no room any more."""
        told = (key, self.ticket, job.run, job.task, worker.name, worker.slots, text)
        lane = self._lanes.OfferedLane(*told)
        return await asyncio.to_thread(self.ask, lambda c: self._lanes.offer(c, lane) != "busy")

    async def row(self, key: str, *, brief: bool = False) -> LaneRow | None:
        """How a lane stands."""
        look = (key, self.ticket, LONGEST)
        patience = _BRIEF if brief else None
        return await asyncio.to_thread(self.ask, lambda c: self._lanes.look(c, *look), patience)

    async def lose(self, key: str, *, refused: bool = False) -> bool:
        """Take a lane back, or refuse its result; False where its worker is alive."""
        work = (key, self.ticket)
        return await asyncio.to_thread(
            self.ask, lambda c: self._lanes.lose(c, *work, refused=refused)
        )

    async def nudge(self, key: str, said: str) -> bool:
        """Tell whoever has a lane something; False where nobody hears it."""
        work = (key, self.ticket, said)
        try:
            return await asyncio.to_thread(self.ask, lambda c: self._lanes.nudge(c, *work), _BRIEF)
        except GuildmootError:  # the database is away, and so is every sign of life
            return False

    async def dismiss(self, key: str) -> None:
        """Have a lane ended where it is."""
        work = (key, self.ticket)
        await asyncio.to_thread(self.ask, lambda c: self._lanes.dismiss(c, *work), _BRIEF)
