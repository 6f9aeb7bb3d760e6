"""The panel rule: linear discriminant analysis with priors, so that it works from no probe to hundreds.

Each judge's votes on an item are folded into their mean as +1 and -1 times the truth: 1 is right, -1 wrong, 0 he
contradicted himself. The mean over items is his *edge*, the covariance tells who errs together, and the log-odds of
True given a folded ballot x are 2 * edge' * covariance^-1 * x, over the judges who voted. Both are posterior means:
prior edges come from how often a judge agrees with himself, which needs no answers; prior covariance from families.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import permutations
from math import sqrt

from guildmoot.consensus.votes.ballots import (
    TIE,
    Ballot,
    Probe,
    Rule,
    SeatMap,
    Tally,
    WeighedVote,
    sign,
)
from guildmoot.named import NamedTuple

#: Edge of an unknown judge: right 65 % of the time, 2 * .65 - 1.
DEFAULT_EDGE = 0.3
#: A judge who shows no agreement with himself is still taken to be a little better than a coin.
LEAST_EDGE = 0.15
#: Half of the skill that self-agreement suggests is believed, since a judge may also repeat a mistake.
BELIEF_IN_AGREEMENT = 0.5
#: Ballots that weigh as much as the default when a judge's agreement with himself is estimated.
PRIOR_BALLOTS = 2.0
#: Probes that weigh as much as the priors: an edge varies by about .2 around its prior, one probe by about .9.
PRIOR_PROBES = 20.0
#: Error correlation before evidence. Of other families: as measured among code review tools. One vendor's models:
#: a little below the .78 to .96 published, so that a judge's own record can overturn it.
OTHER_FAMILY, SAME_FAMILY = 0.3, 0.7
#: Variance every judge adds on a new item; keeps judges who err alike from getting large opposite weights.
RIDGE = 0.2
LEAST_VARIANCE = 0.05

Vector = list[float]
Matrix = list[Vector]
#: The mean vote of each judge, in the order of the judges; None where he is silent.
Folded = tuple[float | None, ...]
#: Folded votes times the truth, and the weight of the item.
Sample = tuple[Folded, float]
Scorer = Callable[[Folded], float]


class Belief(NamedTuple):
    """What is held of the judges: their families, their edges and the covariance of their folded votes."""

    families: Mapping[str, str]
    edges: Vector
    covariance: Matrix

    def weights(self, present: Sequence[int]) -> Vector:
        """Log-odds that one vote of each of these judges is worth when just they vote."""
        block = [[self.covariance[i][j] + RIDGE * (i == j) for j in present] for i in present]
        return [2 * weight for weight in solve(block, [self.edges[i] for i in present])]


def panel_rule(probes: Sequence[Probe], unlabelled: Sequence[Ballot], panel: SeatMap) -> Rule:
    """Self-agreement gives the prior (unlabelled ballots help), probes update it, judges who err together share."""
    prior = prior_belief([*(ballot for ballot, _ in probes), *unlabelled], panel)
    return _rule(updated(prior, _labelled(prior, probes, panel)), panel)


def prior_belief(ballots: Iterable[Ballot], panel: SeatMap) -> Belief:
    """What self-agreement and families suggest of the judges who voted, before any answer is known."""
    tallies: dict[str, list[Tally]] = {}
    seats: set[str] = set()
    for ballot in ballots:
        seats.update(ballot)
        for judge, tally in panel.fold(ballot).items():
            tallies.setdefault(judge, []).append(tally)
    families = {
        judge: family for judge, family in panel.family_of_judges(seats).items() if judge in tallies
    }
    edges = [_prior_edge(tallies[judge]) for judge in families]
    variances = [
        _power(tallies[judge]) - edge**2 for judge, edge in zip(families, edges, strict=True)
    ]
    return Belief(families, edges, _prior_covariance(list(families.values()), edges, variances))


def updated(prior: Belief, samples: Sequence[Sample]) -> Belief:
    """The belief after samples, the prior counting as ``PRIOR_PROBES`` of them."""
    edges = [_posterior_edge(edge, i, samples) for i, edge in enumerate(prior.edges)]
    total = PRIOR_PROBES + sum(weight for _, weight in samples)
    sums = [[PRIOR_PROBES * value for value in row] for row in prior.covariance]
    for folded, weight in samples:
        away = [
            0.0 if vote is None else vote - edge for vote, edge in zip(folded, edges, strict=True)
        ]
        for i, row in enumerate(sums):
            scaled = weight * away[i]
            row[:] = [value + scaled * other for value, other in zip(row, away, strict=True)]
            if (
                folded[i] is None
            ):  # unseen: it varies as believed, which keeps the matrix positive definite
                row[i] += weight * prior.covariance[i][i]
    return Belief(prior.families, edges, [[value / total for value in row] for row in sums])


def solve(matrix: Matrix, target: Vector) -> Vector:
    """Solution of a positive definite system, by elimination without pivoting."""
    rows = [[*row, value] for row, value in zip(matrix, target, strict=True)]
    for i, pivot in enumerate(rows):
        for row in rows[i + 1 :]:
            factor = row[i] / pivot[i]
            row[i:] = [
                value - factor * above for value, above in zip(row[i:], pivot[i:], strict=True)
            ]
    solution: Vector = [0.0] * len(rows)
    for i in reversed(range(len(rows))):
        rest = sum(rows[i][j] * solution[j] for j in range(i + 1, len(rows)))
        solution[i] = (rows[i][-1] - rest) / rows[i][i]
    return solution


def _rule(belief: Belief, panel: SeatMap) -> Rule:
    """The rule a belief stands for; judges it has not met count with the defaults."""
    scorers: dict[tuple[str, ...], tuple[Belief, Scorer]] = {}

    def rule(ballot: Ballot) -> WeighedVote:
        unknown = tuple(sorted(seat for seat in ballot if panel.judge(seat) not in belief.families))
        if unknown not in scorers:
            wider = _with_unknown(belief, panel.family_of_judges(unknown))
            scorers[unknown] = (wider, _scorer(wider))
        wider, score = scorers[unknown]
        return WeighedVote.of(score(_folded(wider, ballot, panel)))

    return rule


def _scorer(belief: Belief) -> Scorer:
    """Log-odds of True for a folded ballot; silent judges are integrated out, not taken for undecided."""
    known: dict[tuple[int, ...], Vector] = {}

    def score(folded: Folded) -> float:
        votes = {i: vote for i, vote in enumerate(folded) if vote is not None}
        present = tuple(votes)
        if present not in known:
            known[present] = belief.weights(present)
        return sum(
            weight * vote for weight, vote in zip(known[present], votes.values(), strict=True)
        )

    return score


def _with_unknown(belief: Belief, unknown: Mapping[str, str]) -> Belief:
    """The belief widened by judges of whom nothing is known but the family."""
    if not unknown:
        return belief
    families = {**belief.families, **unknown}
    edges = [*belief.edges, *(DEFAULT_EDGE for _ in unknown)]
    known = [belief.covariance[i][i] for i in range(len(belief.edges))]
    variances = [*known, *(1 - DEFAULT_EDGE**2 for _ in unknown)]
    wider = _prior_covariance(list(families.values()), edges, variances)
    for i, row in enumerate(belief.covariance):
        wider[i][: len(row)] = row
    return Belief(families, edges, wider)


def _folded(belief: Belief, ballot: Ballot, panel: SeatMap) -> Folded:
    tally = panel.fold(ballot)
    return tuple(tally[judge].mean if judge in tally else None for judge in belief.families)


def _labelled(belief: Belief, probes: Iterable[Probe], panel: SeatMap) -> list[Sample]:
    return [(_turned(_folded(belief, ballot, panel), sign(gold)), 1.0) for ballot, gold in probes]


def _turned(folded: Folded, factor: int) -> Folded:
    return tuple(None if vote is None else vote * factor for vote in folded)


def _prior_edge(tallies: Sequence[Tally]) -> float:
    """Two independent votes of a judge agree, as a product of signs, by the square of his edge on average."""
    agreements = [(t.total**2 - t.votes) / (t.votes**2 - t.votes) for t in tallies if t.votes > 1]
    default = (DEFAULT_EDGE / BELIEF_IN_AGREEMENT) ** 2
    agreement = (sum(agreements) + PRIOR_BALLOTS * default) / (len(agreements) + PRIOR_BALLOTS)
    return max(BELIEF_IN_AGREEMENT * sqrt(max(agreement, 0.0)), LEAST_EDGE)


def _power(tallies: Sequence[Tally]) -> float:
    """Mean square of a judge's folded vote: one when he never contradicts himself."""
    return (sum(t.mean**2 for t in tallies) + PRIOR_BALLOTS) / (len(tallies) + PRIOR_BALLOTS)


def _prior_covariance(
    families: Sequence[str], edges: Sequence[float], variances: Sequence[float]
) -> Matrix:
    """Correlation by family; within one, unlike skill is less alike, else the weaker would count against himself."""
    spread = [sqrt(max(variance, LEAST_VARIANCE)) for variance in variances]
    skill = [max(edge, 0.0) / deviation for edge, deviation in zip(edges, spread, strict=True)]
    matrix = [[one * other for other in spread] for one in spread]
    for i, j in permutations(range(len(families)), 2):
        alike = (
            min(skill[i], skill[j]) / max(skill[i], skill[j], TIE)
            if families[i] == families[j]
            else 0.0
        )
        # A sum of products of positive definite kernels, so that the whole is one for any number of judges.
        matrix[i][j] *= OTHER_FAMILY + (SAME_FAMILY - OTHER_FAMILY) * alike
    return matrix


def _posterior_edge(prior: float, index: int, samples: Iterable[Sample]) -> float:
    total, weight = PRIOR_PROBES * prior, PRIOR_PROBES
    for folded, share in samples:
        vote = folded[index]
        if vote is not None:
            total, weight = total + share * vote, weight + share
    return max(0.0, total / weight)  # who is mostly wrong is worth nothing, not the opposite
