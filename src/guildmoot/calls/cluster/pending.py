"""Waits for many calls with one question to the database at a time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection, text

from guildmoot.calls.cluster import budget, ledger, register
from guildmoot.calls.cluster.rows import LONG, bounded
from guildmoot.errors import GuildmootError
from guildmoot.model.call import Reply

if TYPE_CHECKING:
    from guildmoot.calls.ledger.base import Job

_QUICK, _SLOW = 0.02, 0.25
"""Seconds between two questions, when things move and when they do not."""
_EACH = 0.0002
"""The same for every call that is waited for: a long list costs more to ask about."""
_RENEW = ledger.WANTED / 3
_LOOK = 2.0
"""Seconds between two looks whether anybody alive serves what is waited for."""

Transact = Callable[[Callable[[Connection], Any]], Awaitable[Any]]
"""Does its argument's work in one transaction, beside the event loop."""


class Wait(NamedTuple):
    """One call that somebody waits for."""

    job: Job
    done: asyncio.Future[Reply]


class PendingCalls:
    """The calls that one caller waits for. Belongs to one event loop at a time."""

    def __init__(self, caller: str, transact: Transact, patience: float) -> None:
        self._caller = caller
        self._transact = transact
        self._patience = patience
        self._waits: dict[str, list[Wait]] = {}
        self._unserved: dict[str, float] = {}
        self._task: asyncio.Task[None] | None = None
        self._pause = _QUICK

    async def reply(self, job: Job) -> Reply:
        """The reply, once somebody has written it down; ``cancelled`` when it was called off."""
        wait = Wait(job, asyncio.get_running_loop().create_future())
        self._waits.setdefault(job.key, []).append(wait)
        self._pause = _QUICK
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._watch())
        try:
            return await wait.done
        finally:
            self._forget(wait)

    def waits_for(self, key: str) -> bool:
        """Whether anybody in this process waits for that call."""
        return key in self._waits

    def _forget(self, wait: Wait) -> None:
        left = [each for each in self._waits.get(wait.job.key, ()) if each is not wait]
        if left:
            self._waits[wait.job.key] = left
        else:
            self._waits.pop(wait.job.key, None)

    async def _watch(self) -> None:
        renewed = looked = time.monotonic()
        try:
            while self._waits:
                await asyncio.sleep(max(self._pause, len(self._waits) * _EACH))
                found = await self._collect()
                self._pause = _QUICK if found else min(self._pause * 1.4, _SLOW)
                if time.monotonic() - renewed > _RENEW:
                    renewed = time.monotonic()
                    await self._transact(self._renew)
                if time.monotonic() - looked > _LOOK:
                    looked = time.monotonic()
                    await self._look()
        except (GuildmootError, OSError, RuntimeError) as error:
            self._fail(error)
        except Exception as error:
            self._fail(error)
            raise

    def _fail(self, error: Exception) -> None:
        """Whoever waits must hear of it, or would wait for ever."""
        for waits in self._waits.values():
            for wait in waits:
                if not wait.done.done():
                    wait.done.set_exception(error)

    async def _collect(self) -> int:
        """Hand out the replies that are there."""
        waits = {key: waits[0].job for key, waits in self._waits.items()}
        found: dict[str, Reply] = await self._transact(
            lambda connection: take_replies(connection, waits, self._caller)
        )
        for key, reply in found.items():
            self._resolve(key, reply)
        return len(found)

    def _resolve(self, key: str, reply: Reply) -> None:
        for wait in self._waits.pop(key, []):
            if not wait.done.done():
                wait.done.set_result(reply)

    def _renew(self, connection: Connection) -> None:
        ledger.still_wanted(connection, list(self._waits), self._caller)

    async def _look(self) -> None:
        """Give up calls that nobody alive has served for as long as our patience lasts."""
        keys = list(self._waits)
        unserved: dict[str, str] = await self._transact(lambda c: register.unserved(c, keys))
        now = time.monotonic()
        queues = set(unserved.values())
        self._unserved = {queue: self._unserved.get(queue, now) for queue in queues}
        for key, queue in unserved.items():
            if now - self._unserved[queue] > self._patience and key in self._waits:
                seat = self._waits[key][0].job.call.seat.name
                why = f"nobody serves {queue} any more, for {self._patience:g} s"
                await self._transact(partial(ledger.leave, key=key, caller=self._caller))
                self._resolve(key, Reply(seat, "missing", error=why))


def take_replies(connection: Connection, jobs: dict[str, Job], caller: str) -> dict[str, Reply]:
    """The replies that are there, with their prices settled."""
    rows = connection.execute(
        text(
            f"SELECT key, state, {bounded('reply', LONG)} FROM guild.calls WHERE key = ANY(:keys)"  # noqa: S608 - our words
            " AND state IN ('answered', 'failed', 'cancelled')"
        ),
        {"keys": list(jobs)},
    ).all()
    found, prices = {}, {}
    for key, state, written in rows:
        if state == "cancelled":
            found[key] = Reply(jobs[key].call.seat.name, "cancelled", error="it was called off")
        else:
            found[key] = ledger.read_reply(connection, jobs[key].call.seat.name, written)
            usd = jobs[key].price(found[key])
            if usd != jobs[key].call.most_usd:  # otherwise what was set aside is the price
                prices[key] = usd
    budget.settle(connection, prices, caller)
    if found:
        done = text("SELECT guild.collected(:keys, :caller)")
        connection.execute(done, {"caller": caller, "keys": list(found)})
    return found
