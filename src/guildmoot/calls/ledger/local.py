"""The engine of one repository: calls are made here, and kept in its SQLite ledger."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from guildmoot.backends import Backend, get_backend, traits_of
from guildmoot.calls.fanout import make_call
from guildmoot.calls.kept_bases import BaseAnswer
from guildmoot.calls.ledger.base import Job, Terms
from guildmoot.calls.ledger.budget import Budget
from guildmoot.calls.ledger.ledger import Busy, Claim, Ledger
from guildmoot.calls.ledger.store import Store
from guildmoot.errors import InfrastructureError
from guildmoot.guard.secrets import mask
from guildmoot.model.call import Call, Reply
from guildmoot.packet import without_secrets

BackendFor = Callable[[str], Backend]

_WAITS = (0.02, 0.05, 0.1, 0.25)
"""Seconds between looks at a call that another process is making; the last one goes on."""


class LocalEngine:
    """Makes calls on this machine, each at most once."""

    def __init__(self, path: Path, terms: Terms, backend_for: BackendFor = get_backend) -> None:
        self._store = Store(path)
        try:
            self.budget = Budget(self._store, terms)
        except BaseException:
            self._store.close()
            raise
        self._ledger = Ledger(self._store, self.budget)
        self._backend_for = backend_for
        self.problem = ""

    async def perform(self, job: Job) -> Reply:
        """The kept reply, or a new one; waits for another process that is making the same call."""
        turn = 0
        while isinstance(found := self._claim(job), Busy):
            await asyncio.sleep(_WAITS[min(turn, len(_WAITS) - 1)])
            turn += 1
        return found if isinstance(found, Reply) else await self._make(job, found)

    def _claim(self, job: Job) -> Reply | Claim | Busy:
        """A seat that the ledger could not admit is lost to the run, which must not pass as whole."""
        try:
            return self._ledger.claim(job)
        except InfrastructureError as error:
            self.problem = self.problem or error.message
            raise

    async def _make(self, job: Job, claim: Claim) -> Reply:
        try:
            reply = await answer(job, self._backend_for)
        except BaseException:
            with suppress(InfrastructureError):  # the first failure is the one to tell of
                self._ledger.abandon(claim)
            raise
        try:
            return self._ledger.finish(claim, reply, job.price(reply))
        except InfrastructureError as error:  # what was said and paid for must not be lost with it
            self.problem = self.problem or error.message
            return reply

    def afford(self, what: str, usd: float) -> None:
        """Raise BudgetError when so much is not left."""
        self.budget.afford(what, usd)

    def close(self) -> None:
        """Let go of the ledger."""
        self._store.close()


class Replayer:
    """Answers from the ledger alone: nothing is called, nothing is spent, nothing is written."""

    problem = ""

    def __init__(self, path: Path, terms: Terms) -> None:
        self._store = Store(path, read_only=True)
        self._ledger = Ledger(self._store, Budget(self._store, terms))

    async def perform(self, job: Job) -> Reply:
        """What the call came to, answered or not."""
        found = self._ledger.look_up(job)
        return found or Reply(job.call.seat.name, "missing", error="this call was never finished")

    def afford(self, what: str, usd: float) -> None:
        """Nothing is spent."""

    def close(self) -> None:
        """Let go of the ledger."""
        self._store.close()


class NoLedger:
    """Makes calls and keeps none: for a place where nothing is recorded."""

    problem = ""

    def __init__(self, backend_for: BackendFor = get_backend) -> None:
        self._backend_for = backend_for

    async def perform(self, job: Job) -> Reply:
        """A new reply."""
        return await answer(job, self._backend_for)

    def afford(self, what: str, usd: float) -> None:
        """Nothing is counted."""

    def close(self) -> None:
        """Nothing is open."""


async def answer(job: Job, backend_for: BackendFor) -> Reply:
    """Make the call; the reply is as it may be kept."""
    if job.made_by:
        return await job.made_by()
    base = BaseAnswer(job.call)
    if reply := base.recalled():
        return reply
    return base.keep(mask_reply(await make_call(job.call, backend_for), job.call))


def mask_reply(reply: Reply, call: Call) -> Reply:
    """The reply as it may be recorded and shown: what ran outside the filtered packet may tell secrets."""
    if traits_of(call.agent.backend).is_tool and call.agent.run_in == "packet":
        text, error = (without_secrets(said, call.held) for said in (reply.text, reply.error))
        return reply._replace(text=text, error=error) if call.held else reply
    return reply._replace(text=mask(reply.text, "reply")[0], error=mask(reply.error, "reply")[0])
