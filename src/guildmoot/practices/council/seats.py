"""Who sits in a council, from which angle, and who could have but does not.

Models sit where a vendor was chosen; named agents where they were named; otherwise evidence judges,
which are tools: all that the files call for, under their own names, for no tool plays a persona. Only
agents that are not text of the repository under review are seated by themselves. Names are the same on
every backend: ``judge-1`` or ``judge-attacker``, and for a second vendor its own name in place of ``judge``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import cycle
from typing import Literal, NamedTuple

from guildmoot.agents.binding import (
    ModelBinding,
    bind_model,
    parse_bindings,
)
from guildmoot.agents.families import default_family, model_vendor
from guildmoot.agents.presets.model import Perspective
from guildmoot.agents.registry import Registry
from guildmoot.agents.roster import bound_agent, derive_default, seat_for
from guildmoot.backends import traits_of
from guildmoot.config import Config
from guildmoot.errors import InfrastructureError, TargetError, UsageError
from guildmoot.model.agent import Agent, Roster, Seat
from guildmoot.model.packet import Packet
from guildmoot.model.report import RunOrigin
from guildmoot.practices.council.plan import CouncilPlan
from guildmoot.practices.council.selection import JUDGE, Vendor
from guildmoot.text.clean import count

FIRST_SIDE = "judge"
Check = tuple[str, str, str]
"""What a program found: name, ``ok`` ``warn`` ``fail`` or ``skipped``, detail."""


class CouncilSeat(NamedTuple):
    """One judge of a council."""

    seat: Seat
    agent: Agent
    perspective: Perspective | None

    @property
    def name(self) -> str:
        """``judge-1``, ``judge-attacker``, ``codex-1``: as records and reports name it."""
        return self.seat.name

    @property
    def is_tool(self) -> bool:
        """A program that looks for its own rules only."""
        return traits_of(self.agent.backend).is_tool

    def answering(self, form: Literal["verdict", "council"]) -> CouncilSeat:
        """The same judge, asked for a reply of this form."""
        return self._replace(agent=self.agent._replace(reply=form))


class CouncilSeats(NamedTuple):
    """The judges in order, and who could have been seated but is not."""

    seats: tuple[CouncilSeat, ...]
    passed_over: tuple[tuple[str, str], ...]
    """Name and reason; angles that nobody takes are among them."""


class PlannedCouncil(NamedTuple):
    """What was asked of a council, as its record keeps it; the packet itself is kept in the ledger."""

    plan: CouncilPlan
    date: str
    """The day on which it was convened, ``YYYY-MM-DD``."""
    previous: str = ""
    checks: tuple[Check, ...] = ()
    wrapper: str = ""
    angles: tuple[Perspective, ...] = ()
    """From which the seats look."""
    origin: RunOrigin = RunOrigin()


class SeatedCouncil(NamedTuple):
    """One council that can be run: what is judged, by whom, under which settings."""

    planned: PlannedCouncil
    packet: Packet
    seats: tuple[CouncilSeat, ...]
    config: Config

    @property
    def plan(self) -> CouncilPlan:
        """What was asked for."""
        return self.planned.plan


def seat_council(
    plan: CouncilPlan,
    registry: Registry,
    is_installed: Callable[[Agent], bool],
    paths: Sequence[str],
    *,
    change: bool = False,
    gone: Sequence[str] = (),
) -> CouncilSeats:
    """The judges in order, each under a name of its own; an error when nobody could answer.

    In a ``change`` those who compare it with its base sit, too; ``gone`` is what it deletes.
    """
    if not plan.vendors:
        panel = derive_default(paths, registry.agents, is_installed, change=change, gone=gone)
        return _evidence_judges(plan.perspectives, panel)
    seats = _unique(_models(plan, registry))
    able = _able(seats, is_installed, degrade=plan.degrade)
    passed_over = [(name, "every seat is taken") for name in spare_agents(plan)]
    gone = [seat.name for seat in seats if seat not in able]
    passed_over += [(name, "left out: it cannot answer") for name in gone]
    if any(seat.is_tool for seat in seats):
        passed_over += _untaken(plan.perspectives, seats)
    return CouncilSeats(able, tuple(passed_over))


def spare_agents(plan: CouncilPlan) -> tuple[str, ...]:
    """Agents that were named and for whom there is no seat."""
    return plan.seated[sum(1 for _ in _places(plan)) :]


def tell_spare(plan: CouncilPlan) -> tuple[str, ...]:
    """Which named agents do not sit, and what sets the number of seats."""
    spare = spare_agents(plan)
    if not spare:
        return ()
    seats = count(len(plan.seated) - len(spare), "seat")
    source = next((source for name, _, source in plan.sources if name == "judges"), "the council")
    return (
        f"not seated: {', '.join(spare)}; {len(plan.seated)} agents were named for {seats} ({source})",
    )


def as_roster(seats: Iterable[CouncilSeat]) -> Roster:
    """The judges as every practice knows them."""
    seats = tuple(seats)
    return Roster(tuple(each.seat for each in seats), {each.name: each.agent for each in seats})


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
    name = f"{seat.name}~explorer-{number}"
    return seat.seat._replace(name=name, model=agent.model), agent


def _models(plan: CouncilPlan, registry: Registry) -> Iterator[CouncilSeat]:
    """Every seat that a vendor or a named agent takes; two may want one name."""
    words, tools = cycle(plan.seated), set[str]()
    for side, number, perspective in _places(plan):
        vendor = plan.vendors[side]
        named = vendor.agent or next(words, "")
        why = f"named: {named}" if named else f"{vendor.name} judges"
        agent = _agent(named, vendor, registry)
        if traits_of(agent.backend).is_tool:  # a program looks for its own rules, from no angle
            if agent.name not in tools:
                tools.add(agent.name)
                yield _seat(agent.name, agent, None, why)
            continue
        angle = _slug(perspective.name) if perspective else str(number)
        prefix = _slug(vendor.name) if side else FIRST_SIDE
        yield _seat(f"{prefix}-{angle}", agent, perspective, why)


def _places(plan: CouncilPlan) -> Iterator[tuple[int, int, Perspective | None]]:
    """The vendor's number, the judge's number on its side from 1, and the angle."""
    sides = len(plan.vendors)
    if plan.quick:
        yield 0, 1, _all_angles(plan.perspectives)
    elif plan.task == "debate" or (plan.pairing == "split" and plan.perspectives):
        for at, perspective in enumerate(plan.perspectives):  # each once, the vendors in turn
            yield at % sides, at // sides + 1, perspective
    else:
        angles = [*plan.perspectives, *[None] * plan.judges][: plan.judges]
        for side in range(sides):
            for number, angle in enumerate(angles, 1):
                yield side, number, angle


def _all_angles(perspectives: Sequence[Perspective]) -> Perspective | None:
    """The one judge of ``--quick`` looks from every angle in turn."""
    if len(perspectives) < 2:
        return perspectives[0] if perspectives else None
    focus = " ".join(f"As {each.name}: {each.focus}".strip(": ") for each in perspectives)
    answers = tuple(answer for each in perspectives for answer in each.answers)
    return Perspective(
        "all-angles", focus=f"Look from each angle in turn. {focus}", answers=answers
    )


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-") or "angle"


def _agent(word: str, vendor: Vendor, registry: Registry) -> Agent:
    """The built-in judge, or whom a word of ``--agents`` names, on the vendor's model by default."""
    if not word:
        return bind_model(JUDGE, ModelBinding(JUDGE.name, vendor.backend, vendor.model))
    default = ModelBinding("", vendor.backend, vendor.model) if vendor.backend else None
    return bound_agent(registry, parse_bindings([word])[0], default)


def _seat(name: str, agent: Agent, perspective: Perspective | None, why: str) -> CouncilSeat:
    angle = perspective.name if perspective else agent.perspective
    seat = seat_for(agent, why)._replace(name=name, perspective=angle)
    return CouncilSeat(seat, agent, perspective)


def _unique(wanted: Iterable[CouncilSeat]) -> tuple[CouncilSeat, ...]:
    """Every name once, so that one angle may be taken twice."""
    seats: dict[str, CouncilSeat] = {}
    for each in wanted:
        names = (each.name, *(f"{each.name}-{number}" for number in range(2, len(seats) + 2)))
        name = next(name for name in names if name not in seats)
        seats[name] = each._replace(seat=each.seat._replace(name=name))
    return tuple(seats.values())


def _able(
    seats: tuple[CouncilSeat, ...], is_installed: Callable[[Agent], bool], *, degrade: bool
) -> tuple[CouncilSeat, ...]:
    """Those who can answer; one who cannot is an error before anything is spent, unless told so."""
    # A tool that is missing is an outcome of the run, and costs nothing.
    able = tuple(seat for seat in seats if seat.is_tool or is_installed(seat.agent))
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
            f"{gone.agent.name} cannot answer, so {gone.name} would stay empty",
            "Nothing was called. 'guild doctor' tells why; --degrade goes on without it.",
        )
    return able


def _evidence_judges(perspectives: Sequence[Perspective], panel: Roster) -> CouncilSeats:
    """Every tool that fits the files, under its own name; no tool looks from an angle."""
    why = {seat.agent: seat.why for seat in panel.seats}
    chosen = [_seat(name, agent, None, why[name]) for name, agent in panel.agents.items()]
    if not chosen:
        raise TargetError(
            "no tool judges files of these kinds",
            "Seat a model that reads them: --model claude, or name one with --agents.",
        )
    return CouncilSeats(_unique(chosen), (*panel.passed_over, *_untaken(perspectives, chosen)))


def _untaken(
    perspectives: Sequence[Perspective], seats: Iterable[CouncilSeat]
) -> Iterator[tuple[str, str]]:
    """Angles from which nobody looks: only who reads and thinks can take one."""
    taken = {each.perspective.name for each in seats if each.perspective}
    for each in perspectives:
        if each.name not in taken and "all-angles" not in taken:
            yield (
                f"angle {each.name}",
                "nobody looks from it: it takes a model, such as --model claude",
            )
