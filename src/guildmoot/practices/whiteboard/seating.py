"""Who plans: the engineers that were named, each able to think and none able to write."""

from __future__ import annotations

from collections.abc import Sequence

from guildmoot.agents.binding import (
    bind_as_written,
    bind_default,
    bind_model,
    is_unbound,
    parse_castings,
    parse_model,
)
from guildmoot.agents.checks import writers
from guildmoot.agents.registry import Registry
from guildmoot.backends import traits_of
from guildmoot.config import Config
from guildmoot.errors import UsageError
from guildmoot.model.agent import Agent, Roster
from guildmoot.practices.roster import make_roster

_NO_MODEL = (
    "Give one with --model, e.g. --model anthropic:claude-sonnet-4-5 or --model claude; or set "
    "panel.model in guild.toml (GUILD_PANEL_MODEL); or name it for one: plan-data@codex."
)


def seat_engineers(registry: Registry, config: Config, engineers: Sequence[str]) -> Roster:
    """One seat an engineer; whoever cannot plan is refused before anything is spent."""
    model = config.text("panel.model")
    default = parse_model(model) if model else None
    mindless = []
    for casting in parse_castings(engineers):
        agent = bind_as_written(bind_model(registry.get(casting.agent), casting))
        agent = bind_default(agent, default) if default else agent
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
    if tools := writers(agent.tools):
        raise UsageError(
            f"{agent.name} may write ({', '.join(tools)}), and engineers at a board only plan",
            "Take these tools out of its file, or name another agent.",
        )
