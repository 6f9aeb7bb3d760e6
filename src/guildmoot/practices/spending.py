"""Money around calls: set aside before each one, settled after it, refused when it would be too much."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.backends import Backend, get_backend
from guildmoot.config import Config
from guildmoot.errors import BudgetError
from guildmoot.practices.estimate import LOCAL, estimate, seat_costs
from guildmoot.spawn.pricing import Prices, read_prices
from guildmoot.types import Agent, Call, Reply

if TYPE_CHECKING:
    from guildmoot.records.budget import Budget

BackendFor = Callable[[str], Backend]


@contextmanager
def purse(
    root: Path | None, run_id: str, config: Config, calls: Sequence[Call]
) -> Iterator[BackendFor]:
    """How backends are found while money may be spent; free calls need no purse and make no file."""
    if all(call.seat.backend in LOCAL for call in calls):
        yield get_backend
        return
    limits = (config.number("budget.run_usd") or None, config.number("budget.day_usd") or None)
    if root is None:
        if any(limits):
            raise BudgetError(
                "a limit needs a place to keep count, and nothing is recorded here",
                "Judge inside a git repository without --no-record, or without a limit.",
            )
        yield get_backend
        return
    from guildmoot.records.budget import Budget

    prices = read_prices(config.prices, "[prices]")
    with Budget(root / ".guild" / "ledger.sqlite3", run_id, *limits) as budget:
        _check_first(calls, prices, budget, config, limited=any(limits))
        most = int(config.number("budget.max_output"))
        yield lambda name: Paid(get_backend(name), budget, prices, most)


def _check_first(
    calls: Sequence[Call], prices: Prices, budget: Budget, config: Config, *, limited: bool
) -> None:
    """A panel that cannot be paid whole is refused before its first call."""
    if not limited:
        return
    found = estimate(calls, prices, int(config.number("budget.max_output")))
    if found.unknown:
        raise BudgetError(
            f"no price is known for {', '.join(found.unknown)}, so no limit can hold",
            "Give the price in the settings, under [prices], or judge without a limit.",
        )
    budget.release(budget.reserve("the whole panel", found.usd))


class Paid:
    """A backend whose every call is set aside before and settled after."""

    def __init__(self, backend: Backend, budget: Budget, prices: Prices, max_output: int) -> None:
        self._backend = backend
        self._budget = budget
        self._prices = prices
        self._max_output = max_output

    @property
    def name(self) -> str:
        """The name of the backend behind it."""
        return self._backend.name

    def missing(self, agent: Agent) -> str:
        """Why the backend behind it could not answer."""
        return self._backend.missing(agent)

    async def call(self, call: Call) -> Reply:
        """Make the call if it can be paid; what a call that broke off cost is taken at its most."""
        if call.seat.backend in LOCAL:
            return await self._backend.call(call)
        [bound] = estimate([call], self._prices, self._max_output).seats
        reservation = self._budget.reserve(call.seat.name, bound.usd, call.timeout)
        cost: float | None = None
        try:
            reply = await self._backend.call(call)
            cost = seat_costs([call.seat], [reply], self._prices)[0].usd
            return reply
        finally:
            self._budget.settle(reservation, cost)
