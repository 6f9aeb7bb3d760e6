"""One line for every run, in one file: ``.guild/runs/.index.jsonl``.

A run adds its line when it ends, and whoever lists the runs adds those that are missing. A line counts
while the run's folder has not changed since; so the file may be lost, cut short, old or written by
another version, and nothing but time is lost.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from guildmoot.errors import GuildmootError
from guildmoot.named import NamedTuple
from guildmoot.system.files import append_rows, read_own, write_atomic

FILE = ".index.jsonl"
_VERSION = 1
_FORMS = frozenset(
    (int, int, str, str, str, str, int, int, seconds, str, str, str, usd)
    for seconds in (int, float)
    for usd in (int, float, type(None))
)
"""The types that a line's values may have, as JSON gives them."""
_SPARE = 2
"""How many lines a run may have on average before the file is written anew."""


_MOST = 256 * 1024 * 1024
"""Bytes of the file; one that is longer is left alone, and every record read."""


class Summary(NamedTuple):
    """What a practice tells of a result in one line."""

    verdict: str = "-"
    blocking: int = 0
    advisory: int = 0
    counts: str = ""
    """What the practice counts in place of findings, e.g. ``round 2``."""
    seconds: float = 0.0
    usd: float | None = None
    """None when the price of a call is not known."""


class RunSummary(NamedTuple):
    """One line of ``guild runs list``."""

    run_id: str
    state: str
    """``complete``, ``interrupted``, ``running`` or ``incomplete`` (killed, or refused)."""
    verdict: str
    target: str
    blocking: int
    advisory: int
    seconds: float
    kind: str
    parent: str
    """The run that this one is part of."""
    counts: str
    """What its practice counts in place of findings."""
    usd: float | None
    place: str
    """The folder of all runs."""

    @property
    def folder(self) -> Path:
        """The run's own."""
        return Path(self.place, self.run_id)

    def to_json(self) -> dict[str, object]:
        """For programs."""
        plain = self._asdict()
        del plain["place"]
        return {**plain, "folder": str(self.folder)}


def kind_of(request: Mapping[str, object]) -> str:
    """The kind of a recorded request; older records name a practice and perhaps a wrapper instead."""
    return str(request.get("kind") or request.get("wrapper") or request.get("practice") or "panel")


def make_row(
    folder: Path, request: Mapping[str, object], state: str, summary: Summary
) -> RunSummary:
    """The line of a run with that request and that state."""
    return RunSummary(
        run_id=folder.name,
        state=state,
        target=str(request.get("target", "-")),
        place=str(folder.parent),
        kind=kind_of(request),
        parent=str(request.get("parent", "")),
        **summary._asdict(),
    )


class Rows:
    """The file of one repository's runs."""

    def __init__(self, runs: Path) -> None:
        self._runs = runs
        self._place = str(runs)
        self._rows: dict[str, list[object]] = {}
        lines = [line for line in read_own(runs / FILE, _MOST).split(b"\n") if line]
        self._lines = len(lines)
        for row in _parsed(lines):
            if type(row) is list and tuple(map(type, row)) in _FORMS and row[0] == _VERSION:
                self._rows[row[2]] = row

    def get(self, name: str, changed: int) -> RunSummary | None:
        """The line of that run, if its folder was last changed at that time."""
        row = self._rows.get(name)
        if row is None or row[1] != changed:
            return None
        values: list[Any] = row[2:]
        return RunSummary._make([*values, self._place])

    def add(self, rows: Iterable[tuple[int, RunSummary]], names: Sequence[str]) -> None:
        """Keep further lines; ``names`` are all runs that there are."""
        plain = [_plain(changed, row) for changed, row in rows]
        self._rows.update({str(row[2]): row for row in plain})
        if self._lines + len(plain) <= _SPARE * len(names) + 64:
            _append(self._runs, plain)
            return
        kept = [self._rows[name] for name in names if name in self._rows]
        text = "".join(json.dumps(row) + "\n" for row in kept)
        with suppress(OSError):
            write_atomic(self._runs / FILE, text.encode())


def append_row(row: RunSummary) -> None:
    """Keep the line of a run that has just ended, while its writer still holds it."""
    with suppress(OSError):
        _append(row.folder.parent, [_plain(os.stat(row.folder).st_mtime_ns, row)])


def _append(runs: Path, rows: Sequence[list[object]]) -> None:
    """A line that cannot be kept, or that a rewriting of the file passes over, is made again later."""
    with suppress(OSError, GuildmootError):
        append_rows(runs / FILE, rows, json.dumps, sync=False)


def _plain(changed: int, row: RunSummary) -> list[object]:
    return [_VERSION, changed, *row[:-1]]


def _parsed(lines: Sequence[bytes]) -> list[object]:
    """All lines at once, which is fastest; one by one where some of them cannot be read."""
    try:
        found: list[object] = json.loads(b"[" + b",".join(lines) + b"]")
        return found
    except (ValueError, RecursionError):
        return [row for line in lines if (row := _parsed_line(line)) is not None]


def _parsed_line(line: bytes) -> object:
    try:
        row: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row
