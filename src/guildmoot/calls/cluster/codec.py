"""Calls and replies as JSON text, for the way between machines."""

from __future__ import annotations

import json

from guildmoot.codec import from_plain, to_plain
from guildmoot.model.call import Call, Reply


def call_to_text(call: Call) -> str:
    """The call as ASCII JSON. Folders of this machine and the agent's own notes stay here."""
    agent = call.agent._replace(body="", description="")
    return dumps(to_plain(call._replace(agent=agent, workdir="", manifest="")))


def call_from_text(text: str) -> Call:
    """The call again; what a newer writer added is left aside, and so are folders that it names."""
    return from_plain(Call, json.loads(text))._replace(workdir="", manifest="")


def reply_to_text(reply: Reply) -> str:
    """The reply as ASCII JSON."""
    return dumps(to_plain(reply))


def reply_from_text(text: str) -> Reply:
    """The reply again."""
    return from_plain(Reply, json.loads(text))


def dumps(value: object) -> str:
    """Compact JSON in ASCII: any text survives in it, and Postgres takes it whole."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))
