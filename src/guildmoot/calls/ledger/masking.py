"""What may be kept of a reply: the words of whatever ran outside the filtered packet may hold secrets."""

from __future__ import annotations

from guildmoot.backends import traits_of
from guildmoot.guard.secrets import mask
from guildmoot.model.call import Call, Reply


def held_back(reply: Reply, call: Call) -> Reply:
    """The reply as it may be recorded and shown."""
    if traits_of(call.agent.backend).is_tool and call.agent.run_in == "packet":
        return reply
    return reply._replace(text=mask(reply.text, "reply")[0], error=mask(reply.error, "reply")[0])
