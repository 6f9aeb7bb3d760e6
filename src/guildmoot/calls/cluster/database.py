"""The way to the shared Postgres: its address, its connections, and patience while it is away."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING, TypeVar

from guildmoot.backends.providers import is_loopback
from guildmoot.errors import InfrastructureError, UsageError

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Engine

T = TypeVar("T")

PATIENCE = 120.0
"""Seconds for which a database that went away is tried again."""

_log = logging.getLogger(__name__)
_AWAY = ("08", "57P", "40", "53", "25P03")
"""SQLSTATEs that pass: no connection, shutting down, conflicts, too many connections."""
_REFUSED = (
    "authentication failed", "does not exist", "pg_hba.conf", "password", "certificate",
    "does not support SSL", "not permitted", "permission denied", "resolve host",
    "translate host name", "not currently accepting", "invalid",
)  # fmt: skip
"""Words about a connection that will not come about by waiting; libpq gives no SQLSTATE for these."""


def parse_url(url: str) -> URL:
    """The address with its driver; the way there is encrypted unless it stays on this machine."""
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # the latter for a port that is no number
        raise _no_address() from None
    if parsed.get_backend_name() not in ("postgresql", "postgres") or not parsed.database:
        raise _no_address()
    if "@" in (parsed.host or ""):  # the rest of a password, which must not be shown as a host
        raise _no_address()
    parsed = parsed.set(drivername="postgresql+psycopg")
    host = parsed.host or str(parsed.query.get("host", ""))
    local = not host or host.startswith("/") or is_loopback(host)
    if not local and "sslmode" not in parsed.query:
        query = {"sslmode": "verify-full"}
        if "sslrootcert" not in parsed.query:
            query["sslrootcert"] = "system"
        parsed = parsed.update_query_dict(query)
    return parsed


def shown(url: str) -> str:
    """The address as it may be printed."""
    parsed = parse_url(url)
    return parsed.set(drivername="postgresql", query={}).render_as_string(hide_password=True)


def with_driver(url: str) -> str:
    """The address as DBOS takes it, password and all; never to be printed."""
    return parse_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def connect(url: str, size: int) -> Engine:
    """Connections to the database, made when they are needed; ``transact`` bears it when one has died."""
    from sqlalchemy import create_engine

    return create_engine(
        parse_url(url),
        hide_parameters=True,  # prompts and replies do not belong in messages
        pool_size=size,
        max_overflow=0,
        pool_timeout=60,
        connect_args={
            "connect_timeout": 5,
            "application_name": "guildmoot",
            # A machine that vanishes must not leave us waiting, nor its locks standing.
            "keepalives_idle": 5,
            "keepalives_interval": 2,
            "keepalives_count": 3,
            "tcp_user_timeout": 10_000,
            "options": "-c idle_in_transaction_session_timeout=30000 -c lock_timeout=20000",
        },
    )


def check_reachable(
    engine: Engine, url: str, patience: float = 0.0, closing: Event | None = None
) -> None:
    """InfrastructureError that says why when the database does not answer, or tables are missing.

    One that is starting or stopping is waited for, as long as ``patience`` lasts.
    """
    from sqlalchemy.exc import DBAPIError

    from guildmoot.calls.cluster.schema import check_version

    try:
        transact(engine, check_version, patience, closing, f"the engine at {shown(url)}")
    except DBAPIError as error:
        waited = f" after {patience:g} s" if patience and passes(error) else ""
        raise InfrastructureError(
            f"the engine at {shown(url)} cannot be used{waited}: {reason(error)}",
            "See whether Postgres runs there and lets this role in; docs/cluster.md tells more.",
        ) from None


@contextmanager
def told(url: str) -> Iterator[None]:
    """What the database has against our work becomes a message that names it."""
    from sqlalchemy.exc import DBAPIError
    from sqlalchemy.exc import TimeoutError as PoolTimeout

    try:
        yield
    except (DBAPIError, PoolTimeout) as error:
        raise InfrastructureError(
            f"the engine at {shown(url)} failed: {reason(error)}",
            "What was answered is kept; run it again when the database is back.",
        ) from None


def transact(
    engine: Engine,
    work: Callable[[Connection], T],
    patience: float = PATIENCE,
    closing: Event | None = None,
    place: str = "",
) -> T:
    """Do the work in one transaction, again with growing pauses while the database is away.

    A transaction whose end was not heard of is done again, so the work must bear that. Once
    ``closing`` is set nothing is tried again. With a ``place`` people are told that it is waited for.
    """
    from sqlalchemy.exc import DBAPIError
    from sqlalchemy.exc import TimeoutError as PoolTimeout

    deadline, pause = time.monotonic() + patience, 0.1
    while True:
        try:
            with engine.begin() as connection:
                return work(connection)
        except (DBAPIError, PoolTimeout) as error:
            if not passes(error) or time.monotonic() + pause > deadline:
                raise
            words = (place or "the database", reason(error), deadline - time.monotonic())
            _log.log(
                logging.WARNING if place else logging.INFO,
                "%s is away (%s); trying again for another %.0f s",
                *words,
            )
            place = ""
            if (closing or Event()).wait(pause * random.uniform(0.5, 1.0)):  # noqa: S311 - no secret
                raise
        pause = min(pause * 2, 2.0)


def passes(error: Exception) -> bool:
    """Whether the same may work in a while."""
    original = getattr(error, "orig", None)
    if original is None:
        return True  # no connection became free
    state = getattr(original, "sqlstate", None)
    if state is None:
        return not any(word in str(original) for word in _REFUSED)
    return str(state).startswith(_AWAY)


def reason(error: Exception) -> str:
    """The database's own words, on one line, without the statement and its values."""
    original = getattr(error, "orig", None)
    lines = str(original if original is not None else error).strip().splitlines()
    return lines[0].strip() if lines else type(error).__name__


def _no_address() -> UsageError:
    return UsageError(
        "the engine's address is not one of a Postgres database",
        "Write postgresql://user@host:5432/database, and an @ in a password as %40",
    )
