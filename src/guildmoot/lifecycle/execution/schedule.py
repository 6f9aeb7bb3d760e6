"""What happens next in a run: which lanes start, which is merged, and when it is over. Pure.

A strict function of the plan and of what the journal says of each lane; neither clock nor order of arrival decides.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from guildmoot.lifecycle.execution.values import (
    PERSON,
    ExecutionReport,
    LaneResult,
    LaneState,
    RunState,
    RunStatus,
)
from guildmoot.lifecycle.graph import ancestors
from guildmoot.lifecycle.plan import Plan, overlaps

HANDED = ("handed-over", "done")
_WITHOUT = "skipped"
"""A person's word: what waits for such a lane goes on without it."""


class Moves(NamedTuple):
    """What is to be done now."""

    start: tuple[str, ...] = ()
    """Lanes that may start, in the order of the plan."""
    merge: str = ""
    """The lane whose turn it is to be merged."""
    over: bool = False
    """Nothing runs, and nothing can start or be merged."""


def new_lanes(plan: Plan) -> tuple[LaneState, ...]:
    """The lanes of a plan before anything happened; of two with a common place the later one waits."""
    after: dict[str, list[str]] = {}
    for first, later, _ in overlaps(plan):
        after.setdefault(later, []).append(first)
    return tuple(
        LaneState(
            lane.task,
            lane.owner,
            lane.tier,
            lane.depends_on,
            tuple(after.get(lane.task, ())),
            hashlib.sha256(lane.text.encode()).hexdigest(),
        )
        for lane in plan.lanes
    )


def next_moves(state: RunState) -> Moves:
    """What may start and what is merged next, whatever the number of slots."""
    lanes = {lane.task: lane for lane in state.lanes}
    merge = _to_merge(state.lanes)
    halted = state.paused or state.stopped
    start = () if halted else tuple(each.task for each in state.lanes if _is_ready(each, lanes))
    running = any(lane.status == "running" for lane in state.lanes)
    return Moves(start, merge, over=not (start or merge or running))


def _is_ready(lane: LaneState, lanes: dict[str, LaneState]) -> bool:
    """Pending, all that it builds on handed over, all that it must not run beside settled."""
    if lane.status != "pending":
        return False
    enough = ("done", _WITHOUT) if lane.unjoined else (*HANDED, _WITHOUT)
    built_on = all(lanes[name].status in enough for name in lane.depends_on if name in lanes)
    beside = (lanes[name] for name in lane.after if name in lanes)
    return built_on and all(_is_settled(each, lanes) for each in beside)


def _is_settled(lane: LaneState, lanes: dict[str, LaneState]) -> bool:
    """It handed over or ended, or it never can start, because what it waits for ended otherwise."""
    return lane.status in HANDED or lane.ended or bool(_stopped_by(lane, lanes))


def _stopped_by(lane: LaneState, lanes: dict[str, LaneState]) -> str:
    """The lane that ended without a hand-over and that this one waits for; empty where none did."""
    if lane.status != "pending":
        return ""
    edges = {name: each.depends_on for name, each in lanes.items()}
    waited = ancestors(edges, lane.task)
    fine = ("done", _WITHOUT)
    lost = [
        n for n, each in lanes.items() if n in waited and each.ended and each.status not in fine
    ]
    return lost[0] if lost else ""


def _to_merge(lanes: Sequence[LaneState]) -> str:
    """The first that is handed over, once every lane before it in the plan is merged or will not be.

    A lane that waits for it in turn, or that can never start, holds nobody up.
    """
    by_name = {lane.task: lane for lane in lanes}
    for lane in lanes:
        if lane.status == "handed-over":
            return lane.task
        waits = lane.unjoined and lane.status == "pending"
        if not lane.ended and not waits and not _stopped_by(lane, by_name):
            return ""
    return ""


def base_parts(state: RunState, task: str) -> tuple[str, ...]:
    """The commits that a lane builds on beside the run's base, in the order of the plan.

    With a lane of an overlapping scope that came first, where that handed something over.
    """
    edges = {lane.task: (*lane.depends_on, *lane.after) for lane in state.lanes}
    names = ancestors(edges, task)
    return tuple(
        lane.commit
        for lane in state.lanes
        if lane.task in names and lane.status in HANDED and lane.commit
    )


def is_due(state: RunState, task: str, on: Sequence[str]) -> bool:
    """Whether a lane may start now on these commits of others: none of them was sent back meanwhile."""
    valid = {lane.commit for lane in state.lanes if lane.status in HANDED}
    return task in next_moves(state).start and valid.issuperset(on)


def outdated(state: RunState) -> tuple[str, ...]:
    """Lanes at work or handed over that hold a commit of a lane which was sent back since."""
    valid = {lane.commit for lane in state.lanes if lane.status in HANDED}
    return tuple(
        lane.task
        for lane in state.lanes
        if lane.status in ("running", "handed-over") and not valid.issuperset(lane.on)
    )


def report_of(state: RunState, infrastructure: str = "") -> ExecutionReport:
    """What a run came to; ``infrastructure`` is why it could not go on."""
    by_name = {lane.task: lane for lane in state.lanes}
    results = []
    for lane in state.lanes:
        reason, lost = lane.reason, _stopped_by(lane, by_name)
        if lost:
            reason = f"waits for {lost}, which is {by_name[lost].status}"
        results.append(LaneResult(lane.task, lane.status, lane.attempt, reason, lane.answer))
    status = _status(state, infrastructure)
    return ExecutionReport(
        state.run,
        status,
        state.branch,
        tuple(results),
        state.notes,
        state.tip,
        state.rung,
        state.why,
        infrastructure.strip(),
    )


def _status(state: RunState, infrastructure: str) -> RunStatus:
    found = {lane.status for lane in state.lanes}
    if infrastructure:
        return "error"
    if found <= {"done", "skipped"}:
        return "done"
    if state.stopped:
        return "stopped"
    if "failed" in found:
        return "failed"
    if found & PERSON:
        return "undecided"
    return "paused" if state.paused else "running"
