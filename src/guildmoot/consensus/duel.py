"""What a duel's ballots come to: means, winners, contested calls, kills and diagnostics. Counts only.

    winner      scored by more than half of the others, mean 600 or more, scores within 200
    contested   scores more than 200 apart; or the only scorer rejects what its author upholds
    kill        conceded by its author, or scored below 400 by all of at least two others
    open        everything else, what too few scored included

Nobody scores itself. A score that was not given is named as missing: it is not made up, and a mean
is of the scores that were given.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, NamedTuple

from guildmoot.model.council import Scored

Bucket = Literal["winner", "contested", "kill", "open"]

HIGHEST = 1000
WINS_AT = 600
LOW_BELOW = 400
CONTESTED_ABOVE = 200
HEALTHY_WITHIN = 12
LOVE_ABOVE = 800
ONE_SIDED_ABOVE = 200
HEALTHY_KILLS = 2

Overall = Mapping[tuple[str, str], int]
"""Scorer and scored expert to the score of the whole."""


class Card(NamedTuple):
    """One recommendation as it was put to the vote."""

    by: str
    text: str
    scores: tuple[tuple[str, int], ...] = ()
    """Scorer and score."""
    conceded: bool = False


def rate(card: Card, experts: Sequence[str]) -> Scored:
    """The recommendation in its bucket; ``experts`` are all that took part, those who failed included."""
    scorers = [expert for expert in experts if expert != card.by]
    given = {who: score for who, score in card.scores if who in scorers and 0 <= score <= HIGHEST}
    scores = [given[who] for who in scorers if who in given]
    gap = max(scores) - min(scores) if scores else 0
    return Scored(
        by=card.by,
        text=card.text,
        scores=tuple((who, given[who]) for who in scorers if who in given),
        mean=_mean(scores),
        gap=gap,
        bucket=_bucket(scores, len(scorers), gap, card.conceded),
        missing=tuple(who for who in scorers if who not in given),
    )


def rank(cards: Sequence[Card], experts: Sequence[str]) -> tuple[Scored, ...]:
    """All recommendations, the best mean first; what nobody scored stands last."""
    rated = [rate(card, experts) for card in cards]
    return tuple(sorted(rated, key=lambda card: (not card.scores, -card.mean)))


def whole_ballots(overall: Overall, experts: Sequence[str]) -> tuple[tuple[str, float], ...]:
    """Each expert and the mean that the others gave its whole position; none without a score."""
    means = []
    for expert in experts:
        given = [overall[other, expert] for other in experts if _cast(overall, other, expert)]
        if given:
            means.append((expert, _mean(given)))
    return tuple(means)


def missing_ballots(
    overall: Overall, experts: Sequence[str], silent: Collection[str] = ()
) -> tuple[tuple[str, str], ...]:
    """Scorer and expert of every ballot that was not cast; who took no position cannot be scored."""
    return tuple(
        (scorer, expert)
        for scorer in experts
        for expert in experts
        if scorer != expert and expert not in silent and not _cast(overall, scorer, expert)
    )


def is_love_fest(ballots: Sequence[tuple[str, float]]) -> bool:
    """Everybody thinks highly of everybody: worth asking for candour, and scoring again."""
    return len(ballots) > 1 and all(mean > LOVE_ABOVE for _, mean in ballots)


def diagnose(ballots: Sequence[tuple[str, float]], kills: Mapping[str, int]) -> tuple[str, ...]:
    """What the numbers say about the duel itself, in words."""
    return (*_on_ballots(ballots), *_on_kills(kills))


def _on_ballots(ballots: Sequence[tuple[str, float]]) -> list[str]:
    if len(ballots) < 2:
        return ["too few ballots: fewer than two experts were scored, so nothing can be compared"]
    means = [mean for _, mean in ballots]
    gap = max(means) - min(means)
    said = []
    if is_love_fest(ballots):
        who = "both" if len(ballots) == 2 else "all"
        said.append(f"love-fest: {who} above {LOVE_ABOVE}, so the scores tell little")
    if gap <= HEALTHY_WITHIN:
        said.append(f"healthy: the ballots lie within {HEALTHY_WITHIN} points ({gap:g})")
    elif gap > ONE_SIDED_ABOVE:
        said.append(
            f"one-sided: {gap:g} points apart, more than {ONE_SIDED_ABOVE};"
            " one expert was much weaker, or the briefing was biased"
        )
    else:
        said.append(f"the ballots lie {gap:g} points apart")
    return said


def _on_kills(kills: Mapping[str, int]) -> list[str]:
    if not kills:
        return []
    told = ", ".join(f"{expert} {count}" for expert, count in sorted(kills.items()))
    if all(count >= HEALTHY_KILLS for count in kills.values()):
        return [f"healthy: each side kills at least {HEALTHY_KILLS} things ({told})"]
    if not any(kills.values()):
        return ["suspicious: nobody would kill anything"]
    return [f"few kills: {told}; at least {HEALTHY_KILLS} each would be healthy"]


def _bucket(scores: Sequence[int], asked: int, gap: int, conceded: bool) -> Bucket:
    if conceded:
        return "kill"
    if not scores:
        return "open"
    if gap > CONTESTED_ABOVE:
        return "contested"
    if max(scores) < LOW_BELOW:
        return "kill" if len(scores) > 1 else "contested"
    if _mean(scores) >= WINS_AT and 2 * len(scores) > asked:
        return "winner"
    return "open"


def _cast(overall: Overall, scorer: str, expert: str) -> bool:
    return scorer != expert and 0 <= overall.get((scorer, expert), -1) <= HIGHEST


def _mean(scores: Sequence[int]) -> float:
    return round(sum(scores) / len(scores), 1) if scores else 0.0
