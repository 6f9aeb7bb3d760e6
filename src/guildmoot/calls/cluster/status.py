"""What the engine is doing: queues, workers, money of the day, and calls that are stuck."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import Connection, text

from guildmoot.calls.cluster import budget, register
from guildmoot.calls.cluster.schema import VERSION

if TYPE_CHECKING:
    from dbos import DBOSClient


class Queue(NamedTuple):
    """One queue and how full it is."""

    name: str
    waiting: int
    running: int
    concurrency: int | None
    """Calls that may run at once over all machines."""
    per_worker: int | None
    rate: tuple[int, float] | None
    workers: tuple[str, ...]
    """Those alive who serve it."""


class Stuck(NamedTuple):
    """A call that does not move, and why."""

    key: str
    seat: str
    queue: str
    seconds: float
    why: str


class Status(NamedTuple):
    """The engine at one moment."""

    version: int
    draining: bool
    lease: float
    queues: tuple[Queue, ...]
    workers: tuple[register.RegisteredWorker, ...]
    spent_usd: float
    reserved_usd: float
    unpriced: int
    """Calls of today whose price nobody knows."""
    answered: int
    stuck: tuple[Stuck, ...]


def read_status(connection: Connection, client: DBOSClient) -> Status:
    """Look at everything once."""
    switches = register.control(connection)
    everybody = register.workers(connection)
    spent, reserved, unpriced = budget.spent_today(connection)
    answered = connection.execute(
        text("SELECT count(*) FROM guild.calls WHERE state = 'answered'")
    ).scalar_one()
    return Status(
        VERSION,
        switches.draining,
        switches.lease,
        tuple(_queues(connection, client, everybody)),
        tuple(everybody),
        spent / 1e6,
        reserved / 1e6,
        unpriced,
        int(answered),
        tuple(_stuck(connection)),
    )


def _queues(
    connection: Connection, client: DBOSClient, everybody: list[register.RegisteredWorker]
) -> list[Queue]:
    rows = connection.execute(
        text(
            "SELECT queues.name, count(*) FILTER (WHERE state = 'asked'),"
            " count(*) FILTER (WHERE state = 'running') FROM guild.queues LEFT JOIN guild.calls"
            " ON calls.queue = queues.name AND state IN ('asked', 'running')"
            " GROUP BY queues.name ORDER BY queues.name"
        )
    ).all()
    limits = {queue.name: queue for queue in client.list_queues()}
    found = []
    for name, waiting, running in rows:
        limit = limits.get(name)
        rate = limit.limiter if limit else None
        serving = (each.name for each in everybody if each.alive and name in each.serves)
        found.append(
            Queue(
                name,
                int(waiting),
                int(running),
                limit.global_concurrency if limit else None,
                limit.worker_concurrency if limit else None,
                (rate["limit"], rate["period"]) if rate else None,
                tuple(serving),
            )
        )
    return found


def _stuck(connection: Connection) -> list[Stuck]:
    """Calls that nobody alive serves, and those that run much longer than they may."""
    rows = connection.execute(
        text(
            "SELECT key, seat, queue, extract(epoch FROM now() - coalesce(started, asked)),"
            " CASE WHEN state = 'running' THEN 'runs longer than its time limit'"
            " WHEN wanted < now() THEN 'nobody waits for it any more'"
            " ELSE 'no worker alive serves its queue' END"
            " FROM guild.calls, guild.control WHERE"
            " (state = 'running' AND timeout > 0"
            "  AND started < now() - make_interval(secs => timeout + lease + 30))"
            " OR (state = 'asked' AND asked < now() - make_interval(secs => lease)"
            "  AND (wanted < now() OR NOT EXISTS (SELECT 1 FROM guild.workers"
            "   WHERE workers.state = 'working' AND calls.queue = ANY(serves)"
            "   AND heartbeat > now() - make_interval(secs => lease))))"
            " ORDER BY asked LIMIT 100"
        )
    )
    return [Stuck(key, seat, queue, float(age), why) for key, seat, queue, age, why in rows]
