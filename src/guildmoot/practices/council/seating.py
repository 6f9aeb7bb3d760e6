"""Who sits in a council, from which angle, and who could have but does not.

Models sit where a vendor was chosen; named agents where they were named; otherwise evidence judges,
which are tools: those that look from the perspectives' angles, or all that the files call for.
Labels are the same on every backend: ``judge-1`` or ``judge-attacker``, and the vendor's name in
place of ``judge`` on the second side of the table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from guildmoot.agents.binding import (
    ModelBinding,
    bind_model,
    parse_bindings,
)
from guildmoot.agents.families import default_family, model_vendor
from guildmoot.agents.presets.model import Perspective
from guildmoot.agents.registry import Registry
from guildmoot.agents.roster import bound_agent, seat_for
from guildmoot.backends import traits_of
from guildmoot.errors import InfrastructureError, UsageError
from guildmoot.model.agent import Agent, Seat
from guildmoot.practices.council.evidence_judges import Evidence, evidence_judges
from guildmoot.practices.council.plan import CouncilPlan
from guildmoot.practices.council.repository import JUDGE
from guildmoot.practices.council.vendors import Vendor

FIRST_SIDE = "judge"


class CouncilSeat(NamedTuple):
    """One judge of a council."""

    label: str
    """``judge-1``, ``judge-attacker``, ``codex-1``: the seat's name too."""
    seat: Seat
    agent: Agent
    perspective: Perspective | None


class _Place(NamedTuple):
    """A chair before anybody sits on it."""

    side: int
    number: int
    """On its side, from 1."""
    perspective: Perspective | None


def seat_council(
    plan: CouncilPlan,
    registry: Registry,
    is_installed: Callable[[Agent], bool],
    paths: Sequence[str],
) -> tuple[CouncilSeat, ...]:
    """The judges in order, each under a label of its own; an error when nobody could answer."""
    if not plan.vendors:
        found = _evidence(plan, registry, is_installed, paths)
        return _labelled(
            (tool.label, tool.agent, tool.perspective, tool.why) for tool in found.seated
        )
    seats = _labelled(_cast(plan, registry))
    return _able(seats, is_installed, degrade=plan.degrade)


def passed_over(
    plan: CouncilPlan,
    registry: Registry,
    is_installed: Callable[[Agent], bool],
    paths: Sequence[str],
) -> tuple[tuple[str, str], ...]:
    """Who could have sat but does not, and why; angles that nobody takes are named too."""
    if not plan.vendors:
        return _evidence(plan, registry, is_installed, paths).passed_over
    seats = _labelled(_cast(plan, registry))
    unable = [seat.label for seat in seats if not _answers(seat.agent, is_installed)]
    spare = plan.seated[max(plan.judges, 1) :]
    return (
        *((name, "every seat is taken") for name in spare),
        *((label, "left out by --degrade: it cannot answer") for label in unable),
    )


def explorer_for(seat: CouncilSeat, plan: CouncilPlan, number: int) -> tuple[Seat, Agent]:
    """The seat and agent of a judge's explorer: the judge's vendor, on the explorers' model.

    A model of another vendor is no use to this judge's client; then it is the judge's own.
    """
    model = plan.explorer_model
    agent = seat.agent._replace(reply="verdict")
    vendor = model_vendor(model)
    traits = traits_of(agent.backend)
    if model and traits.takes_model:
        bare = model if traits.needs == "model" else model.rpartition(":")[2]
        same = default_family(agent.backend, (), bare) == agent.family
        fits = same and bool(vendor) and (traits.needs != "model" or ":" in model)
        agent = agent._replace(model=bare) if fits else agent
    name = f"{seat.label}~explorer-{number}"
    return seat.seat._replace(name=name, model=agent.model), agent


def _evidence(
    plan: CouncilPlan,
    registry: Registry,
    is_installed: Callable[[Agent], bool],
    paths: Sequence[str],
) -> Evidence:
    return evidence_judges(plan.perspectives, registry.trusted, is_installed, paths)


def _cast(
    plan: CouncilPlan, registry: Registry
) -> Iterator[tuple[str, Agent, Perspective | None, str]]:
    """Label, agent, angle and reason of every place at the table."""
    words = _in_turn(plan.seated)
    for place in _places(plan):
        vendor = plan.vendors[place.side]
        named = vendor.agent or next(words, "")
        agent = _named(named, vendor, registry) if named else _built_in(vendor)
        why = f"named: {named}" if named else f"{vendor.name} judges"
        yield _label(place, vendor), agent, place.perspective, why


def _in_turn(seated: Sequence[str]) -> Iterator[str]:
    """The named agents in turn, without end; nothing when nobody was named."""
    while seated:
        yield from seated


def _places(plan: CouncilPlan) -> list[_Place]:
    sides = range(len(plan.vendors))
    if plan.quick:
        return [_Place(0, 1, _all_angles(plan.perspectives))]
    if plan.task == "debate" or (plan.pairing == "split" and plan.perspectives):
        return _shared(plan.perspectives, len(sides))
    angles = [*plan.perspectives, *[None] * plan.judges][: plan.judges]
    return [_Place(side, number, angle) for side in sides for number, angle in enumerate(angles, 1)]


def _shared(perspectives: Sequence[Perspective], sides: int) -> list[_Place]:
    """Each perspective once, the vendors taking them in turn."""
    return [
        _Place(at % sides, at // sides + 1, perspective)
        for at, perspective in enumerate(perspectives)
    ]


def _all_angles(perspectives: Sequence[Perspective]) -> Perspective | None:
    """The one judge of ``--quick`` looks from every angle in turn."""
    if len(perspectives) < 2:
        return perspectives[0] if perspectives else None
    focus = " ".join(f"As {each.name}: {each.focus}".strip(": ") for each in perspectives)
    answers = tuple(answer for each in perspectives for answer in each.answers)
    return Perspective(
        "all-angles", focus=f"Look from each angle in turn. {focus}", answers=answers
    )


def _label(place: _Place, vendor: Vendor) -> str:
    side = FIRST_SIDE if place.side == 0 else _slug(vendor.name)
    angle = _slug(place.perspective.name) if place.perspective else str(place.number)
    return f"{side}-{angle}"


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-") or "angle"


def _built_in(vendor: Vendor) -> Agent:
    return bind_model(JUDGE, ModelBinding(JUDGE.name, vendor.backend, vendor.model))


def _named(word: str, vendor: Vendor, registry: Registry) -> Agent:
    """The agent that a word of ``--agents`` names, on the vendor's model where it has none."""
    default = ModelBinding("", vendor.backend, vendor.model) if vendor.backend else None
    return bound_agent(registry, parse_bindings([word])[0], default)


def _labelled(
    rows: Iterable[tuple[str, Agent, Perspective | None, str]],
) -> tuple[CouncilSeat, ...]:
    """Every label once, so that one angle may be taken twice."""
    seats: dict[str, CouncilSeat] = {}
    for wanted, agent, perspective, why in rows:
        label, number = wanted, 1
        while label in seats:
            number += 1
            label = f"{wanted}-{number}"
        angle = perspective.name if perspective else agent.perspective
        seat = seat_for(agent, why)._replace(name=label, perspective=angle)
        seats[label] = CouncilSeat(label, seat, agent, perspective)
    return tuple(seats.values())


def _able(
    seats: tuple[CouncilSeat, ...], is_installed: Callable[[Agent], bool], *, degrade: bool
) -> tuple[CouncilSeat, ...]:
    """Those who can answer; one who cannot is an error before anything is spent, unless told so."""
    able = tuple(seat for seat in seats if _answers(seat.agent, is_installed))
    if len(able) == len(seats):
        return seats
    gone = next(seat for seat in seats if seat not in able)
    if not able:
        raise InfrastructureError(
            f"{gone.agent.name} cannot answer, and nobody else was seated",
            "Nothing was called. 'guild doctor' tells why.",
        )
    if not degrade:
        raise UsageError(
            f"{gone.agent.name} cannot answer, so {gone.label} would stay empty",
            "Nothing was called. 'guild doctor' tells why; --degrade goes on without it.",
        )
    return able


def _answers(agent: Agent, is_installed: Callable[[Agent], bool]) -> bool:
    """A tool that is missing is an outcome of the run, and costs nothing."""
    return traits_of(agent.backend).is_tool or is_installed(agent)
