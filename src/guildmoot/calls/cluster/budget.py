"""Money of the whole cluster: reserved before a call is queued, settled when its price is known.

What is reserved runs out unless its caller renews it, so a killed run gives its money back. Once a
worker has taken the call the money stays set aside until the call has ended; then it counts as
spent, at its most until somebody tells the real price.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_FLOOR
from typing import TYPE_CHECKING

from sqlalchemy import Connection, text

from guildmoot.calls.ledger.budget import to_micros
from guildmoot.errors import BudgetError

if TYPE_CHECKING:
    from guildmoot.calls.ledger.base import Terms

_LOCK = 4720520
_SETTLE = text("SELECT guild.settle(:key, :micros, :caller)")
_COUNTED = "(state IN ('made', 'settled') OR state = 'reserved' AND expires > now())"


def check(connection: Connection, terms: Terms, seat: str, usd: float | None) -> int | None:
    """The amount in micro-dollars, when the limits allow it; nobody else reserves meanwhile."""
    limited = terms.run_usd is not None or terms.day_usd is not None
    if usd is None and limited:
        raise BudgetError(
            f"no price is known for {seat}, so it cannot be held to a limit",
            "Give the price in the settings, under [prices], or judge without a limit.",
        )
    micros = None if usd is None else to_micros(usd)
    if micros and limited:
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        _check(connection, terms, seat, micros)
    return micros


def _check(connection: Connection, terms: Terms, seat: str, micros: int) -> None:
    for what, limit, counted in (
        ("run", terms.run_usd, "run_id = :run"),
        ("day", terms.day_usd, "day = (now() AT TIME ZONE 'UTC')::date"),
    ):
        if limit is None:
            continue
        query = f"SELECT coalesce(sum(micros), 0) FROM guild.spend WHERE {counted} AND {_COUNTED}"  # noqa: S608 - our words
        spent = int(connection.execute(text(query), {"run": terms.run_id}).scalar_one())
        most = to_micros(limit, ROUND_FLOOR)
        if spent + micros > most:
            raise BudgetError(
                f"{seat} may cost {_usd(micros)}; of this {what}'s limit of {_usd(most)},"
                f" {_usd(max(most - spent, 0))} is left",
                f"Raise the limit for a {what}, or seat fewer or cheaper judges.",
            )


def settle(connection: Connection, prices: Mapping[str, float | None], caller: str) -> None:
    """Put real prices in place of what was set aside, by key; the first settlement stands.

    When a price is not known, what was set aside counts as spent.
    """
    for key, usd in sorted(prices.items()):
        micros = None if usd is None else to_micros(usd)
        connection.execute(_SETTLE, {"key": key, "micros": micros, "caller": caller})


def spent_today(connection: Connection) -> tuple[int, int, int]:
    """Micro-dollars of this day that are spent, set aside, and how many calls had no price."""
    row = connection.execute(
        text(
            "SELECT coalesce(sum(micros) FILTER (WHERE state IN ('made', 'settled')), 0),"
            " coalesce(sum(micros) FILTER (WHERE state = 'reserved' AND expires > now()), 0),"
            " count(*) FILTER (WHERE micros IS NULL AND state IN ('made', 'settled'))"
            " FROM guild.spend WHERE day = (now() AT TIME ZONE 'UTC')::date"
        )
    ).one()
    return int(row[0]), int(row[1]), int(row[2])


def _usd(micros: int) -> str:
    return f"${micros / 1e6:,.6f}".rstrip("0").rstrip(".")
