"""How many judges sit, from how many angles: the council's arithmetic.

Total = judges x vendors x (1 + explorers), at most 12. Too many is an error; with ``--fit`` judges
are taken away until it fits, whole pairs of them with ``--mixed``. Tools cost nothing and are not
counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from guildmoot.agents.presets.model import Perspective
from guildmoot.errors import UsageError
from guildmoot.practices.council.asked import Asked
from guildmoot.practices.council.plan import MAX_AGENTS, Vendor, fitting
from guildmoot.practices.council.precedence import (
    Choice,
    Profile,
    Settings,
    choose_judges,
    first,
    flag,
)


class Table(NamedTuple):
    """The size of the council."""

    judges: Choice
    """Of each vendor; 0 for the one judge of ``--quick``."""
    total: int
    """Judges of all vendors."""
    explorers: int
    perspectives: tuple[Perspective, ...]
    """Those that have a judge."""
    notes: tuple[str, ...] = ()


def set_table(
    asked: Asked,
    settings: Settings,
    profile: Profile | None,
    perspectives: tuple[Perspective, ...],
    vendors: Sequence[Vendor],
    seated: Sequence[str],
) -> Table:
    """The size of the council that was asked for; UsageError when it is over the cap."""
    explorers, notes = _explorers(asked, settings, vendors)
    if asked.quick:
        return Table(Choice("0", "--quick"), 1, 0, perspectives, notes)
    shares = 2 if asked.pairing == "split" and len(vendors) > 1 else 1
    modes = [name for name in ("deep", "mixed") if getattr(asked, name)]
    angles = -(-len(perspectives) // shares)
    judges = choose_judges(settings, asked.judges, modes, profile, angles)
    if len(vendors) < 2 and len(seated) > judges.number and judges.source != "--count":
        judges = Choice(str(len(seated)), "one for each agent")
    judges, fitted = _within_cap(judges, len(vendors), explorers, _fits(asked, settings))
    total = int(judges.number) * max(len(vendors), 1)
    kept, left = _kept(perspectives, int(judges.number) * shares)
    return Table(judges, total, explorers, kept, (*notes, *fitted, *left))


def _explorers(
    asked: Asked, settings: Settings, vendors: Sequence[Vendor]
) -> tuple[int, tuple[str, ...]]:
    number = int(
        first(
            flag("--explorers", asked.explorers),
            settings.configured("council.explorers"),
            built_in="0",
        ).number
    )
    if number and not vendors:
        return 0, ("tools have no explorers: --explorers has no effect",)
    return (0 if asked.quick else number), ()


def _fits(asked: Asked, settings: Settings) -> bool:
    return asked.fit or settings.is_on("council.fit")


def _within_cap(
    judges: Choice, vendors: int, explorers: int, fit: bool
) -> tuple[Choice, tuple[str, ...]]:
    most = fitting(vendors, explorers)
    number = int(judges.number)
    if not vendors or number <= most:
        return judges, ()
    total = number * vendors * (1 + explorers)
    each = f" x (1 + {explorers} explorers)" if explorers else ""
    sum_of = f"{number} judges{' x 2 vendors' if vendors > 1 else ''}{each} = {total} agents"
    if not fit:
        raise UsageError(
            f"{sum_of}, and at most {MAX_AGENTS} are called",
            f"--fit seats {most}{' of each vendor' if vendors > 1 else ''} instead;"
            " or give fewer --explorers or a smaller --count.",
        )
    fitted = most * vendors * (1 + explorers)
    pair = " of each vendor" if vendors > 1 else ""
    note = f"--fit: {sum_of}; {most} judges{pair} sit instead, {fitted} agents in all"
    return Choice(str(most), "--fit"), (note,)


def _kept(
    perspectives: tuple[Perspective, ...], places: int
) -> tuple[tuple[Perspective, ...], tuple[str, ...]]:
    left = [each.name for each in perspectives[places:]]
    if not left:
        return perspectives, ()
    return perspectives[:places], (f"nobody looks from the angle of {', '.join(left)}",)
