"""Counting votes: shares, agreement, error correlation, and how many votes a panel is really worth.

Pure functions over ballots. A missing vote is ``None`` or an absent seat; it never leaves a denominator.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from math import log, sqrt

from guildmoot.consensus.votes.ballots import Probe, sign, signs
from guildmoot.named import NamedTuple

#: Shared probes after which an observed correlation weighs as much as the belief "one family is one vote".
#: The standard error of phi on ten items is about 1/sqrt(10) = .3, so fewer than that say very little.
CORRELATION_PRIOR_PROBES = 10.0


class Interval(NamedTuple):
    """A closed interval inside [0, 1]."""

    low: float
    high: float


class ErrorCorrelation(NamedTuple):
    """Phi of two seats' errors over the probes both answered; ``phi`` is None where one of them never varies."""

    phi: float | None
    shared: int


class Ability(NamedTuple):
    """How a seat did on the probes it answered."""

    right: int
    seen: int

    @property
    def log_odds(self) -> float:
        """Log-odds of being right, finite because one right and one wrong answer are added."""
        return log((self.right + 1) / (self.seen - self.right + 1))


def abilities(probes: Iterable[Probe]) -> dict[str, Ability]:
    """Right and answered probes of every seat that answered one."""
    right: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for ballot, gold in probes:
        for seat, vote in signs(ballot).items():
            seen[seat] += 1
            right[seat] += vote == sign(gold)
    return {seat: Ability(right[seat], seen[seat]) for seat in sorted(seen)}


def wilson(successes: int, trials: int, z: float = 1.959963984540054) -> Interval:
    """Wilson score interval of a proportion, 95 % by default; the whole of [0, 1] when nothing was tried."""
    if not 0 <= successes <= trials:
        raise ValueError(f"need 0 <= successes <= trials, got {successes} of {trials}")
    if trials == 0:
        return Interval(0.0, 1.0)
    rate, scale = successes / trials, 1 + z * z / trials
    centre = (rate + z * z / (2 * trials)) / scale
    half = z * sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials)) / scale
    # The exact bounds at the ends are 0 and 1; rounding must not leave them a hair inside.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == trials else min(1.0, centre + half)
    return Interval(low, high)


def krippendorff_alpha(items: Iterable[Mapping[str, Hashable | None]]) -> float | None:
    """Nominal alpha, missing answers allowed; None when no two answers pair up or only one answer ever occurs."""
    totals: Counter[Hashable] = Counter()
    disagreement = 0.0
    for item in items:
        answers = Counter(answer for answer in item.values() if answer is not None)
        raters = answers.total()
        if raters < 2:
            continue  # a lone answer pairs with nothing and is outside alpha by definition
        totals.update(answers)
        disagreement += (raters**2 - _sum_of_squares(answers)) / (raters - 1)
    if len(totals) < 2:
        return None
    pairable = totals.total()
    return 1 - (pairable - 1) * disagreement / (pairable**2 - _sum_of_squares(totals))


def error_correlation(probes: Iterable[Probe], one: str, other: str) -> ErrorCorrelation:
    """Phi between two seats' being wrong, over the probes that both answered."""
    table: Counter[tuple[bool, bool]] = Counter()
    for ballot, gold in probes:
        first, second = ballot.get(one), ballot.get(other)
        if first is not None and second is not None:
            table[first != gold, second != gold] += 1
    return ErrorCorrelation(_phi(table), table.total())


def effective_votes(
    seats: Iterable[str], families: Mapping[str, str], probes: Sequence[Probe] = ()
) -> float:
    """How many independent votes the seats are worth: 1 up to their number; a seat without a family is its own.

    Kish's formula (sum w)^2 / (w' R w), every family holding one vote that its seats share. R starts at 1 within a
    family and 0 across; errors observed on probes move it, so without probes the answer is the number of families.
    """
    names = list(dict.fromkeys(seats))
    if not names:
        raise ValueError("effective votes need at least one seat")
    family_of = {seat: families.get(seat, f"\0{seat}") for seat in names}
    size = Counter(family_of.values())
    variance = sum(size[family_of[seat]] ** -2 for seat in names)
    for one, other in combinations(names, 2):
        belief = 1.0 if family_of[one] == family_of[other] else 0.0
        correlation = _shrunk(error_correlation(probes, one, other), belief)
        variance += 2 * correlation / (size[family_of[one]] * size[family_of[other]])
    # Rounded because sums of thirds and the like miss whole numbers, and the bounds, in the last digits.
    return min(max(round(len(size) ** 2 / variance, 12), 1.0), float(len(names)))


def _shrunk(observed: ErrorCorrelation, prior: float) -> float:
    """Observed phi drawn towards the prior; a negative one counts as zero, for no vote is worth more than one."""
    if observed.phi is None:
        return prior
    total = observed.shared + CORRELATION_PRIOR_PROBES
    return (observed.shared * max(observed.phi, 0.0) + CORRELATION_PRIOR_PROBES * prior) / total


def _phi(table: Mapping[tuple[bool, bool], int]) -> float | None:
    """Phi coefficient of a two by two table; None when a margin is empty."""
    both, neither = table.get((True, True), 0), table.get((False, False), 0)
    first, second = table.get((True, False), 0), table.get((False, True), 0)
    margins = (both + first) * (both + second) * (neither + first) * (neither + second)
    return (both * neither - first * second) / sqrt(margins) if margins else None


def _sum_of_squares(counts: Counter[Hashable]) -> int:
    return sum(count * count for count in counts.values())
