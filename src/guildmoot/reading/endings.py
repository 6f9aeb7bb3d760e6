"""Replies that did not come to their own end: cut off, paused, filtered, or ended with a tool call.

Half a reply may have had its "but" in the other half, so it is no vote. A flag in it counts all the same.
"""

from __future__ import annotations

from guildmoot.model.call import Reply
from guildmoot.model.verdict import Judgement

_OLD_NOTE = "the reply was cut at its longest"
"""What was kept of a cut reply before replies said how they ended."""


def ending_of_reply(reply: Reply) -> str:
    """How the reply ended, when that was not its own end."""
    old = reply.status == "answered" and reply.error.startswith(_OLD_NOTE)
    return reply.ending or ("cut off at its token limit" if old else "")


def only_flags(judgement: Judgement, reply: Reply) -> Judgement:
    """The judgement, if the reply is whole or flags; otherwise the seat has not judged."""
    ending = ending_of_reply(reply)
    if not ending or judgement.outcome == "flagged":
        return judgement
    reason = f"its reply is not whole: {ending}"
    return Judgement(judgement.seat, "absent", reason=reason, family=judgement.family)
