"""Calls made on any number of machines: DBOS on a Postgres that callers and workers share.

The caller writes what it wants to know into the database and waits (:mod:`caller`); workers take
calls from queues, make them and write the replies down (:mod:`worker`). The tables of schema
``guild`` are the truth about calls and money; DBOS moves the work from machine to machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guildmoot.errors import UsageError

if TYPE_CHECKING:
    from guildmoot.calls.ledger.base import SharedEngine, Terms

__all__ = ["check_installed", "open_cluster"]

INSTALL = "pip install 'guildmoot[cluster]'"


def open_cluster(url: str, terms: Terms, wait: float) -> SharedEngine:
    """The engine at that address, whose database may be away for so many seconds."""
    check_installed()
    from guildmoot.calls.cluster.caller import ClusterEngine

    return ClusterEngine(url, terms, wait=wait)


def check_installed() -> None:
    """UsageError that says what to install, when the libraries of this engine are missing."""
    from importlib.util import find_spec

    absent = [name for name in ("dbos", "psycopg", "sqlalchemy") if find_spec(name) is None]
    if absent:
        raise UsageError(
            f"a shared engine needs {' and '.join(absent)}, which this installation does not have",
            f"Run: {INSTALL}",
        )
