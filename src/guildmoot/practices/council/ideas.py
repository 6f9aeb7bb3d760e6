"""Brainstorm and research: every judge is asked at once, and what they say is laid side by side.

Nothing is judged and nobody votes, so there is neither verdict nor outcome. What two judges propose in
other words is one option; who proposed it, and in which words, is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from guildmoot.calls import Watch
from guildmoot.calls.session import CallSession
from guildmoot.consensus.options import OptionGroup, Proposal, group_proposals
from guildmoot.model.call import Call, Reply
from guildmoot.model.council import Facet, Ideas, Option, Theme
from guildmoot.model.packet import Packet
from guildmoot.practices.calls import excused_reply
from guildmoot.practices.council.ideas_prompts import (
    again,
    lenses_for,
    own_part,
    shared_part,
    technique_of,
)
from guildmoot.practices.council.plan import CouncilPlan
from guildmoot.practices.council.seats import CouncilSeat
from guildmoot.practices.stage import Answer, Reader, ask
from guildmoot.reading.ideas import IdeasReading, Listed, read_ideas

NOT_A_MODEL = "a tool finds what its rules name; it has no ideas to give"


async def gather_ideas(
    session: CallSession,
    seats: Sequence[CouncilSeat],
    packet: Packet,
    plan: CouncilPlan,
    watch: Watch,
    *,
    explored: Mapping[str, Sequence[tuple[str, str]]] | None = None,
) -> tuple[Ideas, tuple[Answer[IdeasReading], ...]]:
    """Ask every judge that can think, once more where its answer cannot be read.

    ``explored`` holds what its explorers answered, by the judge's name. Tools are excused.
    """
    thinkers = [seat for seat in seats if not seat.is_tool]
    calls = idea_calls(thinkers, packet, plan, explored or {})
    task: Literal["brainstorm", "research"] = (
        "research" if plan.task == "research" else "brainstorm"
    )
    reader = Reader(
        lambda reply, call: _read(reply, call, task),
        lambda reply, reading: reading.failure if reply.status == "answered" else "",
        lambda call, reply, problem: again(problem),
        attempts=1,
    )
    done = await ask(session, calls, reader, on_event=watch.on_event)
    answers = tuple(done.by_seat.get(seat.name) or _excused(seat) for seat in seats)
    return lay_out([(answer.seat, answer.value) for answer in done.answers], plan), answers


def _read(reply: Reply, call: Call, task: Literal["brainstorm", "research"]) -> IdeasReading:
    if reply.status != "answered":
        return IdeasReading(failure=reply.error or reply.status)
    return read_ideas(reply.text, task, call.prompt)


def _excused(seat: CouncilSeat) -> Answer[IdeasReading]:
    reply = excused_reply(seat.name, NOT_A_MODEL)
    return Answer(reply, IdeasReading(failure=NOT_A_MODEL), (reply,))


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
            seat=seat.seat,
            agent=seat.agent._replace(reply="verdict"),
            prompt=shared
            + own_part(
                seat,
                plan,
                number,
                len(seats),
                technique,
                lenses[number - 1],
                explored.get(seat.name, ()),
            ),
            files=tuple(file.path for file in packet.files),
            timeout=plan.timeout,
            shared=len(shared),
            packet=packet.hash,
            round=1,
        )
        for number, seat in enumerate(seats, 1)
    ]


def lay_out(readings: Sequence[tuple[str, IdeasReading]], plan: CouncilPlan) -> Ideas:
    """What all of them said, grouped; pure, and the same for the same answers."""
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
