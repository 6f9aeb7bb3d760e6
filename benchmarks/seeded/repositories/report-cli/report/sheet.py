"""Reads time sheets: one line of CSV for every piece of work."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple


class Entry(NamedTuple):
    """One piece of work."""

    day: str
    person: str
    minutes: int


def read_sheet(path: Path) -> list[Entry]:
    """The entries of a file; a bad line is an error that names its number."""
    entries = []
    with path.open(newline="", encoding="utf-8") as file:
        for number, row in enumerate(csv.DictReader(file), start=2):
            try:
                entries.append(Entry(row["day"], row["person"], int(row["minutes"])))
            except (KeyError, TypeError, ValueError) as error:
                raise ValueError(f"{path}:{number}: {error}") from error
    return entries


def minutes_by_person(entries: Iterable[Entry]) -> dict[str, int]:
    """How long everybody worked."""
    total: defaultdict[str, int] = defaultdict(int)
    for entry in entries:
        total[entry.person] += entry.minutes
    return dict(total)


def average(minutes: list[int]) -> float:
    """The mean, 0 for nobody."""
    if not minutes:
        return 0.0
    return sum(minutes) / len(minutes)
