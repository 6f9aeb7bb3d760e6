"""The caller's side: puts calls to the cluster, waits for them, and keeps to its budget.

Nothing is run here. A call goes into its queue in the same transaction that sets its money aside;
two who ask the same share one call, whatever machines they are on.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, TypeVar
from uuid import uuid4

from sqlalchemy import Connection

from guildmoot.calls.cluster import budget, chunks, database, ledger, payload, register
from guildmoot.calls.cluster.batch import Batch
from guildmoot.calls.cluster.codec import call_to_text
from guildmoot.calls.cluster.needs import Needs, explained, needs_of
from guildmoot.calls.cluster.pending import PendingCalls
from guildmoot.calls.cluster.queues import ensure_queue, known_queues
from guildmoot.calls.cluster.schema import PROTOCOL
from guildmoot.calls.ledger.base import Job, Terms
from guildmoot.errors import GuildmootError, InfrastructureError
from guildmoot.guard.secrets import mask
from guildmoot.model.call import Call, Reply

if TYPE_CHECKING:
    from guildmoot.calls.cluster.needs import Repository

T = TypeVar("T")

PATIENCE = 15.0
"""Seconds that a call waits for somebody who could serve it before it is given up."""
_THREADS = 4
_SERVED_SECONDS = 1.0
"""Seconds for which it is believed without looking that somebody serves a queue."""
_TRIES = 3
"""How often a call that others called off is asked for again."""
_LEAVE_SECONDS = 5.0
"""Seconds for calling off what nobody waits for any more; its caller may be in a hurry."""

_log = logging.getLogger(__name__)


class ClusterEngine:
    """Performs calls on the workers that share a Postgres."""

    def __init__(
        self, url: str, terms: Terms, patience: float = PATIENCE, wait: float = database.PATIENCE
    ) -> None:
        self._url = url
        self._wait = wait
        self._terms = terms
        self._patience = patience
        self._caller = uuid4().hex
        self._engine = database.connect(url, _THREADS + 1)
        self._reached = False
        self._closing = Event()
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="guild-engine")
        self._queues: set[str] = set()
        self._asks = Batch(self._transact)
        self._served: dict[tuple[str, Repository | None], float] = {}
        self._pending = PendingCalls(self._caller, self._transact, patience)

    @property
    def problem(self) -> str:
        """Nothing: a reply is on record before it is seen here."""
        return ""

    async def ready(self) -> None:
        """Wait for the database; see ``SharedEngine``."""
        if not self._reached:
            wait = (self._engine, self._url, self._wait, self._closing)
            await self._beside(database.check_reachable, *wait)
            self._reached = True

    def afford(self, what: str, usd: float) -> None:
        """Raise BudgetError when so much cannot be spent any more; nothing stays set aside."""
        self._work(lambda c: budget.check(c, self._terms, what, usd))

    async def perform(self, job: Job) -> Reply:
        """The recorded reply when there is one, else one that a worker gets; see ``Engine``."""
        await self.ready()
        for _ in range(_TRIES):
            reply = await self._performed(job)
            if reply.status != "cancelled":
                break
        return reply

    def close(self) -> None:
        """Let go of the database; calls under way run out by themselves, and their replies are kept."""
        self._closing.set()
        self._threads.shutdown(cancel_futures=True)
        self._engine.dispose()

    async def _performed(self, job: Job) -> Reply:
        call, seat = job.call, job.call.seat.name
        if why := _secret_in(call):
            return Reply(seat, "failed", error=why)
        try:
            checkout = await self._beside(_checkout_of, call)
        except InfrastructureError as error:  # such as the copy of a base, which no worker has
            return Reply(seat, "missing", error=error.message)
        needs = needs_of(call, checkout.identity if checkout else "")
        if refusal := await self._refusal(job, needs, checkout):
            return Reply(seat, "missing", error=refusal)
        wish = await self._beside(self._wish, job, needs, checkout)
        try:
            asked = await self._asks.do(job.key, partial(ledger.ask, wish=wish))
            if asked.reply is not None:
                # A run that died after its call was made left the price open.
                prices = {job.key: job.price(asked.reply)}
                await self._transact(lambda c: budget.settle(c, prices, self._caller))
                return asked.reply._replace(kept=asked.run_id)
            reply = await self._pending.reply(job)
        except asyncio.CancelledError:
            await asyncio.shield(self._leave(job.key))
            raise
        return reply if asked.fresh else reply._replace(kept=asked.run_id)

    def _wish(self, job: Job, needs: Needs, checkout: Repository | None) -> ledger.Ask:
        call = job.call
        # The packet's part of the prompt has passed the egress filter; the rest has not.
        own = mask(call.prompt[call.shared :], "prompt")[0]
        text = call_to_text(call._replace(prompt=call.prompt[: call.shared] + own))
        packet = payload.pack(call, checkout)
        if packet or len(text) > chunks.LIMIT:
            packet, text = self._work(partial(_spill, packet, text))
        return ledger.Ask(
            key=job.key,
            asker=uuid4().hex,
            caller=self._caller,
            seat=call.seat.name,
            queue=needs.queue,
            call=text,
            packet=packet,
            timeout=call.timeout,
            most_usd=call.most_usd,
            terms=self._terms,
        )

    async def _refusal(self, job: Job, needs: Needs, checkout: Repository | None) -> str:
        """Why the call is not put into its queue; empty when it is, or needs no worker any more."""
        place = (needs.queue, checkout)
        if time.monotonic() - self._served.get(place, -_SERVED_SECONDS) < _SERVED_SECONDS:
            return ""
        if await self._transact(lambda c: ledger.is_under_way(c, job.key)):
            return ""
        if needs.queue not in self._queues:
            self._queues = set((await self._transact(known_queues)).needs)
        if needs.queue not in self._queues:
            await self._transact(lambda c: ensure_queue(c, needs))
        refusal = await self._matched(needs, job.call, checkout)
        if not refusal:
            self._served[place] = time.monotonic()
        return refusal

    async def _matched(self, needs: Needs, call: Call, checkout: Repository | None) -> str:
        """Empty once somebody alive serves such calls; else why nobody does, when patience ends."""
        deadline = time.monotonic() + self._patience
        while True:
            if (await self._transact(register.control)).draining:
                return "the engine is being drained and takes no new calls"
            found = await self._transact(lambda c: register.serving(c, needs.queue))
            if any(_has(worker, checkout) for worker in found):
                return ""
            if time.monotonic() > deadline:
                everybody = await self._transact(register.workers)
                return _nobody(explained(needs, call), everybody, self._patience)
            await asyncio.sleep(0.25)

    async def _leave(self, key: str) -> None:
        """Wait no more; a call that nobody else wants and nobody has taken is called off."""
        leave = partial(ledger.leave, key=key, caller=self._caller)
        try:
            async with asyncio.timeout(_LEAVE_SECONDS):
                await self._asks.settled()
                if not self._pending.waits_for(key):
                    await self._transact(leave, _LEAVE_SECONDS)
        except (GuildmootError, TimeoutError) as error:
            _log.info("a call could not be called off: %s", str(error) or "no time")

    async def _transact(self, work: Callable[[Connection], T], patience: float | None = None) -> T:
        return await self._beside(self._work, work, patience)

    def _work(self, work: Callable[[Connection], T], patience: float | None = None) -> T:
        with database.told(self._url):
            patience = self._wait if patience is None else patience
            return database.transact(self._engine, work, patience, self._closing)

    async def _beside(self, function: Callable[..., T], *arguments: object) -> T:
        """Run it in a thread, so that the event loop goes on."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, function, *arguments)


def _spill(packet: str, text: str, connection: Connection) -> tuple[str, str]:
    """Keep what is too long for a row; what to write in the row instead."""
    name = chunks.store(connection, packet) if packet else ""
    return name, chunks.put(connection, text)


def _checkout_of(call: Call) -> Repository | None:
    if call.agent.run_in != "checkout":
        return None
    return payload.repository_at(call.workdir)


def _has(worker: register.RegisteredWorker, checkout: Repository | None) -> bool:
    if worker.capabilities.protocol != PROTOCOL:
        return False
    if checkout is None:
        return True
    wanted = (checkout.identity, checkout.state)
    return wanted in {(each.identity, each.state) for each in worker.capabilities.repositories}


def _secret_in(call: Call) -> str:
    """Why the call may not be written into a database that others read; empty when it may."""
    if any(mask(word, "command")[1] for word in call.agent.command):
        return (
            f"the command of {call.agent.source} seems to hold a secret, which must not leave this"
            " machine; let the program read it from a variable of the worker's environment"
        )
    return ""


def _nobody(needed: str, everybody: list[register.RegisteredWorker], patience: float) -> str:
    alive = [each for each in everybody if each.alive]
    others = [each for each in alive if each.capabilities.protocol != PROTOCOL]
    if others:
        names = ", ".join(f"{each.name} ({each.capabilities.version})" for each in others)
        needed += f", of a release that speaks {PROTOCOL}, which {names} does not"
    there = "; ".join(
        f"{each.name} ({', '.join((*each.capabilities.backends, *each.capabilities.providers))})"
        for each in alive
    )
    return (
        f"no worker could take it within {patience:g} s: it needs {needed}."
        f" Workers alive: {there or 'none; start one with guild worker'}"
    )
