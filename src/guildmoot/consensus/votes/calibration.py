"""Rules that turn a ballot into a decision, fitted on a few gold probes, and the choice among them.

An aggregator is ``fit(probes, unlabelled, panel) -> rule`` and a rule is a pure function ``ballot -> WeighedVote``. All
take any number of seats and missing votes, and treat both answers alike: turning every vote and answer round turns
the decision round. A tie is a tie and is never broken by the order of the seats. ``panel`` is the rule to use; the
others are what it is measured against.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log, sqrt

from guildmoot.consensus.votes.ballots import (
    TIE,
    Aggregator,
    Ballot,
    Probe,
    Rule,
    SeatMap,
    WeighedVote,
    sign,
    signs,
)
from guildmoot.consensus.votes.counting import abilities
from guildmoot.consensus.votes.discriminant import (
    DEFAULT_EDGE,
    panel_rule,
    solve,
)
from guildmoot.named import NamedTuple

#: How many standard errors a rival must be ahead by: with four rivals, one is ahead by luck too often.
MARGIN = 2.0


class AggregatorChoice(NamedTuple):
    """The chosen aggregator's name and every candidate's error rate when each probe is left out in turn."""

    name: str
    errors: Mapping[str, float]


def majority(probes: Sequence[Probe], unlabelled: Sequence[Ballot], panel: SeatMap) -> Rule:
    """One seat, one vote; learns nothing."""
    weight = log((1 + DEFAULT_EDGE) / (1 - DEFAULT_EDGE))
    return lambda ballot: WeighedVote.of(weight * sum(signs(ballot).values()))


def weighted(probes: Sequence[Probe], unlabelled: Sequence[Ballot], panel: SeatMap) -> Rule:
    """Every seat weighs its smoothed log-odds on the probes, as if seats erred independently."""
    return _linear({seat: ability.log_odds for seat, ability in abilities(probes).items()})


def pick_best(probes: Sequence[Probe], unlabelled: Sequence[Ballot], panel: SeatMap) -> Rule:
    """The seat that did best on the probes, among those that voted, decides alone; equals decide together."""
    weights = {seat: ability.log_odds for seat, ability in abilities(probes).items()}

    def rule(ballot: Ballot) -> WeighedVote:
        present = {seat: vote for seat, vote in signs(ballot).items() if seat in weights}
        best = max((weights[seat] for seat in present), default=0.0)
        tied = [vote for seat, vote in present.items() if weights[seat] > best - TIE]
        # The best of seats at or below even odds still decides, with a score that claims almost nothing.
        return WeighedVote.of(max(best, 1e-3) * sum(tied) / max(len(tied), 1))

    return rule


def ridge_lda(probes: Sequence[Probe], unlabelled: Sequence[Ballot], panel: SeatMap) -> Rule:
    """Linear discriminant over seats, from the probes alone, with a ridge as large as the mean variance."""
    seats = sorted(abilities(probes))
    rows = [[signs(ballot).get(seat, 0) * sign(gold) for seat in seats] for ballot, gold in probes]
    means = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    away = [[vote - mean for vote, mean in zip(row, means, strict=True)] for row in rows]
    columns = list(zip(*away, strict=True))
    spread = [
        [sum(map(float.__mul__, one, other)) / len(rows) for other in columns] for one in columns
    ]
    ridge = max(sum(spread[i][i] for i in range(len(seats))) / max(len(seats), 1), 0.1)
    for i, row in enumerate(spread):
        row[i] += ridge
    return _linear(
        {seat: 2 * weight for seat, weight in zip(seats, solve(spread, means), strict=True)}
    )


AGGREGATORS: dict[str, Aggregator] = {
    "panel": panel_rule,
    "weighted": weighted,
    "pick_best": pick_best,
    "ridge_lda": ridge_lda,
    "majority": majority,
}
CANDIDATES = tuple(AGGREGATORS)
"""What ``choose`` compares, the default first."""


def left_out_errors(
    aggregator: Aggregator, probes: Sequence[Probe], unlabelled: Sequence[Ballot], panel: SeatMap
) -> list[float]:
    """For each probe, whether a rule fitted on the others gets it wrong: 1, or 0, or a half for a tie."""
    errors = []
    for i, (ballot, gold) in enumerate(probes):
        rule = aggregator([*probes[:i], *probes[i + 1 :]], unlabelled, panel)
        errors.append(error(rule(ballot), gold))
    return errors


def error(verdict: WeighedVote, gold: bool) -> float:
    """1 when wrong, 0 when right, a half for a tie, as a coin would get it."""
    return 0.5 if verdict.decision is None else float(verdict.decision != gold)


def choose(
    probes: Sequence[Probe],
    unlabelled: Sequence[Ballot],
    panel: SeatMap,
    candidates: Sequence[str] = CANDIDATES,
) -> AggregatorChoice:
    """The candidate with the fewest left-out errors; the first unless another is clearly ahead."""
    errors = {
        name: left_out_errors(AGGREGATORS[name], probes, unlabelled, panel) for name in candidates
    }
    rates = {name: sum(each) / max(len(each), 1) for name, each in errors.items()}
    first = candidates[0]
    best = min(candidates, key=lambda name: rates[name])
    # With twenty probes one lucky answer is five points; the paired standard error keeps luck from choosing.
    gains = [mine - other for mine, other in zip(errors[first], errors[best], strict=True)]
    ahead = sum(gains) > MARGIN * sqrt(sum(gain**2 for gain in gains))
    return AggregatorChoice(best if ahead else first, rates)


def _linear(weights: Mapping[str, float]) -> Rule:
    """A weighted vote; seats without a weight do not count, nor do those that are mostly wrong.

    A flag never speaks for the work: on probes a flag at the wrong place counts as none, in a panel it is one.
    """
    return lambda ballot: WeighedVote.of(
        sum(max(0.0, weights.get(seat, 0.0)) * vote for seat, vote in signs(ballot).items())
    )
