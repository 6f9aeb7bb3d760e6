"""What runs cost, in tokens and in money, by tier, model, specialist and phase. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from guildmoot.memory.traces.calls import TraceCall
from guildmoot.memory.traces.trace import RunTrace

Dimension = Literal["tier", "model", "specialist", "phase"]
DIMENSIONS: tuple[Dimension, ...] = ("tier", "model", "specialist", "phase")


class CostRow(NamedTuple):
    """What one tier, model, specialist or phase took."""

    name: str
    calls: int
    reused: int
    """Answers of earlier runs, which cost nothing again."""
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    usd: float
    """Of the calls that have a price."""
    unknown: int
    """Calls whose price is not known; they are not in the sum."""


class TraceCost(NamedTuple):
    """What a run and those that are part of it took."""

    runs: tuple[str, ...]
    total: CostRow
    by: dict[Dimension, tuple[CostRow, ...]]
    told_tokens: int = 0
    told_usd: float = 0.0
    """What lanes took whose worker is no call of ours, as they told it; no part of the rest."""


def cost_of_traces(traces: Sequence[RunTrace]) -> TraceCost:
    """Everything rolled up; each dimension sums to the total."""
    calls = [(trace, call) for trace in traces for call in trace.calls]
    by: dict[Dimension, tuple[CostRow, ...]] = {}
    for dimension in DIMENSIONS:
        groups: dict[str, list[TraceCall]] = {}
        for trace, call in calls:
            groups.setdefault(_name(dimension, trace, call), []).append(call)
        by[dimension] = tuple(_row(name, groups[name]) for name in sorted(groups))
    total = _row("total", [call for _, call in calls])
    return TraceCost(tuple(trace.run_id for trace in traces), total, by)


def _name(dimension: Dimension, trace: RunTrace, call: TraceCall) -> str:
    if dimension == "phase":
        return trace.phase
    if dimension == "specialist":
        return call.specialist
    if dimension == "tier":
        return call.tier or "untiered"
    return call.model or ("no model" if call.is_tool else "not told")


def _row(name: str, calls: Iterable[TraceCall]) -> CostRow:
    calls = list(calls)
    made = [call for call in calls if not call.kept]
    used = [call.usage for call in made if call.usage]
    return CostRow(
        name,
        len(made),
        len(calls) - len(made),
        sum(each.input_tokens for each in used),
        sum(each.output_tokens for each in used),
        sum(each.cache_read_tokens for each in used),
        round(sum(call.usd for call in made if call.usd is not None), 6),
        sum(call.usd is None for call in made),
    )
