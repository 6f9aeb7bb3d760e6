"""Clears what is finished and old out of the shared database; never what runs or a day still counts."""

# ruff: noqa: S608 - statements are put together from constants of this file
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import text

from guildmoot.calls.cluster.schema import DBOS_SCHEMA

if TYPE_CHECKING:
    from sqlalchemy import Connection

_OLD = "now() - make_interval(secs => :seconds)"
_FINAL = "status NOT IN ('ENQUEUED', 'PENDING', 'DELAYED')"
_STEPS = {
    # A call goes with its workflows, or the next who asks the same would find its place taken.
    "calls": (
        "WITH old AS (DELETE FROM guild.calls WHERE state IN ('answered', 'failed', 'cancelled')"
        f" AND coalesce(ended, asked) < {_OLD} OR state = 'asked' AND wanted < {_OLD} RETURNING key),"
        f" flows AS (DELETE FROM {DBOS_SCHEMA}.workflow_status"
        " WHERE split_part(workflow_uuid, '.', 1) IN (SELECT key FROM old)),"
        f" waits AS (DELETE FROM guild.waiters WHERE until < {_OLD}) SELECT count(*) FROM old"
    ),
    "lanes": (
        "WITH old AS (DELETE FROM guild.lanes WHERE state IN ('ended', 'dismissed', 'lost')"
        f" AND coalesce(ended, asked) < {_OLD} OR state = 'asked' AND wanted < {_OLD}"
        f" OR state = 'running' AND heard < {_OLD} AND NOT guild.hears(worker) RETURNING 1)"
        " SELECT count(*) FROM old"
    ),
    "workflows": (
        f"WITH old AS (DELETE FROM {DBOS_SCHEMA}.workflow_status WHERE {_FINAL}"
        f" AND updated_at < extract(epoch FROM {_OLD}) * 1000 RETURNING 1) SELECT count(*) FROM old"
    ),
    "texts": (
        "WITH old AS (DELETE FROM guild.chunks WHERE kept < now() - interval '1 hour'"
        f" AND kept < {_OLD} AND NOT EXISTS (SELECT 1 FROM guild.calls WHERE packet = sha256"
        " OR call = '@' || sha256 OR reply = '@' || sha256) AND NOT EXISTS (SELECT 1 FROM guild.lanes"
        " WHERE job = '@' || sha256 OR result = '@' || sha256) RETURNING 1) SELECT count(*) FROM old"
    ),
    "workers": (
        "WITH old AS (DELETE FROM guild.workers WHERE state IN ('stopped', 'gone')"
        f" AND (heartbeat < {_OLD} OR NOT isfinite(heartbeat)) RETURNING 1) SELECT count(*) FROM old"
    ),
    # What a run has cost on a day becomes one row, so that every sum stays what it was.
    "prices": (
        "WITH old AS (DELETE FROM guild.spend WHERE day < (now() AT TIME ZONE 'UTC')::date"
        f" AND day < ({_OLD})::date AND key <> '' AND (state <> 'reserved' OR expires < now())"
        " RETURNING *), sums AS (INSERT INTO guild.spend AS spend (id, run_id, key, day, state, micros,"
        " expires) SELECT 'sum.' || run_id || '.' || day, run_id, '', day, 'settled', sum(micros), now()"
        " FROM old WHERE state IN ('made', 'settled') GROUP BY run_id, day ON CONFLICT (id) DO UPDATE SET"
        " micros = coalesce(spend.micros, 0) + coalesce(excluded.micros, 0)) SELECT count(*) FROM old"
    ),
}
_LOOSE = tuple(
    text(
        f"DELETE FROM {DBOS_SCHEMA}.{table} AS loose WHERE NOT EXISTS (SELECT 1 FROM"
        f" {DBOS_SCHEMA}.workflow_status AS known WHERE known.workflow_uuid = loose.workflow_uuid)"
    )
    for table in ("workflow_input", "workflow_output")
)


class Cleared(NamedTuple):
    """How much was cleared away, or would be."""

    calls: int
    lanes: int
    """Lanes that other machines did, or were asked to."""
    workflows: int
    """Records of DBOS that no call was left for."""
    texts: int
    workers: int
    prices: int
    """Single prices, whose sums by run and day are kept."""


def clear(connection: Connection, days: float) -> Cleared:
    """Delete what ended so many days ago; needs the owner's role."""
    values = {"seconds": days * 86400.0}
    counts = {
        name: int(connection.execute(text(step), values).scalar_one())
        for name, step in _STEPS.items()
    }
    for statement in _LOOSE:
        connection.execute(statement)
    return Cleared(**counts)
