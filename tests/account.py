"""One run's budget with a store of its own, its steps each in a transaction of their own."""

from __future__ import annotations

import time
from typing import NamedTuple

from guildmoot.calls.ledger.base import Terms
from guildmoot.calls.ledger.budget import Budget, Reservation, counted, settle, today
from guildmoot.calls.ledger.store import Store

NOON = 1_767_355_200.0
"""2026-01-02, 12:00 UTC."""


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self, now: float = NOON) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class Spent(NamedTuple):
    run_usd: float
    day_usd: float


class Account(Budget):
    def __init__(self, file, run, max_run_usd=None, max_day_usd=None, clock=time.time) -> None:
        self.store = Store(file)
        try:
            super().__init__(self.store, Terms(run, max_run_usd, max_day_usd), clock)
        except BaseException:
            self.store.close()
            raise

    def __enter__(self) -> Account:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self.store.close()

    def set_aside(self, call_key: str, usd: float | None, timeout: float = 120.0) -> Reservation:
        with self.store.transaction() as connection:
            return self.reserve(connection, call_key, usd, timeout)

    def settle(self, reservation: Reservation, usd: float | None) -> None:
        with self.store.transaction() as connection:
            settle(connection, reservation.id, usd)

    def release(self, reservation: Reservation) -> None:
        """As the ledger does to what a dead process had set aside."""
        with self.store.transaction() as connection:
            release = "UPDATE spend SET state = 'released' WHERE id = ? AND state = 'reserved'"
            connection.execute(release, (reservation.id,))

    def spent(self) -> Spent:
        return spent(self.store, self.run_id, self._clock)


def spent(store: Store, run: str, clock=time.time) -> Spent:
    """What counts against the limits now: settled, and set aside for calls under way."""
    now = clock()
    with store.reading() as connection:
        of_run = counted(connection, "run", run, now)
        of_day = counted(connection, "day", today(now), now)
    return Spent(of_run / 1e6, of_day / 1e6)
