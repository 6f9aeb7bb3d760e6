"""The tables of the shared engine, brought up to date by an explicit command and by nothing else.

Schema ``guild`` is ours; schema ``guild_dbos`` is DBOS's own. Migrations are numbered by their place
in the list and never changed once released.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from guildmoot.errors import InfrastructureError, UsageError

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

DBOS_SCHEMA = "guild_dbos"
APPLICATION = "guildmoot"
PROTOCOL = "guild-1"
"""DBOS's application version: pinned, so that machines of several releases share their work."""
WORKFLOW = "guild.call"
LEASE = 15.0
"""Seconds without a sign of life after which a worker is taken for dead, unless migrate said otherwise."""

SHARE = 0.6
"""Part of the lease after which a silent worker ends its calls; the rest is time to end them in."""

_FIRST = """
CREATE SCHEMA IF NOT EXISTS guild;

CREATE TABLE guild.control (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    version integer NOT NULL,
    draining boolean NOT NULL DEFAULT false,
    lease double precision NOT NULL
);

CREATE TABLE guild.calls (
    key text PRIMARY KEY CHECK (length(key) = 64),
    try integer NOT NULL,          -- counts up whenever an unfinished call is asked for again
    state text NOT NULL CHECK (state IN ('asked', 'running', 'answered', 'failed', 'cancelled')),
    run_id text NOT NULL,          -- the run that asked first, this time
    asker text NOT NULL,           -- which of its asks
    seat text NOT NULL,
    queue text NOT NULL,
    call text NOT NULL,            -- JSON, or @ and the SHA-256 of one in guild.chunks
    packet text NOT NULL,          -- the SHA-256 of the packet's files in guild.chunks, or empty
    timeout double precision NOT NULL,
    worker text,                   -- the executor that has it
    token text,                    -- only who holds it may write the reply
    reply text,                    -- as call
    asked timestamptz NOT NULL DEFAULT now(),
    wanted timestamptz NOT NULL,   -- until then somebody waits for it
    started timestamptz,
    ended timestamptz
);
CREATE INDEX calls_open ON guild.calls (queue, state) WHERE state IN ('asked', 'running');
CREATE INDEX calls_by_worker ON guild.calls (worker) WHERE state = 'running';

CREATE TABLE guild.waiters (
    key text NOT NULL,
    caller text NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (key, caller)
);

CREATE TABLE guild.chunks (
    sha256 text NOT NULL,
    part integer NOT NULL,
    data text NOT NULL,
    PRIMARY KEY (sha256, part)
);

CREATE TABLE guild.spend (
    id text PRIMARY KEY,           -- the workflow of the try that it is for
    run_id text NOT NULL,
    key text NOT NULL,
    day date NOT NULL,
    state text NOT NULL CHECK (state IN ('reserved', 'made', 'settled', 'released')),
    micros bigint CHECK (micros >= 0),  -- null: no price was known
    expires timestamptz NOT NULL        -- for what is only reserved
);
CREATE INDEX spend_by_run ON guild.spend (run_id);
CREATE INDEX spend_by_day ON guild.spend (day);
CREATE INDEX spend_by_key ON guild.spend (key);

CREATE TABLE guild.queues (
    name text PRIMARY KEY,
    needs text NOT NULL,           -- JSON: what a worker must have to serve it
    concurrency integer            -- calls that may run at once over all machines
);

CREATE TABLE guild.workers (
    name text PRIMARY KEY,
    executor text NOT NULL UNIQUE, -- the name and how often it signed in: DBOS knows it by this
    incarnation integer NOT NULL,
    host text NOT NULL,
    pid integer NOT NULL,
    state text NOT NULL CHECK (state IN ('working', 'draining', 'stopped', 'gone')),
    started timestamptz NOT NULL DEFAULT now(),
    heartbeat timestamptz NOT NULL DEFAULT now(),
    serves text[] NOT NULL DEFAULT '{}',
    capabilities text NOT NULL DEFAULT '{}'  -- JSON, for people and for matching
);
"""

_SECOND = """
ALTER TABLE guild.workers ADD COLUMN IF NOT EXISTS place text NOT NULL DEFAULT '';  -- where its pid means something
ALTER TABLE guild.workers ADD COLUMN IF NOT EXISTS ticket text NOT NULL DEFAULT '';  -- only who holds it may beat
ALTER TABLE guild.spend ADD COLUMN IF NOT EXISTS caller text NOT NULL DEFAULT '';    -- who set it aside
ALTER TABLE guild.chunks ADD COLUMN IF NOT EXISTS kept timestamptz NOT NULL DEFAULT now();
"""

_THIRD = """
CREATE TABLE guild.lanes (
    id text PRIMARY KEY CHECK (length(id) = 64),
    run_id text NOT NULL,
    task text NOT NULL,
    host text NOT NULL,            -- the worker that may take it, by its name
    state text NOT NULL CHECK (state IN ('asked', 'running', 'ended', 'dismissed', 'lost')),
    ticket text NOT NULL,          -- only who holds it may look, dismiss, or offer it again
    job text NOT NULL,             -- JSON, or @ and the SHA-256 of one in guild.chunks
    worker text,                   -- the executor that has it
    token text,                    -- only who holds it may give signs of life and the result
    dismissed boolean NOT NULL DEFAULT false,
    nudge text NOT NULL DEFAULT '',
    tail text NOT NULL DEFAULT '', -- the last lines that it printed
    written bigint NOT NULL DEFAULT 0,  -- characters that it printed in all
    beat text NOT NULL DEFAULT '', -- its heartbeat file
    heard timestamptz,             -- when it last printed, beat or changed a file
    result text,                   -- as job
    kept boolean NOT NULL DEFAULT false,  -- the program ended by itself: its result is never paid again
    asked timestamptz NOT NULL DEFAULT now(),
    wanted timestamptz NOT NULL,   -- until then somebody waits for it to be taken
    started timestamptz,
    ended timestamptz
);
CREATE INDEX lanes_open ON guild.lanes (host, asked) WHERE state IN ('asked', 'running');
"""

MIGRATIONS: tuple[str, ...] = (_FIRST, _SECOND, _THIRD)
VERSION = len(MIGRATIONS)


def migrate(engine: Engine, url: str, lease: float | None = None) -> tuple[int, int]:
    """Bring the database up to date; the version before and after. Needs a role that may create."""
    from dbos import DBOS

    with engine.begin() as connection:
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(4720519)")
        before = version_of(connection)
        if before > VERSION:
            raise _too_new(before)
        DBOS.migrate(url, schema=DBOS_SCHEMA)  # first: our version says that all of it is there
        for statements in MIGRATIONS[before:]:
            connection.exec_driver_sql(statements)
        for name in ("lanes.sql", "routines.sql"):  # the latter says who may call them all
            routines = files("guildmoot.calls.cluster").joinpath(name)
            connection.exec_driver_sql(routines.read_text(encoding="utf-8").replace("%", "%%"))
        _write_control(connection, lease)
    return before, VERSION


def _write_control(connection: Connection, lease: float | None) -> None:
    from sqlalchemy import text

    statement = (
        "INSERT INTO guild.control AS control (version, lease) VALUES (:version, coalesce(:lease, :usual))"
        " ON CONFLICT (one) DO UPDATE SET version = :version, lease = coalesce(:lease, control.lease)"
    )
    values = {"version": VERSION, "lease": lease, "usual": LEASE}
    connection.execute(text(statement), values)


def version_of(connection: Connection) -> int:
    """The version of the database's tables; 0 when there are none, 1 when they have lost it."""
    found = connection.exec_driver_sql("SELECT to_regclass('guild.control')").scalar()
    if found is None:
        return 0
    version = connection.exec_driver_sql("SELECT version FROM guild.control").scalar()
    return 1 if version is None else int(version)


def check_version(connection: Connection) -> None:
    """Refuse to work on tables that this program was not written for."""
    version = version_of(connection)
    if version == VERSION:
        return
    if version > VERSION:
        raise _too_new(version)
    state = (
        "has no tables yet" if version == 0 else f"is at version {version}, older than {VERSION}"
    )
    raise UsageError(
        f"the engine's database {state}",
        "Bring it up to date with: guild engine migrate (with a role that may create tables)",
    )


def _too_new(version: int) -> InfrastructureError:
    return InfrastructureError(
        f"the engine's database is at version {version}, newer than this program's {VERSION}",
        "Update guildmoot on this machine; nothing was changed.",
    )
