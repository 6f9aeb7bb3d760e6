"""A reply that cannot be read is asked for again, with what was wrong with it; at most twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from guildmoot.practices.spending import BackendFor
from guildmoot.reading.reply import read_reply
from guildmoot.spawn import spawn
from guildmoot.types import Call, Judgement, Reply

ATTEMPTS = 2
_SHOWN = 4_000
"""Characters of the unreadable reply that its author sees again."""

_ASK = """
Your earlier reply could not be read: {problem}

It began:
{reply}

Answer again, in the form that your instructions give, and with nothing before the VERDICT line.
"""


class Repaired(NamedTuple):
    """The judgements after asking again, and every reply that it took."""

    judgements: tuple[Judgement, ...]
    asked_again: tuple[Reply, ...]


async def repair(
    judgements: Sequence[Judgement],
    replies: Sequence[Reply],
    calls: Sequence[Call],
    backend_for: BackendFor,
    deadline: float | None,
) -> Repaired:
    """Ask those whose reply could not be read again; who stays unreadable stays so."""
    current = {judgement.seat: judgement for judgement in judgements}
    last = {reply.seat: reply for reply in replies}
    by_seat = {call.seat.name: call for call in calls}
    kept: list[Reply] = []
    for attempt in range(1, ATTEMPTS + 1):
        again = [
            _again(by_seat[seat], last[seat], judgement.reason)
            for seat, judgement in current.items()
            if _is_unreadable(judgement, by_seat)
        ]
        if not again:
            break
        spawned = await spawn(again, deadline=deadline, backend_for=backend_for)
        for reply in spawned.replies:
            kept.append(reply._replace(seat=f"{reply.seat}~repair-{attempt}"))
            if reply.status == "answered":
                last[reply.seat] = reply
                current[reply.seat] = read_reply(reply, by_seat[reply.seat])
        if spawned.interrupted:
            break
    return Repaired(tuple(current[judgement.seat] for judgement in judgements), tuple(kept))


def _is_unreadable(judgement: Judgement, calls: dict[str, Call]) -> bool:
    """A tool cannot be asked to mend its words."""
    return judgement.outcome == "unreadable" and not judgement.computed and judgement.seat in calls


def _again(call: Call, reply: Reply, problem: str) -> Call:
    barred = "\n".join(f"| {line}" for line in reply.text[:_SHOWN].splitlines())
    return call._replace(prompt=call.prompt + _ASK.format(problem=problem, reply=barred))
