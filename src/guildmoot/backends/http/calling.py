"""One seat's question until it is answered: waits its turn, tries again where that may help.

What is sent, and over which wire, is for others; so is the seat's deadline, except that no wait is
begun that would outlast it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable
from typing import NamedTuple

from guildmoot.backends.http.leading import WORTH_FROM, Leaders
from guildmoot.backends.http.limits import OPENS_AFTER, TRIES, Gate, Rate, jitter, pause
from guildmoot.backends.http.wire import Answer, Ask, AskFailed, Wire

_CHARACTERS_A_TOKEN = 4
_PROBE_POLL = 0.25


class Told(NamedTuple):
    """How a question ended."""

    answer: Answer | None
    failure: str = ""
    requests: int = 0


class Heard:
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


class Caller:
    """Asks on behalf of all seats of one event loop."""

    def __init__(self, rates: dict[str, Rate], clock: Clock) -> None:
        self._rates = rates
        self._clock = clock
        self._gates: dict[tuple[str, str], Gate] = {}
        self._leaders = Leaders(clock.now)

    async def call(self, wire: Wire, ask: Ask, heard: Heard, deadline: float) -> Told:
        """The answer, or why there is none; ``deadline`` is by the same clock."""
        gate = self._gate(ask)
        prefix = (ask.provider, ask.base_url, ask.model, hash(ask.shared))
        while True:
            try:
                await self._turn(gate, ask, deadline)
                heard.requests += 1
                answer = await self._try(wire, ask, heard, gate, prefix)
                return Told(answer, requests=heard.requests)
            except AskFailed as failure:
                wait = self._wait_after(failure, heard.requests, gate, deadline)
                if wait is None:
                    return Told(None, _why(failure, heard.requests), heard.requests)
            await self._clock.sleep(wait)

    def _gate(self, ask: Ask) -> Gate:
        place = (ask.provider, ask.base_url)
        if place not in self._gates:
            rate = self._rates.get(ask.provider, Rate())
            self._gates[place] = Gate(rate, self._clock.now())
        return self._gates[place]

    async def _turn(self, gate: Gate, ask: Ask, deadline: float) -> None:
        """Wait until the provider may be asked; not at all when that is beyond the deadline."""
        now = self._clock.now
        booked = now() + gate.book(_estimate(ask), now())
        while True:
            wait = max(booked - now(), gate.closed_for(now()))
            if wait <= 0 and gate.probe():
                return
            wait = max(wait, _PROBE_POLL if gate.tripped else 0.0)
            if now() + wait > deadline:
                raise AskFailed(_held(gate, ask, wait), again=False)
            await self._clock.sleep(wait)

    async def _try(
        self, wire: Wire, ask: Ask, heard: Heard, gate: Gate, prefix: Hashable
    ) -> Answer:
        heard.pieces.clear()
        leads = len(ask.shared) >= WORTH_FROM and await self._leaders.follow(prefix)
        begun = False

        def hear(text: str) -> None:
            nonlocal begun
            if leads and not begun:
                self._leaders.begun(prefix)
            begun = True
            heard.pieces.append(text)

        try:
            answer = await wire.ask(ask, hear)
        finally:
            gate.left()
            if leads and not begun:
                self._leaders.failed(prefix)
        gate.succeeded()
        gate.settle(_estimate(ask), answer.usage.input_tokens + answer.usage.output_tokens)
        return answer

    def _wait_after(
        self, failure: AskFailed, requests: int, gate: Gate, deadline: float
    ) -> float | None:
        """Seconds until the next try, None when there is to be none."""
        if not failure.again:
            return None
        now = self._clock.now()
        gate.failed(now, failure.retry_after)
        wait = pause(requests, failure.retry_after, self._clock.chance)
        return wait if requests < TRIES and now + wait < deadline else None


def _estimate(ask: Ask) -> int:
    return (len(ask.shared) + len(ask.own)) // _CHARACTERS_A_TOKEN


def _held(gate: Gate, ask: Ask, wait: float) -> str:
    if gate.tripped:
        return (
            f"{ask.provider} failed {OPENS_AFTER} times or more in a row, so it is left alone "
            f"for {wait:.0f} s, which is longer than this seat may take"
        )
    return f"{ask.provider} may not be asked for another {wait:.0f} s, beyond this seat's deadline"


def _why(failure: AskFailed, requests: int) -> str:
    if not failure.again:
        return failure.why
    asked = f"; it wants {failure.retry_after:g} s of rest" if failure.retry_after else ""
    return f"{failure.why} ({requests} {'try' if requests == 1 else 'tries'}{asked})"
