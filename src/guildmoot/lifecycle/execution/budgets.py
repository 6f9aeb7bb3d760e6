"""What a run may take: set aside before a lane is dispatched, and counted as it is told. Pure."""

from __future__ import annotations

from typing import NamedTuple

from guildmoot.lifecycle.documents import FrontMatterError, read_markdown
from guildmoot.lifecycle.execution.values import RunState
from guildmoot.model.call import Usage


class RunLimits(NamedTuple):
    """The most that a run may take; 0 is no limit."""

    tokens: int = 0
    usd: float = 0.0
    seconds: float = 0.0
    """Of one call that works at the run."""
    attempts: int = 0
    priced: str = ""
    """The setting that holds money, where what a lane may cost must be known for it."""


class LaneBudget(NamedTuple):
    """What is set aside for one attempt at a lane."""

    tokens: int = 0
    usd: float | None = 0.0
    """None where no price is known."""
    seconds: float = 0.0
    model: str = ""


def shortfall(state: RunState, need: LaneBudget, limits: RunLimits, elapsed: float) -> str:
    """Why one more attempt does not fit what is left of the run; empty when it does."""
    spent = sum(lane.attempt for lane in state.lanes)
    if 0 < limits.attempts <= spent:
        return f"its attempts are spent ({spent}, work.run_attempts)"
    if 0 < limits.seconds < elapsed:
        return f"its time is spent ({limits.seconds:.0f} s, work.run_minutes)"
    if 0 < limits.seconds < elapsed + need.seconds:
        left = f"{limits.seconds - elapsed:.0f} s of {limits.seconds:.0f} s are left"
        return f"a lane takes about {need.seconds:.0f} s, and {left} (work.run_minutes)"
    tokens = limits.tokens - sum(lane.tokens + lane.held_tokens for lane in state.lanes)
    if limits.tokens and need.tokens > tokens:
        left = f"{max(tokens, 0)} of {limits.tokens} are left"
        return f"a lane may take {need.tokens} tokens, and {left} (work.run_tokens)"
    if limits.priced and need.usd is None:
        how = "give it under [prices] in your guild.toml, or lift the limit"
        return f"no price of {need.model} is known, so {limits.priced} cannot hold it: {how}"
    usd = limits.usd - sum(lane.usd + lane.held_usd for lane in state.lanes)
    told = sum(lane.usd for lane in state.lanes)
    if 0 < limits.usd < told:
        return f"${told:.2f} were told of ${limits.usd:.2f} (budget.run_usd)"
    if limits.usd and need.usd and need.usd > usd:
        left = f"${max(usd, 0):.2f} of ${limits.usd:.2f} are left"
        return f"a lane may cost ${need.usd:.2f}, and {left} (budget.run_usd)"
    return ""


def all_tokens(usage: Usage) -> int:
    """What counts against a budget."""
    return usage.fresh_tokens


def added(one: Usage | None, other: Usage | None) -> Usage | None:
    """Both together; None where neither told anything."""
    if one is None or other is None:
        return one or other
    known = [each.cost_usd for each in (one, other) if each.cost_usd is not None]
    return Usage(
        one.input_tokens + other.input_tokens, one.output_tokens + other.output_tokens,
        one.cache_read_tokens + other.cache_read_tokens,
        one.cache_write_tokens + other.cache_write_tokens, one.requests + other.requests,
        sum(known) if known else None,
    )  # fmt: skip


def told_usage(receipt: str) -> Usage | None:
    """What a receipt says that its work took: ``usage: {tokens: N, usd: N}``; None where it says nothing."""
    try:
        told = read_markdown(receipt).data.get("usage")
    except (FrontMatterError, ValueError):
        return None
    if not isinstance(told, dict):
        return None
    tokens, usd = _number(told.get("tokens")), _number(told.get("usd"))
    return Usage(int(tokens), cost_usd=usd or None) if tokens or usd else None


def _number(value: object) -> float:
    try:
        found = float(str(value))
    except ValueError:
        return 0.0
    return found if 0 < found < 1e15 else 0.0
