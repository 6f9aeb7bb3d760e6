"""What a run has left on disk, told so that two runs of the same thing can be compared.

Names of runs, times and paths are taken out; so are files that were never finished, which nobody
reads. The ledger is told as SQLite recovers it, from a copy.
"""

from __future__ import annotations

import re
import sqlite3
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from guildmoot.calls.ledger.ledger import unpack

RUN = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}")
_NONCES = re.compile(r'("nonce": ?"|VERDICT )[0-9a-f]{8}\b')
"""Each shop's user has a secret of his own, so calls of different shops have different nonces."""
_TIMES = re.compile(r'"(\w*(?:seconds|_at|timestamp|duration\w*))": ?("[^"]*"|[0-9.e+-]+)')
_MOMENTS = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(\+00:00|Z)?|\b\d+\.\d+ ?s\b")


class Call(NamedTuple):
    """One row of the ledger."""

    seat: str
    round: int
    attempt: int
    state: str
    text: str | None


class Survey(NamedTuple):
    """The records of a shop at one moment."""

    files: tuple[tuple[str, str], ...]
    calls: tuple[Call, ...]
    rest: tuple[tuple[str, int], ...]
    """How many rows the other tables have, money by its state."""
    asked: tuple[tuple[str, str], ...]
    """What each agent was asked so far."""

    @property
    def result(self) -> tuple[object, ...]:
        """What must be the same however often the run was killed on its way.

        The parts of a run that was given up before it had asked anyone are those of the next one.
        """
        said = tuple(call for call in self.calls if call.state == "answered")
        return frozenset(self.files), said

    @property
    def answered(self) -> Counter[str]:
        """How many finished calls each seat has."""
        return Counter(call.seat for call in self.calls if call.state == "answered")


def survey(folder: Path, root: Path) -> Survey:
    """Of the shop in ``folder``, whose files name ``root`` as their place."""
    shop = folder / "shop"
    calls, rest = _ledger(shop / ".guild" / "ledger.sqlite3")
    return Survey(_files(shop, root), calls, rest, _asked(folder / "home" / "calls"))


def _files(shop: Path, root: Path) -> tuple[tuple[str, str], ...]:
    found = [*(shop / ".guild" / "runs").rglob("*"), *(shop / ".agents").rglob("*")]
    found += [shop / "board.md"]
    whole = [file for file in found if file.is_file() and not file.name.startswith(".")]
    return tuple(
        sorted(
            (plain(str(file.relative_to(shop))), plain(file.read_text(), root)) for file in whole
        )
    )


def plain(text: str, root: Path | None = None) -> str:
    """A text without the names of runs, times, and where it lies."""
    text = RUN.sub("RUN", text.replace(str(root.parent), "") if root else text)
    text = _NONCES.sub(r"\1NONCE", text)
    return _MOMENTS.sub("THEN", _TIMES.sub(r'"\1": 0', text))


def _ledger(file: Path) -> tuple[tuple[Call, ...], tuple[tuple[str, int], ...]]:
    if not file.exists():
        return (), ()
    kept = {
        each.name: each.read_bytes()
        for each in file.parent.glob("ledger.sqlite3*")
        if not each.name.endswith(("-shm", ".lock"))
    }
    return _recovered(tuple(sorted(kept.items())), file.parents[2])


_KNOWN: dict[int, tuple[tuple[Call, ...], tuple[tuple[str, int], ...]]] = {}


def _recovered(
    kept: tuple[tuple[str, bytes], ...], beside: Path
) -> tuple[tuple[Call, ...], tuple[tuple[str, int], ...]]:
    """What SQLite makes of the files; the same files are looked at once."""
    if hash(kept) not in _KNOWN:
        with tempfile.TemporaryDirectory(dir=beside) as scratch:
            for name, data in kept:
                Path(scratch, name).write_bytes(data)
            with closing(sqlite3.connect(Path(scratch, "ledger.sqlite3"))) as connection:
                connection.execute("PRAGMA synchronous = OFF")
                _KNOWN[hash(kept)] = _rows(connection)
    return _KNOWN[hash(kept)]


def _rows(connection: sqlite3.Connection) -> tuple[tuple[Call, ...], tuple[tuple[str, int], ...]]:
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    rest = Counter({"version": version})
    if version < 2:
        return (), tuple(rest.items())
    for table in ("asked", "packets", "texts"):
        (rest[table],) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    for state, count in connection.execute("SELECT state, count(*) FROM spend GROUP BY state"):
        rest[state] = count
    columns = "seat, round, attempt, state, reply"
    rows = connection.execute(f"SELECT {columns} FROM calls ORDER BY seat, round, attempt, id")
    calls = (Call(*row, unpack(reply).text if reply else None) for *row, reply in rows)
    return tuple(calls), tuple(sorted(rest.items()))


def _asked(folder: Path) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((file.name, file.read_text()) for file in folder.iterdir()))
