"""Makes calls: many at once, each durable, at a known cost. Reads no reply.

``session`` is the door for practices; ``fanout`` runs calls at once; ``ledger`` keeps them on SQLite and
``cluster`` on a Postgres that many machines share.
"""

from __future__ import annotations

from guildmoot.calls.fanout import SLACK, Event, Spawned, Watch, make_call, spawn
from guildmoot.calls.foreground import run_foreground

__all__ = ["SLACK", "Event", "Spawned", "Watch", "make_call", "run_foreground", "spawn"]
