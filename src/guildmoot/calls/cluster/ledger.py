"""The life of a call in the database: asked, running, answered or not. Every step is one transaction.

A call is named by its key. Only an answer finishes it; whatever else came of it, the next who asks
starts another try. Who holds the call's token may write its reply, and nobody else. The money of a
try is named as its workflow is, so that one statement can move both.
"""

# ruff: noqa: S608 - statements are put together from constants of this file
from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from sqlalchemy import Connection, text

from guildmoot.calls.cluster import budget, chunks
from guildmoot.calls.cluster.codec import reply_from_text, reply_to_text
from guildmoot.calls.cluster.rows import ALIVE, LEASE_SQL, LONG, bounded
from guildmoot.calls.cluster.schema import DBOS_SCHEMA, PROTOCOL, SHARE, WORKFLOW
from guildmoot.errors import InfrastructureError
from guildmoot.model.call import Reply

if TYPE_CHECKING:
    from guildmoot.calls.ledger.base import Terms

WANTED = 30.0
"""Seconds that a call stays wanted after its caller last said so."""

_SPEND = (
    "INSERT INTO guild.spend (id, run_id, key, day, state, micros, expires) SELECT :workflow, :run,"
    " key, (now() AT TIME ZONE 'UTC')::date, 'reserved', :micros,"
    " now() + make_interval(secs => :wanted) FROM called"
)
_WAITER = (
    "INSERT INTO guild.waiters SELECT key, :caller, now() + make_interval(secs => :wanted)"
    " FROM called ON CONFLICT (key, caller) DO UPDATE SET until = excluded.until"
)
# The function by which DBOS lets other programs of the database start workflows.
_ENQUEUE = (
    f"SELECT {DBOS_SCHEMA}.enqueue_workflow(workflow_name => '{WORKFLOW}', queue_name => :queue,"
    " positional_args => ARRAY[to_json(key), to_json(CAST(:try AS integer))],"
    f" workflow_id => :workflow, app_version => '{PROTOCOL}', application_name => 'guildmoot')"
    " FROM called"
)
_NEW = text(
    "WITH called AS (INSERT INTO guild.calls (key, try, state, run_id, asker, seat, queue, call,"
    " packet, timeout, wanted) VALUES (:key, :try, 'asked', :run, :asker, :seat, :queue, :call,"
    " :packet, :timeout, now() + make_interval(secs => :wanted)) ON CONFLICT (key) DO NOTHING"
    f" RETURNING key), money AS ({_SPEND}), waiter AS ({_WAITER}) {_ENQUEUE}"
)
_AGAIN = text(
    "WITH called AS (UPDATE guild.calls SET try = :try, state = 'asked', run_id = :run,"
    " asker = :asker, queue = :queue, call = :call, packet = :packet, timeout = :timeout,"
    " wanted = now() + make_interval(secs => :wanted), worker = NULL, token = NULL, reply = NULL,"
    " asked = now(), started = NULL, ended = NULL WHERE key = :key RETURNING key),"
    f" money AS ({_SPEND}), waiter AS ({_WAITER}) {_ENQUEUE}"
)
_LOCKED = text(
    f"SELECT try, state, run_id, asker, {bounded('reply', LONG)},"
    " wanted > now() OR state = 'running' FROM guild.calls WHERE key = :key FOR UPDATE"
)
_JOIN = text(
    "WITH called AS (UPDATE guild.calls SET wanted = now() + make_interval(secs => :wanted)"
    f" WHERE key = :key RETURNING key) {_WAITER}"
)
# Calls before their money, and in one order: as everybody who moves both does.
_RENEW = (
    text("SELECT 1 FROM guild.calls WHERE key = ANY(:keys) ORDER BY key FOR UPDATE"),
    text(
        "UPDATE guild.waiters SET until = now() + make_interval(secs => :wanted)"
        " WHERE key = ANY(:keys) AND caller = :caller"
    ),
    text(
        "UPDATE guild.spend SET expires = now() + make_interval(secs => :wanted) FROM guild.calls"
        " WHERE calls.key = ANY(:keys) AND spend.key = calls.key AND spend.state = 'reserved'"
        " AND isfinite(expires) AND calls.wanted > now()"
    ),
    text(
        "UPDATE guild.calls SET wanted = now() + make_interval(secs => :wanted)"
        " WHERE key = ANY(:keys) AND (state = 'running' OR state = 'asked' AND wanted > now())"
    ),
)
# A worker that was not heard for a while must not begin what DBOS gave it before: others have taken
# it for dead, or soon will, and put its calls back into their queues.
_HEARD = (
    "EXISTS (SELECT 1 FROM guild.workers, guild.control WHERE executor = :worker"
    " AND state IN ('working', 'draining')"
    f" AND heartbeat > now() - make_interval(secs => {LEASE_SQL} * {SHARE}))"
)
_GIVEN = (
    f"EXISTS (SELECT 1 FROM {DBOS_SCHEMA}.workflow_status WHERE workflow_uuid = :workflow"
    " AND status = 'PENDING' AND executor_id = :worker)"
)
_STANDING = text(f"SELECT {_HEARD}, {_GIVEN}")
_BEGIN = text(
    "WITH taken AS (UPDATE guild.calls SET state = 'running', worker = :worker, token = :token,"
    " started = now() WHERE key = :key AND try = :try AND state IN ('asked', 'running')"
    f" AND wanted > now() AND {_HEARD} AND {_GIVEN} RETURNING"
    f" {bounded('call', LONG)} AS call, {bounded('packet')} AS packet), held AS (UPDATE guild.spend"
    " SET expires = 'infinity' WHERE id = :workflow AND state = 'reserved'"
    " AND EXISTS (SELECT 1 FROM taken)) SELECT call, packet FROM taken"
)
_LIMIT = text(
    "SELECT queues.name, concurrency FROM guild.calls JOIN guild.queues ON queues.name = queue"
    " WHERE key = :key AND concurrency > 0"
)
# Only what somebody alive makes: a row that merely says that it runs must not hold a place.
_RUNNING = text(
    "SELECT count(*) FROM guild.calls JOIN guild.workers ON executor = worker, guild.control"
    f" WHERE queue = :queue AND calls.state = 'running' AND key != :key AND {ALIVE}"
)
_LAPSED = text(
    "UPDATE guild.calls SET state = 'cancelled', token = NULL, ended = now() WHERE key = :key"
    " AND try = :try AND state IN ('asked', 'running') AND wanted <= now() RETURNING key"
)
_FINISH = text(
    "WITH done AS (UPDATE guild.calls SET state = :state, reply = :reply, token = NULL,"
    " ended = now() WHERE key = :key AND token = :token AND state = 'running' RETURNING key),"
    " paid AS (UPDATE guild.spend SET state = 'made' WHERE id = :workflow AND state = 'reserved'"
    " AND EXISTS (SELECT 1 FROM done)) SELECT key FROM done"
)


class Ask(NamedTuple):
    """A call as its caller puts it to the cluster."""

    key: str
    asker: str
    """Unique for every ask, so that one that is repeated is known for the same."""
    caller: str
    """The process that waits."""
    seat: str
    queue: str
    call: str
    """As ``chunks.put`` would have it written."""
    packet: str
    """The SHA-256 of what travels beside it, or empty."""
    timeout: float
    most_usd: float | None
    terms: Terms


class AskResult(NamedTuple):
    """What came of asking."""

    attempt: int
    fresh: bool
    """This ask started it; otherwise it joined another or found an answer."""
    run_id: str
    """Whose ask it goes back to."""
    reply: Reply | None = None


class QueuedCall(NamedTuple):
    """A call as a worker gets it."""

    call: str
    packet: str
    token: str
    problem: str = ""
    """Why it cannot be made: a text of it is lost, or too long."""


def workflow_id(key: str, attempt: int) -> str:
    """The first try is named by the key alone, so that everybody's is the same."""
    return key if attempt == 0 else f"{key}.{attempt}"


def ask(connection: Connection, wish: Ask) -> AskResult:
    """Find the answer, join those who wait for it, or set the money aside and start a try."""
    if wish.terms.run_usd is None and wish.terms.day_usd is None:
        micros = budget.check(connection, wish.terms, wish.seat, wish.most_usd)
        if connection.execute(_NEW, _values(wish, 0, micros)).first() is not None:
            return AskResult(0, True, wish.terms.run_id)
    row = connection.execute(_LOCKED, {"key": wish.key}).first()
    if row is None:
        micros = budget.check(connection, wish.terms, wish.seat, wish.most_usd)
        if connection.execute(_NEW, _values(wish, 0, micros)).first() is not None:
            return AskResult(0, True, wish.terms.run_id)
        return ask(connection, wish)  # somebody was faster
    attempt, state, run_id, asker, reply, alive = row
    if state == "answered":
        return AskResult(attempt, False, run_id, read_reply(connection, wish.seat, reply))
    if state in ("asked", "running") and alive:
        connection.execute(_JOIN, {"key": wish.key, "caller": wish.caller, "wanted": WANTED})
        return AskResult(attempt, asker == wish.asker, run_id)
    micros = budget.check(connection, wish.terms, wish.seat, wish.most_usd)
    budget.release(connection, workflow_id(wish.key, attempt))
    budget.settle(connection, {wish.key: None})  # the price to come is not that of an earlier try
    connection.execute(_AGAIN, _values(wish, attempt + 1, micros))
    return AskResult(attempt + 1, True, wish.terms.run_id)


def read_reply(connection: Connection, seat: str, written: str | None) -> Reply:
    """The reply as it was written, or one that says why it cannot be read."""
    try:
        if written is None:
            raise ValueError("it is missing or too long")
        return reply_from_text(chunks.get(connection, written))
    except (ValueError, InfrastructureError) as error:
        why = f"the reply that the engine has kept cannot be read: {str(error)[:200]}"
        return Reply(seat, "failed", error=why)


def _values(wish: Ask, attempt: int, micros: int | None) -> dict[str, object]:
    return {
        "key": wish.key,
        "try": attempt,
        "workflow": workflow_id(wish.key, attempt),
        "run": wish.terms.run_id,
        "asker": wish.asker,
        "caller": wish.caller,
        "seat": wish.seat,
        "queue": wish.queue,
        "call": wish.call,
        "packet": wish.packet,
        "timeout": wish.timeout,
        "micros": micros,
        "wanted": WANTED,
    }


def still_wanted(connection: Connection, keys: list[str], caller: str) -> None:
    """Say that the caller still waits, so that these are made and their money stays set aside."""
    for statement in _RENEW:
        connection.execute(statement, {"keys": keys, "caller": caller, "wanted": WANTED})


def leave(connection: Connection, key: str, caller: str) -> bool:
    """The caller waits no more; True when the call is off, because nobody else does or has begun it."""
    row = connection.execute(_LOCKED, {"key": key}).first()
    values = {"key": key, "caller": caller}
    connection.execute(
        text("DELETE FROM guild.waiters WHERE key = :key AND caller = :caller"), values
    )
    others = connection.execute(
        text("SELECT 1 FROM guild.waiters WHERE key = :key AND until > now()"), values
    ).first()
    if row is None or others is not None or row[1] != "asked":
        return False
    off = "UPDATE guild.calls SET state = 'cancelled', ended = now() WHERE key = :key"
    connection.execute(text(off), values)
    budget.release(connection, workflow_id(key, row[0]))
    return True


def is_under_way(connection: Connection, key: str) -> bool:
    """Whether the call was answered or is on its way already."""
    query = text(
        "SELECT 1 FROM guild.calls WHERE key = :key AND state IN ('asked', 'running', 'answered')"
    )
    return connection.execute(query, {"key": key}).first() is not None


def begin(
    connection: Connection, key: str, attempt: int, worker: str, token: str
) -> QueuedCall | Literal["later"] | None:
    """Take the call; None when it needs no making: answered, called off, or nobody waits for it.

    ``later`` when as many of its queue run as may (DBOS sees to that already, but counts wrong while
    calls of a dead worker return to their queue), or while the worker itself is taken for dead.
    """
    if _is_full(connection, key):
        return "later"
    name = workflow_id(key, attempt)
    values = {"key": key, "try": attempt, "worker": worker, "token": token, "workflow": name}
    row = connection.execute(_BEGIN, values).first()
    if row is None:
        return _not_begun(connection, values)
    call, packet = row
    try:
        if call is None or packet is None:
            raise InfrastructureError("what the engine has kept of it is too long")
        packed = chunks.load(connection, packet) if packet else ""
        return QueuedCall(chunks.get(connection, call), packed, token)
    except InfrastructureError as error:
        return QueuedCall("", "", token, error.message)


def _not_begun(connection: Connection, values: dict[str, object]) -> Literal["later"] | None:
    heard, given = connection.execute(_STANDING, values).one()
    if not heard:
        return "later"
    if given and connection.execute(_LAPSED, values).first() is not None:
        budget.release(connection, str(values["workflow"]))
    return None


def _is_full(connection: Connection, key: str) -> bool:
    """Whether the call must wait for another of its queue; nobody else may begin one meanwhile."""
    queue, most = connection.execute(_LIMIT, {"key": key}).first() or ("", None)
    if most is None:
        return False
    connection.execute(text("SELECT pg_advisory_xact_lock(4720521, hashtext(:q))"), {"q": queue})
    running = connection.execute(_RUNNING, {"queue": queue, "key": key}).scalar_one()
    return int(running) >= int(most)


def still_mine(connection: Connection, key: str, token: str) -> bool:
    """Whether the holder of that token may still make the call."""
    query = text("SELECT 1 FROM guild.calls WHERE key = :key AND token = :t AND state = 'running'")
    return connection.execute(query, {"key": key, "t": token}).first() is not None


def finish(connection: Connection, key: str, attempt: int, token: str, reply: Reply) -> bool:
    """Write the reply down, once; False when the call went to somebody else in the meantime."""
    values = {
        "key": key,
        "token": token,
        "workflow": workflow_id(key, attempt),
        "state": "answered" if reply.status == "answered" else "failed",
        "reply": chunks.put(connection, reply_to_text(reply)),
    }
    return connection.execute(_FINISH, values).first() is not None
