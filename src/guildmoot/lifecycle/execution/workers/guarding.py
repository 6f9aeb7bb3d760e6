"""What holds a client to the tools of its lane, and what is refused or told where nothing does, before a lane."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from guildmoot.agents.binding import bind_model, parse_model
from guildmoot.agents.registry import load_agents
from guildmoot.backends import traits_of
from guildmoot.errors import UsageError
from guildmoot.lifecycle.plan import Plan
from guildmoot.lifecycle.team.roster import Specialist
from guildmoot.lifecycle.team.teams import Team
from guildmoot.model.agent import Agent

SCOPE = ("Read", "Glob", "Grep", "Edit", "Write")
"""Of a specialist that names none: it runs no commands."""


class LaneTools(NamedTuple):
    """What a lane's client may use."""

    task: str
    tier: str
    tools: tuple[str, ...]


def worker_agent(name: str, model: str, root: Path) -> Agent:
    """The agent of the user's that is named, or a blank one on a model; its bundle is all that it is told."""
    known = load_agents(root).agents.get(model)
    if known is not None:
        return known._replace(name=name)
    return bind_model(Agent(name, f"{name} of a lane", "", "built in"), parse_model(model))


def as_seated(specialists: Iterable[Specialist], team: Team) -> tuple[Specialist, ...]:
    """The specialists with the tools that the approved team gives them, where it names some. Pure."""
    named = {x.name: x.capability_scope for x in team.members if x.capability_scope is not None}
    return tuple(each._replace(scope=named.get(each.name, each.scope)) for each in specialists)


def lane_tools(plan: Plan, specialists: Iterable[Specialist]) -> list[LaneTools]:
    """The tools of each lane's specialist. Pure."""
    scopes = {each.name: each.scope for each in specialists}
    return [LaneTools(x.task, x.tier, tuple(scopes.get(x.owner) or SCOPE)) for x in plan.lanes]


def check_guard(
    lanes: Iterable[LaneTools], tiers: dict[str, str], others: Sequence[str], root: Path, *, fenced: bool
) -> list[str]:  # fmt: skip
    """What is told of tools that a client is not held to; UsageError where nothing would hold a lane's commands.

    ``others`` are models that may take over.
    """
    told: dict[str, None] = {}
    for lane in lanes:
        for model in filter(None, (tiers.get(lane.tier), *others)):
            agent = worker_agent(lane.task, model, root)
            if why := unguarded(agent, lane.tools, fenced=fenced):
                raise UsageError(
                    f"{lane.task}: {why}",
                    "Let a client with a sandbox of its own do it (codex), or a specialist without Bash. To have it"
                    " done all the same, with nothing between its commands and your files: work.fence = false.",
                )
            if said := not_held(agent, lane.tools):
                told[f"{lane.task}: {said}"] = None
    return list(told)


def unguarded(agent: Agent, tools: Sequence[str], *, fenced: bool) -> str:
    """Why a lane with these tools is not given to a client: nothing would hold the commands that it runs. Pure."""
    traits = traits_of(agent.backend)
    if fenced or not traits.is_client or traits.sandboxed or not may_run(tools):
        return ""
    return f"{agent.backend} may run any command there (Bash), and no fence can be put up here that would hold it"


def not_held(agent: Agent, tools: Sequence[str]) -> str:
    """What a client can do beyond the tools of its specialist. Pure."""
    if not traits_of(agent.backend).by_commands or may_run(tools):
        return ""
    return (
        f"{agent.backend} reads and writes by commands alone, so it runs them though its specialist has no Bash;"
        " its sandbox keeps them to the worktree, without network"
    )


def may_run(tools: Sequence[str]) -> bool:
    """Whether tools let a client run commands. Pure."""
    return any(each == "*" or each.partition("(")[0] == "Bash" for each in tools)
