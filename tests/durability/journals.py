"""Journals: what a version of the program left under ``.guild``, as text that can be read and compared.

A journal is a folder with the runs as they lay there, and the ledger as SQL. What the ledger packs is
written as ``packed('...')``, and packed again when the journal is restored.
"""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

HOME = Path(__file__).parent.parent / "data" / "journals"


def write_ledger(source: Path, file: Path) -> None:
    """The ledger in ``source`` as SQL."""
    with closing(sqlite3.connect(source)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        lines = [f"PRAGMA user_version = {version};"]
        tables = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"
        for name, sql in connection.execute(tables).fetchall():
            lines.append(f"{sql};")
            if sql.startswith("CREATE TABLE"):
                lines += _rows(connection, name)
    file.write_text("\n".join(lines) + "\n")


def _rows(connection: sqlite3.Connection, table: str) -> list[str]:
    found = connection.execute(f"SELECT * FROM {table}").fetchall()
    return [f"INSERT INTO {table} VALUES ({', '.join(map(_literal, row))});" for row in found]


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    if not isinstance(value, bytes):
        return repr(value) if isinstance(value, int | float) else _quoted(str(value))
    if value[:1] == b"{":
        return f"CAST({_quoted(value.decode())} AS BLOB)"
    return f"packed({_quoted(zlib.decompress(value).decode())})"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def read_ledger(file: Path, target: Path) -> None:
    """Make the ledger again, as the program keeps it: in WAL mode."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(target)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.create_function("packed", 1, lambda text: zlib.compress(text.encode(), 1))
        connection.executescript(file.read_text())
