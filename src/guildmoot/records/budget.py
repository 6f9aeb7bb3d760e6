"""Money is reserved before a call and settled after it, against a limit for the run and the day.

Reservations stand in one SQLite file of the repository, so that runs at the same time share what
the day has left; a day is a UTC date. Amounts are whole micro-dollars, rounded up. What a call may
cost is for the caller to say; nothing here knows a price.
"""

from __future__ import annotations

import math
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from guildmoot.errors import BudgetError, InfrastructureError, UsageError
from guildmoot.records.atomic import locked

GRACE = 60.0
"""Seconds beyond a call's time limit after which its reservation is taken for a dead run's."""
BUSY = 30.0
"""Seconds to wait for other processes before giving up."""


class Reservation(NamedTuple):
    """Money set aside for one call."""

    id: int
    call_key: str
    usd: float | None
    """None when nobody knew a price, which only a run without limits may do."""


class Spent(NamedTuple):
    """What counts against the limits: settled, and set aside for calls under way."""

    run_usd: float
    day_usd: float


def _create_spend(connection: sqlite3.Connection) -> None:
    connection.execute(
        """CREATE TABLE spend (
            id INTEGER PRIMARY KEY,
            run_id TEXT NOT NULL,
            call_key TEXT NOT NULL,
            day TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('reserved', 'settled', 'released')),
            micros INTEGER CHECK (micros >= 0), -- null: no price was known
            expires REAL NOT NULL -- seconds since 1970, for what is still reserved
        )"""
    )
    connection.execute("CREATE INDEX spend_by_run ON spend (run_id)")
    connection.execute("CREATE INDEX spend_by_day ON spend (day)")


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (_create_spend,)
"""What brings the file from each version to the next; never changed once released, only added to."""


class Budget:
    """One run's purse. Threads may share it; a forked process makes its own."""

    def __init__(
        self,
        path: Path,
        run_id: str,
        max_run_usd: float | None = None,
        max_day_usd: float | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.run_id = run_id
        self._path = path
        self._max_run = _limit(max_run_usd, "a run")
        self._max_day = _limit(max_day_usd, "a day")
        self._clock = clock
        self._lock = threading.Lock()
        with _told(path):
            self._connection = _open(path)

    def __enter__(self) -> Budget:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file; reservations that are left run out by themselves."""
        with self._lock:
            self._connection.close()

    def reserve(self, call_key: str, usd: float | None, timeout: float = 120.0) -> Reservation:
        """Set ``usd`` aside for a call of at most ``timeout`` seconds, or raise BudgetError.

        Settled, live and new amounts together never pass a limit, however many processes ask.
        """
        limited = self._max_run is not None or self._max_day is not None
        if usd is None and limited:
            raise BudgetError(
                f"no price is known for {call_key}, so it cannot be held to a limit",
                "Give the price in the settings, under [prices], or judge without a limit.",
            )
        micros = None if usd is None else to_micros(usd)
        with self._transaction() as connection:
            now = self._clock()
            if micros is not None and limited:
                self._check(connection, call_key, micros, now)
            row = (self.run_id, call_key, _day(now), micros, now + timeout + GRACE)
            cursor = connection.execute(
                "INSERT INTO spend (run_id, call_key, day, state, micros, expires)"
                " VALUES (?, ?, ?, 'reserved', ?, ?)",
                row,
            )
            return Reservation(int(cursor.lastrowid or 0), call_key, usd)

    def settle(self, reservation: Reservation, usd: float | None) -> None:
        """Put what the call really cost in place of what was set aside, even if it came late.

        When that is not known, what was set aside counts as spent. The first settlement stands.
        """
        micros = None if usd is None else to_micros(usd)
        with self._transaction() as connection:
            connection.execute(
                "UPDATE spend SET state = 'settled', micros = coalesce(?, micros)"
                " WHERE id = ? AND state != 'settled'",
                (micros, reservation.id),
            )

    def release(self, reservation: Reservation) -> None:
        """Give back what was set aside for a call that was not made; a settled one stays."""
        with self._transaction() as connection:
            connection.execute(
                "UPDATE spend SET state = 'released' WHERE id = ? AND state = 'reserved'",
                (reservation.id,),
            )

    def spent(self) -> Spent:
        """What counts against the limits now."""
        with self._transaction() as connection:
            now = self._clock()
            run = _counted(connection, "run_id", self.run_id, now)
            day = _counted(connection, "day", _day(now), now)
        return Spent(run / 1e6, day / 1e6)

    def _check(
        self, connection: sqlite3.Connection, call_key: str, micros: int, now: float
    ) -> None:
        for what, limit, column, key in (
            ("run", self._max_run, "run_id", self.run_id),
            ("day", self._max_day, "day", _day(now)),
        ):
            if limit is None:
                continue
            counted = _counted(connection, column, key, now)
            if counted + micros > limit:
                raise BudgetError(
                    f"{call_key} may cost {_usd(micros)}; of this {what}'s limit of {_usd(limit)},"
                    f" {_usd(max(limit - counted, 0))} is left",
                    f"Raise the limit for a {what}, or seat fewer or cheaper judges.",
                )

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Alone with the file: whoever asks at the same time waits, in this process or another."""
        with self._lock, _told(self._path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # the first failure is the one to tell of
                    self._connection.execute("ROLLBACK")
                raise


def to_micros(usd: float, rounding: str = ROUND_CEILING) -> int:
    """Whole micro-dollars; the decimal that ``usd`` is shown as counts, not its binary neighbour."""
    if not 0 <= usd < math.inf:
        raise ValueError(f"{usd!r} is no amount of money")
    return int(Decimal(repr(float(usd))).scaleb(6).to_integral_value(rounding))


def _limit(usd: float | None, of: str) -> int | None:
    if usd is None:
        return None
    if not 0 <= usd < math.inf:
        raise UsageError(f"the limit for {of} must be dollars, 0 or more, not {usd!r}")
    return to_micros(usd, ROUND_FLOOR)


def _counted(connection: sqlite3.Connection, column: str, key: str, now: float) -> int:
    """Settled and live micro-dollars of one run or one day."""
    (total,) = connection.execute(
        f"SELECT coalesce(sum(micros), 0) FROM spend WHERE {column} = ?"  # noqa: S608 - our words
        " AND (state = 'settled' OR state = 'reserved' AND expires > ?)",
        (key, now),
    ).fetchone()
    return int(total)


def _day(now: float) -> str:
    return datetime.fromtimestamp(now, UTC).date().isoformat()


def _usd(micros: int) -> str:
    return f"${micros / 1e6:,.6f}".rstrip("0").rstrip(".")


def _open(path: Path) -> sqlite3.Connection:
    """The file, made or brought up to date by whoever comes first while the others wait."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path.with_name(f"{path.name}.lock")):
        connection = sqlite3.connect(
            path, timeout=BUSY, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")  # what was paid survives a power cut
            _migrate(connection, path)
        except BaseException:
            connection.close()
            raise
    return connection


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(MIGRATIONS):
        raise InfrastructureError(
            f"{path} was written by a newer guildmoot", "Update guildmoot, or move the file away."
        )
    for number, migrate in enumerate(MIGRATIONS[version:], version + 1):
        connection.execute("BEGIN IMMEDIATE")
        migrate(connection)
        connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """A failing disk or file becomes a message that names it."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise InfrastructureError(
            f"what calls cost cannot be recorded in {path}: {error}",
            "Make room or fix the permissions; a damaged file can be moved away.",
        ) from error
