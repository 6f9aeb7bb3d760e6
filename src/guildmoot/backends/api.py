"""Runs a judge on a model behind HTTP: Anthropic, OpenAI, Google, or a server that speaks like one.

A model is named ``provider:model``. A call is one request: who may look into files with tools is answered
by whoever made the call, in a further one. What the reply means is left to reading, and what it costs to
whoever knows the prices.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from weakref import WeakKeyDictionary

from guildmoot.backends.api_keys import Key, find_key, scrubbed, secrets
from guildmoot.backends.http.caller import Caller, CallOutcome, Clock, PartialReply
from guildmoot.backends.http.connections import Connections
from guildmoot.backends.http.direct import DirectWire
from guildmoot.backends.http.limits import rates
from guildmoot.backends.http.through_pydantic_ai import INSTALL, PydanticAiWire, knows
from guildmoot.backends.http.wire import CompletionRequest, Wire
from guildmoot.backends.outcome import timed_out
from guildmoot.backends.providers import PROVIDERS, base_url, split_model
from guildmoot.errors import UsageError
from guildmoot.model.agent import Agent
from guildmoot.model.call import MAX_OUTPUT, Call, Reply, Usage


class _LoopState:
    """What belongs to one event loop."""

    def __init__(self, clock: Clock) -> None:
        self.connections = Connections()
        self.direct = DirectWire(self.connections)
        self.others = PydanticAiWire()
        self.caller = Caller(rates(), clock)
        self.secrets = secrets()
        self.keeper = self._until_the_loop_ends()

    async def _until_the_loop_ends(self) -> AsyncGenerator[None, None]:
        """A loop that shuts down closes its generators, and so our idle connections."""
        try:
            yield
        finally:
            self.connections.close()
            await self.others.close()
            await asyncio.sleep(0)


class ApiBackend:
    """``backend: api``."""

    name = "api"

    def __init__(self, clock: Clock = Clock()) -> None:  # noqa: B008 - a frozen value
        self._clock = clock
        self._states: WeakKeyDictionary[asyncio.AbstractEventLoop, _LoopState] = WeakKeyDictionary()

    def missing(self, agent: Agent) -> str:
        try:
            request = question(agent.model, "", 0)
        except UsageError as error:
            return f"{error.message}. {error.hint}".strip()
        return _keyless(request)

    async def call(self, call: Call) -> Reply:
        try:
            request = question(call.seat.model or call.agent.model, call.prompt, call.shared)
            request = request._replace(
                schema=call.schema,
                effort=call.effort,
                max_tokens=_most(call, request),
                looks=call.looks,
                looks_left=call.looks_left,
            )
        except UsageError as error:
            why = f"{error.message}. {error.hint}".strip()
            return Reply(call.seat.name, "missing", error=why)
        if why := _keyless(request):
            return Reply(call.seat.name, "missing", error=why)
        state = await self._state()
        reply = await self._reply(state, call, request)
        keys = (request.key, *state.secrets)
        return reply._replace(text=scrubbed(reply.text, keys), error=scrubbed(reply.error, keys))

    async def _reply(self, state: _LoopState, call: Call, request: CompletionRequest) -> Reply:
        partial = PartialReply()
        seconds = call.timeout if call.timeout > 0 else None
        deadline = self._clock.now() + (seconds or float("inf"))
        wire: Wire = state.direct if request.provider in PROVIDERS else state.others
        try:
            async with asyncio.timeout(seconds):
                outcome = await state.caller.call(wire, request, partial, deadline)
        except TimeoutError:
            spent = Usage(requests=partial.requests)
            late = Reply(call.seat.name, "timeout", partial.text, timed_out(call), usage=spent)
            return late._replace(model=request.model)
        return _reply_from(call, request, outcome, partial)

    async def _state(self) -> _LoopState:
        loop = asyncio.get_running_loop()
        if loop not in self._states:
            state = self._states[loop] = _LoopState(self._clock)
            await anext(state.keeper)
        return self._states[loop]


def question(name: str, prompt: str, shared: int) -> CompletionRequest:
    """What is asked of the model of that name; UsageError when it cannot be."""
    provider, model = split_model(name)
    known = PROVIDERS.get(provider)
    if known is None and not knows(provider):
        raise UsageError(
            f"there is no provider {provider!r}",
            f"Known are {', '.join(PROVIDERS)}; more come with: {INSTALL}",
        )
    return CompletionRequest(
        provider=provider,
        model=model,
        base_url=base_url(known) if known else "",
        key=find_key(known.key_variables) if known else Key(),
        shared=prompt[:shared],
        own=prompt[shared:],
        max_tokens=MAX_OUTPUT,
    )


def _most(call: Call, request: CompletionRequest) -> int:
    """Tokens of output that are paid for; 0, no limit, for a server of one's own that bills nothing.

    Such a one would refuse what does not fit beside the prompt.
    """
    known = PROVIDERS.get(request.provider)
    billed = known is None or known.needs_key or call.most_usd
    return call.max_output if billed else 0


def _keyless(request: CompletionRequest) -> str:
    provider = PROVIDERS.get(request.provider)
    if provider is None or request.key or not provider.needs_key:
        return ""
    variables = " or ".join(provider.key_variables)
    return f"there is no key for {provider.name}: set {variables}, or put it in the system keyring"


def _reply_from(
    call: Call, request: CompletionRequest, outcome: CallOutcome, partial: PartialReply
) -> Reply:
    reply = Reply(call.seat.name, "failed", partial.text, outcome.failure, model=request.model)
    if outcome.answer is None:
        return reply._replace(usage=Usage(requests=outcome.requests))
    answer = outcome.answer
    reply = reply._replace(
        text=answer.text,
        usage=answer.usage._replace(requests=outcome.requests),
        model=answer.model or request.model,
    )
    reply = reply._replace(ending=answer.refused or answer.ending)
    if answer.refused:
        return reply._replace(error=answer.refused)
    if answer.looks and call.looks_left:
        return reply._replace(status="answered", ending="", looks=answer.looks)
    return reply._replace(status="answered", error=answer.ending)


BACKEND = ApiBackend()
