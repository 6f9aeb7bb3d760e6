"""The calls that a run made, as the ledger has them: who, when, how many tokens, how much money."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from guildmoot.backends import traits_of
from guildmoot.calls.ledger.ledger import unpack
from guildmoot.calls.ledger.store import Store, ledger_file
from guildmoot.model.call import Reply, Usage

_CALLS = """
SELECT c.key, c.run_id, c.seat, c.backend, c.model, c.round, c.attempt, c.state, c.began, c.ended, c.reply,
       s.micros
FROM asked a JOIN calls c ON c.key = a.key LEFT JOIN spend s ON s.id = c.spend
WHERE a.run_id = ? ORDER BY c.began, c.id
"""


class TraceCall(NamedTuple):
    """One call."""

    id: str
    seat: str
    backend: str
    model: str
    """The one that answered, as far as that is told."""
    requested: str
    """As the seat has it: ``provider:model``, or the model's name alone."""
    tier: str
    round: int
    attempt: int
    began: float
    ended: float | None
    """None while it is made, and when who made it was killed."""
    status: str
    """``answered``, why not, or ``unfinished``."""
    usage: Usage | None
    usd: float | None
    """None when no price is known."""
    kept: str
    """The earlier run that paid for the answer; empty when this one did."""
    exit_code: int | None = None

    @property
    def specialist(self) -> str:
        """The seat that was asked, without the name of a helper it had."""
        return self.seat.partition("~")[0]

    @property
    def is_tool(self) -> bool:
        """Whether a program answered and no model."""
        return traits_of(self.backend).is_tool


def read_calls(root: Path, run_id: str, known: Mapping[str, float | None]) -> list[TraceCall]:
    """The calls of a run in their order; ``known`` is what the result says of each seat's cost."""
    file = ledger_file(root)
    if not file.is_file():
        return []
    store = Store(file, read_only=True)
    try:
        with store.reading() as connection:
            connection.row_factory = sqlite3.Row
            rows = connection.execute(_CALLS, (run_id,)).fetchall()
    finally:
        store.close()
    return [_call(row, run_id, known) for row in rows]


def _call(row: sqlite3.Row, run_id: str, known: Mapping[str, float | None]) -> TraceCall:
    reply = unpack(row["reply"]) if row["reply"] else None
    made = row["state"] != "intended"
    kept = "" if row["run_id"] == run_id else str(row["run_id"])
    return TraceCall(
        id=row["key"][:12],
        seat=row["seat"],
        backend=row["backend"],
        model=(reply.model if reply else "") or row["model"],
        requested=row["model"],
        tier="",
        round=row["round"],
        attempt=row["attempt"],
        began=row["began"],
        ended=row["ended"] if made else None,
        status=reply.status if made and reply else "unfinished",
        usage=None if kept or reply is None else reply.usage,
        usd=0.0 if kept else _money(row, reply, known),
        kept=kept,
        exit_code=reply.exit_code if reply else None,
    )


def _money(
    row: sqlite3.Row, reply: Reply | None, known: Mapping[str, float | None]
) -> float | None:
    """As the ledger settled it. One that a shared engine paid for stands there with nothing: then as its
    backend or the result tells."""
    micros = row["micros"]
    if micros or traits_of(row["backend"]).free:
        return float(micros or 0) / 1_000_000
    if reply and reply.usage and reply.usage.cost_usd is not None:
        return reply.usage.cost_usd
    seat = str(row["seat"]).partition("~")[0]
    return 0.0 if micros == 0 and known.get(seat) == 0 else None
