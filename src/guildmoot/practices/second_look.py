"""A serious finding of one family is put to the others before it is dropped: one question, "is this right?".

One judge of each other family is asked once, about a few findings together, in the run's own session: in the
ledger and within the budget like every other call. The answers are votes for ``consensus.policies``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from guildmoot.calls.session import CallSession
from guildmoot.config import Config
from guildmoot.consensus.opinions import (
    Record,
    SecondLook,
    holders_of,
    is_open,
    opinion_families,
    share_questions,
    unplaced_flags,
)
from guildmoot.consensus.panel import has_voted
from guildmoot.model.agent import Roster, Seat
from guildmoot.model.call import Call, Reply
from guildmoot.model.packet import Packet
from guildmoot.model.verdict import Finding, Issue, Judgement
from guildmoot.named import NamedTuple
from guildmoot.practices.stage import ReplyReader, ask
from guildmoot.text.clean import count

if TYPE_CHECKING:
    from guildmoot.reading.second_look import Look

MOST = 5
"""Findings that one run asks about, shared between the families that name them."""
ASKED = "~asked"
"""Behind the name of a seat: what it answered about another's finding."""


class SecondLooks(NamedTuple):
    """The answers by the id of the issue, and what getting them took."""

    by_issue: Mapping[str, tuple[SecondLook, ...]] = {}
    replies: tuple[Reply, ...] = ()
    interrupted: bool = False
    unasked: Mapping[str, str] = {}
    """Why nobody was asked about an issue that should have been put to the others, by its id."""

    @property
    def told(self) -> tuple[str, ...]:
        """One line for the report."""
        if not self.replies:
            return ()
        seats = ", ".join(reply.seat.removesuffix(ASKED) for reply in self.replies)
        told = f"{count(len(self.by_issue), 'finding')} of one family put to {seats}"
        failed = [r.seat.removesuffix(ASKED) for r in self.replies if r.status != "answered"]
        return (told + (f"; no answer from {', '.join(failed)}" if failed else ""),)


async def ask_others(
    session: CallSession,
    roster: Roster,
    judgements: Sequence[Judgement],
    issues: Sequence[Issue],
    packet: Packet,
    config: Config,
    record: Record,
) -> SecondLooks:
    """Ask one judge of each other family about the findings that one family alone holds."""
    if config.text("policy.name") != "weighed" or not config.flag("panel.ask_others"):
        return SecondLooks()
    judgements = [j for j in judgements if not record.is_fooled(j.seat)]
    families = opinion_families(judgements)
    alone = [issue for issue in issues if is_open(issue, families)]
    asked = share_questions(alone, MOST)
    unasked = {i.id: f"at most {MOST} findings are put to the others" for i in alone}
    unasked |= {i.id: "the place is not in the work" for i in unplaced_flags(issues, families)}
    for issue in asked:
        unasked.pop(issue.id)
    calls, about = [], []
    texts = {file.path: file.text for file in packet.files}
    for seat in _speakers(roster, judgements):
        others = [issue for issue in asked if (seat.family or seat.name) not in holders_of(issue)]
        if others:
            speakers = [issue.representative for issue in others]
            shown = [(finding, texts.get(finding.path, "")) for finding in speakers]
            calls.append(_call(seat, shown, roster, packet, config))
            about.append((others, shown))
    if not calls:
        return SecondLooks(unasked=unasked)
    from guildmoot.reading.second_look import no_looks, read_looks  # few runs need it

    by_seat = {call.seat.name: shown for call, (_, shown) in zip(calls, about, strict=True)}

    def read(reply: Reply, call: Call) -> tuple[Look, ...]:
        shown = by_seat[call.seat.name]
        failed = reply.status != "answered"
        return no_looks(reply, len(shown)) if failed else read_looks(reply.text, shown)

    done = await ask(session, calls, ReplyReader(read), deadline=config.number("panel.deadline"))
    found: dict[str, list[SecondLook]] = {}
    for call, (others, _), looks in zip(calls, about, done.values, strict=True):
        family = call.seat.family or call.seat.name.removesuffix(ASKED)
        for issue, look in zip(others, looks, strict=True):
            found.setdefault(issue.id, []).append(SecondLook(family, *look))
    by_issue = {name: tuple(looks) for name, looks in found.items()}
    return SecondLooks(by_issue, done.replies, done.interrupted, unasked)


def _speakers(roster: Roster, judgements: Sequence[Judgement]) -> list[Seat]:
    """The first seat of each family that voted and is no program."""
    voted = {j.seat for j in judgements if has_voted(j) and not j.computed}
    first: dict[str, Seat] = {}
    for seat in roster.seats:
        if seat.name in voted:
            first.setdefault(seat.family or seat.name, seat)
    return list(first.values())


def _call(
    seat: Seat,
    shown: Sequence[tuple[Finding, str]],
    roster: Roster,
    packet: Packet,
    config: Config,
) -> Call:
    from guildmoot.practices.calls import with_schema
    from guildmoot.reading.second_look import ask_about, looks_schema

    agent = roster.agents[seat.name]
    call = Call(
        seat=seat._replace(name=f"{seat.name}{ASKED}"),
        agent=agent,
        prompt=ask_about(shown),
        timeout=agent.timeout or config.number("panel.timeout"),
        packet=packet.hash,
    )
    return with_schema(call, looks_schema())
