"""Old runs are cleared away: their folders, and what only they had in the ledger; money spent stays."""

from __future__ import annotations

import json
import math
import shutil
import sqlite3
from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from guildmoot.calls.ledger.packets import unpack
from guildmoot.calls.ledger.store import Store, ledger_file
from guildmoot.errors import UsageError
from guildmoot.runs.index import list_runs, started
from guildmoot.runs.record import read_part
from guildmoot.runs.rows import RunSummary

_YOUNG = timedelta(minutes=10)
"""Packets of that age may belong to a run that is only about to say so."""


class LedgerCleared(NamedTuple):
    """What was, or would be, cleared from the ledger."""

    calls: int
    packets: int
    texts: int


class StillUsed(NamedTuple):
    """What is still referred to."""

    runs: Collection[str]
    packets: Collection[str]


class ClearedRuns(NamedTuple):
    """What was, or would be, cleared away."""

    runs: tuple[str, ...]
    kept: int
    bytes: int
    """That the folders of those runs take."""
    ledger: LedgerCleared | None
    """None when nothing was done."""


def clear_runs(
    root: Path, now: datetime, *, keep: int, older_than: timedelta | None, dry_run: bool
) -> ClearedRuns:
    """Remove all but the newest ``keep`` runs that are older than that.

    One under way always stays, and so does one that others which stay are part of.
    """
    if keep < 0 or (older_than or timedelta()) < timedelta():
        raise UsageError("--keep and --older-than cannot be below 0")
    runs = list_runs(root)
    old = [run for run in runs[keep:] if _may_go(run, now, older_than)]
    needed = _above(runs, {run.run_id for run in old})
    old = [run for run in old if run.run_id not in needed]
    size = sum(_size(run.folder) for run in old)
    names = tuple(run.run_id for run in old)
    if dry_run:
        return ClearedRuns(names, len(runs) - len(old), size, None)
    for run in old:
        shutil.rmtree(run.folder)
    return ClearedRuns(names, len(runs) - len(old), size, _clear_ledger(root, now))


def _above(runs: Sequence[RunSummary], gone: set[str]) -> set[str]:
    """The runs that those which stay are part of, also through others."""
    parents = {run.run_id: run.parent for run in runs}
    above: set[str] = set()
    for run in runs:
        parent = "" if run.run_id in gone else run.parent
        while parent and parent not in above:
            above.add(parent)
            parent = parents.get(parent, "")
    return above


def _may_go(run: RunSummary, now: datetime, older_than: timedelta | None) -> bool:
    if run.state == "running":
        return False
    return older_than is None or now - started(run.run_id) > older_than


def _still_used(root: Path) -> StillUsed:
    runs = list_runs(root)
    packets = {str(read_part(run.folder, "packet").get("hash", "")) for run in runs}
    return StillUsed({run.run_id for run in runs}, packets)


def _clear_ledger(root: Path, now: datetime) -> LedgerCleared | None:
    if not ledger_file(root).exists():
        return None
    store = Store(ledger_file(root))
    try:
        done = clear_unused(store, lambda: _still_used(root), (now - _YOUNG).timestamp())
        if any(done):
            store.shrink()
        return done
    finally:
        store.close()


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def clear_unused(
    store: Store, used: Callable[[], StillUsed], before: float = math.inf
) -> LedgerCleared:
    """Delete answers that only other runs asked for, and packets and texts that nobody refers to.

    ``used`` is asked while nobody can write: a run that had asked anything is among its runs by
    then. A packet is kept a moment before its run says so, so only those from ``before`` go. A call
    under way is left alone, and so is everything that was spent.
    """
    with store.transaction() as connection:
        keep_runs, keep_packets = used()
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
    return LedgerCleared(calls, packets, texts)


def _drop_texts(connection: sqlite3.Connection) -> int:
    used = {
        file["sha256"]
        for (body,) in connection.execute("SELECT body FROM packets")
        for file in json.loads(unpack(body))["files"]
    }
    gone = [(sha,) for (sha,) in connection.execute("SELECT sha256 FROM texts") if sha not in used]
    connection.executemany("DELETE FROM texts WHERE sha256 = ?", gone)
    return len(gone)
