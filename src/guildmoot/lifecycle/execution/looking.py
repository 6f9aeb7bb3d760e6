"""What a person sees of work, from any terminal: how long, at what cost, and the last lines that lanes printed."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from guildmoot.lifecycle.execution.journal import read_run
from guildmoot.lifecycle.execution.values import LaneState, RunState
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.work_runs import is_work_run, runs_of, with_parts
from guildmoot.memory.traces.calls import TraceCall, read_calls
from guildmoot.system.files import read_own
from guildmoot.text.clean import clean, one_line

_MOST = 1_000_000


class LaneSight(NamedTuple):
    """What is to be seen of one lane now."""

    seconds: float = 0.0
    """Since it was dispatched; 0 unless it is at work."""
    usd: float | None = None
    """What its calls cost so far; None where none was made or no price is known."""
    lines: tuple[str, ...] = ()
    """The last that its worker printed."""


def sights(folder: WorkFolder, state: RunState, most: int = 1) -> dict[str, LaneSight]:
    """Every lane that was begun, with so many of its last lines."""
    costs = lane_costs(folder, state.run)
    return {
        lane.task: LaneSight(
            _since(lane), costs.get(lane.task), _lines(live_log(folder, state.run, lane), most)
        )
        for lane in state.lanes
        if lane.attempt
    }


def live_log(folder: WorkFolder, run: str, lane: LaneState) -> Path:
    """Where the output of a lane's last attempt is followed."""
    return folder.run(run) / "attempts" / f"{lane.task}-{lane.attempt}" / "live.log"


def lane_costs(folder: WorkFolder, run: str) -> dict[str, float]:
    """What the calls of each lane cost, by the ledger."""
    costs: dict[str, float] = {}
    for call in read_calls(folder.root, run, {}):
        if call.usd is not None and not call.is_tool:
            costs[call.specialist] = costs.get(call.specialist, 0.0) + call.usd
    return costs


def _since(lane: LaneState) -> float:
    if lane.status != "running" or not lane.updated_at:
        return 0.0
    return max(time.time() - datetime.fromisoformat(lane.updated_at).timestamp(), 0.0)


def _lines(file: Path, most: int) -> tuple[str, ...]:
    text = read_own(file, _MOST).decode("utf-8", "replace")
    return tuple(one_line(clean(row)) for row in text.rstrip().splitlines()[-most:])


class WorkCost(NamedTuple):
    """What a piece of work has cost so far."""

    usd: float = 0.0
    tokens: int = 0
    calls: int = 0
    unpriced: int = 0
    """Calls whose price nobody knows; they are not in the sum."""
    told_tokens: int = 0
    told_usd: float = 0.0
    """What lanes took whose worker is no call of ours, as they told it; no part of the rest."""


def cost_of(folder: WorkFolder, slug: str) -> WorkCost:
    """What every run of the work asked for, by the ledger and by its lanes."""
    return cost_of_runs(folder, [each.id for each in runs_of(folder, slug)])


def cost_of_runs(folder: WorkFolder, runs: Iterable[str]) -> WorkCost:
    """The same of those of some runs that are runs of a piece of work."""
    total = WorkCost()
    for each in runs:
        if not is_work_run(folder, each):
            continue
        calls = [
            call
            for run in with_parts(folder, each)
            for call in read_calls(folder.root, run, {})
            if not call.is_tool
        ]
        total = with_run(total, calls, read_run(folder, each).lanes)
    return total


def with_run(total: WorkCost, calls: Sequence[TraceCall], lanes: Sequence[LaneState]) -> WorkCost:
    """One run more; of a lane whose calls the ledger has, only what receipts tell counts beside them. Pure."""
    asked = {call.specialist for call in calls}
    both = [lane for lane in lanes if lane.task in asked]
    told = [lane for lane in lanes if lane.task not in asked]
    used = [call.usage for call in calls if call.usage]
    return WorkCost(
        total.usd + sum(call.usd or 0.0 for call in calls),
        total.tokens + sum(each.input_tokens + each.output_tokens for each in used),
        total.calls + len(calls),
        total.unpriced + sum(call.usd is None for call in calls),
        total.told_tokens + sum(e.tokens for e in told) + sum(e.told_tokens for e in both),
        total.told_usd + sum(e.usd for e in told) + sum(e.told_usd for e in both),
    )
