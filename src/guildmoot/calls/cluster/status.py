"""What the engine is doing: queues, workers, money of the day, and calls that are stuck."""

# ruff: noqa: S608 - statements are put together from constants
from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, text

from guildmoot.calls.cluster import budget, register
from guildmoot.calls.cluster.queues import known_queues
from guildmoot.calls.cluster.rows import ALIVE, LEASE_SQL, age, readable
from guildmoot.calls.cluster.schema import DBOS_SCHEMA, VERSION


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
    unreadable: tuple[str, ...] = ()
    """A line about each row that makes no sense and is left aside."""


def read_status(connection: Connection) -> Status:
    """Look at everything once."""
    switches = register.control(connection)
    everybody, odd_workers = register.read_workers(connection)
    known, odd_queues = known_queues(connection)
    queues, odd_limits = _queues(connection, everybody)
    spent, reserved, unpriced = budget.spent_today(connection)
    answered = connection.execute(
        text("SELECT count(*) FROM guild.calls WHERE state = 'answered'")
    ).scalar_one()
    return Status(
        VERSION,
        switches.draining,
        switches.lease,
        tuple(queue for queue in queues if queue.name in known),
        tuple(everybody),
        spent / 1e6,
        reserved / 1e6,
        unpriced,
        int(answered),
        tuple(_stuck(connection)),
        (*filter(None, [switches.problem]), *odd_queues, *odd_limits, *odd_workers),
    )


def _queues(
    connection: Connection, everybody: list[register.RegisteredWorker]
) -> tuple[list[Queue], tuple[str, ...]]:
    rows = connection.execute(
        text(
            "SELECT queues.name, count(*) FILTER (WHERE state = 'asked'),"
            " count(*) FILTER (WHERE state = 'running'), limits.concurrency,"
            " limits.worker_concurrency, limits.rate_limit_max, limits.rate_limit_period_sec"
            " FROM guild.queues LEFT JOIN guild.calls"
            " ON calls.queue = queues.name AND state IN ('asked', 'running')"
            f" LEFT JOIN {DBOS_SCHEMA}.queues AS limits ON limits.name = queues.name"
            " GROUP BY queues.name, limits.queue_id ORDER BY queues.name"
        )
    )

    def read(
        name: str, waiting: int, running: int, most: int | None, each: int | None,
        calls: int | None, seconds: float | None,
    ) -> Queue:  # fmt: skip
        numbers = [number for number in (most, each, calls, seconds) if number is not None]
        if not all(0 <= number < 1e9 for number in numbers):
            raise ValueError("its limits make no sense")
        rate = None if calls is None or seconds is None else (calls, seconds)
        serving = (worker.name for worker in everybody if worker.alive and name in worker.serves)
        return Queue(name, waiting, running, most, each, rate, tuple(serving))

    return readable("queue", rows, read)


def _stuck(connection: Connection) -> list[Stuck]:
    """Calls that nobody alive serves, and those that run much longer than they may."""
    rows = connection.execute(
        text(
            f"SELECT key, left(seat, 255), left(queue, 255), {age('coalesce(started, asked)')},"
            " CASE WHEN state = 'running' THEN 'runs longer than its time limit'"
            " WHEN wanted < now() THEN 'nobody waits for it any more'"
            " ELSE 'no worker alive serves its queue' END"
            " FROM guild.calls, guild.control WHERE"
            " (state = 'running' AND timeout > 0"
            f"  AND started < now() - make_interval(secs => least(timeout, 1e8) + {LEASE_SQL} + 30))"
            f" OR (state = 'asked' AND asked < now() - make_interval(secs => {LEASE_SQL})"
            "  AND (wanted < now() OR NOT EXISTS (SELECT 1 FROM guild.workers"
            f"   WHERE workers.state = 'working' AND calls.queue = ANY(serves) AND {ALIVE})))"
            " ORDER BY asked LIMIT 100"
        )
    )
    return [Stuck(key, seat, queue, float(age), why) for key, seat, queue, age, why in rows]
