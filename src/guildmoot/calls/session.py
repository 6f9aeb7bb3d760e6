"""One run's way to its agents: every call of every practice goes through here, and is durable.

A call is answered from the ledger when it is finished there. Otherwise its money is set aside, its
intent is recorded, it is made, and its reply is kept before anyone reads it. So a practice is an
ordinary function, and resuming it is running it again under the same run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path

from guildmoot.backends import Backend, traits_of
from guildmoot.backends.host import HostBackend, hand_out_folder
from guildmoot.calls import SLACK, Event, Spawned, spawn
from guildmoot.calls.estimate import add_costs, estimate, seat_costs
from guildmoot.calls.keys import asked_at, call_key, is_shared
from guildmoot.calls.ledger.base import Engine, Job, SharedEngine, Terms
from guildmoot.calls.pricing import Prices, prices_of
from guildmoot.config import PROJECT_FILES, Config
from guildmoot.errors import BudgetError, UsageError
from guildmoot.guard.trust import ledger_is_ours
from guildmoot.model.call import Call, Effort, Reply
from guildmoot.model.packet import Packet
from guildmoot.model.report import SeatCost
from guildmoot.named import NamedTuple


class ReusePolicy(NamedTuple):
    """How a run stands to what earlier runs left in the ledger."""

    keyed_as: str = ""
    """The run whose answers of tools and checkouts may be used; empty is the run itself."""
    only: str = ""
    """The run whose answers alone count, whatever others have; empty shares what can be shared."""
    anew: tuple[tuple[str, str], ...] = ()
    """Seats that were asked anew, each with the run that did so."""
    shared: str = ""
    """Under which name any run may use the answers to the same question: the hours in which it was asked."""
    resumed: bool = False
    """The run was begun before, so what is left of it may cost less than the whole."""
    replayed: bool = False
    """Nothing is called: what was recorded is all there is."""

    def scope(self, call: Call, run_id: str) -> str:
        """The run that a call's answer belongs to; empty when any run may use it."""
        for seat, run in self.anew:
            if seat == call.seat.name:
                return run
        if self.only or not is_shared(call):
            return self.only or self.keyed_as or run_id
        return f"{self.shared} {asked_at(call)}".rstrip() if self.shared else ""


DEFAULT_REUSE = ReusePolicy()


def new_reuse(config: Config, run_id: str, now: datetime, *, fresh: bool = False) -> ReusePolicy:
    """How a run that is begun now stands to earlier answers: it asks anew, unless the settings let it
    share those of the last hours. Then one answers everybody who asks the same in those hours."""
    hours = config.number("runs.reuse_hours")
    if fresh or hours <= 0:
        return ReusePolicy(only=run_id)
    return ReusePolicy(shared=f"{hours:g}h {int(now.timestamp() // (hours * 3600))}")


class CallSession:
    """Makes the calls of one run."""

    def __init__(
        self, run_id: str, config: Config, reuse: ReusePolicy, here: Engine,
        shared: SharedEngine | None, host: HostBackend | None = None,
    ) -> None:  # fmt: skip
        self.run_id = run_id
        self.clerk_model = config.text("clerk.model")
        """Who puts replies into the form that nobody else can; empty: the seat itself."""
        self._reuse = reuse
        self._here = here
        self._shared = shared
        self._host = host or HostBackend()
        self._waits = False
        self._local = config.strings("engine.here")
        self._prices = prices_of(config)
        self._unpaid: list[Call] = []
        self._most = int(config.number("budget.max_output"))
        self._limits = _limits(config)
        self._slack = config.number("engine.wait") if shared else SLACK
        self._checked = reuse.resumed or reuse.replayed
        self._effort = one_effort(config.text("panel.effort"))
        self._made: list[tuple[Call, Reply]] = []

    async def ask(
        self,
        calls: Sequence[Call],
        *,
        deadline: float | None = None,
        limit: int = 0,
        on_event: Callable[[Event], None] | None = None,
    ) -> Spawned:
        """Every call's reply, in order: from the ledger, or made now and kept. See ``spawn``.

        The first question of a run that cannot be paid whole is refused with BudgetError before
        anything is called; later ones fail seat by seat, so that what was said is not lost.
        """
        if self._shared is not None:
            await self._shared.ready()
        calls = self._within_budget(calls)
        self._waits = bool(self._host.open)
        spawned = await spawn(
            calls,
            self._perform,
            deadline=deadline,
            limit=limit,
            on_event=on_event and (lambda event: on_event(self._of_now(event))),
            slack=self._slack,
        )
        self._made += zip(calls, spawned.replies, strict=True)
        return spawned._replace(interrupted=True) if self._host.open else spawned

    def _of_now(self, event: Event) -> Event:
        """An answer that was kept in this run was asked for in it."""
        return event._replace(kept="") if event.kept == self.run_id else event

    @property
    def costs(self) -> tuple[SeatCost, ...]:
        """What every seat has cost so far, with all that was asked on its behalf (``seat~explorer-1``)."""
        found: dict[str, list[SeatCost]] = {}
        for call, reply in self._made:
            cost = seat_costs([call.seat], [reply], self._prices, self.run_id)[0]
            if call in self._unpaid:
                cost = cost._replace(usd=0.0)
            found.setdefault(call.seat.name.partition("~")[0], []).append(cost)
        return tuple(add_costs(name, costs) for name, costs in found.items())

    @property
    def over(self) -> tuple[str, ...]:
        """What to say when a provider billed for more than its requests allowed: no limit holds that back."""
        usd, limit = sum(each.usd or 0.0 for each in self.costs), self._limits[0]
        if not limit or usd <= limit:
            return ()
        more = "a provider counts more than its requests allowed"
        return (f"cost: ${usd:,.2f} was billed, above the limit of ${limit:,.2f}: {more}",)

    @property
    def reused(self) -> tuple[tuple[str, str], ...]:
        """Seats that were not asked, each with the earlier run whose answer stands."""
        kept = ((call.seat.name, reply.kept) for call, reply in self._made)
        return tuple(dict.fromkeys(each for each in kept if each[1] not in ("", self.run_id)))

    @property
    def problem(self) -> str:
        """What could not be kept although it was answered; empty when all is on record."""
        return self._here.problem or (self._shared.problem if self._shared else "")

    async def _perform(self, call: Call) -> Reply:
        """One call, on this machine or on the shared engine."""
        key = call_key(call, self._reuse.scope(call, self.run_id))
        job = Job(key, call, self._price(call))
        if traits_of(call.seat.backend).handed:
            return await self._hand_out(job)
        shared = self._shared
        if (
            shared is None
            or call.work is not None
            or call.seat.backend in self._local
            or _stays(call)
        ):
            try:
                return await self._here.perform(job)
            except BudgetError:  # refused before it was made: that is known to cost nothing
                self._unpaid.append(call)
                raise

        async def made() -> Reply:
            reply = await shared.perform(job)  # a worker of an older release tells no nonce
            return reply if reply.nonce is not None else reply._replace(nonce=call.nonce)

        # What the shared engine answers is kept here too, for replaying; its money is counted there.
        copy = Job(key, call._replace(most_usd=0.0), lambda reply: 0.0, made)
        return await self._here.perform(copy)

    async def _hand_out(self, job: Job) -> Reply:
        """The reply that was handed in. What follows from replies is asked when all of them are here."""
        from guildmoot.calls.ledger.local import answer

        if self._waits:
            return Reply(job.call.seat.name, "cancelled", error="others are waited for first")

        def host(name: str) -> Backend:
            return self._host

        return await self._here.perform(job._replace(made_by=lambda: answer(job, host)))

    def _price(self, call: Call) -> Callable[[Reply], float | None]:
        if traits_of(call.seat.backend).unpaid:
            return lambda reply: 0.0
        return lambda reply: _paid(call, reply, self._prices)

    def _within_budget(self, calls: Sequence[Call]) -> list[Call]:
        """The calls, each with the most that it can cost; BudgetError when a limit forbids them."""
        paid = [call for call in calls if not traits_of(call.seat.backend).unpaid]
        found = estimate(paid, self._prices, self._most)
        if any(self._limits) and not self._checked:
            self._checked = True
            if found.unknown:
                raise BudgetError(
                    f"no price is known for {', '.join(found.unknown)}, so no limit can hold",
                    "Give the price in the settings, under [prices], or judge without a limit.",
                )
            what = paid[0].seat.name if len(paid) == 1 else "the whole panel"
            (self._shared or self._here).afford(what, found.usd)
        costs = iter(found.seats)
        return [
            call._replace(
                most_usd=0.0 if traits_of(call.seat.backend).unpaid else next(costs).usd,
                max_output=self._most,
                effort=call.effort or self._effort,
            )
            for call in calls
        ]


def one_effort(word: str) -> Effort:
    """The setting's word as a call has it."""
    levels: tuple[Effort, ...] = ("low", "medium", "high")
    return next((level for level in levels if level == word), "")


def _stays(call: Call) -> bool:
    """Whether it reads files as they are on this machine, where nothing was masked."""
    return traits_of(call.agent.backend).is_tool and call.agent.run_in == "packet"


def _paid(call: Call, reply: Reply, prices: Prices) -> float | None:
    """What a call has cost; nobody learns what the provider made of one that came too late."""
    if reply.status == "timeout":
        return None
    return seat_costs([call.seat], [reply], prices)[0].usd


@contextmanager
def open_session(
    root: Path | None,
    run_id: str,
    config: Config,
    *,
    reuse: ReusePolicy = DEFAULT_REUSE,
) -> Iterator[CallSession]:
    """Open the session for one run; without ``root`` nothing is kept."""
    terms = Terms(run_id, *_limits(config))
    url = engine_url(config)
    if root is not None and not ledger_is_ours(root):
        # Whoever wrote the repository may have written answers: only this run's own count.
        reuse = reuse._replace(only=run_id, anew=())
    with ExitStack() as stack:
        here = _local_engine(root, terms, reuse)
        stack.callback(here.close)
        shared = None
        if url and not reuse.replayed:
            from guildmoot.calls.cluster import open_cluster

            shared = open_cluster(url, terms, config.number("engine.wait"))
            stack.callback(shared.close)
        host = HostBackend(hand_out_folder(root, run_id) if root else None)
        if not reuse.replayed:
            stack.callback(host.close)
        yield CallSession(run_id, config, reuse, here, shared, host)


def engine_url(config: Config) -> str:
    """The shared engine's address; empty when there is none.

    A repository must not choose it: its work, and with a worker this machine, would be in the
    hands of whoever wrote the repository.
    """
    origin = config.values["engine.url"]
    if origin.value and origin.source in PROJECT_FILES:
        raise UsageError(
            f"{origin.source} of this repository names the engine, which only you may do",
            "Give --engine, set GUILD_ENGINE_URL, or put engine.url in your own guild.toml.",
        )
    return str(origin.value)


def keep_packet(root: Path, packet: Packet) -> None:
    """Keep the packet of a run, so that it can be gone on with whatever becomes of the files.

    Done before the run's request is on record: what has a request has its packet.
    """
    from guildmoot.calls.ledger.packets import keep_packet
    from guildmoot.calls.ledger.store import Store, ledger_file

    store = Store(ledger_file(root))
    try:
        keep_packet(store, packet)
    finally:
        store.close()


def load_packet(root: Path, digest: str) -> Packet | None:
    """The packet of an earlier run, as it was; None when it is not kept."""
    from guildmoot.calls.ledger.packets import load_packet
    from guildmoot.calls.ledger.store import Store, ledger_file

    store = Store(ledger_file(root), read_only=True)
    try:
        return load_packet(store, digest, root)
    finally:
        store.close()


def _local_engine(root: Path | None, terms: Terms, reuse: ReusePolicy) -> Engine:
    from guildmoot.calls.ledger.local import LocalEngine, NoLedger, Replayer
    from guildmoot.calls.ledger.store import ledger_file

    if root is None:
        if terms.run_usd or terms.day_usd:
            raise BudgetError(
                "a limit needs a place to keep count, and nothing is recorded here",
                "Judge inside a git repository without --no-record, or without a limit.",
            )
        return NoLedger()
    if reuse.replayed:
        return Replayer(ledger_file(root), terms)
    return LocalEngine(ledger_file(root), terms)


def _limits(config: Config) -> tuple[float | None, float | None]:
    return (config.number("budget.run_usd") or None, config.number("budget.day_usd") or None)
