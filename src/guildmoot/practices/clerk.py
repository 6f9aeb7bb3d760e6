"""The clerk: who is asked to put words into a form, and about pairs of statements that may contradict.

A clerk decides nothing. What it writes is checked by code against what was said, can make no reply milder,
and is asked for in the run's own session: in the ledger and within the budget like every other call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from guildmoot.agents.binding import bind_model, parse_model
from guildmoot.agents.roster import seat_for
from guildmoot.backends import traits_of
from guildmoot.calls.session import CallSession
from guildmoot.config import Config
from guildmoot.model.agent import Agent, Seat
from guildmoot.model.call import Call, Reply
from guildmoot.named import NamedTuple
from guildmoot.practices.calls import clerk_call, with_schema
from guildmoot.practices.stage import ReplyReader, ask, with_usage

if TYPE_CHECKING:
    from guildmoot.reading.clerk.pairs import AskedPair

_FORM = 12_000
"""Characters that a form takes, with what is said of the answer that could not be read."""
_PAIRS = 40_000
"""Characters of all the pairs that a clerk is asked about."""
NAME = "clerk"


class PairRulings(NamedTuple):
    """What a clerk made of pairs, and what that took."""

    rulings: tuple[bool | None, ...]
    seat: Seat
    reply: Reply
    """The first, with the usage of all that it took."""


def find_clerk(config: Config, seated: Iterable[Agent] = ()) -> Agent | None:
    """The model of ``clerk.model``, else that of the first who sits and thinks; None where nobody does."""
    blank = Agent(NAME, "puts words into a form", "", "built in", role="clerk")
    if model := config.text("clerk.model"):
        return bind_model(blank, parse_model(model))
    thinkers = (agent for agent in seated if not traits_of(agent.backend).is_tool)
    first = next(thinkers, None)
    return first._replace(name=NAME, body="", reply="verdict") if first else None


async def rule_on_pairs(
    session: CallSession,
    clerk: Agent,
    pairs: Sequence[AskedPair],
    timeout: float,
    packet: str = "",
    told: int = 0,
) -> PairRulings:
    """For each pair whether it contradicts, as far as the clerk can show it; None where it cannot.

    The first ``told`` pairs are contradictions by their words. A question whose answer differs from what words
    told is put once more, and only what is said twice stands: a clerk that errs once in twenty would otherwise
    make something up on every larger board.
    """
    from guildmoot.reading.clerk.pairs import MOST, read_rulings  # few runs need it

    asked = [tuple(pairs[at : at + MOST]) for at in range(0, len(pairs), MOST)]
    calls = [_pairs_call(clerk, each, timeout, packet) for each in asked]
    by_prompt = {call.prompt: each for call, each in zip(calls, asked, strict=True)}

    def read(reply: Reply, call: Call) -> tuple[bool | None, ...]:
        said = reply.text if reply.status == "answered" else ""
        return read_rulings(said, by_prompt[call.prompt])

    reader = ReplyReader(read)
    first = await ask(session, calls, reader)
    known = [number < told for number in range(len(pairs))]
    doubtful = [at for at, found in enumerate(first.values) if differs(found, known[at * MOST :])]
    again = [calls[at]._replace(attempt=1) for at in doubtful]
    second = await ask(session, again, reader)
    confirmed = dict(zip(doubtful, second.values, strict=True))
    rulings = [
        ruling
        for at, found in enumerate(first.values)
        for ruling in said_twice(found, confirmed.get(at, found), known[at * MOST :])
    ]
    total = with_usage(first.replies[0], [*first.replies[1:], *second.replies])
    return PairRulings(tuple(rulings), calls[0].seat, total)


def differs(rulings: Sequence[bool | None], known: Sequence[bool]) -> bool:
    """Whether a clerk says other than what words told."""
    return any(ruling is (not each) for ruling, each in zip(rulings, known, strict=False))


def said_twice(
    first: Sequence[bool | None], second: Sequence[bool | None], known: Sequence[bool]
) -> Iterator[bool | None]:
    """What stands of two answers: a ruling that differs from what words told only where both give it."""
    for one, other, each in zip(first, second, known, strict=False):
        yield None if one is (not each) and other is not one else one


def _pairs_call(clerk: Agent, pairs: Sequence[AskedPair], timeout: float, packet: str) -> Call:
    from guildmoot.reading.clerk.pairs import ask_about, pairs_schema

    call = Call(
        seat=seat_for(clerk, "statements that may contradict"),
        agent=clerk,
        prompt=ask_about(pairs),
        timeout=clerk.timeout or timeout,
        packet=packet,
    )
    return with_schema(call, pairs_schema())


# --- for an estimate that holds -------------------------------------------------------------------


def second_asks(
    judges: Sequence[Call], chair: Sequence[Call], config: Config, most: int, *, votes: bool
) -> list[Call]:
    """The calls that are made where answers cannot be read: the seat once more, then a clerk with the answer.

    Of a vote also those about remedies that may clash, twice where the clerk says other than their words do.
    """
    model = config.text("clerk.model")
    paid = [call for call in judges if not traits_of(call.seat.backend).is_tool]
    again = [call._replace(prompt=call.prompt + _room(_FORM)) for call in (*paid, *chair)]
    clerks = [clerk_call(call, _room(_FORM + _answer(call, most)), model) for call in paid]
    if votes and len(paid) > 1:
        clerks += [clerk_call(paid[0], _room(_FORM + _PAIRS), model)] * 2
    return again + clerks


def _answer(call: Call, most: int) -> int:
    """Tokens of the longest answer; a character of ``_room`` counts as one at the least."""
    return traits_of(call.seat.backend).own_output or most


def _room(size: int) -> str:
    return "?" * size
