"""Calls and replies as JSON text, for the way between machines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from guildmoot.model.agent import Agent, Seat
from guildmoot.model.call import Call, Reply, Usage


def call_to_text(call: Call) -> str:
    """The call as ASCII JSON. Folders of this machine and the agent's own notes stay here."""
    agent = call.agent._replace(body="", description="")
    bare = call._replace(workdir="", manifest="")
    return dumps({**bare._asdict(), "seat": call.seat._asdict(), "agent": agent._asdict()})


def call_from_text(text: str) -> Call:
    """The call again; what a newer writer added is left aside, and so are folders that it names."""
    raw = json.loads(text)
    fields = _known(Call, raw)
    fields["seat"] = Seat(**_known(Seat, raw["seat"]))
    fields["agent"] = Agent(**_tuples(_known(Agent, raw["agent"])))
    fields["files"] = tuple(raw["files"])
    fields["workdir"] = fields["manifest"] = ""
    return Call(**fields)


def reply_to_text(reply: Reply) -> str:
    """The reply as ASCII JSON."""
    usage = None if reply.usage is None else reply.usage._asdict()
    return dumps({**reply._asdict(), "usage": usage})


def reply_from_text(text: str) -> Reply:
    """The reply again."""
    raw = json.loads(text)
    fields = _known(Reply, raw)
    if raw.get("usage") is not None:
        fields["usage"] = Usage(**_known(Usage, raw["usage"]))
    return Reply(**fields)


def dumps(value: object) -> str:
    """Compact JSON in ASCII: any text survives in it, and Postgres takes it whole."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def _known(
    kind: type[Call | Reply | Seat | Agent | Usage], raw: Mapping[str, Any]
) -> dict[str, Any]:
    return {name: raw[name] for name in kind._fields if name in raw}


def _tuples(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: _tuple(value) for name, value in fields.items()}


def _tuple(value: object) -> object:
    if isinstance(value, list):
        return tuple(_tuple(each) for each in cast(list[object], value))
    return value
