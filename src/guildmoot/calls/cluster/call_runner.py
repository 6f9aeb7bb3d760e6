"""The worker's side: takes calls from the queues it can serve, makes them, writes the replies down.

DBOS hands a call to one worker at a time; the call's token in the ledger says who may write its
reply. What a reply means is nobody's business here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from uuid import uuid4
from weakref import WeakValueDictionary

from guildmoot.backends.api_keys import scrubbed, secrets
from guildmoot.calls import spawn
from guildmoot.calls.cluster import database, ledger, payload
from guildmoot.calls.cluster.batch import Batch
from guildmoot.calls.cluster.codec import call_from_text
from guildmoot.calls.cluster.fence import Fence
from guildmoot.calls.cluster.needs import needs_of, withheld
from guildmoot.calls.cluster.queues import POLL, Limit, refuse_pickles
from guildmoot.calls.cluster.schema import APPLICATION, DBOS_SCHEMA, PROTOCOL, WORKFLOW
from guildmoot.calls.ledger.local import mask_reply
from guildmoot.codec import CodecError
from guildmoot.errors import GuildmootError, InfrastructureError, UsageError
from guildmoot.model.call import Call, Reply

if TYPE_CHECKING:
    from dbos import DBOS
    from sqlalchemy import Connection, Engine

T = TypeVar("T")

FOR_EVER = 10 * 365 * 86400.0
"""A paid reply is worth any wait for the database."""
CONNECTIONS = 12

_log = logging.getLogger(__name__)


class Offer(NamedTuple):
    """What a worker's owner lets it do."""

    name: str
    backends: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    repositories: tuple[str, ...] = ()
    """Folders of checkouts."""
    concurrency: int = 0
    """Calls at once on this machine; 0 leaves it to the queues."""
    limits: Mapping[str, Limit] = MappingProxyType({})
    calls: bool = True
    """False for one that does lanes alone."""


class CallRunner:
    """Makes the calls that DBOS hands over."""

    def __init__(self, engine: Engine, offer: Offer, executor: str, fence: Fence) -> None:
        self._engine = engine
        self._offer = offer
        self._executor = executor
        self._fence = fence
        self._gate = asyncio.Semaphore(offer.concurrency or 1_000_000)
        self._secrets = secrets()
        self._batch = Batch(self._transact)
        self._making: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def make(self, key: str, attempt: int) -> str:
        """Make one call and write its reply down; a word for DBOS's own records."""
        if not isinstance(key, str) or len(key) != 64 or type(attempt) is not int:
            return "unreadable"
        # After a silence DBOS may hand us what we are still making; then this waits for the first.
        alone = self._making.setdefault(key, asyncio.Lock())
        async with self._gate, alone:
            await self._fence.restored()
            return await self._make(key, attempt, uuid4().hex)

    async def _make(self, key: str, attempt: int, token: str) -> str:
        begin = partial(ledger.begin, key=key, attempt=attempt, worker=self._executor, token=token)
        while (task := await self._batch.do(key, begin)) == "later":
            await asyncio.sleep(POLL)
        while task is not None:
            reply = await self._fence.guarded(self._answer(task))
            if reply is not None:
                finish = partial(ledger.finish, key=key, attempt=attempt, token=token, reply=reply)
                return reply.status if await self._batch.do(key, finish) else "late"
            await self._fence.restored()
            if not await self._batch.do(key, partial(ledger.still_mine, key=key, token=token)):
                return "taken over"
        return "not needed"

    async def _answer(self, task: ledger.QueuedCall) -> Reply:
        """What the call comes to, as it may be kept; a failure is a reply too, whatever it was."""
        try:
            if task.problem:
                raise InfrastructureError(task.problem)
            call = call_from_text(task.call)
            reply = mask_reply(await self._made(call, task.packet), call)
        except CodecError as error:
            reply = self._failed(f"the call cannot be read: {error}")
        except GuildmootError as error:
            reply = self._failed(error.message)
        except Exception as error:  # noqa: BLE001 - whoever waits must hear of it
            reply = self._failed(f"{type(error).__name__}: {error}")
        return reply._replace(
            text=scrubbed(reply.text, self._secrets), error=scrubbed(reply.error, self._secrets)
        )

    async def _made(self, call: Call, packet: str) -> Reply:
        with ExitStack() as stack:
            self._check(call)
            scene = payload.unpacked(call, packet, self._offer.repositories)
            placed: Call = await asyncio.to_thread(stack.enter_context, scene)
            return (await spawn([placed])).replies[0]

    def _failed(self, why: str) -> Reply:
        _log.info("a call failed: %s", why[:1000])
        return Reply("", "failed", error=f"on {self._executor}: {why[:1000]}")

    def _check(self, call: Call) -> None:
        """Whoever can write to the database can put any call into any queue."""
        offer = self._offer
        if not offer.calls:
            raise UsageError("this worker's owner offers lanes, and no calls")
        if lack := withheld(needs_of(call), offer.backends, offer.providers, offer.models):
            raise UsageError(f"this worker's owner does not offer {lack}")

    async def _transact(self, work: Callable[[Connection], T]) -> T:
        return await asyncio.to_thread(database.transact, self._engine, work, FOR_EVER)


def launch_dbos(
    url: str, engine: Engine, executor: str, queues: list[str], runner: CallRunner
) -> DBOS:
    """Start DBOS in this process, on the running event loop; only one can be."""
    from dbos import DBOS, DBOSPortableJSONSerializer

    refuse_pickles()
    dbos = DBOS(
        config={
            "name": APPLICATION,
            "system_database_url": database.with_driver(url),
            "system_database_engine": engine,
            "dbos_system_schema": DBOS_SCHEMA,
            "application_version": PROTOCOL,
            "executor_id": executor,
            "serializer": DBOSPortableJSONSerializer(),
            "run_migrations": False,
            "log_level": "CRITICAL",
            "enable_otlp": False,
        }
    )
    DBOS.workflow(name=WORKFLOW, max_recovery_attempts=None)(_workflow(runner))
    DBOS.listen_queues(queues)
    DBOS.launch()
    return dbos


def stop_dbos(seconds: int) -> None:
    """Take nothing new and wait so long for what is under way."""
    from dbos import DBOS

    DBOS.destroy(workflow_completion_timeout_sec=seconds)


def _workflow(runner: CallRunner) -> Callable[..., Any]:
    async def guild_call(key: str, attempt: int) -> str:
        return await runner.make(key, attempt)

    return guild_call
