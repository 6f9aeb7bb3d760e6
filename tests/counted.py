"""A ledger, and an engine on it whose backend counts its calls; needs no test library, so that children start fast."""

from __future__ import annotations

import asyncio
from pathlib import Path

from guildmoot.calls.keys import call_key
from guildmoot.calls.ledger.base import Job, Terms
from guildmoot.calls.ledger.budget import Budget
from guildmoot.calls.ledger.ledger import Ledger
from guildmoot.calls.ledger.local import LocalEngine, Replayer
from guildmoot.calls.ledger.store import Store
from guildmoot.model.agent import Agent
from guildmoot.model.call import Call, Reply, Usage


def job(made: Call, usd: float | None = 0.5, cost: float | None = 0.1) -> Job:
    return Job(call_key(made), made._replace(most_usd=usd), lambda reply: cost)


class Counting:
    """A backend that answers with how often it was asked; ``fails`` of the first calls fail."""

    name = "api"

    def __init__(self, fails: int = 0) -> None:
        self.calls = 0
        self.fails = fails

    def missing(self, agent: Agent) -> str:
        return ""

    async def call(self, made: Call) -> Reply:
        self.calls += 1
        if self.calls <= self.fails:
            return Reply("", "failed", error="no")
        return Reply("", "answered", f"answer {self.calls}", usage=Usage(1, 2))


def engine(file: Path, backend: Counting, run: str = "run", **limits: float) -> LocalEngine:
    return LocalEngine(file, Terms(run, **limits), lambda name: backend)


def perform(used: LocalEngine | Replayer, what: Job) -> Reply:
    try:
        return asyncio.run(used.perform(what))
    finally:
        used.close()


def ledger(file: Path, run: str = "run", clock: object = None) -> Ledger:
    store = Store(file)
    now = clock or (lambda: 1000.0)
    return Ledger(store, Budget(store, Terms(run), now), now)
