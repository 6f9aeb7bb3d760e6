"""The life of a call in the database: asked, running, answered or not. Every step is one transaction.

The steps themselves are functions of the database (``routines.sql``), which check what is allowed.

A call is named by its key. Only an answer finishes it; whatever else came of it, the next who asks
starts another try. Who holds the call's token may write its reply, and nobody else. The money of a
try is named as its workflow is, so that one statement can move both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from sqlalchemy import Connection, text

from guildmoot.calls.cluster import budget, chunks
from guildmoot.calls.cluster.codec import reply_from_text, reply_to_text
from guildmoot.calls.cluster.rows import LONG
from guildmoot.calls.cluster.schema import PROTOCOL, SHARE
from guildmoot.errors import InfrastructureError
from guildmoot.model.call import Reply

if TYPE_CHECKING:
    from guildmoot.calls.ledger.base import Terms

WANTED = 30.0
"""Seconds that a call stays wanted after its caller last said so."""

_ASK = text(
    "SELECT guild.ask(:key, :try, :run, :asker, :caller, :seat, :queue, :call, :packet, :timeout,"
    " :micros, :wanted, :protocol)"
)
_FIND = text("SELECT * FROM guild.find_call(:key, :most)")
_JOIN = text("SELECT guild.wait_for(:key, :caller, :wanted)")
_TAKE = text("SELECT * FROM guild.take(:key, :try, :worker, :token, :share, :most)")
_STANDING = text("SELECT guild.hears(:worker, :share), guild.given(:workflow, :worker)")
_LIMIT = text(
    "SELECT queues.name, concurrency FROM guild.calls JOIN guild.queues ON queues.name = queue"
    " WHERE key = :key AND concurrency > 0"
)
# Only what somebody alive makes: a row that merely says that it runs must not hold a place.
_RUNNING = text(
    "SELECT count(*) FROM guild.calls WHERE queue = :queue AND state = 'running' AND key != :key"
    " AND guild.hears(worker)"
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
        if connection.execute(_ASK, _values(wish, 0, micros)).scalar():
            return AskResult(0, True, wish.terms.run_id)
    row = connection.execute(_FIND, {"key": wish.key, "most": LONG}).first()
    if row is None:
        micros = budget.check(connection, wish.terms, wish.seat, wish.most_usd)
        if connection.execute(_ASK, _values(wish, 0, micros)).scalar():
            return AskResult(0, True, wish.terms.run_id)
        return ask(connection, wish)  # somebody was faster
    attempt, state, run_id, asker, reply, alive = row
    if state == "answered":
        return AskResult(attempt, False, run_id, read_reply(connection, wish.seat, reply))
    if state in ("asked", "running") and alive:
        connection.execute(_JOIN, {"key": wish.key, "caller": wish.caller, "wanted": WANTED})
        return AskResult(attempt, asker == wish.asker, run_id)
    micros = budget.check(connection, wish.terms, wish.seat, wish.most_usd)
    connection.execute(_ASK, _values(wish, attempt + 1, micros))
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
        "protocol": PROTOCOL,
    }


def still_wanted(connection: Connection, keys: list[str], caller: str) -> None:
    """Say that the caller still waits, so that these are made and their money stays set aside."""
    renew = text("SELECT guild.renew(:keys, :caller, :wanted)")
    connection.execute(renew, {"keys": keys, "caller": caller, "wanted": WANTED})


def leave(connection: Connection, key: str, caller: str) -> bool:
    """The caller waits no more; True when the call is off, because nobody else does or has begun it."""
    values = {"key": key, "caller": caller}
    return bool(connection.execute(text("SELECT guild.leave(:key, :caller)"), values).scalar())


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
    values = {
        "key": key, "try": attempt, "workflow": workflow_id(key, attempt), "worker": worker,
        "token": token, "share": SHARE, "most": LONG,
    }  # fmt: skip
    row = connection.execute(_TAKE, values).first()
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
    if given:
        connection.execute(text("SELECT guild.lapse(:key, :try)"), values)
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
    query = text("SELECT guild.holds(:key, :token)")
    return bool(connection.execute(query, {"key": key, "token": token}).scalar())


def finish(connection: Connection, key: str, attempt: int, token: str, reply: Reply) -> bool:
    """Write the reply down, once; False when the call went to somebody else in the meantime."""
    values = {
        "key": key,
        "token": token,
        "try": attempt,
        "state": "answered" if reply.status == "answered" else "failed",
        "reply": chunks.put(connection, reply_to_text(reply)),
    }
    finish = text("SELECT guild.finish(:key, :try, :token, :state, :reply)")
    return bool(connection.execute(finish, values).scalar())
