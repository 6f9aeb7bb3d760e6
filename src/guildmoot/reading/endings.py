"""Replies that did not come to their own end: cut off, paused, filtered, or ended with a tool call.

Half a reply may have had its "but" in the other half, so it is no vote. A flag in it counts all the same.
"""

from __future__ import annotations

from guildmoot.model.call import Reply
from guildmoot.model.verdict import Judgement
from guildmoot.text.clean import one_line

_OLD_NOTE = "the reply was cut at its longest"
"""What was kept of a cut reply before replies said how they ended."""


_SHOWN = 240
"""Characters that are shown of a reply that is no vote."""


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


def quoting(judgement: Judgement, reply: Reply) -> Judgement:
    """With the first words of who did not vote in the reason, so that a "no" that was not read is seen."""
    said = one_line(reply.text[: 4 * _SHOWN])
    if judgement.council and judgement.council.failure == "unconfirmed":
        return judgement  # its own words are quoted already
    if judgement.outcome not in ("absent", "unreadable") or judgement.computed or not said:
        return judgement
    shown = f"{said[:_SHOWN]}{'…' if len(said) > _SHOWN else ''}"
    return judgement._replace(reason=f'{judgement.reason}; it said: "{shown}"')
