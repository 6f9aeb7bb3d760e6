"""The loops as functions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from guildmoot.api.judge import validate
from guildmoot.loops.confidence import run_confidence
from guildmoot.loops.tiers import TierRule
from guildmoot.loops.units import LoopReport, LoopRequest, Quarantine
from guildmoot.model.report import RunReport
from guildmoot.practices.panel import PanelRequest

__all__ = ["LoopReport", "LoopRequest", "Quarantine", "TierRule", "loop_confidence"]


async def loop_confidence(
    request: LoopRequest, tell: Callable[[str], None] = lambda line: None
) -> LoopReport:
    """Change many files in tiers, with proof at each step."""
    running = asyncio.get_running_loop()

    def judge(panel: PanelRequest) -> RunReport:
        return asyncio.run_coroutine_threadsafe(validate(panel), running).result()

    return await asyncio.to_thread(run_confidence, request, judge, tell)
