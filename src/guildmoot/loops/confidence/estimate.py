"""What a loop will take: units, runs of the verification, time and money; and how much is left. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from guildmoot.loops.confidence.tiers import HIGHEST, BatchSize
from guildmoot.loops.values import spoken
from guildmoot.text.clean import count as counted

if TYPE_CHECKING:
    from guildmoot.projects.manifest import Record

_PANEL, _TRANSFORM = 3.0, 1.0
"""Seconds for a panel of tools and for a command, until a unit has shown what they take."""


class LoopEstimate(NamedTuple):
    """What is to be expected when nothing fails."""

    items: int
    units: int
    verifications: int
    seconds: float | None
    """None as long as nobody knows how long the verification takes."""
    usd: float | None = 0.0
    """What agents may cost at most; None when no limit was set for them."""

    def plain(self) -> Record:
        return self._asdict()

    def line(self) -> str:
        """In one line."""
        time = "" if self.seconds is None else f", about {spoken(self.seconds)}"
        if self.usd is None:
            money = ", an agent's cost has no limit (--max-usd sets one)"
        else:
            money = f", at most ${self.usd:.2f} for agents" if self.usd else ""
        return (
            f"{counted(self.items, 'item')} in {counted(self.units, 'unit')},"
            f" {counted(self.verifications, 'run')} of the verification{time}{money}"
        )


def count_units(items: int, tier: int, largest: int = 0, size: BatchSize | None = None) -> int:
    """How many units a tier takes when each of them lands."""
    if tier >= HIGHEST:
        return 0
    batch = BatchSize(tier, largest)
    if size:
        batch.size = size.size
    units = 0
    while items > 0:
        items -= batch.size
        units += 1
        batch.passed(slow=False)
    return units


def estimate(
    items: Mapping[int, int], largest: int, verify_seconds: float | None, unit_usd: float | None,
    jobs: int = 1,
) -> LoopEstimate:  # fmt: skip
    """For so many items by tier."""
    doable = {tier: count for tier, count in items.items() if tier < HIGHEST and count}
    units = sum(count_units(count, tier, largest) for tier, count in doable.items())
    verifications = units + len(doable) + 1
    seconds = None
    if verify_seconds is not None:
        rounds = -(-units // max(1, jobs))
        each = verify_seconds + _PANEL + _TRANSFORM
        seconds = rounds * each + (len(doable) + 1) * verify_seconds
    usd = None if unit_usd is None else units * unit_usd
    return LoopEstimate(sum(doable.values()), units, verifications, seconds, usd)


def seconds_left(
    counts: Mapping[int, int], tier: int, here: int, largest: int, taken: Sequence[float]
) -> float:
    """By what units took so far: ``here`` of this tier, and all of those after it."""
    later = sum(count_units(n, each, largest) for each, n in counts.items() if each > tier)
    return (here + later) * sum(taken) / len(taken)
