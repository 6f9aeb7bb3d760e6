"""The ledger's file: one SQLite database of the repository, opened, brought up to date and shared.

Any number of processes may use it at once. What the tables mean is told where they are used:
:mod:`budget` for money, :mod:`ledger` for calls, :mod:`packets` for what the calls are about.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from guildmoot.errors import InfrastructureError
from guildmoot.system.files import Locked, place_inside

_FILE = ".guild/ledger.sqlite3"
BUSY = 30.0
"""Seconds to wait for other processes before giving up."""


def ledger_file(root: Path) -> Path:
    """Where a repository keeps its ledger; UsageError when a link lies there, or beside it."""
    for ending in ("-wal", "-shm", "-journal", ".lock"):
        place_inside(root, f"{_FILE}{ending}")
    return place_inside(root, _FILE)


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


def _create_calls(connection: sqlite3.Connection) -> None:
    connection.execute(
        """CREATE TABLE calls (
            id INTEGER PRIMARY KEY,
            key TEXT NOT NULL UNIQUE, -- the content of the call, as SHA-256
            run_id TEXT NOT NULL, -- who asked last
            packet TEXT NOT NULL,
            seat TEXT NOT NULL,
            backend TEXT NOT NULL,
            model TEXT NOT NULL,
            round INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            version TEXT NOT NULL, -- of the program that asked
            state TEXT NOT NULL CHECK (state IN ('intended', 'answered', 'failed')),
            holder TEXT NOT NULL, -- the process that is making the call
            began REAL NOT NULL,
            expires REAL NOT NULL, -- after that, an intent is a dead process's
            ended REAL,
            spend INTEGER, -- what was set aside for it
            reply BLOB -- JSON, packed; null until there is one
        )"""
    )
    connection.execute(
        "CREATE TABLE asked (run_id TEXT NOT NULL, key TEXT NOT NULL,"
        " PRIMARY KEY (run_id, key)) WITHOUT ROWID"
    )
    connection.execute("CREATE INDEX asked_by_key ON asked (key)")
    connection.execute(
        "CREATE TABLE packets (hash TEXT PRIMARY KEY, kept REAL NOT NULL, body BLOB NOT NULL)"
    )
    connection.execute("CREATE TABLE texts (sha256 TEXT PRIMARY KEY, body BLOB NOT NULL)")
    # What is settled is summed as it happens: adding up a long day for every call would grow.
    connection.execute(
        "CREATE TABLE settled (scope TEXT NOT NULL, name TEXT NOT NULL, micros INTEGER NOT NULL,"
        " PRIMARY KEY (scope, name)) WITHOUT ROWID"
    )
    for scope, column in (("run", "run_id"), ("day", "day")):
        connection.execute(
            f"INSERT INTO settled SELECT ?, {column}, sum(coalesce(micros, 0))"  # noqa: S608
            f" FROM spend WHERE state = 'settled' GROUP BY {column}",
            (scope,),
        )
    connection.execute("CREATE INDEX spend_live ON spend (expires) WHERE state = 'reserved'")


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (_create_spend, _create_calls)
"""What brings the file from each version to the next; never changed once released, only added to."""


class Store:
    """The open file. Threads may share it; a forked process opens its own."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        """Open it; ``read_only`` makes no file and works where nothing may be written."""
        self.path = path
        self._lock = threading.Lock()
        with _told(path):
            self._connection = _open_to_read(path) if read_only else _open(path)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def transaction(self, *, paid: bool = True) -> Iterator[sqlite3.Connection]:
        """Alone with the file: whoever asks at the same time waits, in this process or another.

        What was ``paid`` for is on the disk afterwards. What cost nothing survives the end of this
        process, but a power cut may lose it, whole.
        """
        with self._lock, _told(self.path):
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if paid else 'NORMAL'}")
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # the first failure is the one to tell of
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The file as it is at one moment, without keeping anybody from writing."""
        with self._lock, _told(self.path):
            self._connection.execute("BEGIN")
            try:
                yield self._connection
            finally:
                with suppress(sqlite3.Error):  # nothing was written
                    self._connection.execute("ROLLBACK")

    def shrink(self) -> None:
        """Give the room of what was deleted back to the disk."""
        with self._lock, _told(self.path):
            self._connection.execute("VACUUM")


def _open(path: Path) -> sqlite3.Connection:
    """The file, made or brought up to date by whoever comes first while the others wait."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with Locked(path.with_name(f"{path.name}.lock")):
        connection = sqlite3.connect(
            path, timeout=BUSY, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            _migrate(connection, path)
        except BaseException:
            connection.close()
            raise
    return connection


def _open_to_read(path: Path) -> sqlite3.Connection:
    """The file as it is, or a copy of it."""
    connection = None
    try:
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=ro",
            uri=True,
            timeout=BUSY,
            isolation_level=None,
            check_same_thread=False,
        )
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version == len(MIGRATIONS):
            return connection
    except sqlite3.OperationalError:
        pass  # there is none, or SQLite may not put its own files beside it
    if connection is not None:
        connection.close()
    return _copied(path)


def _copied(path: Path) -> sqlite3.Connection:
    """A copy in memory, brought up to date: for a file that is old, or lies where none may write."""
    copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    if path.exists():
        with tempfile.TemporaryDirectory(prefix="guildmoot-") as scratch:
            for file in (path, path.with_name(f"{path.name}-wal")):
                if file.exists():
                    shutil.copy(file, scratch)
            with closing(sqlite3.connect(Path(scratch, path.name))) as source:
                source.backup(copy)
    _migrate(copy, path)
    return copy


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
            f"the ledger cannot be kept in {path}: {error}",
            "Make room or fix the permissions; a damaged file can be moved away.",
        ) from error
