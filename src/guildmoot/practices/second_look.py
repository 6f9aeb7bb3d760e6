"""A serious finding of one family is put to the others before it is dropped: one question, "is this right?".

One judge of each other family is asked once, about a few findings together, in the run's own session: in the
ledger and within the budget like every other call. The answers are votes for ``consensus.policies``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from guildmoot.backends.schemas import schema_form
from guildmoot.calls.session import CallSession
from guildmoot.config import Config
from guildmoot.consensus.opinions import SecondLook, holders_of, is_open, opinion_families
from guildmoot.consensus.panel import has_voted
from guildmoot.model.agent import Roster, Seat
from guildmoot.model.call import Call, Reply
from guildmoot.model.packet import Packet
from guildmoot.model.verdict import SEVERITIES, Conflict, Issue, Judgement
from guildmoot.practices.stage import ReplyReader, ask
from guildmoot.reading.second_look import Look, ask_about, looks_schema, read_looks
from guildmoot.reading.verdict_schema import strict_schema
from guildmoot.text.clean import count

MOST = 5
"""Findings that one run asks about, the gravest first."""
ASKED = "~asked"
"""Behind the name of a seat: what it answered about another's finding."""


class SecondLooks(NamedTuple):
    """The answers by the id of the issue, and what getting them took."""

    by_issue: Mapping[str, tuple[SecondLook, ...]] = {}
    replies: tuple[Reply, ...] = ()
    interrupted: bool = False

    @property
    def told(self) -> tuple[str, ...]:
        """One line for the report."""
        if not self.replies:
            return ()
        seats = ", ".join(reply.seat.removesuffix(ASKED) for reply in self.replies)
        return (f"{count(len(self.by_issue), 'finding')} of one family put to {seats}",)


async def ask_others(
    session: CallSession,
    roster: Roster,
    judgements: Sequence[Judgement],
    issues: Sequence[Issue],
    conflicts: Sequence[Conflict],
    packet: Packet,
    config: Config,
) -> SecondLooks:
    """Ask one judge of each other family about the findings that one family alone holds."""
    if config.text("policy.name") != "weighed" or not config.flag("panel.ask_others"):
        return SecondLooks()
    families = opinion_families(judgements)
    opposed = {finding for conflict in conflicts for finding in conflict.findings}
    alone = [
        issue for issue in issues if is_open(issue, families) and opposed.isdisjoint(issue.members)
    ]
    asked = sorted(alone, key=_rank)[:MOST]
    calls, about = [], []
    for seat in _speakers(roster, judgements):
        others = [issue for issue in asked if (seat.family or seat.name) not in holders_of(issue)]
        if others:
            calls.append(_call(seat, others, roster, packet, config))
            about.append(others)
    if not calls:
        return SecondLooks()
    sizes = {call.seat.name: len(others) for call, others in zip(calls, about, strict=True)}

    def read(reply: Reply, call: Call) -> tuple[Look, ...]:
        return read_looks(reply.text if reply.status == "answered" else "", sizes[call.seat.name])

    done = await ask(session, calls, ReplyReader(read), deadline=config.number("panel.deadline"))
    found: dict[str, list[SecondLook]] = {}
    for call, others, looks in zip(calls, about, done.values, strict=True):
        family = call.seat.family or call.seat.name.removesuffix(ASKED)
        for issue, look in zip(others, looks, strict=True):
            found.setdefault(issue.id, []).append(SecondLook(family, *look))
    by_issue = {name: tuple(looks) for name, looks in found.items()}
    return SecondLooks(by_issue, done.replies, done.interrupted)


def _rank(issue: Issue) -> tuple[int, str, int, str]:
    speaker = issue.representative
    return SEVERITIES.index(issue.severity), speaker.path, speaker.line, issue.id


def _speakers(roster: Roster, judgements: Sequence[Judgement]) -> list[Seat]:
    """The first seat of each family that voted and is no program."""
    voted = {j.seat for j in judgements if has_voted(j) and not j.computed}
    first: dict[str, Seat] = {}
    for seat in roster.seats:
        if seat.name in voted:
            first.setdefault(seat.family or seat.name, seat)
    return list(first.values())


def _call(
    seat: Seat, issues: Sequence[Issue], roster: Roster, packet: Packet, config: Config
) -> Call:
    agent = roster.agents[seat.name]
    texts = {file.path: file.text for file in packet.files}
    shown = [(i.representative, texts.get(i.representative.path, "")) for i in issues]
    form = schema_form(agent.backend, seat.model or agent.model)
    return Call(
        seat=seat._replace(name=f"{seat.name}{ASKED}"),
        agent=agent,
        prompt=ask_about(shown),
        timeout=agent.timeout or config.number("panel.timeout"),
        schema=strict_schema(form.vendor, looks_schema()) if form.vendor else None,
        packet=packet.hash,
    )
