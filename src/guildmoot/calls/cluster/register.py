"""Who works here: workers sign in, give signs of life, and are struck off when they give none."""

# ruff: noqa: S608 - statements are put together from constants of this file
from __future__ import annotations

import os
import socket
from contextlib import suppress
from typing import NamedTuple

from sqlalchemy import Connection, text

from guildmoot.calls.cluster.ledger import WANTED
from guildmoot.calls.cluster.needs import Capabilities, as_text, capabilities_from
from guildmoot.calls.cluster.rows import ALIVE, LEASE_SQL, SHORT, age, bounded, readable, whole
from guildmoot.errors import InfrastructureError, UsageError

_TAKE_BACK = (
    text(
        "SELECT 1 FROM guild.calls WHERE worker = ANY(:executors) AND state = 'running'"
        " ORDER BY key FOR UPDATE"
    ),
    text(
        "UPDATE guild.spend SET expires = now() + make_interval(secs => :wanted) FROM guild.calls"
        " WHERE spend.key = calls.key AND calls.worker = ANY(:executors)"
        " AND calls.state = 'running' AND spend.state = 'reserved'"
    ),
    text(
        "UPDATE guild.calls SET state = 'asked', token = NULL"
        " WHERE worker = ANY(:executors) AND state = 'running'"
    ),
)
_UNSERVED = text(
    "SELECT key, queue FROM guild.calls WHERE key = ANY(:keys) AND calls.state = 'asked'"
    f" AND NOT EXISTS (SELECT 1 FROM guild.workers, guild.control WHERE {ALIVE}"
    " AND calls.queue = ANY(serves))"
)


class RegisteredWorker(NamedTuple):
    """One worker as the register has it."""

    name: str
    host: str
    state: str
    age: float
    """Seconds since its last sign of life."""
    alive: bool
    serves: tuple[str, ...]
    capabilities: Capabilities


class SignedIn(NamedTuple):
    """What came of signing in."""

    executor: str
    """What DBOS is to know the worker by; empty when the name is still taken."""
    wait: float = 0.0
    """Seconds until it may be free."""


class Control(NamedTuple):
    """What holds for the whole engine."""

    draining: bool
    lease: float
    problem: str = ""
    """What makes no sense in it, and what was taken instead."""


def control(connection: Connection) -> Control:
    """The engine's own switches."""
    query = f"SELECT draining, {LEASE_SQL}, lease FROM guild.control"
    row = connection.exec_driver_sql(query).first()
    if row is None:
        raise InfrastructureError(
            "the engine's database has lost its row of switches",
            "Write it again with: guild engine migrate",
        )
    draining, lease, written = row
    problem = "" if lease == written else f"the lease of {written:g} s is taken for {lease:g} s"
    return Control(bool(draining), float(lease), problem)


def set_draining(connection: Connection, draining: bool) -> None:
    """Let no new call in and have the workers stop, or open up again."""
    connection.execute(text("UPDATE guild.control SET draining = :it"), {"it": draining})


def workers(connection: Connection) -> list[RegisteredWorker]:
    """Everybody in the register whose row can be read, by name."""
    return read_workers(connection)[0]


def read_workers(connection: Connection) -> tuple[list[RegisteredWorker], tuple[str, ...]]:
    """Everybody in the register, by name, and a line about each row that cannot be read."""
    rows = connection.execute(
        text(
            f"SELECT name, left(host, 255), state, {age('heartbeat')}, {ALIVE},"
            f" CASE WHEN pg_column_size(serves) <= {SHORT} THEN serves END,"
            f" {bounded('capabilities')} FROM guild.workers, guild.control ORDER BY name"
        )
    )
    return readable("worker", rows, _worker)


def _worker(
    name: str, host: str, state: str, age: float, alive: bool, serves: list[str], has: str | None
) -> RegisteredWorker:
    if serves is None or not all(isinstance(each, str) for each in serves):
        raise ValueError("the queues that it serves are no list of names")
    known = capabilities_from(whole(has))
    return RegisteredWorker(name, host, state, float(age), alive, tuple(serves), known)


def sign_in(connection: Connection, name: str, has: Capabilities) -> SignedIn:
    """Enter the register under that name, or learn how long to wait for it.

    A name is free when its last holder stopped, gave no sign of life for the lease, or was a process
    of this machine that is no more. Whatever it was doing then goes to others.
    """
    row = (
        connection.execute(
            text(
                f"SELECT host, pid, executor, incarnation, {ALIVE} AS alive,"
                f" {LEASE_SQL} - {age('heartbeat')} AS left FROM guild.workers,"
                " guild.control WHERE name = :name FOR UPDATE OF workers"
            ),
            {"name": name},
        )
        .mappings()
        .first()
    )
    if row is not None and row["alive"]:
        here = row["host"] == socket.gethostname()
        if here and _runs(row["pid"]):
            raise UsageError(
                f"a worker named {name} already runs here, as process {row['pid']}",
                "Give this one a name of its own: --name NAME",
            )
        if not here:
            return SignedIn("", max(float(row["left"]), 0.1))
    incarnation = _next(connection, name, 0 if row is None else row["incarnation"])
    if row is not None:
        take_back(connection, [row["executor"]])
    values = {
        "name": name,
        "executor": f"{name}.{incarnation}",
        "incarnation": incarnation,
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "has": as_text(has),
    }
    connection.execute(
        text(
            "INSERT INTO guild.workers (name, executor, incarnation, host, pid, state,"
            " capabilities) VALUES (:name, :executor, :incarnation, :host, :pid, 'working', :has)"
            " ON CONFLICT (name) DO UPDATE SET executor = excluded.executor,"
            " incarnation = excluded.incarnation, host = excluded.host, pid = excluded.pid,"
            " state = 'working', started = now(), heartbeat = now(), serves = '{}',"
            " capabilities = excluded.capabilities"
        ),
        values,
    )
    return SignedIn(str(values["executor"]))


def _next(connection: Connection, name: str, last: int) -> int:
    """How often that name has signed in by now; never so that another's executor is meant."""
    others = text("SELECT 1 FROM guild.workers WHERE executor = :executor AND name <> :name")
    incarnation = last + 1 if 0 <= last < 2**31 - 1000 else 1
    while connection.execute(others, {"executor": f"{name}.{incarnation}", "name": name}).first():
        incarnation += 1
    return incarnation


def beat(connection: Connection, executor: str, serves: list[str], has: Capabilities) -> str:
    """Give a sign of life; the state that the register had for us."""
    row = connection.execute(
        text(
            "UPDATE guild.workers SET heartbeat = now(), serves = :serves, capabilities = :has"
            " WHERE executor = :executor RETURNING state"
        ),
        {"executor": executor, "serves": serves, "has": as_text(has)},
    ).first()
    return "replaced" if row is None else str(row[0])


def set_state(connection: Connection, executor: str, state: str) -> None:
    """Write down that a worker drains, has stopped, or works again."""
    connection.execute(
        text("UPDATE guild.workers SET state = :state WHERE executor = :executor"),
        {"executor": executor, "state": state},
    )


def strike_off(connection: Connection) -> list[str]:
    """Take the calls of those who gave no sign of life from them; who these are."""
    rows = connection.execute(
        text(
            "UPDATE guild.workers SET state = 'gone' WHERE workers.name IN"
            " (SELECT name FROM guild.workers, guild.control"
            f"  WHERE state IN ('working', 'draining') AND NOT ({ALIVE})"
            "  FOR UPDATE OF workers SKIP LOCKED) RETURNING executor"
        )
    )
    executors = [str(executor) for (executor,) in rows]
    if executors:
        take_back(connection, executors)
    return executors


def take_back(connection: Connection, executors: list[str]) -> None:
    """Calls that these were making may be made by others, and only by others."""
    for statement in _TAKE_BACK:
        connection.execute(statement, {"executors": executors, "wanted": WANTED})


def lock_state(connection: Connection, executor: str) -> str:
    """What the register has for an executor, unchangeable until the transaction ends."""
    row = connection.execute(
        text("SELECT state FROM guild.workers WHERE executor = :executor FOR UPDATE"),
        {"executor": executor},
    ).first()
    return "replaced" if row is None else str(row[0])


def serving(connection: Connection, queue: str) -> list[RegisteredWorker]:
    """Those alive who serve the queue."""
    return [
        each
        for each in workers(connection)
        if each.alive and each.state == "working" and queue in each.serves
    ]


def unserved(connection: Connection, keys: list[str]) -> dict[str, str]:
    """Of these calls, the ones that wait in a queue which nobody alive serves, with the queue."""
    rows = connection.execute(_UNSERVED, {"keys": keys})
    return {str(key): str(queue) for key, queue in rows}


def _runs(pid: int) -> bool:
    with suppress(ProcessLookupError):
        try:
            os.kill(pid, 0)
        except PermissionError:
            return True
        return True
    return False
