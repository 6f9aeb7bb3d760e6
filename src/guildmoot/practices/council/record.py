"""A council's request as the run's record keeps it, and back: enough to run it again.

The packet itself is kept in the ledger; here is what was asked for, with nothing secret in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from guildmoot.agents.presets.model import Perspective, PerspectiveAnswer
from guildmoot.errors import InfrastructureError
from guildmoot.guard.secrets import mask
from guildmoot.practices.council.plan import CouncilPlan
from guildmoot.practices.council.vendors import Vendor
from guildmoot.version import __version__

PRACTICE = "council"
Check = tuple[str, str, str]


class PlannedCouncil(NamedTuple):
    """What was asked of a council, as its record keeps it."""

    plan: CouncilPlan
    date: str
    """The day on which it was convened, ``YYYY-MM-DD``."""
    previous: str = ""
    checks: tuple[Check, ...] = ()
    wrapper: str = ""
    angles: tuple[Perspective, ...] = ()
    """From which the seats look."""


def masked_plan(plan: CouncilPlan) -> CouncilPlan:
    """The plan as judges and records are shown it; the packet masks and lists what is in its context."""
    return plan._replace(
        target=mask(plan.target, "target")[0],
        focus=mask(plan.focus, "focus")[0],
        perspectives=tuple(map(_masked, plan.perspectives)),
    )


def _masked(angle: Perspective) -> Perspective:
    limits = ((name, mask(limit, "constraint")[0]) for name, limit in angle.constraints)
    return angle._replace(
        focus=mask(angle.focus, "focus")[0],
        read_budget=tuple(mask(text, "read_budget")[0] for text in angle.read_budget),
        constraints=tuple(limits),
    )


def to_plain(planned: PlannedCouncil) -> dict[str, object]:
    """Ready for JSON."""
    plan = planned.plan
    return {
        "practice": PRACTICE,
        "target": mask(plan.target, "target")[0],
        "date": planned.date,
        "previous": planned.previous,
        "wrapper": planned.wrapper,
        "angles": [_plain_perspective(angle) for angle in planned.angles],
        "checks": [[mask(word, "check")[0] for word in check] for check in planned.checks],
        "plan": {
            **plan._asdict(),
            "target": mask(plan.target, "target")[0],
            "context": mask(plan.context, "context")[0],
            "vendors": [vendor._asdict() for vendor in plan.vendors],
            "perspectives": [_plain_perspective(angle) for angle in plan.perspectives],
        },
        "version": __version__,
    }


def from_plain(value: Mapping[str, Any]) -> PlannedCouncil:
    """What was kept; InfrastructureError when it is not a council's request, or is damaged."""
    if value.get("practice") != PRACTICE:
        raise InfrastructureError("this run is no council", "'guild runs show' tells what it is.")
    try:
        kept = dict(value["plan"])
        plan = CouncilPlan(
            **{
                **{name: _frozen(part) for name, part in kept.items()},
                "vendors": tuple(Vendor(**vendor) for vendor in kept["vendors"]),
                "perspectives": tuple(map(_perspective, kept["perspectives"])),
            }
        )
        return PlannedCouncil(
            plan=plan,
            date=str(value["date"]),
            previous=str(value["previous"]),
            checks=tuple((str(a), str(b), str(c)) for a, b, c in value["checks"]),
            wrapper=str(value["wrapper"]),
            angles=tuple(map(_perspective, value["angles"])),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InfrastructureError(
            f"the record of this council cannot be read: {type(error).__name__}: {error}",
            "Another version may have written it; convene the council again.",
        ) from error


def _plain_perspective(angle: Perspective) -> dict[str, object]:
    return {**angle._asdict(), "answers": [answer._asdict() for answer in angle.answers]}


def _perspective(kept: Mapping[str, Any]) -> Perspective:
    answers = tuple(PerspectiveAnswer(a["label"], tuple(a["choices"])) for a in kept["answers"])
    plain = {name: _frozen(part) for name, part in kept.items()}
    return Perspective(**{**plain, "answers": answers})


def _frozen(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """Lists as tuples, however deep: what JSON makes of a tuple is a list."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(map(_frozen, value))
    return value
