"""Calls and replies as JSON text, for the way between machines."""

from __future__ import annotations

import json
import math

from guildmoot.codec import CodecError, from_plain, to_plain
from guildmoot.model.call import Call, Reply


def call_to_text(call: Call) -> str:
    """The call as ASCII JSON. Folders of this machine and the agent's own notes stay here."""
    agent = call.agent._replace(body="", description="")
    return dumps(to_plain(call._replace(agent=agent, workdir="", manifest="")))


def call_from_text(text: str) -> Call:
    """The call again; what a newer writer added is left aside, and so are folders that it names."""
    call = from_plain(Call, loads(text))
    if call.timeout < 0 or not 0 <= call.shared <= len(call.prompt):
        raise CodecError("its numbers make no sense")
    return call._replace(workdir="", manifest="")


def reply_to_text(reply: Reply) -> str:
    """The reply as ASCII JSON."""
    return dumps(to_plain(reply))


def reply_from_text(text: str) -> Reply:
    """The reply again."""
    return from_plain(Reply, loads(text))


def dumps(value: object) -> str:
    """Compact JSON in ASCII: any text survives in it, and Postgres takes it whole."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def loads(text: str) -> object:
    """JSON that anybody may have written; whatever is wrong with it is a CodecError."""
    try:
        return json.loads(text, parse_float=_number, parse_constant=_number)
    except RecursionError:
        raise CodecError("it is nested too deeply") from None
    except (ValueError, TypeError) as error:
        raise CodecError(f"it is no JSON: {error}") from None


def _number(word: str) -> float:
    if not math.isfinite(number := float(word)):
        raise CodecError(f"{word[:40]} is no number")
    return number
