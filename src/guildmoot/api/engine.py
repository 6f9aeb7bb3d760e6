"""The verbs of an engine that several machines share: look at it, drain it, migrate it, work for it.

The plain functions may block; each verb runs one of them on a thread. An address that is left empty
is the one that the settings name.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from guildmoot.calls.cluster import check_installed
from guildmoot.calls.session import engine_url
from guildmoot.config import Config
from guildmoot.errors import InfrastructureError, UsageError
from guildmoot.guard.settings import settings_for
from guildmoot.system.git import project_root
from guildmoot.system.place import place
from guildmoot.system.threads import off_loop, relayed

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from guildmoot.calls.cluster.call_runner import Offer
    from guildmoot.calls.cluster.retention import Cleared
    from guildmoot.calls.cluster.status import Status
    from guildmoot.lifecycle.execution.workers.serving import LaneService

_GRACE = 3600.0
"""Seconds that calls under way get to end; their own time limits end them long before."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}")


class Migration(NamedTuple):
    """The engine, and the version of its tables before and after."""

    place: str
    before: int
    after: int


class WorkerRequest(NamedTuple):
    """What a worker may do on this machine; empty is whatever it can."""

    name: str = ""
    """Unique in the cluster; made from this host's name, boot and pid namespace unless given."""
    backends: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    repositories: tuple[str, ...] = ()
    """Folders of checkouts."""
    concurrency: int = 0
    """Calls at once on this machine; 0 leaves it to the queues."""
    limit: tuple[str, ...] | None = None
    """``NAME=N``, calls at once on all machines; None is the setting."""
    rate: tuple[str, ...] | None = None
    """``NAME=N/S``, starts in so many seconds; None is the setting."""
    engine: str = ""
    cwd: Path = Path()
    lanes: int = 0
    """Lanes of plans that are done here at once; 0 is none. Then calls are taken for named backends alone."""
    command: str = ""
    """What does a lane; no job can name another."""
    clients: bool = False
    """The models of this machine's ``work.tiers`` do it."""


async def engine_status(url: str = "") -> Status:
    """What a shared engine does: queues, workers, money, and what is stuck."""
    return await asyncio.to_thread(read_engine, url)


async def drain_engine(url: str = "", *, on: bool = True) -> list[str]:
    """Let no new call in and have the workers finish, or open it again; who still works."""
    return await asyncio.to_thread(drain, url, on=on)


async def migrate_engine(url: str = "", lease: float | None = None) -> Migration:
    """Make the engine's tables or bring them up to date; ``lease`` is how long a worker may be silent."""
    return await asyncio.to_thread(migrate, url, lease)


async def clear_engine(url: str = "", days: float = 30.0, *, dry_run: bool = False) -> Cleared:
    """Clear away what ended so many days ago; ``dry_run`` only counts it."""
    return await asyncio.to_thread(clear, url, days, dry_run=dry_run)


async def work(request: WorkerRequest, say: Callable[[str], None] = lambda line: None) -> None:
    """Make calls for everybody who shares an engine, until it is drained.

    Cancelling lets the calls under way end; cancelling again leaves them to other workers.
    """
    await off_loop(_work(request, relayed(say)))


def read_engine(url: str) -> Status:
    """What ``engine_status`` awaits."""
    with _connected(url) as engine:
        from guildmoot.calls.cluster import database
        from guildmoot.calls.cluster.status import read_status

        return database.transact(engine, read_status)


def drain(url: str, *, on: bool = True) -> list[str]:
    """What ``drain_engine`` awaits."""
    with _connected(url) as engine:
        from guildmoot.calls.cluster import database, register

        database.transact(engine, lambda c: register.set_draining(c, on))
        return [each.name for each in database.transact(engine, register.workers) if each.alive]


def clear(url: str, days: float = 30.0, *, dry_run: bool = False) -> Cleared:
    """What ``clear_engine`` awaits."""
    if not 0 <= days <= 36500:
        raise UsageError("--keep must be between 0 and 36500 days")
    with _connected(url) as engine:
        from guildmoot.calls.cluster import retention

        with engine.connect() as connection, connection.begin() as transaction:
            cleared = retention.clear(connection, days)
            if dry_run:
                transaction.rollback()
            return cleared


def migrate(url: str, lease: float | None = None) -> Migration:
    """What ``migrate_engine`` awaits."""
    if lease is not None and not 1 <= lease <= 3600:
        raise UsageError("--lease must be between 1 and 3600 seconds")
    url = _address(url)
    from sqlalchemy.exc import DBAPIError

    from guildmoot.calls.cluster import database, schema

    engine = database.connect(url, 3)
    try:
        found = schema.migrate(engine, database.with_driver(url), lease)
    except DBAPIError as error:
        raise InfrastructureError(
            f"the engine at {database.shown(url)} could not be migrated: {database.reason(error)}",
            "See whether Postgres runs there, and whether this role may create schemas.",
        ) from None
    finally:
        engine.dispose()
    return Migration(database.shown(url), *found)


@contextmanager
def _connected(url: str) -> Iterator[Engine]:
    url = _address(url)
    from guildmoot.calls.cluster import database

    engine = database.connect(url, 3)
    try:
        database.check_reachable(engine, url)
        with database.told(url):
            yield engine
    finally:
        engine.dispose()


def _address(url: str) -> str:
    """The engine's address: the one given, else that of the environment or the user's settings."""
    check_installed()
    url = url or engine_url(settings_for(project_root(Path.cwd())))
    if not url:
        raise UsageError(
            "no engine is named",
            "Give --engine postgresql://user@host/database, or set GUILD_ENGINE_URL.",
        )
    return url


async def _work(request: WorkerRequest, say: Callable[[str], None]) -> None:
    check_installed()
    config = settings_for(project_root(request.cwd.absolute()))
    for notice in config.notices:
        say(notice)
    offer, url = _offer(request, config), request.engine or _address(engine_url(config))
    from guildmoot.calls.cluster import database
    from guildmoot.calls.cluster.worker import Worker

    worker = Worker(url, offer, say, await asyncio.to_thread(_lanes, request, offer, config, say))
    task = asyncio.ensure_future(worker.work(_GRACE))
    with database.told(url):
        while True:
            try:
                return await asyncio.shield(task)
            except asyncio.CancelledError:
                if not worker.stopping:
                    worker.stop()
                    continue
                task.cancel()
                await asyncio.wait((task,))
                return say("stopped at once; other workers take over what was under way")


def _own_name() -> str:
    """The host's name, told apart from others of that name: containers often share one."""
    host = re.sub(r"[^A-Za-z0-9_-]", "-", socket.gethostname().partition(".")[0])
    return f"{host[:50]}-{hashlib.sha256(place().encode()).hexdigest()[:6]}"


def _offer(request: WorkerRequest, config: Config) -> Offer:
    from guildmoot.backends import BACKENDS
    from guildmoot.calls.cluster.call_runner import Offer
    from guildmoot.calls.cluster.queues import read_limits

    if not _NAME.fullmatch(name := request.name or _own_name()):
        raise UsageError(f"{name!r} is no name for a worker", "Use letters, digits, - and _.")
    if unknown := sorted(set(request.backends) - set(BACKENDS)):
        raise UsageError(
            f"there is no backend {', '.join(unknown)}",
            f"This version has: {', '.join(sorted(BACKENDS))}.",
        )
    limit = config.strings("engine.concurrency") if request.limit is None else request.limit
    rate = config.strings("engine.rate") if request.rate is None else request.rate
    return Offer(
        name,
        *request[1:5],
        concurrency=max(0, request.concurrency),
        limits=read_limits(limit, rate),
        calls=not request.lanes or bool(request.backends),
    )


def _lanes(
    request: WorkerRequest, offer: Offer, config: Config, say: Callable[[str], None]
) -> LaneService | None:
    """Who does lanes here, and where; None for a worker that only makes calls."""
    if not request.lanes:
        if request.command or request.clients:
            raise UsageError("--worker and --clients do lanes", "Say how many at once: --lanes 1")
        return None
    from guildmoot.lifecycle.execution.workers.choose import lane_backend
    from guildmoot.lifecycle.execution.workers.packs import Scratch
    from guildmoot.lifecycle.execution.workers.serving import LaneOwner, LaneService
    from guildmoot.lifecycle.terms import work_terms
    from guildmoot.model.settings import TIERS
    from guildmoot.system import fence
    from guildmoot.system.state import user_state_folder

    if request.lanes < 0 or bool(request.command) == request.clients:
        raise UsageError(
            "a worker that does lanes is told how many at once, and by whom",
            "--lanes 1 with --worker CMD, or with --clients for the models of work.tiers.",
        )
    root = user_state_folder() / "lanes" / offer.name
    models = dict(work_terms(config).tiers) if request.clients else dict.fromkeys(TIERS, "")
    backend = lane_backend(request.command, models, config, root)
    root.mkdir(parents=True, exist_ok=True)
    fenced = config.flag("work.fence") and fence.works(str(root), whole=True)
    if not fenced:
        say(
            "no fence is around lanes here: one could change whatever this user may write, other lanes too"
        )
    owner = LaneOwner(backend, request.lanes, models, fenced)
    return LaneService(owner, Scratch(root, offer.repositories), say)
