"""Clearing away: what no recorded run refers to any more leaves the ledger; money spent stays on it."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable, Collection
from typing import NamedTuple

from guildmoot.calls.ledger.packets import unpack
from guildmoot.calls.ledger.store import Store


class Tidied(NamedTuple):
    """What was, or would be, cleared from the ledger."""

    calls: int
    packets: int
    texts: int


class Left(NamedTuple):
    """What is still referred to."""

    runs: Collection[str]
    packets: Collection[str]


def tidy(store: Store, left: Callable[[], Left], before: float = math.inf) -> Tidied:
    """Delete answers that only other runs asked for, and packets and texts that nobody refers to.

    ``left`` is asked while nobody can write: a run that had asked anything is among its runs by
    then. A packet is kept a moment before its run says so, so only those from ``before`` go. A call
    under way is left alone, and so is everything that was spent.
    """
    with store.transaction() as connection:
        keep_runs, keep_packets = left()
        connection.execute("CREATE TEMP TABLE kept (name TEXT PRIMARY KEY)")
        connection.executemany("INSERT OR IGNORE INTO kept VALUES (?)", [(r,) for r in keep_runs])
        connection.execute("DELETE FROM asked WHERE run_id NOT IN (SELECT name FROM kept)")
        calls = connection.execute(
            "DELETE FROM calls WHERE state != 'intended' AND key NOT IN (SELECT key FROM asked)"
        ).rowcount
        connection.executemany(
            "INSERT OR IGNORE INTO kept VALUES (?)", [(p,) for p in keep_packets]
        )
        packets = connection.execute(
            "DELETE FROM packets WHERE hash NOT IN (SELECT name FROM kept)"
            " AND hash NOT IN (SELECT packet FROM calls) AND kept < ?",
            (before,),
        ).rowcount
        texts = _drop_texts(connection) if packets else 0
        connection.execute("DROP TABLE kept")
    return Tidied(calls, packets, texts)


def _drop_texts(connection: sqlite3.Connection) -> int:
    used = {
        file["sha256"]
        for (body,) in connection.execute("SELECT body FROM packets")
        for file in json.loads(unpack(body))["files"]
    }
    gone = [(sha,) for (sha,) in connection.execute("SELECT sha256 FROM texts") if sha not in used]
    connection.executemany("DELETE FROM texts WHERE sha256 = ?", gone)
    return len(gone)
