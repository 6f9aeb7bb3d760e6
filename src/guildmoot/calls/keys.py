"""The name of a call is its content, so that whoever asks the same thing gets the same answer."""

from __future__ import annotations

import hashlib
import json
import secrets

from guildmoot.backends import traits_of
from guildmoot.model.agent import Agent
from guildmoot.model.call import MAX_OUTPUT, Call

_VERSION = "guild.call.v1"


def call_key(call: Call, scope: str = "") -> str:
    """SHA-256 over everything that can change the answer, as 64 hexadecimal digits.

    That is the packet's hash, the seat, the prompt, the model, the agent's parameters, the round and
    the repair attempt, without the nonce, which differs from machine to machine. ``scope`` is the run
    that alone may use the answer; empty shares it.
    """
    parts = {
        "version": _VERSION,
        "scope": scope,
        "packet": call.packet,
        "seat": call.seat.name,
        "backend": call.seat.backend,
        "model": call.seat.model or call.agent.model,
        "prompt": _digest(call.prompt.replace(call.nonce, "") if call.nonce else call.prompt),
        "files": call.files,
        "schema": call.schema,
        "agent": _parameters(call.agent),
        "round": call.round,
        "attempt": call.attempt,
    }
    if call.max_output != MAX_OUTPUT:
        parts["max_output"] = call.max_output
    if call.effort:
        parts["effort"] = call.effort
    if call.looks or call.looks_left:
        parts["looks"] = [call.looks_left, *call.looks]
    if call.work is not None:  # what it does depends on its folder, so it is new each time
        parts["once"] = secrets.token_hex(16)
    return _digest(json.dumps(parts, sort_keys=True, separators=(",", ":")))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def is_shared(call: Call) -> bool:
    """Whether the answer depends on nothing but the call, so that another run may use it.

    A tool of this machine or the state of a checkout is more than the call tells.
    """
    return call.work is None and traits_of(call.seat.backend).pure and call.agent.run_in == "packet"


def asked_at(call: Call) -> str:
    """Where a model is asked, if that is not its provider's usual address: another may answer there."""
    from guildmoot.backends.providers import own_address  # loads what only models need

    traits, model = traits_of(call.seat.backend), call.seat.model or call.agent.model
    provider = model.partition(":")[0].lower() if traits.needs == "model" else traits.provider
    return own_address(provider) if provider else ""


def _parameters(agent: Agent) -> list[object]:
    """What of an agent reaches its backend besides the prompt."""
    return [agent.command, agent.tools, agent.run_in, agent.format, agent.pattern, agent.replies]
