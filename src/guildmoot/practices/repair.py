"""A reply that cannot be read is asked for again, with what was wrong with it; at most twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from guildmoot.calls.session import CallSession
from guildmoot.model.call import Call, Reply, Usage
from guildmoot.model.verdict import Judgement
from guildmoot.reading.reply import read_reply

ATTEMPTS = 2
_SHOWN = 4_000
"""Characters of the unreadable reply that its author sees again."""

_ASK = """
Your earlier reply could not be read: {problem}

It began:
{reply}

Answer again, in the form that your instructions give, and with nothing {around}.
"""
_AROUND = {"verdict": "before the VERDICT line", "council": "before or after the JSON object"}


class Repaired(NamedTuple):
    """The judgements after asking again, and every reply that it took."""

    judgements: tuple[Judgement, ...]
    asked_again: tuple[Reply, ...] = ()
    """Under the seat's name with ``~repair-1`` or ``~repair-2`` after it."""
    interrupted: bool = False


async def repair(
    judgements: Sequence[Judgement],
    replies: Sequence[Reply],
    calls: Sequence[Call],
    session: CallSession,
    deadline: float | None,
) -> Repaired:
    """Ask those whose reply could not be read again; who stays unreadable stays so."""
    current = {judgement.seat: judgement for judgement in judgements}
    last = {reply.seat: reply for reply in replies}
    by_seat = {call.seat.name: call for call in calls}
    kept: list[Reply] = []
    for attempt in range(1, ATTEMPTS + 1):
        again = [
            _again(by_seat[seat], last[seat], judgement.reason, attempt)
            for seat, judgement in current.items()
            if _is_unreadable(judgement, by_seat, last[seat])
        ]
        if not again:
            break
        spawned = await session.ask(again, deadline=deadline)
        for reply in spawned.replies:
            kept.append(reply._replace(seat=f"{reply.seat}~repair-{attempt}"))
            if reply.status == "answered":
                last[reply.seat] = reply
                current[reply.seat] = read_reply(reply, by_seat[reply.seat])
        if spawned.interrupted:
            return Repaired(_in_order(judgements, current), tuple(kept), interrupted=True)
    return Repaired(_in_order(judgements, current), tuple(kept))


def with_repairs(replies: Sequence[Reply], asked_again: Sequence[Reply]) -> tuple[Reply, ...]:
    """The replies with what asking again took added to their usage and time."""
    more: dict[str, list[Reply]] = {}
    for reply in asked_again:
        more.setdefault(reply.seat.rpartition("~")[0], []).append(reply)
    return tuple(_added(reply, more.get(reply.seat, [])) for reply in replies)


def _added(reply: Reply, more: Sequence[Reply]) -> Reply:
    usages = [each.usage for each in (reply, *more) if each.usage]
    if not more or not usages:
        return reply
    costs = [usage.cost_usd for usage in usages]
    total = Usage(
        input_tokens=sum(usage.input_tokens for usage in usages),
        output_tokens=sum(usage.output_tokens for usage in usages),
        cache_read_tokens=sum(usage.cache_read_tokens for usage in usages),
        cache_write_tokens=sum(usage.cache_write_tokens for usage in usages),
        requests=sum(usage.requests for usage in usages),
        cost_usd=None if None in costs else sum(cost for cost in costs if cost),
    )
    seconds = reply.seconds + sum(each.seconds for each in more)
    return reply._replace(usage=total, seconds=seconds)


def _in_order(
    judgements: Sequence[Judgement], current: dict[str, Judgement]
) -> tuple[Judgement, ...]:
    return tuple(current[judgement.seat] for judgement in judgements)


def _is_unreadable(judgement: Judgement, calls: dict[str, Call], reply: Reply) -> bool:
    """It answered, but gave no judgement. A tool cannot be asked to mend its words."""
    no_vote = judgement.outcome == "absent" and reply.status == "answered"
    unread = judgement.outcome == "unreadable" or no_vote
    return unread and not judgement.computed and judgement.seat in calls


def _again(call: Call, reply: Reply, problem: str, attempt: int) -> Call:
    barred = "\n".join(f"| {line}" for line in reply.text[:_SHOWN].splitlines())
    asked = _ASK.format(problem=problem, reply=barred, around=_AROUND[call.agent.reply])
    return call._replace(prompt=call.prompt + asked, attempt=attempt)
