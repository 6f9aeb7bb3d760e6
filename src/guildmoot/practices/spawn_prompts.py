"""The seeds' spawn: one brief for all, context for some, and the outputs side by side."""

from __future__ import annotations

from collections.abc import Sequence

from guildmoot.errors import UsageError
from guildmoot.model.call import Reply


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
