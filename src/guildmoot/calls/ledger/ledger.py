"""The ledger of calls: what is intended before it is made, what was answered after.

A key is claimed by one process at a time. Who finds it answered gets the reply; who finds it claimed
by a process that lives waits; what a dead process left is claimed anew. The money for a call is
set aside in the same transaction as its intent, and settled in the same one as its reply.
"""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from guildmoot.calls.ledger.base import Job, Terms
from guildmoot.calls.ledger.budget import GRACE, Budget, settle
from guildmoot.calls.ledger.store import Store, ledger_file
from guildmoot.codec import from_plain, to_plain
from guildmoot.model.call import Call, Reply
from guildmoot.named import NamedTuple
from guildmoot.version import __version__

_SMALL = 512
"""Bytes of a reply below which packing saves nothing."""


class Claim(NamedTuple):
    """A call that this process may make."""

    id: int
    reservation: int
    paid: bool = True
    """Whether it may cost money."""


class Busy(NamedTuple):
    """Another process is making the call."""

    holder: str


class LedgerRow(NamedTuple):
    """One call as the ledger has it."""

    run_id: str
    seat: str
    backend: str
    model: str
    round: int
    attempt: int
    state: str
    """``intended``, ``answered`` or ``failed``."""
    reply: Reply | None


class Ledger:
    """The calls of one run, in a store that others share."""

    @classmethod
    @contextmanager
    def open(cls, folder: Path = Path()) -> Iterator[Self]:
        """The ledger of the repository in ``folder``, to be read; nothing is written."""
        store = Store(ledger_file(folder.absolute()), read_only=True)
        try:
            yield cls(store, Budget(store, Terms("")))
        finally:
            store.close()

    def calls(self, run_id: str = "") -> Iterator[LedgerRow]:
        """The calls of a run, or of all, in the order in which they were first asked."""
        told = "run_id, seat, backend, model, round, attempt, state, reply"
        with self._store.reading() as connection:
            rows = connection.execute(
                f"SELECT {told} FROM calls WHERE ?1 = '' OR run_id = ?1 ORDER BY id",  # noqa: S608 - names of ours
                (run_id,),
            ).fetchall()
        for row in rows:
            run, seat, backend, model, number, attempt, state, reply = row
            kept = unpack(reply, run) if reply else None
            yield LedgerRow(run, seat, backend, model, number, attempt, state, kept)

    def __init__(
        self, store: Store, budget: Budget, clock: Callable[[], float] = time.time
    ) -> None:
        self._store = store
        self._budget = budget
        self._clock = clock
        self._holder = holder_name()
        self._of_old: bool | None = None

    def claim(self, job: Job) -> Reply | Claim | Busy:
        """The reply when there is one, else the right to make the call; raises BudgetError."""
        with self._store.transaction(paid=_is_paid(job.call)) as connection:
            self._is_of_old(connection)  # before this version asks anything itself
            connection.execute(
                "INSERT OR IGNORE INTO asked VALUES (?, ?)", (self._budget.run_id, job.key)
            )
            row = self._find(connection, job)
            if row and row["state"] == "answered":
                return unpack(row["reply"], row["run_id"])
            if row and self._is_held(row):
                return Busy(row["holder"])
            return self._intend(connection, job)

    def look_up(self, job: Job) -> Reply | None:
        """What came of the call the last time, answered or not; None when it was never made."""
        with self._store.reading() as connection:
            row = self._find(connection, job)
        return unpack(row["reply"], row["run_id"]) if row and row["reply"] else None

    def finish(self, claim: Claim, reply: Reply, usd: float | None) -> Reply:
        """Keep the reply and what it cost, whole or not at all; the reply that stands.

        The first answer does. A machine that slept through its lease may find another's here.
        """
        state = "answered" if reply.status == "answered" else "failed"
        with self._store.transaction(paid=claim.paid) as connection:
            kept = connection.execute(
                "UPDATE calls SET state = ?1, ended = ?2, reply = ?3 WHERE id = ?4"
                " AND state != 'answered' AND (spend = ?5 OR ?1 = 'answered')",
                (state, self._clock(), pack(reply), claim.id, claim.reservation),
            ).rowcount
            settle(connection, claim.reservation, usd)
            return reply if kept else _standing(connection, claim.id, reply)

    def abandon(self, claim: Claim) -> None:
        """The call broke off: it may be made again, and what was set aside counts as spent."""
        with self._store.transaction(paid=claim.paid) as connection:
            connection.execute(
                "UPDATE calls SET state = 'failed', ended = ?"
                " WHERE id = ? AND spend = ? AND state != 'answered'",
                (self._clock(), claim.id, claim.reservation),
            )
            settle(connection, claim.reservation, None)

    def _find(self, connection: sqlite3.Connection, job: Job) -> sqlite3.Row | None:
        cursor = connection.cursor()
        cursor.row_factory = sqlite3.Row
        columns = "SELECT state, run_id, holder, expires, reply FROM calls"
        found = cursor.execute(f"{columns} WHERE key = ?", (job.key,)).fetchone()
        if found is None and self._is_of_old(connection):
            found = cursor.execute(f"{columns} {_SAME_PLACE}", self._place(job.call)).fetchone()
        return found if isinstance(found, sqlite3.Row) else None

    def _is_of_old(self, connection: sqlite3.Connection) -> bool:
        """Whether another version of the program began this run; looked up once."""
        if self._of_old is None:
            asked = (self._budget.run_id, __version__)
            self._of_old = connection.execute(_ASKED_OF_OLD, asked).fetchone() is not None
        return self._of_old

    def _place(self, call: Call) -> tuple[object, ...]:
        place = (call.packet, call.seat.name, call.round, call.attempt)
        return (self._budget.run_id, *place, __version__)

    def _is_held(self, row: sqlite3.Row) -> bool:
        if row["state"] != "intended" or row["expires"] <= self._clock():
            return False
        return is_alive(row["holder"])

    def _intend(self, connection: sqlite3.Connection, job: Job) -> Claim:
        call, now, budget = job.call, self._clock(), self._budget
        # What a dead process had set aside for this call is not counted beside what is needed now.
        connection.execute(
            "UPDATE spend SET state = 'released' WHERE state = 'reserved'"
            " AND id = (SELECT spend FROM calls WHERE key = ?)",
            (job.key,),
        )
        money = budget.reserve(connection, call.seat.name, call.most_usd, call.timeout)
        where = (call.packet, call.seat.name, call.seat.backend, call.seat.model)
        which = (call.round, call.attempt, __version__)
        held = (self._holder, now, now + call.timeout + GRACE, money.id)
        cursor = connection.execute(_INTEND, (job.key, budget.run_id, *where, *which, *held))
        (number,) = cursor.fetchone()
        return Claim(number, money.id, _is_paid(call))


_INTEND = """INSERT INTO calls (key, run_id, packet, seat, backend, model, round, attempt,
    version, state, holder, began, expires, spend)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'intended', ?, ?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET run_id = excluded.run_id, version = excluded.version,
    state = 'intended', holder = excluded.holder, began = excluded.began,
    expires = excluded.expires, spend = excluded.spend, reply = NULL, ended = NULL
    RETURNING id"""

# A run that another version began is resumed by place: its words for the same question may differ.
_ASKED_OF_OLD = """SELECT 1 FROM asked JOIN calls USING (key)
    WHERE asked.run_id = ? AND version != ? LIMIT 1"""
_SAME_PLACE = """WHERE key IN (SELECT key FROM asked WHERE run_id = ?)
    AND packet = ? AND seat = ? AND round = ? AND attempt = ? AND version != ?
    AND state = 'answered' ORDER BY id DESC LIMIT 1"""


def _is_paid(call: Call) -> bool:
    return call.most_usd != 0.0  # None: nobody knows


def _standing(connection: sqlite3.Connection, call: int, late: Reply) -> Reply:
    """The answer that another process had kept before ``late`` came; else ``late`` itself."""
    row = connection.execute(
        "SELECT reply, run_id FROM calls WHERE id = ? AND state = 'answered'", (call,)
    ).fetchone()
    return unpack(*row) if row else late


def holder_name() -> str:
    """This process, told apart from an earlier one with the same number."""
    pid = os.getpid()
    return f"{_host()}:{pid}:{_started(pid)}"


def is_alive(holder: str) -> bool:
    """Whether the process may still be at work; one of another machine may, until its time is up."""
    host, _, rest = holder.rpartition(":")
    host, _, pid = host.rpartition(":")
    if host != _host() or not pid.isdigit():
        return True
    return _exists(int(pid)) and _started(int(pid)) == rest


def _host() -> str:
    """Where a process number means one process: a machine, or one container of it."""
    try:
        return f"{socket.gethostname()}/{os.readlink('/proc/self/ns/pid')}"
    except OSError:  # not Linux
        return socket.gethostname()


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it is another user's
        return True
    return True


def _started(pid: int) -> str:
    """When the process was started, where the system tells."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def pack(reply: Reply) -> bytes:
    """The reply as bytes; whose answer it was is kept beside it, not in it."""
    plain = to_plain(reply)
    del plain["kept"]
    # Plain ASCII: a lone surrogate, which a program may print, survives as its escape.
    data = json.dumps(plain, separators=(",", ":")).encode("ascii")
    return data if len(data) < _SMALL else zlib.compress(data, 1)


def unpack(data: bytes, kept: str = "") -> Reply:
    """The reply again; ``kept`` names the run that got it."""
    plain = json.loads(data if data[:1] == b"{" else zlib.decompress(data))
    return from_plain(Reply, plain)._replace(kept=kept)
