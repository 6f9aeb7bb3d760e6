"""One seat's question until it is answered: waits its turn, tries again where that may help.

What is sent, and over which wire, is for others; so is the seat's deadline, except that no wait is
begun that would outlast it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable
from typing import NamedTuple

from guildmoot.backends.http.limits import OPENS_AFTER, TRIES, Gate, Rate, jitter, pause
from guildmoot.backends.http.wire import Completion, CompletionError, CompletionRequest, Wire

WORTH_FROM = 8000
"""Characters in common; providers do not cache less than about 1,000 tokens."""
LONGEST_WAIT = 8.0
KEPT_SECONDS = 240.0
"""For so long a prefix is taken to be in the cache; providers keep one for five minutes."""
_CHARACTERS_A_TOKEN = 4
_PROBE_POLL = 0.25


class CallOutcome(NamedTuple):
    """How a question ended."""

    answer: Completion | None
    failure: str = ""
    requests: int = 0


class PartialReply:
    """What has arrived of the present try, so that it is kept when the call is cut short."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.requests = 0

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class Clock(NamedTuple):
    """Time and chance."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = jitter


class Leaders:
    """Lets one call write the provider's prompt cache before the others that would read it.

    Of calls that begin alike the first goes ahead; the rest wait until its reply begins, which is
    when providers offer what it wrote, or until waiting would cost more than it saves. Belongs to
    one event loop.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._begun: dict[Hashable, asyncio.Event] = {}
        self._since: dict[Hashable, float] = {}

    async def follow(self, prefix: Hashable) -> bool:
        """Wait for the leader of this prefix; True when there is none, so that the caller leads.

        A leader must call ``begun`` or ``failed``.
        """
        until = self._clock() + LONGEST_WAIT
        while True:
            event = self._begun.get(prefix)
            if event is None or self._is_stale(prefix):
                self._begun[prefix], self._since[prefix] = asyncio.Event(), self._clock()
                return True
            try:
                async with asyncio.timeout(max(0.0, until - self._clock())):
                    await event.wait()
            except TimeoutError:
                return False
            if self._begun.get(prefix) is event:
                return False

    def begun(self, prefix: Hashable) -> None:
        """The leader's reply has begun: the others may go."""
        self._since[prefix] = self._clock()
        self._begun[prefix].set()

    def failed(self, prefix: Hashable) -> None:
        """The leader wrote nothing: the next in line leads."""
        event = self._begun.pop(prefix, None)
        if event is not None:
            event.set()

    def _is_stale(self, prefix: Hashable) -> bool:
        return self._begun[prefix].is_set() and self._clock() - self._since[prefix] > KEPT_SECONDS


class Caller:
    """Asks on behalf of all seats of one event loop."""

    def __init__(self, rates: dict[str, Rate], clock: Clock) -> None:
        self._rates = rates
        self._clock = clock
        self._gates: dict[tuple[str, str], Gate] = {}
        self._leaders = Leaders(clock.now)

    async def call(
        self, wire: Wire, request: CompletionRequest, partial: PartialReply, deadline: float
    ) -> CallOutcome:
        """The answer, or why there is none; ``deadline`` is by the same clock."""
        gate = self._gate(request)
        prefix = (request.provider, request.base_url, request.model, hash(request.shared))
        while True:
            try:
                await self._turn(gate, request, deadline)
                partial.requests += 1
                answer = await self._try(wire, request, partial, gate, prefix)
                return CallOutcome(answer, requests=partial.requests)
            except CompletionError as failure:
                if request.effort and _refuses_effort(failure):
                    request = request._replace(effort="")
                    continue
                wait = self._wait_after(failure, partial.requests, gate, deadline)
                if wait is None:
                    return CallOutcome(None, _why(failure, partial.requests), partial.requests)
            await self._clock.sleep(wait)

    def _gate(self, request: CompletionRequest) -> Gate:
        place = (request.provider, request.base_url)
        if place not in self._gates:
            rate = self._rates.get(request.provider, Rate())
            self._gates[place] = Gate(rate, self._clock.now())
        return self._gates[place]

    async def _turn(self, gate: Gate, request: CompletionRequest, deadline: float) -> None:
        """Wait until the provider may be asked; not at all when that is beyond the deadline."""
        now = self._clock.now
        booked = now() + gate.book(_estimate(request), now())
        while True:
            wait = max(booked - now(), gate.closed_for(now()))
            if wait <= 0 and gate.probe():
                return
            wait = max(wait, _PROBE_POLL if gate.tripped else 0.0)
            if now() + wait > deadline:
                raise CompletionError(_held(gate, request, wait), again=False)
            await self._clock.sleep(wait)

    async def _try(
        self,
        wire: Wire,
        request: CompletionRequest,
        partial: PartialReply,
        gate: Gate,
        prefix: Hashable,
    ) -> Completion:
        partial.pieces.clear()
        leads = len(request.shared) >= WORTH_FROM and await self._leaders.follow(prefix)
        begun = False

        def on_text(text: str) -> None:
            nonlocal begun
            if leads and not begun:
                self._leaders.begun(prefix)
            begun = True
            partial.pieces.append(text)

        try:
            answer = await wire.ask(request, on_text)
        finally:
            gate.left()
            if leads and not begun:
                self._leaders.failed(prefix)
        gate.succeeded()
        gate.settle(_estimate(request), answer.usage.input_tokens + answer.usage.output_tokens)
        return answer

    def _wait_after(
        self, failure: CompletionError, requests: int, gate: Gate, deadline: float
    ) -> float | None:
        """Seconds until the next try, None when there is to be none."""
        if not failure.again:
            return None
        now = self._clock.now()
        gate.failed(now, failure.retry_after)
        wait = pause(requests, failure.retry_after, self._clock.chance)
        return wait if requests < TRIES and now + wait < deadline else None


def _refuses_effort(failure: CompletionError) -> bool:
    """Whether the model cannot be told how hard to think; which ones can changes with every release."""
    why = failure.why.casefold()
    return failure.status == 400 and any(
        word in why for word in ("effort", "thinking", "reasoning")
    )


def _estimate(request: CompletionRequest) -> int:
    return (len(request.shared) + len(request.own)) // _CHARACTERS_A_TOKEN


def _held(gate: Gate, request: CompletionRequest, wait: float) -> str:
    if gate.tripped:
        return (
            f"{request.provider} failed {OPENS_AFTER} times or more in a row, so it is left alone "
            f"for {wait:.0f} s, which is longer than this seat may take"
        )
    return (
        f"{request.provider} may not be asked for another {wait:.0f} s, beyond this seat's deadline"
    )


def _why(failure: CompletionError, requests: int) -> str:
    if not failure.again:
        return failure.why
    asked = f"; it wants {failure.retry_after:g} s of rest" if failure.retry_after else ""
    return f"{failure.why} ({requests} {'try' if requests == 1 else 'tries'}{asked})"
