"""Many calls at once in one task group: deadlines, order, partial results, nothing left behind.

The standard library's task groups and timeouts are all this needs. What a reply means is left to
reading; signals are left to :mod:`guildmoot.calls.foreground`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

from guildmoot.backends import BACKENDS, Backend, get_backend, traits_of
from guildmoot.errors import GuildmootError, UsageError
from guildmoot.model.call import Call, Reply, ReplyStatus
from guildmoot.named import NamedTuple

SLACK = 3.0
"""Seconds a backend gets beyond the seat's deadline to end its work and tell of it itself."""
MOST_CHARACTERS = 16_000_000
"""Of an agent's reply; the longest that a model writes is a tenth of that. A tool's report may be longer."""
MOST_LINES = 100_000

_log = logging.getLogger(__name__)

Perform = Callable[[Call], Awaitable[Reply]]
"""Gets the reply to one call."""


class Event(NamedTuple):
    """Something that happened to a seat, for whoever shows progress."""

    seat: str
    kind: Literal["started", "finished"]
    order: int
    """Counts up from 0 within one fan-out."""
    status: ReplyStatus | None = None
    """Of the reply, once finished."""
    seconds: float = 0.0
    """Since the seat started."""
    kept: str = ""
    """The run whose answer stands, where the seat was not asked."""


class Watch(NamedTuple):
    """What a face is told while a run of any practice goes on."""

    on_begin: Callable[[Sequence[str], str], None] = lambda seats, heading: None
    """Who is asked now, and a heading such as ``round 2``; empty where nothing needs one."""
    on_event: Callable[[Event], None] = lambda event: None
    on_note: Callable[[str], None] = lambda text: None
    """One line for people, e.g. that somebody did not answer in a round."""


class Spawned(NamedTuple):
    """What came of a fan-out: one reply for every call, in the order of the calls."""

    replies: tuple[Reply, ...]
    interrupted: bool
    """It was cancelled; seats that had not finished then are ``cancelled``."""


async def make_call(call: Call, backend_for: Callable[[str], Backend] = get_backend) -> Reply:
    """Make the call on this machine; whose reply it is and how long it took is measured here."""
    if call.work is not None and not traits_of(call.seat.backend).works:
        able = ", ".join(name for name in BACKENDS if traits_of(name).works)
        raise UsageError(f"the backend {call.seat.backend} judges and does no work", f"Use {able}.")
    began = time.monotonic()
    reply = await backend_for(call.seat.backend).call(call)
    if not isinstance(reply, Reply):
        raise TypeError(f"its backend returned {type(reply).__name__}, not a Reply")
    if len(reply.text) > MOST_LINES and not traits_of(call.seat.backend).is_tool:
        reply = _bounded(reply)
    seconds = round(time.monotonic() - began, 6)
    return reply._replace(seat=call.seat.name, seconds=seconds, nonce=call.nonce)


def _bounded(reply: Reply) -> Reply:
    """Nobody reads a reply without end; what is kept of one is no whole reply, and says so."""
    text, lines = reply.text[:MOST_CHARACTERS], reply.text.count("\n")
    if lines > MOST_LINES:
        text = "\n".join(text.split("\n", MOST_LINES)[:MOST_LINES])
    ending = f"cut off: it has {len(reply.text):,} characters in {lines:,} lines"
    return reply._replace(text=text, ending=ending) if text != reply.text else reply


async def spawn(
    calls: Sequence[Call],
    perform: Perform = make_call,
    *,
    deadline: float | None = None,
    limit: int = 0,
    on_event: Callable[[Event], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
    slack: float = SLACK,
) -> Spawned:
    """Run all calls, at most ``limit`` at a time (0: all), for at most ``deadline`` seconds.

    A cancellation ends every call and is then turned into a result, so that what was already
    answered is kept: a caller must look at ``interrupted``. ``on_event`` must not raise.
    """
    fan_out = _FanOut(calls, on_event, clock)
    gate = asyncio.Semaphore(limit) if limit > 0 else contextlib.nullcontext()
    interrupted = False
    why: tuple[ReplyStatus, str] = ("failed", "its backend gave up without a reply")
    try:
        await asyncio.sleep(
            0.001
        )  # a Ctrl-C pressed earlier takes effect before anything is started
        async with asyncio.timeout(deadline or None), asyncio.TaskGroup() as group:
            for index in range(len(calls)):
                group.create_task(_run_one(fan_out, index, gate, perform, slack))
    except TimeoutError:
        why = ("timeout", f"the run's deadline of {deadline:g} s passed")
    except asyncio.CancelledError:
        interrupted, why = True, ("cancelled", "the run was interrupted")
        _take_back_cancellation()
    fan_out.close(*why)
    return Spawned(tuple(fan_out.replies), interrupted)


class _FanOut:
    """The seats of one fan-out: who has started, and who has answered what."""

    def __init__(
        self,
        calls: Sequence[Call],
        on_event: Callable[[Event], None] | None,
        clock: Callable[[], float],
    ) -> None:
        self.calls = calls
        self._on_event = on_event
        self._clock = clock
        self._events = 0
        self._began: dict[int, float] = {}
        self._replies: dict[int, Reply] = {}

    @property
    def replies(self) -> list[Reply]:
        return [self._replies[index] for index in range(len(self.calls))]

    def start(self, index: int) -> None:
        self._began[index] = self._clock()
        self._tell(index, "started")

    def finish(self, index: int, reply: Reply) -> None:
        """Keep a reply. One from the ledger may have taken its seconds long ago."""
        seconds = reply.seconds or self._clock() - self._began.get(index, self._clock())
        reply = reply._replace(seat=self.calls[index].seat.name, seconds=seconds)
        self._replies[index] = reply
        self._tell(index, "finished", reply)

    def close(self, status: ReplyStatus, why: str) -> None:
        """Give every seat without a reply the one that tells why."""
        for index, call in enumerate(self.calls):
            if index not in self._replies:
                when = "before it had finished" if index in self._began else "before it could start"
                self.finish(index, Reply(call.seat.name, status, error=f"{why} {when}"))

    def _tell(
        self, index: int, kind: Literal["started", "finished"], reply: Reply | None = None
    ) -> None:
        order, self._events = self._events, self._events + 1
        if self._on_event is None:
            return
        event = Event(self.calls[index].seat.name, kind, order)
        if reply is not None:
            event = event._replace(status=reply.status, seconds=reply.seconds, kept=reply.kept)
        self._on_event(event)


async def _run_one(
    fan_out: _FanOut,
    index: int,
    gate: asyncio.Semaphore | contextlib.nullcontext[None],
    perform: Perform,
    slack: float,
) -> None:
    async with gate:
        fan_out.start(index)
        fan_out.finish(index, await _answer(fan_out.calls[index], perform, slack))


async def _answer(call: Call, perform: Perform, slack: float) -> Reply:
    """The seat's reply, whatever its backend does."""
    seat = call.seat.name
    time_limit = asyncio.timeout(call.timeout + slack if call.timeout > 0 else None)
    try:
        async with time_limit:
            return await perform(call)
    except Exception as error:  # noqa: BLE001 - one seat's bug must not take the others' replies
        if time_limit.expired():
            return Reply(seat, "timeout", error=f"no answer within {call.timeout:g} s")
        _log.debug("seat %s: backend %s raised", seat, call.seat.backend, exc_info=True)
        return Reply(seat, "failed", error=_message(error))


def _message(error: Exception) -> str:
    if isinstance(error, GuildmootError):
        return f"{error.message}. {error.hint}" if error.hint else error.message
    return f"{type(error).__name__}: {error}"


def _take_back_cancellation() -> None:
    """The caller goes on with what there is, so its next await must not be cancelled as well."""
    task = asyncio.current_task()
    if task is not None:
        task.uncancel()
