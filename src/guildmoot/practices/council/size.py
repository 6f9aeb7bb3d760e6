"""How many judges sit, from how many perspectives: the council's arithmetic.

Total = judges x vendors x (1 + explorers), at most 12. Too many is an error; with ``council.fit`` judges
are taken away until it fits, whole pairs of them with ``--mixed``. Tools cost nothing and are not
counted. The number of judges is ``--count``, else three with ``--deep`` or ``--mixed``, else
``council.judges``; all but ``--count`` are raised to the number of perspectives.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from guildmoot.agents.presets.model import Perspective
from guildmoot.config import FLAG, Config, Origin
from guildmoot.errors import UsageError
from guildmoot.practices.council.options import CouncilOptions
from guildmoot.practices.council.vendors import Judges

MAX_AGENTS = 12
"""Judges and their explorers together."""
_THREE = 3


class Size(NamedTuple):
    """The size of the council."""

    judges: int
    """Of each vendor; 0 for the one judge of ``--quick``."""
    source: str
    total: int
    """Judges of all vendors."""
    explorers: int
    perspectives: tuple[Perspective, ...]
    """Those that have a judge."""
    notes: tuple[str, ...] = ()


def choose_size(
    options: CouncilOptions,
    config: Config,
    perspectives: tuple[Perspective, ...],
    judges: Judges,
) -> Size:
    """The size of the council that was asked for; UsageError when it is over the cap."""
    explorers, notes = int(config.number("council.explorers")), tuple[str, ...]()
    if explorers and not judges.vendors:
        explorers, notes = 0, ("tools have no explorers: --explorers has no effect",)
    if options.quick:
        return Size(0, "--quick", 1, 0, perspectives, notes)
    vendors = len(judges.vendors)
    shares = 2 if options.pairing == "split" and vendors > 1 else 1
    modes = [name for name in ("deep", "mixed") if getattr(options, name)]
    number, source = count_judges(config, modes, -(-len(perspectives) // shares))
    fixed = config.given("council.judges", FLAG)
    if vendors < 2 and len(judges.agents) > number and not fixed:
        number, source = len(judges.agents), "one for each agent"
    fitted = _over_cap(number, vendors, explorers, config.flag("council.fit"))
    if fitted:
        number, source = fitting(vendors, explorers), "--fit"
    places = number * shares
    left = ", ".join(each.name for each in perspectives[places:])
    notes = (*notes, *fitted, *((f"nobody looks from the angle of {left}",) if left else ()))
    return Size(number, source, number * max(vendors, 1), explorers, perspectives[:places], notes)


def count_judges(config: Config, modes: Iterable[str], perspectives: int) -> tuple[int, str]:
    """Judges for each vendor and where the number came from; ``modes`` are ``deep`` and ``mixed``.

    ``--mixed`` with perspectives seats one judge of each vendor for each of them.
    """
    modes, judges = tuple(modes), config.values["council.judges"]
    if modes and judges.layer < FLAG:
        judges = Origin(_THREE, f"--{modes[0]}")
    fixed = config.given("council.judges", FLAG)
    number = int(judges.value) if isinstance(judges.value, int) else 0
    if not fixed and (perspectives > number or (perspectives and modes == ("mixed",))):
        return perspectives, "one for each perspective"
    return number, judges.source


def fitting(vendors: int, explorers: int) -> int:
    """The most judges of each vendor that stay within the cap; pairs of vendors are kept whole."""
    return MAX_AGENTS // (max(vendors, 1) * (1 + explorers))


def _over_cap(number: int, vendors: int, explorers: int, fit: bool) -> tuple[str, ...]:
    """What is said of judges that are taken away; UsageError when none may be."""
    most = fitting(vendors, explorers)
    if not vendors or number <= most:
        return ()
    total = number * vendors * (1 + explorers)
    each = f" x (1 + {explorers} explorers)" if explorers else ""
    sum_of = f"{number} judges{' x 2 vendors' if vendors > 1 else ''}{each} = {total} agents"
    pair = " of each vendor" if vendors > 1 else ""
    if not fit:
        raise UsageError(
            f"{sum_of}, and at most {MAX_AGENTS} are called",
            f"--fit seats {most}{pair} instead; or give fewer --explorers or a smaller --count.",
        )
    fitted = most * vendors * (1 + explorers)
    return (f"--fit: {sum_of}; {most} judges{pair} sit instead, {fitted} agents in all",)
