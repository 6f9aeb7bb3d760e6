"""The clerk: who is asked to put words into a form, and about pairs of statements that may contradict.

A clerk decides nothing. What it writes is checked by code against what was said, can make no reply milder,
and is asked for in the run's own session: in the ledger and within the budget like every other call.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
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
    unclear: frozenset[int] = frozenset()
    """The pairs, counted from 0, at which it looked and could not tell."""


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
    likely: Collection[int] = (),
) -> PairRulings:
    """For each pair whether it contradicts, as far as the clerk can show it; None where it cannot.

    The first ``told`` pairs are contradictions by their words; of the ``likely`` ones words do not tell. A question
    with an answer that differs from what words told, or with any on a likely pair, is put once more with the sides
    swapped, and only what is said twice stands: a clerk that errs once in twenty would otherwise make something up
    on every larger board, or settle it.
    """
    from guildmoot.reading.clerk.pairs import MOST, PairAnswer, read_answers, swapped

    asked = [tuple(pairs[at : at + MOST]) for at in range(0, len(pairs), MOST)]
    calls = [_pairs_call(clerk, each, timeout, packet) for each in asked]
    turned = [tuple(map(swapped, each)) for each in asked]
    again = [_pairs_call(clerk, each, timeout, packet)._replace(attempt=1) for each in turned]
    by_prompt = dict(
        zip((call.prompt for call in (*again, *calls)), (*turned, *asked), strict=True)
    )

    def read(reply: Reply, call: Call) -> tuple[PairAnswer, ...]:
        return read_answers(
            reply.text if reply.status == "answered" else "", by_prompt[call.prompt]
        )

    first = await ask(session, calls, ReplyReader(read))
    doubtful = frozenset(
        number
        for number, said in enumerate(answer for value in first.values for answer in value)
        if said.contradicts is (number >= told) or (number in likely and said.contradicts is False)
    )
    pages = sorted({number // MOST for number in doubtful})
    second = await ask(session, [again[page] for page in pages], ReplyReader(read))
    confirmed = {page * MOST + at: said.contradicts for page, value in zip(pages, second.values, strict=True)
                 for at, said in enumerate(value)}  # fmt: skip
    rulings: list[bool | None] = []
    unclear: set[int] = set()
    for number, said in enumerate(answer for value in first.values for answer in value):
        stands = number not in doubtful or confirmed[number] is said.contradicts
        rulings.append(said.contradicts if stands else None)
        if said.unclear or not stands:
            unclear.add(number)
    total = with_usage(first.replies[0], [*first.replies[1:], *second.replies])
    return PairRulings(tuple(rulings), calls[0].seat, total, frozenset(unclear))


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
