"""The clerk: who is asked to put words into a form, and about pairs of statements that may contradict.

A clerk decides nothing. What it writes is checked by code against what was said, can make no reply milder,
and is asked for in the run's own session: in the ledger and within the budget like every other call.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from guildmoot.agents.binding import bind_model, parse_model
from guildmoot.agents.roster import seat_for
from guildmoot.backends import traits_of
from guildmoot.calls.session import CallSession
from guildmoot.config import Config
from guildmoot.model.agent import Agent, Seat
from guildmoot.model.call import Call, Reply
from guildmoot.practices.calls import with_schema
from guildmoot.practices.stage import ReplyReader, ask
from guildmoot.reading.clerk.pairs import MOST, AskedPair, ask_about, pairs_schema, read_rulings

NAME = "clerk"


class PairRulings(NamedTuple):
    """What a clerk made of pairs, and what that took."""

    rulings: tuple[bool | None, ...]
    seat: Seat
    reply: Reply


def find_clerk(config: Config, seated: Iterable[Agent] = ()) -> Agent | None:
    """The model of ``clerk.model``, else that of the first who sits and thinks; None where nobody does."""
    blank = Agent(NAME, "puts words into a form", "", "built in", role="clerk")
    if model := config.text("clerk.model"):
        return bind_model(blank, parse_model(model))
    thinkers = (agent for agent in seated if not traits_of(agent.backend).is_tool)
    first = next(thinkers, None)
    return first._replace(name=NAME, body="", reply="verdict") if first else None


async def rule_on_pairs(
    session: CallSession, clerk: Agent, pairs: Sequence[AskedPair], timeout: float, packet: str = ""
) -> PairRulings:
    """For each pair whether it contradicts, as far as the clerk can show it; None where it cannot."""
    asked = tuple(pairs[:MOST])
    call = Call(
        seat=seat_for(clerk, "statements that may contradict"),
        agent=clerk,
        prompt=ask_about(asked),
        timeout=clerk.timeout or timeout,
        packet=packet,
    )
    call = with_schema(call, pairs_schema())

    def read(reply: Reply, call: Call) -> tuple[bool | None, ...]:
        return read_rulings(reply.text if reply.status == "answered" else "", asked)

    done = await ask(session, [call], ReplyReader(read))
    more = (None,) * (len(pairs) - len(asked))
    return PairRulings((*done.values[0], *more), call.seat, done.replies[0])
