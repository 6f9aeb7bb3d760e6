"""A worker's life: sign in, work while giving signs of life, look after the dead, drain, sign out."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar
from uuid import uuid4

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from guildmoot.calls.cluster import database, register
from guildmoot.calls.cluster.call_runner import (
    CONNECTIONS,
    FOR_EVER,
    CallRunner,
    Offer,
    launch_dbos,
    stop_dbos,
)
from guildmoot.calls.cluster.fence import Fence
from guildmoot.calls.cluster.needs import Capabilities, LaneRoom, Needs, capabilities, lacking
from guildmoot.calls.cluster.payload import repository_at
from guildmoot.calls.cluster.queues import KnownQueues, apply_limits, known_queues, make_client
from guildmoot.calls.cluster.rows import told
from guildmoot.calls.cluster.schema import VERSION
from guildmoot.errors import InfrastructureError, UsageError

if TYPE_CHECKING:
    from dbos import DBOS, DBOSClient
    from sqlalchemy import Connection, Engine

T = TypeVar("T")

BEAT = 1.0
"""Seconds between two heartbeats, or a sixth of the lease when that is less."""
_STARTING = 30.0
"""Seconds for which what a program or a checkout offers is believed without looking again."""
_AGAIN = 5.0

_log = logging.getLogger(__name__)


class LanePost(NamedTuple):
    """Where lanes of plans are taken from, and under which name."""

    executor: str
    ticket: str
    fence: Fence
    engine: Engine

    async def tried(self, work: Callable[[Connection], T]) -> T | None:
        """One try in one transaction; None while the database is away."""
        try:
            return await asyncio.to_thread(database.transact, self.engine, work, 0.0)
        except (DBAPIError, PoolTimeout) as error:
            _log.info("lanes: the database is away: %s", database.reason(error))
            return None

    async def surely(self, work: Callable[[Connection], T]) -> T:
        """The same, however long that takes."""
        return await asyncio.to_thread(database.transact, self.engine, work, FOR_EVER)


class LaneServing(Protocol):
    """Does the lanes of plans beside the calls; see ``lifecycle.execution.workers.serving``."""

    def room(self) -> LaneRoom:
        """What is advertised."""

    async def serve(self, post: LanePost) -> None:
        """Take lanes until told to close, and until those under way have ended."""

    def close(self) -> None:
        """Take nothing new."""


class Worker:
    """One worker, from registering to stopping."""

    def __init__(
        self, url: str, offer: Offer, say: Callable[[str], None], lanes: LaneServing | None = None
    ) -> None:
        self._url = url
        self._lanes = lanes
        self._offer = offer
        self._say = say
        self._engine = database.connect(url, CONNECTIONS)
        # Heartbeats must not wait for connections that calls use.
        self._heartbeat_engine = database.connect(url, 3)
        self._threads = ThreadPoolExecutor(3, thread_name_prefix="guild-heartbeat")
        self._stop = asyncio.Event()
        self._queues: dict[str, Needs] = {}
        self._lacks: dict[str, tuple[float, str]] = {}
        self._told: set[str] = set()
        self._executor = ""
        self._ticket = uuid4().hex
        self._lease = 0.0
        self._requeued_at = 0.0
        self._dbos: DBOS | None = None

    def stop(self) -> None:
        """Take nothing new, finish what is under way, and end."""
        self._stop.set()

    @property
    def stopping(self) -> bool:
        """Whether it was told to stop."""
        return self._stop.is_set()

    async def work(self, grace: float) -> None:
        """Work until told to stop or to drain; then wait ``grace`` seconds for calls under way."""
        database.check_reachable(self._engine, self._url)
        await self._register()
        fence = Fence(self._lease)
        client = make_client(self._heartbeat_engine)
        _, serves = await self._look(client)
        runner = CallRunner(self._engine, self._offer, self._executor, fence)
        self._dbos = launch_dbos(self._url, self._engine, self._executor, serves, runner)
        heartbeat = asyncio.create_task(self._keep_beating(fence, client))
        watch = asyncio.create_task(_watch(fence, self._lease))
        post = LanePost(self._executor, self._ticket, fence, self._engine)
        lanes = asyncio.create_task(self._lanes.serve(post) if self._lanes else asyncio.sleep(0))
        self._say(f"worker {self._executor} serves {self._served(serves)}")
        try:
            await self._until_stopped(heartbeat, *((lanes,) if self._lanes else ()))
            await self._unregister(client, grace, lanes)
        finally:
            lanes.cancel()
            await asyncio.wait((lanes,))
            heartbeat.cancel()
            watch.cancel()
            self._threads.shutdown(wait=False, cancel_futures=True)

    def _served(self, queues: list[str]) -> str:
        room = self._lanes.room() if self._lanes else None
        plans = [f"{room.slots} lanes at once ({', '.join(room.tiers)})"] if room else []
        return ", ".join((*queues, *plans)) or "no queue yet"

    async def _until_stopped(self, *others: asyncio.Task[None]) -> None:
        """Wait until told to stop; raises what ended the heartbeat or the lanes, when that came first."""
        stopped = asyncio.ensure_future(self._stop.wait())
        try:
            await asyncio.wait((stopped, *others), return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopped.cancel()
        for task in others:
            if task.done():
                task.result()

    async def _register(self) -> None:
        switches = await self._quick(register.control)
        if switches.draining:
            raise UsageError(
                "the engine is being drained, so no worker may start",
                "Open it again with: guild engine drain --off",
            )
        self._lease = switches.lease
        has = await asyncio.to_thread(self._capabilities)
        while True:
            signed: register.SignedIn = await self._quick(
                lambda c: register.sign_in(c, self._offer.name, has, self._ticket)
            )
            if signed.executor:
                self._executor = signed.executor
                return
            self._say(f"the name {self._offer.name} is taken for another {signed.wait:.0f} s")
            await asyncio.sleep(min(signed.wait, 1.0))

    async def _keep_beating(self, fence: Fence, client: DBOSClient) -> None:
        pause = min(BEAT, self._lease / 6)
        while True:
            sent = time.monotonic()
            try:
                await self._beat(fence, client, sent)
            except (DBAPIError, PoolTimeout, InfrastructureError) as error:
                _log.info("a heartbeat could not be written: %s", database.reason(error))
            await asyncio.sleep(max(0.0, pause - (time.monotonic() - sent)))

    async def _beat(self, fence: Fence, client: DBOSClient, sent: float) -> None:
        has, serves = await self._look(client)
        state = await self._quick(
            lambda c: register.beat(c, self._executor, serves, has, self._ticket)
        )
        if state == "replaced":
            self._say("another worker has taken this name; stopping")
            self._stop.set()
            return
        if state == "gone":
            await self._once(
                _come_back, client, self._heartbeat_engine, self._executor, self._ticket
            )
        fence.written(sent)
        switches = await self._quick(register.control)
        if switches.problem:
            self._say_once(switches.problem)
        if switches.version > VERSION:
            self._say("the engine's tables are newer than this program, so it must stop: update it")
        if switches.draining or switches.version > VERSION:
            self._stop.set()
        if sent - self._requeued_at > self._lease / 5:
            self._requeued_at = sent
            await self._once(_requeue_dead, client, self._heartbeat_engine)

    async def _look(self, client: DBOSClient) -> tuple[Capabilities, list[str]]:
        """What we have, and the queues that we can serve with it; new ones are taken up."""
        has = await asyncio.to_thread(self._capabilities)
        known: KnownQueues = await self._quick(known_queues)
        for problem in known.problems:
            self._say_once(problem)
        found = known.needs
        new = {name: needs for name, needs in found.items() if name not in self._queues}
        if new and self._offer.limits:
            await self._once(apply_limits, client, self._heartbeat_engine, new, self._offer.limits)
        self._queues = found
        serves = [name for name, needs in found.items() if not self._lacking(name, needs, has)]
        if self._dbos is not None:
            # DBOS reads this list every second, but takes additions to it only before its launch.
            listening = self._dbos._listening_queues
            assert listening is not None  # noqa: S101 - it was given one at its launch
            listening.extend(name for name in serves if name not in listening)
        return has, serves

    def _lacking(self, name: str, needs: Needs, has: Capabilities) -> str:
        seen, lack = self._lacks.get(name, (0.0, "unknown"))
        if time.monotonic() - seen > (_AGAIN if lack else _STARTING) or needs.repository:
            try:
                lack = lacking(needs, has)
            except Exception as error:  # noqa: BLE001 - whatever its row asks for, others are served
                lack = told("queue", name, f"{type(error).__name__}: {error}")
                self._say_once(lack)
            self._lacks[name] = (time.monotonic(), lack)
        return lack

    def _say_once(self, line: str) -> None:
        if line not in self._told:
            self._told.add(line)
            self._say(f"left aside: {line}")

    def _capabilities(self) -> Capabilities:
        offer = self._offer
        checkouts = [repository_at(path) for path in offer.repositories]
        has = capabilities(offer.backends, offer.providers, offer.models, checkouts)
        if self._lanes is None:
            return has
        room = self._lanes.room()
        heads = (each.state.partition("+")[0] for each in checkouts)
        room = room._replace(commits=tuple(dict.fromkeys((*heads, *room.commits))))
        return has._replace(lanes=room, backends=has.backends if offer.calls else ())

    async def _unregister(
        self, client: DBOSClient, grace: float, lanes: asyncio.Task[None]
    ) -> None:
        self._say("no new calls are taken; finishing what is under way")
        await self._tried(self._enter, "draining")
        if self._lanes:
            self._lanes.close()
            await asyncio.wait((lanes,), timeout=grace)
        await asyncio.to_thread(stop_dbos, max(1, int(grace)))
        await self._tried(self._enter, "stopped")
        await self._tried(_requeue, client, self._executor)
        self._say(f"worker {self._executor} has stopped")

    def _enter(self, state: str) -> None:
        enter = partial(
            register.set_state, executor=self._executor, state=state, ticket=self._ticket
        )
        database.transact(self._heartbeat_engine, enter, 0.0)

    async def _tried(self, function: Callable[..., object], *arguments: object) -> None:
        """What need not succeed: without the word of a worker that ends, its lease runs out."""
        try:
            await self._once(function, *arguments)
        except (DBAPIError, PoolTimeout) as error:
            self._say(f"the database is away: {database.reason(error)}")

    async def _quick(self, work: Callable[[Connection], T]) -> T:
        """One try in one transaction: a heartbeat must not wait."""
        return await self._once(database.transact, self._heartbeat_engine, work, 0.0)

    async def _once(self, function: Callable[..., T], *arguments: object) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, function, *arguments)


async def _watch(fence: Fence, lease: float) -> None:
    while True:
        fence.check()
        await asyncio.sleep(lease / 30)


def _requeue_dead(client: DBOSClient, engine: Engine) -> None:
    """Put the calls of workers whose lease ran out back into their queues."""
    database.transact(engine, register.sweep, 0.0)
    pending = client.list_workflows(status="PENDING", load_input=False, load_output=False)
    for executor in sorted({each.executor_id for each in pending if each.executor_id}):
        with engine.begin() as connection:
            if register.lock_state(connection, executor) in ("gone", "stopped", "replaced"):
                _requeue(client, executor)


def _come_back(client: DBOSClient, engine: Engine, executor: str, ticket: str) -> None:
    """We were taken for dead: what we had goes to others before we take anything new."""
    with engine.begin() as connection:
        if register.lock_state(connection, executor) == "gone":
            _requeue(client, executor)
            register.set_state(connection, executor, "working", ticket)


def _requeue(client: DBOSClient, executor: str) -> None:
    """Put what DBOS believes an executor to be running back into its queue.

    Unlike ``resume_workflow`` this is what DBOS's own recovery does: a call that another executor
    has taken up in the meantime is left alone.
    """
    left = client.list_workflows(
        status="PENDING", executor_id=executor, load_input=False, load_output=False
    )
    for each in left:
        client._sys_db.reenqueue_for_recovery(
            each.workflow_id, [executor], each.queue_name or "lost"
        )
