"""Runs a judge on a model behind HTTP: Anthropic, OpenAI, Google, or a server that speaks like one.

A model is named ``provider:model``. A judge gets no tools, so a call is one request. What the reply
means is left to reading, and what it costs to whoever knows the prices.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from weakref import WeakKeyDictionary

from guildmoot.backends.http.calling import Caller, Clock, Heard, Told
from guildmoot.backends.http.connections import Connections
from guildmoot.backends.http.direct import DirectWire
from guildmoot.backends.http.keys import Key, find_key, scrubbed, secrets
from guildmoot.backends.http.limits import rates
from guildmoot.backends.http.providers import PROVIDERS, base_url, split_model
from guildmoot.backends.http.through_pydantic_ai import INSTALL, PydanticAiWire, knows
from guildmoot.backends.http.wire import Answer, Ask, Hear, Wire
from guildmoot.backends.outcome import timed_out
from guildmoot.errors import UsageError
from guildmoot.model.agent import Agent
from guildmoot.model.call import Call, Reply, Usage

MAX_TOKENS = 32_000
"""Most that one reply may be long, with what the model thinks before it."""


class EitherWire:
    """Speaks to the providers of the table directly and to all others through pydantic-ai."""

    def __init__(self, connections: Connections) -> None:
        self._direct = DirectWire(connections)
        self._others = PydanticAiWire(connections)

    async def ask(self, ask: Ask, hear: Hear) -> Answer:
        wire: Wire = self._direct if ask.provider in PROVIDERS else self._others
        return await wire.ask(ask, hear)


class _Room:
    """What belongs to one event loop."""

    def __init__(self, clock: Clock, make_wire: Callable[[Connections], Wire]) -> None:
        self.connections = Connections()
        self.wire = make_wire(self.connections)
        self.caller = Caller(rates(), clock)
        self.secrets = secrets()
        self.keeper = self._until_the_loop_ends()

    async def _until_the_loop_ends(self) -> AsyncGenerator[None, None]:
        """A loop that shuts down closes its generators, and so our idle connections."""
        try:
            yield
        finally:
            self.connections.close()
            await asyncio.sleep(0)


class ApiBackend:
    """``backend: api``."""

    name = "api"

    def __init__(
        self,
        clock: Clock = Clock(),  # noqa: B008 - a frozen value
        make_wire: Callable[[Connections], Wire] = EitherWire,
    ) -> None:
        self._clock = clock
        self._make_wire = make_wire
        self._rooms: WeakKeyDictionary[asyncio.AbstractEventLoop, _Room] = WeakKeyDictionary()

    def missing(self, agent: Agent) -> str:
        try:
            ask = question(agent.model, "", 0)
        except UsageError as error:
            return f"{error.message}. {error.hint}".strip()
        return _keyless(ask)

    async def call(self, call: Call) -> Reply:
        try:
            ask = question(call.seat.model or call.agent.model, call.prompt, call.shared)
            ask = ask._replace(schema=call.schema)
        except UsageError as error:
            why = f"{error.message}. {error.hint}".strip()
            return Reply(call.seat.name, "missing", error=why)
        if why := _keyless(ask):
            return Reply(call.seat.name, "missing", error=why)
        room = await self._room()
        reply = await self._reply(room, call, ask)
        keys = (ask.key, *room.secrets)
        return reply._replace(text=scrubbed(reply.text, keys), error=scrubbed(reply.error, keys))

    async def _reply(self, room: _Room, call: Call, ask: Ask) -> Reply:
        heard = Heard()
        seconds = call.timeout if call.timeout > 0 else None
        deadline = self._clock.now() + (seconds or float("inf"))
        try:
            async with asyncio.timeout(seconds):
                told = await room.caller.call(room.wire, ask, heard, deadline)
        except TimeoutError:
            spent = Usage(requests=heard.requests)
            late = Reply(call.seat.name, "timeout", heard.text, timed_out(call), usage=spent)
            return late._replace(model=ask.model)
        return _reply_from(call, ask, told, heard)

    async def _room(self) -> _Room:
        loop = asyncio.get_running_loop()
        if loop not in self._rooms:
            room = self._rooms[loop] = _Room(self._clock, self._make_wire)
            await anext(room.keeper)
        return self._rooms[loop]


def question(name: str, prompt: str, shared: int) -> Ask:
    """What is asked of the model of that name; UsageError when it cannot be."""
    provider, model = split_model(name)
    known = PROVIDERS.get(provider)
    if known is None and not knows(provider):
        raise UsageError(
            f"there is no provider {provider!r}",
            f"Known are {', '.join(PROVIDERS)}; more come with: {INSTALL}",
        )
    return Ask(
        provider=provider,
        model=model,
        base_url=base_url(known) if known else "",
        key=find_key(known.key_variables) if known else Key(),
        shared=prompt[:shared],
        own=prompt[shared:],
        max_tokens=MAX_TOKENS,
    )


def _keyless(ask: Ask) -> str:
    provider = PROVIDERS.get(ask.provider)
    if provider is None or ask.key or not provider.needs_key:
        return ""
    variables = " or ".join(provider.key_variables)
    return f"there is no key for {provider.name}: set {variables}, or put it in the system keyring"


def _reply_from(call: Call, ask: Ask, told: Told, heard: Heard) -> Reply:
    reply = Reply(call.seat.name, "failed", heard.text, told.failure, model=ask.model)
    if told.answer is None:
        return reply._replace(usage=Usage(requests=told.requests))
    answer = told.answer
    reply = reply._replace(
        text=answer.text,
        usage=answer.usage._replace(requests=told.requests),
        model=answer.model or ask.model,
    )
    if answer.refused:
        return reply._replace(error=answer.refused)
    note = f"the reply was cut at its longest, {ask.max_tokens:,} tokens" if answer.cut else ""
    return reply._replace(status="answered", error=note)


BACKEND = ApiBackend()
