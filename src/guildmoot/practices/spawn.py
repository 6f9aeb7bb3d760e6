"""Spawning without judging: agents answer one brief, and their words come back as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from guildmoot.agents.registry import load_agents, user_agents_folder
from guildmoot.agents.roster import seat_for
from guildmoot.backends import traits_of
from guildmoot.calls.session import ReusePolicy, open_session
from guildmoot.errors import EXIT_INTERRUPTED, EXIT_OK, UsageError
from guildmoot.guard.secrets import mask
from guildmoot.guard.settings import settings_for
from guildmoot.model.call import Call, Reply


class SpawnRequest(NamedTuple):
    """Who is asked what."""

    agents: tuple[str, ...]
    brief: str
    context: Mapping[str, str]
    timeout: float = 120.0
    deadline: float | None = None
    root: Path = Path()
    """The repository whose agents and settings hold."""


class SpawnResult(NamedTuple):
    """What the agents said."""

    outputs: dict[str, object]
    """In the seeds' shape: the agents, and each one's output in the order asked."""
    interrupted: bool = False
    notices: tuple[str, ...] = ()
    """What of the repository was not used, for people."""

    @property
    def exit_code(self) -> int:
        """Of the verb; a call that failed has its error as output."""
        return EXIT_INTERRUPTED if self.interrupted else EXIT_OK


async def run_agents(request: SpawnRequest) -> SpawnResult:
    """Ask every agent at once."""
    root = request.root
    check_request(request.agents, request.brief)
    registry = load_agents(root, user_agents_folder())
    unknown = sorted(set(request.context) - set(request.agents))
    if unknown:
        raise UsageError(f"guild-spawn-error: context for {', '.join(unknown)}, who is not asked")
    brief = mask(request.brief, "brief")[0]  # nothing leaves unseen, here neither
    calls = []
    for number, name in enumerate(request.agents):
        agent = registry.get(name)
        seat = seat_for(agent, "named")._replace(name=f"{name}#{number}")
        prompt = spawn_prompt(brief, name, mask(request.context.get(name, ""), "context")[0])
        if agent.body.strip():
            prompt = f"{agent.body.strip()}\n\n{prompt}"
        calls.append(
            Call(seat, agent, prompt, workdir=str(root), timeout=agent.timeout or request.timeout)
        )
    config = settings_for(root)
    paid = any(not traits_of(call.seat.backend).free for call in calls)
    kept = root if paid and (root / ".git").exists() else None
    run = f"spawn-{uuid4()}"
    with open_session(kept, run, config, reuse=ReusePolicy(only=run)) as session:
        spawned = await session.ask(calls, deadline=request.deadline)
    outputs = seed_result(request.agents, spawned.replies)
    return SpawnResult(outputs, spawned.interrupted, config.notices)


def check_request(agents: Sequence[str], brief: str, verb: str = "guild-spawn") -> None:
    """Refuse a request without agents or without a brief, in the seeds' words."""
    if not agents:
        raise UsageError(f"{verb}-error: empty agents list", "Name at least one: --agents a,b")
    if not brief.strip():
        raise UsageError(f"{verb}-error: missing brief", "Say what to do: --brief TEXT")


def spawn_prompt(brief: str, agent_name: str, context: str = "") -> str:
    """The brief verbatim, and under it what only this agent is told."""
    if not context.strip():
        return brief
    gap = "\n" if brief.endswith("\n") else "\n\n"
    return f"{brief}{gap}## Context for {agent_name}\n\n{context}\n"


def seed_result(agents: Sequence[str], replies: Sequence[Reply]) -> dict[str, object]:
    """The seeds' result, in input order.

    The output of an agent that failed is the reason alone: what it said until then is no answer.
    """
    outputs = [
        {"agent": agent, "output": reply.text if reply.status == "answered" else _failure(reply)}
        for agent, reply in zip(agents, replies, strict=True)
    ]
    return {"agents": list(agents), "outputs": outputs}


def _failure(reply: Reply) -> str:
    return ": ".join(filter(None, ("guild-spawn-error", reply.status, reply.error)))
