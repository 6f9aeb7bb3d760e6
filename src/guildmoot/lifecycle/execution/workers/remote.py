"""Lanes on other machines: workers of the shared engine do them, by the route of ``guild hosts``.

The two machines share a Postgres and nothing else. A lane is offered to one worker at a time; whoever gives no sign of
life for the lease loses it, and the next of the chain gets it. What comes back are files of the lane's worktree and
its receipt, which are judged as if the lane had been done here.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from guildmoot.errors import GuildmootError, InfrastructureError, UndecidedError
from guildmoot.guard.secrets import mask
from guildmoot.lifecycle.execution.workers.base import (
    LaneJob,
    LaneWorkers,
    WorkerHandle,
    WorkerState,
    WorkerStatus,
)
from guildmoot.lifecycle.execution.workers.parcel import (
    LaneOutcome,
    ParcelError,
    lay_out,
    read_outcome,
)
from guildmoot.lifecycle.execution.workers.seal import lanes_key, sealed, unsealed
from guildmoot.lifecycle.execution.workers.sending import make_parcel
from guildmoot.system.files import put_in_place
from guildmoot.text.clean import clean, one_line

if TYPE_CHECKING:
    from guildmoot.calls.cluster.lanes import LaneRow, LaneWorker
    from guildmoot.lifecycle.execution.workers.link import LaneLink
    from guildmoot.lifecycle.execution.workers.routes import LaneRoutes
    from guildmoot.lifecycle.execution.worktrees import RunRepository

T = TypeVar("T")
_LOOK = 0.5
_PICKUP = 20.0
"""Seconds in which a worker with room must have taken what it is offered."""
NOBODY = 15.0
"""Seconds for which a lane waits for a host before it goes to the rung below."""
_CHANCES = 2
"""How often one host is tried for an attempt."""
_SILENT = "it gave no sign of life for the lease"
_SURE = 30.0
"""Seconds in which the end of a dismissed lane must be confirmed; above any usual lease."""


class _Lost(NamedTuple):
    """A host did not bring a lane to its end."""

    why: str
    """Empty where it was not tried."""
    for_good: bool = True
    """It said so itself; one that fell silent may come back."""


class _Sent:
    """A lane that is done somewhere else, or that fell to the rung below."""

    def __init__(self, job: LaneJob, key: str) -> None:
        self.job, self.key = job, key
        self.task: asyncio.Task[WorkerState] | None = None
        self.under_way: set[asyncio.Future[Any]] = set()
        self.open = False
        """It lies in the database, and may be at work."""
        self.inner: WorkerHandle | None = None
        self.status: WorkerStatus = "starting"
        self.last_sign = 0.0
        self.notes: tuple[str, ...] = ()
        self.seen = 0
        self.beat = ""

    async def whole(self, work: Coroutine[Any, Any, T]) -> T:
        """What must not be left half done: whoever dismisses the lane waits for its end."""
        task = asyncio.ensure_future(work)
        self.under_way = {task}
        return await asyncio.shield(task)

    async def ended(self) -> None:
        assert self.task  # noqa: S101 - spawn made it
        await asyncio.wait({self.task})


class RemoteWorkers:
    """``--mode hosts``: every lane on a host of the project's that may take it."""

    name = "hosts"
    nudged = "GUILD_NUDGE"

    def __init__(
        self, link: LaneLink, repository: RunRepository,
        routes: Callable[[LaneJob, frozenset[str]], tuple[LaneRoutes, dict[str, LaneWorker]]],
        below: LaneWorkers | None, why: str,
    ) -> None:  # fmt: skip
        self._link, self._repository = link, repository
        self._routes, self._below, self.why = routes, below, why
        self._sent: list[_Sent] = []

    def check_ticket(self, known: str, *, at_work: bool) -> str:
        """What the journal keeps of the ticket; UndecidedError where lanes are known by one that is gone.

        A run that an earlier version began has nothing on record: its ticket is in the file, or nowhere.
        """
        lost = at_work and not self._link.has_ticket if not known else known != self._link.mark
        if lost:
            raise UndecidedError(
                "the run's lanes-ticket is gone or changed: what its hosts still do can neither be found nor ended",
                "Put it back beside the journal; or stop guild worker on the hosts, and go on with --mode subagent.",
            )
        return self._link.mark

    def unavailable(self) -> str:
        return ""

    async def spawn(self, job: LaneJob) -> WorkerHandle:
        key = hashlib.sha256(f"{self._link.ticket}/{job.task}/{job.attempt}/{job.base}".encode())
        handle = _Sent(job, key.hexdigest())
        handle.task = asyncio.create_task(self._see_through(handle))
        self._sent.append(handle)
        return handle

    async def _see_through(self, handle: _Sent) -> WorkerState:
        """From host to host, until one brought the lane to its end."""
        found: WorkerState | _Lost = _Lost("")
        row = await self._link.row(handle.key)
        if row and (row.state in ("asked", "running") or (row.state == "ended" and row.kept)):
            handle.notes += (f"{row.host} has it since an earlier call, and is not asked again",)
            found = await self._follow(handle, row.host)
            if isinstance(found, _Lost):
                handle.notes += (f"{row.host} did not do it: {found.why}",)
        tried: Counter[str] = Counter()
        while isinstance(found, _Lost):
            options, workers = await self._somebody(handle, tried)
            if not options.options:
                return await self._fall(handle, options.why)
            host = options.options[0].host
            found = await self._try(handle, workers[host], f"goes to {host}: {options.why}")
            if isinstance(found, _Lost) and found.why:
                tried[host] += _CHANCES if found.for_good else 1
                handle.notes += (f"{host} did not do it: {found.why}",)
        return found

    async def _somebody(
        self, handle: _Sent, tried: Counter[str]
    ) -> tuple[LaneRoutes, dict[str, LaneWorker]]:
        """The hosts with room that may take it; none after some seconds in which nobody may."""
        began = time.monotonic()
        while True:
            late = time.monotonic() - began > NOBODY
            most = _CHANCES if late or len(tried) == 0 else 1
            failed = frozenset(name for name, times in tried.items() if times >= most)
            found, workers = await asyncio.to_thread(self._routes, handle.job, failed)
            free = tuple(each for each in found.options if each.host in workers)
            if free or (late and not found.options):
                return found._replace(options=free), workers
            if found.options:  # all of them are at work: it waits for its turn, as for a slot
                handle.status, handle.last_sign, began = "running", time.time(), time.monotonic()
            await asyncio.sleep(_LOOK)

    async def _try(self, handle: _Sent, worker: LaneWorker, note: str) -> WorkerState | _Lost:
        try:
            text = await asyncio.to_thread(
                make_parcel, handle.job, self._repository, worker.commits
            )
            text = sealed(text, lanes_key(), f"job {handle.key}")
        except ParcelError as wrong:
            return _Lost(f"{wrong.message}. {wrong.hint}")
        handle.open = True
        if not await handle.whole(self._link.offer(handle.key, handle.job, worker, text)):
            handle.open = False
            return _Lost("")  # another lane took its room meanwhile
        handle.notes += (note,)
        return await self._follow(handle, worker.name)

    async def _follow(self, handle: _Sent, host: str) -> WorkerState | _Lost:
        """Until the lane ended there, or nobody can say that it is at work."""
        handle.open = True
        while True:
            row = await self._link.row(handle.key)
            if row is None or row.state in ("lost", "dismissed"):
                handle.open = False
                return _Lost("the lane was taken from it")
            if row.state == "ended":
                handle.open = False
                return await self._settled(handle, host, row)
            late = row.state == "asked" and row.waits > _PICKUP
            if (late or not row.alive) and await self._link.lose(handle.key):
                handle.open = False
                why = f"it did not pick it up within {_PICKUP:g} s" if late else _SILENT
                return _Lost(why, for_good=False)
            if row.state == "running":
                handle.status, handle.last_sign = "running", time.time() - row.sign.quiet
                await asyncio.to_thread(_relay, handle, row)
            await asyncio.sleep(_LOOK)

    async def _settled(self, handle: _Sent, host: str, row: LaneRow) -> WorkerState | _Lost:
        """What it brought, put where a lane that was done here would have left it."""
        try:
            if row.result is None:
                raise ParcelError("the result is too long")
            outcome = read_outcome(unsealed(row.result, lanes_key(), f"result {handle.key}"))
            if not row.kept:
                return _Lost(one_line(clean(outcome.problem))[:300] or "it does not say why")
            await handle.whole(asyncio.to_thread(self._import, handle.job, outcome))
        except OSError as wrong:  # this machine's own
            raise InfrastructureError(
                f"what {host} brought is kept by the engine and could not be written here:"
                f" {wrong.strerror or wrong}"
            ) from None
        except (
            Exception
        ) as wrong:  # whatever a result does to its reader, the next call must not meet it again
            if isinstance(wrong, GuildmootError) and not isinstance(wrong, ParcelError):
                raise  # this machine's own
            await self._link.lose(handle.key, refused=True)
            return _Lost(_refusal(host, wrong))
        said = [one_line(clean(each))[:300] for each in outcome.notes[:20]]
        handle.notes += (f"{_ending(outcome)} on {host}", *(f"{host}: {each}" for each in said))
        text = mask(clean(outcome.output), "output")[0]
        problem = one_line(clean(outcome.problem))[:300]
        return WorkerState("ended", outcome.exit_code, time.time(), text, problem, notes=handle.notes)  # fmt: skip

    def _import(self, job: LaneJob, outcome: LaneOutcome) -> None:
        """The receipt last: whoever finds it after a crash finds all of the files."""
        self._repository.remove(job.task)
        self._repository.add(job.task, job.base, job.attempt)
        lay_out(job.folder, outcome.files)
        told = {"refused-pushes": outcome.pushes, job.receipt.name: outcome.receipt}
        for name, text in told.items():
            if text:
                put_in_place(job.receipt.with_name(name), text.encode("utf-8", "replace"))

    async def _fall(self, handle: _Sent, why: str) -> WorkerState:
        """Nobody may take it: the rung below, which is said; without one the machine is to blame."""
        if self._below is None:
            said = f"no host may take it: {why}"
            return WorkerState("ended", problem=said, infrastructure=True, notes=handle.notes)
        handle.notes += (f"no host may take it ({why}): it is done here, {self._below.why}",)
        handle.inner = await self._below.spawn(handle.job)
        await handle.inner.ended()
        state = self._below.read_state(handle.inner)
        return state._replace(notes=(*handle.notes, *state.notes))

    async def send_task(self, handle: WorkerHandle, text: str) -> bool:
        if not isinstance(handle, _Sent):
            return False
        if handle.inner and self._below:
            return await self._below.send_task(handle.inner, text)
        return await self._link.nudge(handle.key, text)

    def read_state(self, handle: WorkerHandle) -> WorkerState:
        if not isinstance(handle, _Sent) or handle.task is None:
            return WorkerState("lost")
        if not handle.task.done():
            if handle.inner and self._below:
                return self._below.read_state(handle.inner)
            return WorkerState(handle.status, None, handle.last_sign)
        if handle.task.cancelled():
            return WorkerState("ended", problem="it was ended")
        wrong = handle.task.exception()
        if wrong is not None:
            message = wrong.message if isinstance(wrong, GuildmootError) else str(wrong)
            return WorkerState("ended", problem=one_line(clean(message)), infrastructure=True)
        return handle.task.result()

    async def dismiss(self, handle: WorkerHandle) -> bool:
        """Have it ended where it is, and wait for that machine's word."""
        if not isinstance(handle, _Sent) or handle.task is None:
            return False
        sure = True
        handle.task.cancel()
        await asyncio.wait({handle.task, *handle.under_way})
        if handle.inner and self._below:
            sure = await self._below.dismiss(handle.inner)
        if handle.open:
            sure = await self._ended_there(handle)
        if handle in self._sent:
            self._sent.remove(handle)
        if not self._sent:
            self._link.rest()
            self._repository.close()
        return sure

    async def _ended_there(self, handle: _Sent) -> bool:
        until = time.monotonic() + _SURE
        try:
            await self._link.dismiss(handle.key)
            while (row := await self._link.row(handle.key, brief=True)) and row.state == "running":
                if not row.alive and await self._link.lose(handle.key):
                    return False  # its machine ended it by itself, but nobody heard that
                if time.monotonic() > until:
                    return False
                await asyncio.sleep(_LOOK / 2)
        except GuildmootError:
            return False
        handle.open = False
        return row is None or row.state != "lost"

    async def teardown(self) -> None:
        for handle in list(self._sent):
            await self.dismiss(handle)


def _ending(outcome: LaneOutcome) -> str:
    """How it ended there; whether the lane is done is said by whoever judges what it handed over. Pure."""
    if outcome.problem or outcome.exit_code:
        return "failed"
    return "handed over" if outcome.receipt else "ended without a receipt"


def _refusal(host: str, wrong: Exception) -> str:
    """Why a result was not taken, and what to do about it."""
    said = wrong.message if isinstance(wrong, ParcelError) else f"{type(wrong).__name__}: {wrong}"
    why = one_line(clean(said.encode("utf-8", "replace").decode()))[:300]
    return f"what it sent back was refused: {why} (to keep it out: guild hosts approve {host} --no)"


def _relay(handle: _Sent, row: LaneRow) -> None:
    """What it printed since, and its heartbeat, where a lane that is done here would have left them."""
    sign = row.sign
    new = min(sign.written - handle.seen, len(sign.tail))
    if new > 0:
        handle.seen = sign.written
        with handle.job.live.open("a", encoding="utf-8", errors="replace") as stream:
            stream.write(mask(clean(sign.tail[-new:]), "output")[0])
    if sign.beat and sign.beat != handle.beat:
        handle.beat = sign.beat
        put_in_place(handle.job.heartbeat, sign.beat.encode("utf-8", "replace"))
