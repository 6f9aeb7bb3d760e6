"""Spawn runs many calls at once and hands back every reply in order; it reads none of them.

``await spawn(calls)`` in a program that has a loop; ``run_spawn(calls)`` in one that has none;
``run_foreground(work)`` for any coroutine that spawns and must answer to Ctrl-C.
"""

from __future__ import annotations

from guildmoot.spawn.fanout import SLACK, Event, Spawned, spawn
from guildmoot.spawn.foreground import run_foreground, run_spawn
from guildmoot.spawn.prompts import check_request, seed_result, spawn_prompt

__all__ = [
    "SLACK",
    "Event",
    "Spawned",
    "check_request",
    "run_foreground",
    "run_spawn",
    "seed_result",
    "spawn",
    "spawn_prompt",
]
