"""Where jobs are kept. A job is claimed by one worker at a time, for as long as its lease."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

LEASE_SECONDS = 60.0


class Job(NamedTuple):
    """One piece of work."""

    id: int
    kind: str
    payload: dict[str, object]
    attempts: int


def open_store(path: Path) -> sqlite3.Connection:
    """The store at this path; writers wait up to five seconds for each other."""
    db = sqlite3.connect(path, timeout=5.0, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute(
        "CREATE TABLE IF NOT EXISTS jobs (id INTEGER PRIMARY KEY, kind TEXT NOT NULL,"
        " payload TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,"
        " leased_until REAL NOT NULL DEFAULT 0, done INTEGER NOT NULL DEFAULT 0)"
    )
    return db


def add(db: sqlite3.Connection, kind: str, payload: Mapping[str, object]) -> int:
    """Queue a job and return its number."""
    done = db.execute("INSERT INTO jobs (kind, payload) VALUES (?, ?)", (kind, json.dumps(payload)))
    return int(done.lastrowid or 0)


def claim(db: sqlite3.Connection, now: float) -> Job | None:
    """The oldest job that nobody holds, now held by the caller."""
    row = db.execute(
        "UPDATE jobs SET leased_until = ?, attempts = attempts + 1 WHERE id ="
        " (SELECT id FROM jobs WHERE done = 0 AND leased_until <= ? ORDER BY id LIMIT 1)"
        " RETURNING id, kind, payload, attempts",
        (now + LEASE_SECONDS, now),
    ).fetchone()
    if row is None:
        return None
    return Job(row[0], row[1], json.loads(row[2]), row[3])


def finish(db: sqlite3.Connection, job: Job) -> None:
    """Mark the job as done."""
    db.execute("UPDATE jobs SET done = 1 WHERE id = ?", (job.id,))
