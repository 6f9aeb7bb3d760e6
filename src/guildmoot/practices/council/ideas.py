"""Brainstorm and research: every judge is asked at once, and what they say is laid side by side.

Nothing is judged and nobody votes, so there is neither verdict nor outcome. What two judges propose in
other words is one option; who proposed it, and in which words, is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from guildmoot.backends import traits_of
from guildmoot.calls import Watch
from guildmoot.calls.session import CallSession
from guildmoot.consensus.options import OptionGroup, Proposal, group_proposals
from guildmoot.model.call import Call, Reply
from guildmoot.model.council import Facet, Ideas, Judge, Option, Theme
from guildmoot.model.packet import Packet
from guildmoot.practices.council.ideas_prompts import again, own_part, shared_part
from guildmoot.practices.council.plan import CouncilPlan
from guildmoot.practices.council.seating import CouncilSeat
from guildmoot.practices.council.techniques import lenses_for, technique_of
from guildmoot.practices.repair import with_repairs
from guildmoot.reading.ideas import IdeasReading, Listed, read_ideas

NOT_A_MODEL = "a tool finds what its rules name; it has no ideas to give"


class Told(NamedTuple):
    """One judge, what it answered, and what was read in it."""

    seat: CouncilSeat
    reply: Reply
    reading: IdeasReading
    explored: tuple[tuple[str, str], ...] = ()


async def gather_ideas(
    session: CallSession,
    seats: Sequence[CouncilSeat],
    packet: Packet,
    plan: CouncilPlan,
    watch: Watch,
    *,
    explored: Mapping[str, Sequence[tuple[str, str]]] | None = None,
) -> tuple[Ideas, tuple[Judge, ...]]:
    """Ask every judge that can think, once more where its answer cannot be read.

    ``explored`` holds what its explorers answered, by the judge's label. Tools are excused.
    """
    explored = explored or {}
    thinkers = [seat for seat in seats if not traits_of(seat.agent.backend).is_tool]
    calls = idea_calls(thinkers, packet, plan, explored)
    spawned = await session.ask(calls, on_event=watch.on_event)
    told = [
        _told(seat, reply, plan, call, explored.get(seat.label, ()))
        for seat, reply, call in zip(thinkers, spawned.replies, calls, strict=True)
    ]
    if not spawned.interrupted:
        told = await _mended(session, told, calls, plan, watch)
    by_label = {each.seat.label: each for each in told}
    judges = tuple(_judge(seat, by_label.get(seat.label)) for seat in seats)
    return lay_out(told, plan), judges


def idea_calls(
    seats: Sequence[CouncilSeat],
    packet: Packet,
    plan: CouncilPlan,
    explored: Mapping[str, Sequence[tuple[str, str]]],
) -> list[Call]:
    """One call a judge; the first part of each prompt is the same."""
    shared = shared_part(packet, plan)
    technique = technique_of(plan.technique)
    lenses = lenses_for(technique, len(seats), plan.hats) if technique else ((),) * len(seats)
    return [
        Call(
            seat=seat.seat._replace(name=seat.label),
            agent=seat.agent._replace(reply="verdict"),
            prompt=shared
            + own_part(
                seat,
                plan,
                number,
                len(seats),
                technique,
                lenses[number - 1],
                explored.get(seat.label, ()),
            ),
            files=tuple(file.path for file in packet.files),
            timeout=plan.timeout,
            shared=len(shared),
            packet=packet.hash,
            round=1,
        )
        for number, seat in enumerate(seats, 1)
    ]


def lay_out(told: Sequence[Told], plan: CouncilPlan) -> Ideas:
    """What all of them said, grouped; pure, and the same for the same answers."""
    readings = [(each.seat.label, each.reading) for each in told]
    facets = [(label, facet) for label, said in readings for facet in said.facets if facet.items]
    return Ideas(
        options=tuple(map(_option, group_proposals(_proposals(readings)))),
        facets=tuple(Facet(facet.title, label, facet.items) for label, facet in facets),
        themes=tuple(map(_theme, group_proposals(_found(facets)))),
        questions=tuple((label, asked) for label, said in readings for asked in said.questions),
        recommendations=tuple(
            (label, said.recommendation) for label, said in readings if said.recommendation
        ),
        technique=plan.technique.casefold(),
        sections=_sections(readings, plan),
    )


def _proposals(readings: Sequence[tuple[str, IdeasReading]]) -> list[Proposal]:
    return [
        Proposal(label, idea.title, idea.summary, idea.pros, idea.cons)
        for label, said in readings
        for idea in said.options
    ]


def _found(facets: Sequence[tuple[str, Listed]]) -> list[Proposal]:
    """Facets in the form in which they are grouped: alike when they name and find alike."""
    return [
        Proposal(label, facet.title, "\n".join(facet.items), facet.items) for label, facet in facets
    ]


def _option(group: OptionGroup) -> Option:
    speaks = next(each for each in group.proposals if each.title == group.title)
    return Option(
        title=group.title,
        proposed_by=group.judges,
        pros=_once(point for each in group.proposals for point in each.pros),
        cons=_once(point for each in group.proposals for point in each.cons),
        summary=speaks.text or next((each.text for each in group.proposals if each.text), ""),
        wordings=tuple((each.by, each.title) for each in group.proposals),
    )


def _theme(group: OptionGroup) -> Theme:
    points = ((each.by, point) for each in group.proposals for point in each.pros)
    return Theme(group.title, tuple(dict.fromkeys(points)))


def _once(points: Iterable[str]) -> tuple[str, ...]:
    """Each point in its first wording; case and spaces do not make another."""
    kept: dict[str, str] = {}
    for point in points:
        kept.setdefault(" ".join(point.casefold().split()), point)
    return tuple(kept.values())


def _sections(
    readings: Sequence[tuple[str, IdeasReading]], plan: CouncilPlan
) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """By lens, in the technique's order; what a judge names beside them comes last."""
    technique = technique_of(plan.technique)
    if technique is None:
        return ()
    known = {_plain(lens.name): lens.name for lens in technique.lenses}
    found: dict[str, list[tuple[str, str]]] = {name: [] for name in known.values()}
    for label, said in readings:
        for lens in said.lenses:
            name = known.get(_plain(lens.title), lens.title)
            found.setdefault(name, []).extend((label, idea) for idea in lens.items)
    return tuple((name, tuple(ideas)) for name, ideas in found.items() if ideas)


def _plain(name: str) -> str:
    return " ".join(name.casefold().replace("-", " ").split()).removesuffix(" hat")


async def _mended(
    session: CallSession, told: list[Told], calls: Sequence[Call], plan: CouncilPlan, watch: Watch
) -> list[Told]:
    """Ask those again whose answer held nothing; who stays unreadable stays so."""
    unread = [
        number
        for number, each in enumerate(told)
        if each.reading.failure and each.reply.status == "answered"
    ]
    if not unread:
        return told
    asked = [
        calls[number]._replace(
            prompt=calls[number].prompt + again(told[number].reading.failure), attempt=1
        )
        for number in unread
    ]
    spawned = await session.ask(asked, on_event=watch.on_event)
    mended = list(told)
    for number, reply, call in zip(unread, spawned.replies, asked, strict=True):
        before = told[number]
        repaired = reply._replace(seat=f"{reply.seat}~repair-1")
        paid = with_repairs([before.reply], [repaired])[0]
        after = _told(before.seat, reply, plan, call, before.explored)
        kept = after if reply.status == "answered" else before
        mended[number] = kept._replace(reply=paid._replace(text=kept.reply.text))
    return mended


def _told(
    seat: CouncilSeat,
    reply: Reply,
    plan: CouncilPlan,
    call: Call,
    explored: Sequence[tuple[str, str]],
) -> Told:
    task: Literal["brainstorm", "research"] = (
        "research" if plan.task == "research" else "brainstorm"
    )
    reading = (
        read_ideas(reply.text, task, call.prompt)
        if reply.status == "answered"
        else IdeasReading(failure=reply.error or reply.status)
    )
    return Told(seat, reply, reading, tuple(explored))


def _judge(seat: CouncilSeat, told: Told | None) -> Judge:
    angle = seat.perspective
    judge = Judge(
        label=seat.label,
        seat=seat.seat._replace(name=seat.label),
        status="excused",
        persona=angle.persona if angle else "",
        perspective=angle.name if angle else "",
        reason=NOT_A_MODEL,
        computed=traits_of(seat.agent.backend).is_tool,
    )
    if told is None:
        return judge
    return judge._replace(
        status=told.reply.status,
        reason=told.reading.failure or "; ".join(told.reading.warnings),
        text=told.reply.text,
        explored=told.explored,
        seconds=round(told.reply.seconds, 3),
        usage=told.reply.usage,
    )
