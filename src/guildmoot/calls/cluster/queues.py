"""Queues: made when the first call needs one, with limits that hold over all machines.

A limit belongs to a provider or a backend and stands in the database; a worker that starts with one
in its settings sets it. DBOS keeps to it: so many calls of a queue run at once, so many start in a
span of time, whatever the number of workers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from guildmoot.backends import BACKENDS, traits_of
from guildmoot.calls.cluster.needs import Needs, as_text, needs_from
from guildmoot.calls.cluster.rows import bounded, readable, whole
from guildmoot.calls.cluster.schema import APPLICATION, DBOS_SCHEMA
from guildmoot.errors import UsageError

if TYPE_CHECKING:
    from dbos import DBOSClient
    from sqlalchemy import Connection, Engine

POLL = 0.2
"""Seconds between two looks of a worker into one queue."""
WAITING_AT_ONCE = 64
"""Calls of one queue that one worker runs at once, where these only wait for somebody else."""
PROGRAMS_AT_ONCE = 8
"""The same where every call is a program of its own."""


class Limit(NamedTuple):
    """What holds over all machines; None is no limit."""

    concurrency: int | None = None
    rate: tuple[int, float] | None = None
    """So many calls start in so many seconds."""


def make_client(engine: Engine) -> DBOSClient:
    """DBOS from outside: enqueues and looks, runs nothing."""
    import logging

    from dbos import DBOSClient, DBOSPortableJSONSerializer

    refuse_pickles()
    logging.getLogger("dbos").setLevel(logging.ERROR)
    return DBOSClient(
        system_database_engine=engine,
        dbos_system_schema=DBOS_SCHEMA,
        serializer=DBOSPortableJSONSerializer(),
        application_name=APPLICATION,
        lazy=True,
        retry_connection_errors=False,
    )


def refuse_pickles() -> None:
    """DBOS unpickles any row that says it is a pickle, whatever serializer it was given."""
    from dbos._serialization import DefaultSerializer

    setattr(DefaultSerializer, "deserialize", _no_pickle)  # noqa: B010 - mypy knows a method there


def _no_pickle(self: object, serialized_data: str) -> object:
    raise ValueError("a pickle in the engine's database is not read: it could run any program")


def _at_once(needs: Needs) -> int:
    waits = needs.backend in BACKENDS and traits_of(needs.backend).waits
    return WAITING_AT_ONCE if waits else PROGRAMS_AT_ONCE


def ensure_queue(connection: Connection, needs: Needs) -> None:
    """Make the queue of these needs known to DBOS and to the workers; one that is there stays."""
    from sqlalchemy import text

    connection.execute(
        text("SELECT guild.ensure_queue(:name, :needs, :at_once, :poll)"),
        {"name": needs.queue, "needs": as_text(needs), "at_once": _at_once(needs), "poll": POLL},
    )


class KnownQueues(NamedTuple):
    """Every queue that there is, with what its calls need."""

    needs: dict[str, Needs]
    problems: tuple[str, ...]
    """A line about each row that cannot be read."""


def known_queues(connection: Connection) -> KnownQueues:
    """Look at the queues."""
    query = f"SELECT name, {bounded('needs')}, concurrency FROM guild.queues ORDER BY name"  # noqa: S608 - our words
    found, problems = readable("queue", connection.exec_driver_sql(query), _queue)
    return KnownQueues(dict(found), problems)


def _queue(name: str, needs: str | None, concurrency: int | None) -> tuple[str, Needs]:
    if concurrency is not None and concurrency < 1:
        raise ValueError(f"its limit of {concurrency} is none")
    return name, needs_from(whole(needs))


def read_limits(concurrency: Iterable[str], rate: Iterable[str]) -> dict[str, Limit]:
    """Limits by provider or backend, from settings such as ``anthropic=8`` and ``anthropic=50/60``.

    ``*`` is everybody who is not named; 0 takes a limit away.
    """
    limits: dict[str, Limit] = {}
    for item in concurrency:
        name, count = _pair(item, "engine.concurrency", "anthropic=8")
        limits[name] = limits.get(name, Limit())._replace(
            concurrency=_whole(count, "engine.concurrency", item)
        )
    for item in rate:
        name, words = _pair(item, "engine.rate", "anthropic=50/60")
        calls, _, seconds = words.partition("/")
        most = _whole(calls, "engine.rate", item)
        span = _whole(seconds or "60", "engine.rate", item)
        limits[name] = limits.get(name, Limit())._replace(rate=(most, float(span)))
    return limits


def apply_limits(
    client: DBOSClient, engine: Engine, queues: Mapping[str, Needs], limits: Mapping[str, Limit]
) -> None:
    """Write the limits that these settings name into the queues; what they do not name stays."""
    for name, needs in queues.items():
        limit = limits.get(needs.limited_as, limits.get("*"))
        queue = client.retrieve_queue(name) if limit else None
        if limit is None or queue is None:
            continue
        if limit.concurrency is not None:
            _write_limit(engine, name, limit.concurrency or None)
            usual = _at_once(needs)
            # DBOS refuses a worker's share above the whole, whichever of the two comes first.
            queue.set_worker_concurrency(1)
            queue.set_global_concurrency(limit.concurrency or None)
            queue.set_worker_concurrency(min(usual, limit.concurrency or usual))
        if limit.rate is not None:
            calls, seconds = limit.rate
            queue.set_limiter({"limit": calls, "period": seconds} if calls else None)


def _write_limit(engine: Engine, name: str, most: int | None) -> None:
    from sqlalchemy import text

    statement = text("SELECT guild.limit_queue(:name, :most)")
    with engine.begin() as connection:
        connection.execute(statement, {"name": name, "most": most})


def _pair(item: str, setting: str, example: str) -> tuple[str, str]:
    name, equals, value = item.partition("=")
    if not equals or not name.strip():
        raise UsageError(f"{setting}: {item!r} is not of the form NAME=VALUE", f"E.g. {example}")
    return name.strip(), value.strip()


def _whole(word: str, setting: str, item: str) -> int:
    if not word.isascii() or not word.isdigit():
        raise UsageError(f"{setting}: {item!r} holds no whole number")
    return int(word)
