"""Rows that anybody may have written: one that cannot be read harms itself only.

A value is bounded where it is selected, so that no row can fill this machine's memory, and read by
itself, so that what is wrong with it stays a sentence about that row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from guildmoot.text.clean import one_line

T = TypeVar("T")

SHORT = 64 * 1024
"""Bytes that a row's description of a queue or a worker may be long."""
LONG = 256 * 1024 * 1024
"""The same for a call, what travels beside it, and a reply."""
LEASE_SQL = "least(greatest(lease, 1), 3600)"
"""The lease, whatever was written there; Postgres takes NaN for the greatest number."""
ALIVE = (
    "workers.state IN ('working', 'draining') AND heartbeat BETWEEN"
    f" now() - make_interval(secs => {LEASE_SQL}) AND now() + make_interval(secs => {LEASE_SQL})"
)
"""Heard within the lease; a sign of life from the far future is none."""


def bounded(column: str, most: int = SHORT) -> str:
    """The column where it is short enough, else NULL."""
    return f"CASE WHEN octet_length({column}) <= {most} THEN {column} END"


def age(moment: str) -> str:
    """Seconds since a moment, 0 for one that is none."""
    return f"CASE WHEN isfinite({moment}) THEN extract(epoch FROM now() - {moment}) ELSE 0 END"


def readable(
    what: str, rows: Iterable[Any], read: Callable[..., T]
) -> tuple[list[T], tuple[str, ...]]:
    """What the rows come to, and a line about each that comes to nothing."""
    found, problems = [], []
    for row in rows:
        try:
            found.append(read(*row))
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            problems.append(told(what, row[0], str(error)))
    return found, tuple(problems)


def told(what: str, name: object, why: str) -> str:
    """One line about a row that cannot be read."""
    return f"{what} {one_line(str(name))[:60]} cannot be read: {one_line(why)[:160]}"


def whole(text: str | None) -> str:
    """The text, unless ``bounded`` left it out."""
    if text is None:
        raise ValueError("it is missing or too long")
    return text
