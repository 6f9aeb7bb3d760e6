"""Coupons: read from the database, valid until a moment in UTC, each for a number of uses."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from typing import NamedTuple


class Coupon(NamedTuple):
    """A coupon as it is stored."""

    code: str
    percent: int
    expires: datetime
    uses_left: int


def find_coupon(db: sqlite3.Connection, code: str) -> Coupon | None:
    """The coupon of this code, or None."""
    query = "SELECT code, percent, expires, uses_left FROM coupons WHERE code = ?"
    row = db.execute(query, (code,)).fetchone()
    if row is None:
        return None
    return Coupon(row[0], row[1], datetime.fromisoformat(row[2]), row[3])


def is_valid(coupon: Coupon, now: datetime | None = None) -> bool:
    """Whether it may still be used; the moment of expiry is too late."""
    moment = now or datetime.now(UTC)
    return coupon.uses_left > 0 and moment < coupon.expires


def redeem(db: sqlite3.Connection, code: str) -> bool:
    """Take one use away; False when none is left. One statement, so that two buyers cannot share it."""
    with db:
        done = db.execute(
            "UPDATE coupons SET uses_left = uses_left - 1 WHERE code = ? AND uses_left > 0",
            (code,),
        )
    return done.rowcount == 1
