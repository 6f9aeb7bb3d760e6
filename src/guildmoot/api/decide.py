"""Decisions as a function."""

from __future__ import annotations

import asyncio
from pathlib import Path

from guildmoot.memory.wiki import decisions
from guildmoot.memory.wiki.decisions import Decided, RecordedDecision
from guildmoot.memory.wiki.places import memory_root
from guildmoot.practices.dispositions import user_name


async def decide(decision: RecordedDecision, cwd: Path = Path()) -> Decided:
    """Record what was decided: low among the assumptions, medium and high as a page."""

    def work() -> Decided:
        root = memory_root(cwd)
        return decisions.decide(root, decision, user_name(root))

    return await asyncio.to_thread(work)
