"""Old runs are cleared away: their folders, and what only they had in the ledger."""

from __future__ import annotations

import shutil
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from guildmoot.calls.ledger.store import Store, ledger_file
from guildmoot.calls.ledger.tidying import Left, Tidied, tidy
from guildmoot.errors import UsageError
from guildmoot.runs.index import list_runs, started
from guildmoot.runs.record import read_part
from guildmoot.runs.rows import RunSummary

_YOUNG = timedelta(minutes=10)
"""Packets of that age may belong to a run that is only about to say so."""


class Cleared(NamedTuple):
    """What was, or would be, cleared away."""

    runs: tuple[str, ...]
    kept: int
    bytes: int
    """That the folders of those runs take."""
    ledger: Tidied | None
    """None when nothing was done."""


def clear_runs(
    root: Path, now: datetime, *, keep: int, older_than: timedelta | None, dry_run: bool
) -> Cleared:
    """Remove all but the newest ``keep`` runs that are older than that; one under way always stays."""
    if keep < 0 or (older_than or timedelta()) < timedelta():
        raise UsageError("--keep and --older-than cannot be below 0")
    runs = list_runs(root)
    old = [run for run in runs[keep:] if _may_go(run, now, older_than)]
    size = sum(_size(run.folder) for run in old)
    names = tuple(run.run_id for run in old)
    if dry_run:
        return Cleared(names, len(runs) - len(old), size, None)
    for run in old:
        shutil.rmtree(run.folder)
    return Cleared(names, len(runs) - len(old), size, _tidy(root, now))


def _may_go(run: RunSummary, now: datetime, older_than: timedelta | None) -> bool:
    if run.state == "running":
        return False
    return older_than is None or now - started(run.run_id) > older_than


def _left(root: Path) -> Left:
    runs = list_runs(root)
    packets = {str(read_part(run.folder, "packet").get("hash", "")) for run in runs}
    return Left({run.run_id for run in runs}, packets)


def _tidy(root: Path, now: datetime) -> Tidied | None:
    if not ledger_file(root).exists():
        return None
    store = Store(ledger_file(root))
    try:
        done = tidy(store, lambda: _left(root), (now - _YOUNG).timestamp())
        if any(done):
            store.shrink()
        return done
    finally:
        store.close()


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
