"""Which opinions stand: who holds an issue and who does not, weighed by what is known of the judges.

An issue that many families name is probably right; how probably depends on who they are. Probes say how
often each of them finds a defect that is there. How often it names one that is not needs no labels: whoever
has many findings on a change has spent them on many issues. Both give the log-odds of an issue from who
named it *and who did not*; a logistic regression on that and on the share that agrees was fitted on public data
(``consensus.published``), because judges are not independent. Pure, standard library only.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from guildmoot.consensus.votes.history import (
    CastVote,
    Disposition,
    VoteHistory,
    current,
    decided,
    fooled_seats,
)
from guildmoot.named import NamedTuple

SHRINK = 6.0
"""Cases at the mean rate that are imagined beside the counted ones."""
LEAST_RATE, MOST_RATE = 0.01, 0.6
"""Bounds of the estimated rate at which a judge names an issue that is none."""
LEAST_PROBES = 5
"""Defective probes that a judge must have answered for its record to be a basis."""


class SeatRecord(NamedTuple):
    """How often each judge finds a defect that is there, and which share of findings is wrong."""

    detects: Mapping[str, float]
    false_share: float


class Context(NamedTuple):
    """The change that an issue belongs to."""

    findings: Mapping[str, int]
    """Of each judge; who has none is in it too."""
    issues: int


class Logistic(NamedTuple):
    """A fitted logistic regression on standardised features."""

    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float

    def score(self, row: Sequence[float]) -> float:
        """Log-odds for one row of features."""
        return self.bias + math.fsum(
            weight * (value - mean) / scale
            for weight, value, mean, scale in zip(
                self.weights, row, self.means, self.scales, strict=True
            )
        )


def shrunk(hits: int, of: int, mean: float) -> float:
    """A rate drawn towards the mean, more so where there is little to go by."""
    return (hits + SHRINK * mean) / (of + SHRINK)


def features(holders: Collection[str], context: Context, record: SeatRecord) -> tuple[float, float]:
    """The share of the judges that hold the issue, and the log-odds that who does and who does not give."""
    share = len(holders) / max(1, len(context.findings))
    return share, evidence(holders, context, record)


def evidence(holders: Collection[str], context: Context, record: SeatRecord) -> float:
    """Log-odds that an issue is right from who named it and who did not."""
    mean = sum(record.detects.values()) / max(1, len(record.detects))
    odds = 0.0
    for judge, count in sorted(context.findings.items()):
        true_rate = record.detects.get(judge, mean)
        false_rate = count * record.false_share / max(1, context.issues)
        false_rate = min(MOST_RATE, max(LEAST_RATE, false_rate))
        if judge in holders:
            odds += math.log(true_rate / false_rate)
        else:
            odds += math.log((1.0 - true_rate) / (1.0 - false_rate))
    return odds


def family_record(history: VoteHistory, mean: float, false_share: float) -> SeatRecord:
    """What probes and dispositions say of each family: its best seat's rate of finding defects.

    ``mean`` and ``false_share`` are the published ones; what people decided here replaces the second as it grows.
    A family counts as known from ``LEAST_PROBES`` defective probes on.
    """
    hits: Counter[tuple[str, str]] = Counter()
    asked: Counter[tuple[str, str]] = Counter()
    is_fooled = fooled_seats(history)
    for vote in _defective(history.votes):
        if is_fooled(vote.seat):
            continue
        who = vote.family or vote.seat, vote.seat
        asked[who] += 1
        hits[who] += bool(vote.right)
    rates: dict[str, float] = {}
    for (family, seat), probes in sorted(asked.items()):
        if probes >= LEAST_PROBES:
            rate = shrunk(hits[family, seat], probes, mean)
            rates[family] = max(rate, rates.get(family, 0.0))
    said = decided(history.dispositions)
    wrong = sum(item.disposition == "dismissed" for item in said)
    return SeatRecord(rates, shrunk(wrong, len(said), false_share))


def upheld_by_families(dispositions: Iterable[Disposition]) -> dict[int, tuple[int, int]]:
    """How many findings of so many families people upheld here, and on how many they decided."""
    upheld: Counter[int] = Counter()
    seen: Counter[int] = Counter()
    for item in decided(dispositions):
        if item.families:
            seen[len(item.families)] += 1
            upheld[len(item.families)] += item.disposition != "dismissed"
    return {number: (upheld[number], count) for number, count in sorted(seen.items())}


def _defective(votes: Sequence[CastVote]) -> list[CastVote]:
    """One answer a seat to each probe that is defective: right when it was so more often than not."""
    found: dict[tuple[str, str], list[CastVote]] = {}
    for vote in current(votes):
        if vote.gold and not vote.canary and vote.right is not None:
            found.setdefault((vote.probe, vote.seat), []).append(vote)
    return [
        own[0]._replace(right=2 * sum(bool(vote.right) for vote in own) > len(own))
        for own in found.values()
    ]
