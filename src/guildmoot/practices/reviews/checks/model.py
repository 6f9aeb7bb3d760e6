"""What a mechanical check found, and what it is given to look with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

Result = Literal["ok", "warn", "fail", "skipped"]
Table = tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]
"""Title, headings, rows, as a report shows them."""


class Checked(NamedTuple):
    """One check."""

    name: str
    result: Result
    detail: str
    more: tuple[str, ...] = ()
    """Line by line, for the judges."""
    table: Table | None = None


class Look(NamedTuple):
    """The repository around what is judged, as the checks may ask about it."""

    files: Sequence[str] = ()
    """Every file that git does not ignore."""
    exists: Callable[[str], bool] = lambda path: False
    """Whether a path, seen from the root, is a file or a folder of the repository."""
    count_lines: Callable[[str], int | None] = lambda path: None
    """How many lines a file has; None when it cannot be told."""
    mentions: Callable[[str], Sequence[str]] = lambda word: ()
    """The files that hold a word."""


def some(items: Sequence[str], most: int = 5) -> str:
    """The first few, and how many more there are."""
    rest = len(items) - most
    return ", ".join(items[:most]) + (f" and {rest} more" if rest > 0 else "")
