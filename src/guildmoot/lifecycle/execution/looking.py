"""What a person sees of lanes, from any terminal: how long, at what cost, and the last lines that were printed."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from guildmoot.lifecycle.execution.values import LaneState, RunState
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.memory.traces.calls import read_calls
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
            costs[call.seat] = costs.get(call.seat, 0.0) + call.usd
    return costs


def _since(lane: LaneState) -> float:
    if lane.status != "running" or not lane.updated_at:
        return 0.0
    return max(time.time() - datetime.fromisoformat(lane.updated_at).timestamp(), 0.0)


def _lines(file: Path, most: int) -> tuple[str, ...]:
    text = read_own(file, _MOST).decode("utf-8", "replace")
    return tuple(one_line(clean(row)) for row in text.rstrip().splitlines()[-most:])
