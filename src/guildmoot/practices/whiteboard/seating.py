"""Who plans: the engineers that were named, each able to think and none able to write."""

from __future__ import annotations

from collections.abc import Sequence

from guildmoot.agents.binding import (
    is_unbound,
    parse_bindings,
    parse_model,
)
from guildmoot.agents.registry import Registry
from guildmoot.agents.roster import bound_agent, make_roster
from guildmoot.backends import traits_of
from guildmoot.config import Config
from guildmoot.errors import UsageError
from guildmoot.model.agent import Agent, Roster, can_write

_NO_MODEL = (
    "Give one with --model, e.g. --model anthropic:claude-sonnet-4-5 or --model claude; or set "
    "panel.model in guild.toml (GUILD_PANEL_MODEL); or name it for one: plan-data@codex."
)


def seat_engineers(registry: Registry, config: Config, engineers: Sequence[str]) -> Roster:
    """One seat an engineer; whoever cannot plan is refused before anything is spent."""
    model = config.text("panel.model")
    default = parse_model(model) if model else None
    mindless = []
    for binding in parse_bindings(engineers):
        agent = bound_agent(registry, binding, default)
        _check(agent)
        if is_unbound(agent):
            mindless.append(agent.name)
    if mindless:
        names = ", ".join(dict.fromkeys(mindless))
        raise UsageError(f"no model is configured for {names}; nothing was called", _NO_MODEL)
    return make_roster(registry, config, (), engineers, "")


def _check(agent: Agent) -> None:
    if traits_of(agent.backend).is_tool:
        raise UsageError(
            f"{agent.name} is a tool: it judges files and cannot plan",
            "'guild agents list' shows the planners; their names begin with plan-.",
        )
    if tools := [*filter(can_write, agent.tools)]:
        raise UsageError(
            f"{agent.name} may write ({', '.join(tools)}), and engineers at a board only plan",
            "Take these tools out of its file, or name another agent.",
        )
