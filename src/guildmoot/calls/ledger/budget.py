"""Money is reserved before a call and settled after it, against a limit for the run and the day.

Reservations stand in the repository's ledger, so that runs at the same time share what the day has
left; a day is a UTC date. Amounts are whole micro-dollars, rounded up. What a call may cost is for
the caller to say; nothing here knows a price.
"""

from __future__ import annotations

import math
import sqlite3
import time
from collections.abc import Callable
from datetime import UTC, datetime

from guildmoot.calls.ledger.base import Terms
from guildmoot.calls.ledger.store import Store
from guildmoot.errors import BudgetError, UsageError
from guildmoot.named import NamedTuple

GRACE = 60.0
"""Seconds beyond a call's time limit after which its reservation is taken for a dead run's."""


class Reservation(NamedTuple):
    """Money set aside for one call."""

    id: int
    call_key: str
    usd: float | None
    """None when nobody knew a price, which only a run without limits may do."""


class Budget:
    """What one run may spend, in a store that others share."""

    def __init__(self, store: Store, terms: Terms, clock: Callable[[], float] = time.time) -> None:
        self.run_id = terms.run_id
        self._store = store
        self._max_run = _limit(terms.run_usd, "a run")
        self._max_day = _limit(terms.day_usd, "a day")
        self._clock = clock

    @property
    def limited(self) -> bool:
        """Whether there is anything to hold calls to."""
        return self._max_run is not None or self._max_day is not None

    def afford(self, what: str, usd: float) -> None:
        """Raise BudgetError when so much is not left now; nothing is set aside."""
        with self._store.reading() as connection:
            self._check(connection, what, to_micros(usd), self._clock())

    def reserve(
        self, connection: sqlite3.Connection, call_key: str, usd: float | None, timeout: float
    ) -> Reservation:
        """Set ``usd`` aside for a call of at most ``timeout`` seconds, or raise BudgetError.

        Settled, live and new amounts together never pass a limit, however many processes ask.
        """
        if usd is None and self.limited:
            raise BudgetError(
                f"no price is known for {call_key}, so it cannot be held to a limit",
                "Give the price in the settings, under [prices], or judge without a limit.",
            )
        micros, now = None if usd is None else to_micros(usd), self._clock()
        if micros is not None and self.limited:
            self._check(connection, call_key, micros, now)
        row = (self.run_id, call_key, today(now), micros, now + timeout + GRACE)
        cursor = connection.execute(
            "INSERT INTO spend (run_id, call_key, day, state, micros, expires)"
            " VALUES (?, ?, ?, 'reserved', ?, ?)",
            row,
        )
        return Reservation(int(cursor.lastrowid or 0), call_key, usd)

    def _check(
        self, connection: sqlite3.Connection, call_key: str, micros: int, now: float
    ) -> None:
        for what, limit, name in (
            ("run", self._max_run, self.run_id),
            ("day", self._max_day, today(now)),
        ):
            if limit is None:
                continue
            spent = counted(connection, what, name, now)
            if spent + micros > limit:
                raise BudgetError(
                    f"{call_key} may cost {_usd(micros)}; of this {what}'s limit of {_usd(limit)},"
                    f" {_usd(max(limit - spent, 0))} is left",
                    f"Raise the limit for a {what}, or seat fewer or cheaper judges.",
                )


def settle(connection: sqlite3.Connection, reservation: int, usd: float | None) -> None:
    """Put what the call really cost in place of what was set aside, even if it came late.

    When that is not known, what was set aside counts as spent. The first settlement stands.
    """
    row = connection.execute(
        "UPDATE spend SET state = 'settled', micros = coalesce(?, micros)"
        " WHERE id = ? AND state != 'settled' RETURNING run_id, day, coalesce(micros, 0)",
        (None if usd is None else to_micros(usd), reservation),
    ).fetchone()
    if row is None:
        return
    run_id, day, micros = row
    for scope, name in (("run", run_id), ("day", day)):
        connection.execute(
            "INSERT INTO settled VALUES (?, ?, ?)"
            " ON CONFLICT (scope, name) DO UPDATE SET micros = micros + excluded.micros",
            (scope, name, micros),
        )


def to_micros(usd: float, rounding: str = "ROUND_CEILING") -> int:
    """Whole micro-dollars; the decimal that ``usd`` is shown as counts, not its binary neighbour."""
    if not 0 <= usd < math.inf:
        raise ValueError(f"{usd!r} is no amount of money")
    if not usd:  # what tools cost
        return 0
    from decimal import Decimal

    return int(Decimal(repr(float(usd))).scaleb(6).to_integral_value(rounding))


def _limit(usd: float | None, of: str) -> int | None:
    if usd is None:
        return None
    if not 0 <= usd < math.inf:
        raise UsageError(f"the limit for {of} must be dollars, 0 or more, not {usd!r}")
    return to_micros(usd, "ROUND_FLOOR")


_COLUMN = {"run": "run_id", "day": "day"}


def counted(connection: sqlite3.Connection, scope: str, name: str, now: float) -> int:
    """Settled and live micro-dollars of one run or one day."""
    (settled,) = connection.execute(
        "SELECT coalesce(sum(micros), 0) FROM settled WHERE scope = ? AND name = ?", (scope, name)
    ).fetchone()
    # By what is live, which is little; SQLite would rather go through all that the day has spent.
    (live,) = connection.execute(
        "SELECT coalesce(sum(micros), 0) FROM spend INDEXED BY spend_live"  # noqa: S608 - our words
        f" WHERE state = 'reserved' AND expires > ? AND {_COLUMN[scope]} = ?",
        (now, name),
    ).fetchone()
    return int(settled) + int(live)


def today(now: float) -> str:
    """The UTC date, by which the day's limit counts."""
    return datetime.fromtimestamp(now, UTC).date().isoformat()


def _usd(micros: int) -> str:
    return f"${micros / 1e6:,.6f}".rstrip("0").rstrip(".")
