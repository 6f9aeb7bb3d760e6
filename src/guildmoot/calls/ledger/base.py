"""The one seam between a practice and whatever makes its calls durable."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from guildmoot.model.call import Call, Reply
from guildmoot.named import NamedTuple


class Terms(NamedTuple):
    """For whom calls are made, and what they may cost."""

    run_id: str
    run_usd: float | None = None
    """Limit of the run; None is no limit."""
    day_usd: float | None = None
    """Limit of the day, over all runs."""


class Job(NamedTuple):
    """One call to be made at most once."""

    key: str
    """What the call is, as 64 hexadecimal digits: the same content has the same key."""
    call: Call
    price: Callable[[Reply], float | None]
    """What a reply did cost; None when nobody can tell."""
    made_by: Callable[[], Awaitable[Reply]] | None = None
    """Who makes the call in place of a backend of this machine, and pays for it."""


class Engine(Protocol):
    """Performs calls so that a finished one is never made again."""

    @property
    def problem(self) -> str:
        """What could not be kept, or not be asked because of that; empty when all is on record."""
        ...

    async def perform(self, job: Job) -> Reply:
        """The recorded reply when there is one, else a new one, recorded before it is returned.

        Secrets in what is kept and returned are masked. A reply that was already there names the
        run that got it, in ``kept``. Only an ``answered`` reply finishes a call: whatever else came
        of it may be tried again.
        """
        ...

    def afford(self, what: str, usd: float) -> None:
        """Raise BudgetError when so much cannot be spent any more; nothing stays set aside."""
        ...

    def close(self) -> None:
        """Let go of what is open; calls under way run out by themselves."""
        ...


class SharedEngine(Engine, Protocol):
    """An engine on other machines, which may be away for a while."""

    async def ready(self) -> None:
        """Wait until it can be used; InfrastructureError when that takes too long, or never will be."""
        ...
