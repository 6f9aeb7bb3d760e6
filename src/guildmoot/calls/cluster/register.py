"""Who works here: workers sign in, give signs of life, and are struck off when they give none."""

# ruff: noqa: S608 - statements are put together from constants of this file
from __future__ import annotations

import os
import socket
from contextlib import suppress
from typing import NamedTuple

from sqlalchemy import Connection, text

from guildmoot.calls.cluster.needs import Capabilities, as_text, capabilities_from
from guildmoot.calls.cluster.rows import ALIVE, LEASE_SQL, SHORT, age, bounded, readable, whole
from guildmoot.errors import InfrastructureError, UsageError
from guildmoot.system.place import place

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
    version: int = 0


def control(connection: Connection) -> Control:
    """The engine's own switches."""
    query = f"SELECT draining, {LEASE_SQL}, lease, version FROM guild.control"
    row = connection.exec_driver_sql(query).first()
    if row is None:
        raise InfrastructureError(
            "the engine's database has lost its row of switches",
            "Write it again with: guild engine migrate",
        )
    draining, lease, written, version = row
    problem = "" if lease == written else f"the lease of {written:g} s is taken for {lease:g} s"
    return Control(bool(draining), float(lease), problem, int(version))


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


def sign_in(
    connection: Connection, name: str, has: Capabilities, ticket: str = "", here: str | None = None
) -> SignedIn:
    """Enter the register under that name, or learn how long to wait for it.

    A name is free when its last holder stopped, gave no sign of life for the lease, or was a process
    that is no more, which can be told only in the same place. Whatever it was doing then goes to
    others. Only who holds the ticket may give signs of life.
    """
    values = {
        "name": name,
        "host": socket.gethostname(),
        "place": place() if here is None else here,
        "pid": os.getpid(),
        "has": as_text(has),
        "ticket": ticket,
        "dead": None,
    }
    query = text(
        "SELECT * FROM guild.sign_in(:name, :host, :place, :pid, :has, :ticket, CAST(:dead AS integer))"
    )
    executor, seconds, holder = connection.execute(query, values).one()
    if holder is not None:
        if _runs(holder):
            raise UsageError(
                f"a worker named {name} already runs here, as process {holder}",
                "Give this one a name of its own: --name NAME",
            )
        executor, seconds, holder = connection.execute(query, values | {"dead": holder}).one()
    return SignedIn(executor or "", max(float(seconds), 0.1))


def beat(
    connection: Connection, executor: str, serves: list[str], has: Capabilities, ticket: str = ""
) -> str:
    """Give a sign of life; the state that the register had for us."""
    state = connection.execute(
        text("SELECT guild.beat(:executor, :ticket, :serves, :has)"),
        {"executor": executor, "ticket": ticket, "serves": serves, "has": as_text(has)},
    ).scalar()
    return "replaced" if state is None else str(state)


def set_state(connection: Connection, executor: str, state: str, ticket: str = "") -> None:
    """Write down that a worker drains, works again, or has stopped: then others take what it had."""
    connection.execute(
        text("SELECT guild.set_state(:executor, :ticket, :state)"),
        {"executor": executor, "state": state, "ticket": ticket},
    )


def sweep(connection: Connection) -> None:
    """Take the calls of those who gave no sign of life from them, and end what has lost its place."""
    connection.exec_driver_sql("SELECT guild.sweep()")


def lock_state(connection: Connection, executor: str) -> str:
    """What the register has for an executor, unchangeable until the transaction ends."""
    values = {"executor": executor}
    state = connection.execute(text("SELECT guild.lock_state(:executor)"), values).scalar()
    return "replaced" if state is None else str(state)


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
