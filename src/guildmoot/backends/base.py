"""The one seam between the flow and whoever answers: a program, a service or a script."""

from __future__ import annotations

from typing import Protocol

from guildmoot.model.agent import Agent
from guildmoot.model.call import Call, Reply


class Backend(Protocol):
    """Runs one agent once. An object is shared by all seats, so calls may overlap.

    Spawn holds the deadline, names the seat and measures the seconds of every reply; a backend
    need not. When its call is cancelled it ends what it started, then lets the cancellation pass.
    """

    @property
    def name(self) -> str:
        """The word that agent files use."""
        ...

    async def call(self, call: Call) -> Reply:
        """Run the agent and return what it said; a failure is a reply too, with its reason."""
        ...

    def missing(self, agent: Agent) -> str:
        """Empty when the agent could answer now; otherwise why not, and what to do about it."""
        ...
