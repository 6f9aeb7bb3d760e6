"""Rules that the panel rule is measured against and that the product does not offer.

They learn from ballots without answers, which the product never has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import exp, log

from guildmoot.consensus.votes.ballots import Aggregator, Ballot, Probe, Rule, SeatMap, sign, signs
from guildmoot.consensus.votes.calibration import AGGREGATORS, _linear, choose
from guildmoot.consensus.votes.discriminant import (
    PRIOR_PROBES,
    Belief,
    Folded,
    Sample,
    _folded,
    _labelled,
    _rule,
    _scorer,
    _turned,
    panel_rule,
    prior_belief,
    updated,
)

#: Rounds of guessing unlabelled answers; decisions settle within six on real votes.
ROUNDS = 8
#: Pseudo-answers (right, wrong) of the one-coin model: more right than wrong, or the two clusters would be equals.
ONE_COIN_PRIOR = (2.0, 1.0)
ONE_COIN_ROUNDS = 30


def panel_probes_only(
    probes: Sequence[Probe], unlabelled: Sequence[Ballot], panel: SeatMap
) -> Rule:
    """The panel rule of a first run, when no record of other ballots exists; ignores ``unlabelled``."""
    return panel_rule(probes, [], panel)


def panel_consistency(
    probes: Sequence[Probe], unlabelled: Sequence[Ballot], panel: SeatMap
) -> Rule:
    """The panel rule without answers: judges weigh what their agreement with themselves suggests."""
    return panel_rule([], [*(ballot for ballot, _ in probes), *unlabelled], panel)


def panel_record(probes: Sequence[Probe], unlabelled: Sequence[Ballot], panel: SeatMap) -> Rule:
    """The panel rule that also learns from its own guesses; these never outweigh the probes and the prior."""
    prior = prior_belief([*(ballot for ballot, _ in probes), *unlabelled], panel)
    known = _labelled(prior, probes, panel)
    patterns = Counter(_folded(prior, ballot, panel) for ballot in unlabelled)
    share = min(1.0, (len(probes) + PRIOR_PROBES) / max(len(unlabelled), 1))
    belief = updated(prior, known)
    for _ in range(ROUNDS if patterns else 0):
        belief = updated(prior, [*known, *_guessed(belief, patterns, share)])
    return _rule(belief, panel)


def _guessed(belief: Belief, patterns: Mapping[Folded, int], share: float) -> list[Sample]:
    """Every unlabelled pattern as both of its answers, each weighted by its probability."""
    score = _scorer(belief)
    samples: list[Sample] = []
    for folded, count in patterns.items():
        doubt = 1 / (1 + exp(min(score(folded), 700.0)))
        samples.append((folded, count * share * (1 - doubt)))
        samples.append((_turned(folded, -1), count * share * doubt))
    return samples


def one_coin(probes: Sequence[Probe], unlabelled: Sequence[Ballot], panel: SeatMap) -> Rule:
    """Dawid and Skene with one accuracy per seat and no answers: it may lock on to the wrong cluster."""
    return _one_coin([], [*(ballot for ballot, _ in probes), *unlabelled])


def anchored_one_coin(
    probes: Sequence[Probe], unlabelled: Sequence[Ballot], panel: SeatMap
) -> Rule:
    """The one-coin model with the probes' answers held fixed."""
    return _one_coin(probes, unlabelled)


def _one_coin(probes: Sequence[Probe], unlabelled: Sequence[Ballot]) -> Rule:
    known = [(signs(ballot), float(sign(gold))) for ballot, gold in probes]
    open_ = [signs(ballot) for ballot in unlabelled]
    weights = {seat: 1.0 for votes in (*(votes for votes, _ in known), *open_) for seat in votes}
    for _ in range(ONE_COIN_ROUNDS):
        before = weights
        weights = _one_coin_weights(
            [*known, *((votes, _expected_sign(votes, before)) for votes in open_)]
        )
        if all(abs(weights[seat] - before[seat]) < 1e-3 for seat in weights):
            break
    return _linear(weights)


def _expected_sign(votes: Mapping[str, int], weights: Mapping[str, float]) -> float:
    score = sum(weights[seat] * vote for seat, vote in votes.items())
    return 1 - 2 / (1 + exp(min(score, 700.0)))


def _one_coin_weights(items: Iterable[tuple[Mapping[str, int], float]]) -> dict[str, float]:
    """Log-odds of each seat's accuracy against expected answers."""
    right: dict[str, float] = {}
    wrong: dict[str, float] = {}
    for votes, answer in items:
        for seat, vote in votes.items():
            chance = (1 + vote * answer) / 2
            right[seat] = right.get(seat, ONE_COIN_PRIOR[0]) + chance
            wrong[seat] = wrong.get(seat, ONE_COIN_PRIOR[1]) + 1 - chance
    return {seat: log(right[seat] / wrong[seat]) for seat in right}


def chosen(probes: Sequence[Probe], unlabelled: Sequence[Ballot], panel: SeatMap) -> Rule:
    """The aggregator that leave-one-out chooses, fitted on all probes."""
    return AGGREGATORS[choose(probes, unlabelled, panel).name](probes, unlabelled, panel)


RIVALS: dict[str, Aggregator] = {
    "panel_record": panel_record,
    "panel_probes_only": panel_probes_only,
    "panel_consistency": panel_consistency,
    "one_coin": one_coin,
    "anchored_one_coin": anchored_one_coin,
    "chosen by leave-one-out": chosen,
}
