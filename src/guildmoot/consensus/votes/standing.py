"""Where each seat stands: accuracy with its interval, canaries, who errs together, which rule does best.

Pure functions over the history; what a seat's newest answers are is decided there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from guildmoot.consensus.votes.ballots import Probe
from guildmoot.consensus.votes.calibration import AggregatorChoice, choose
from guildmoot.consensus.votes.counting import (
    Interval,
    effective_votes,
    error_correlation,
    krippendorff_alpha,
    wilson,
)
from guildmoot.consensus.votes.history import (
    CastVote,
    VoteHistory,
    by_judge,
    current,
    decided,
    fooled_seats,
    labelled,
)
from guildmoot.named import NamedTuple

ENOUGH = 10
"""Probes below which a report says that they are too few to tell: with nine right out of nine the
interval still begins at 70 %."""


class SeatStanding(NamedTuple):
    """How one seat did."""

    seat: str
    family: str
    judge: str
    asked: int
    seen: int
    """Probes it answered; the rest it recused from, or could not be reached for."""
    right: int
    interval: Interval
    """Of its accuracy, 95 %."""
    missed: tuple[int, int]
    """Defective probes it did not get right, of those it answered."""
    alarms: tuple[int, int]
    """Sound probes it did not get right, of those it answered."""
    wrong_reason: int
    """Flagged a defective probe without naming the place that is known to be wrong."""
    unsteady: int
    """Probes to which it gave both answers, when they were repeated."""
    canaries: tuple[int, int]
    """Passed, of those that say something about it."""
    caught: tuple[str, ...]
    """What the canaries that it failed showed."""
    upheld: tuple[int, int]
    """Findings that a person accepted or fixed, of those decided on."""

    @property
    def fooled(self) -> bool:
        """A canary caught it."""
        return bool(self.caught)


class ErrorPair(NamedTuple):
    """How two seats' errors go together."""

    one: str
    other: str
    phi: float | None
    shared: int


class Standing(NamedTuple):
    """The whole report."""

    probes: int
    defective: int
    seats: tuple[SeatStanding, ...]
    pairs: tuple[ErrorPair, ...]
    effective_votes: float | None
    alpha: float | None
    choice: AggregatorChoice | None
    """None with fewer than two probes that somebody answered."""
    dispositions: int
    bad: int


class _Fold(NamedTuple):
    """One seat's answers to one probe, repeats taken together."""

    votes: tuple[CastVote, ...]

    @property
    def answered(self) -> list[CastVote]:
        return [vote for vote in self.votes if vote.right is not None]

    @property
    def right(self) -> bool | None:
        """Right more often than not; to contradict oneself evenly is not to be right."""
        marks = [vote.right for vote in self.answered]
        return marks.count(True) * 2 > len(marks) if marks else None

    @property
    def said(self) -> bool | None:
        said = [vote.vote for vote in self.votes if vote.vote is not None]
        return None if said.count(True) * 2 == len(said) else said.count(True) * 2 > len(said)

    @property
    def unsteady(self) -> bool:
        return len({vote.right for vote in self.answered}) > 1


def assess(history: VoteHistory) -> Standing:
    """Where every judge stands, whatever seat it had in a run."""
    history = by_judge(history)
    table = _table(current(history.votes))
    gold = _gold(table)
    known = {*_seats(table), *(seat for item in history.dispositions for seat in item.seats)}
    seats = tuple(_seat(name, table, history) for name in sorted(known))
    sound = [seat for seat in seats if not seat.fooled]
    probes = _credited_probes(table, gold)
    answered = [name for name in _seats(table) if any(name in ballot for ballot, _ in probes)]
    gold_ballots, panel = labelled(history)
    return Standing(
        probes=len(gold),
        defective=sum(gold.values()),
        seats=seats,
        pairs=_pairs(probes, sorted(answered)),
        effective_votes=_worth(sound, probes),
        alpha=krippendorff_alpha(
            {seat: cell.said for seat, cell in row.items()}
            for probe, row in table.items()
            if probe in gold
        ),
        choice=choose(gold_ballots, [], panel) if len(gold_ballots) > 1 else None,
        dispositions=len(decided(history.dispositions)),
        bad=history.bad + history.foreign,
    )


def folded_probes(history: VoteHistory) -> list[Probe]:
    """The seats' newest answers to the probes, repeats taken together; no fooled seats."""
    is_fooled = fooled_seats(history)
    table = _table(vote for vote in current(history.votes) if not is_fooled(vote.seat))
    return _credited_probes(table, _gold(table))


def _credited_probes(
    table: Mapping[str, Mapping[str, _Fold]], gold: Mapping[str, bool]
) -> list[Probe]:
    return [
        ({seat: _credited(cell) for seat, cell in row.items()}, gold[probe])
        for probe, row in table.items()
        if probe in gold
    ]


def _table(votes: Iterable[CastVote]) -> dict[str, dict[str, _Fold]]:
    """Probe to seat to its answers, in the order of the names."""
    cells: dict[tuple[str, str], list[CastVote]] = {}
    for vote in votes:
        cells.setdefault((vote.probe, vote.seat), []).append(vote)
    table: dict[str, dict[str, _Fold]] = {}
    for (probe, seat), found in sorted(cells.items()):
        table.setdefault(probe, {})[seat] = _Fold(tuple(found))
    return table


def _gold(table: Mapping[str, Mapping[str, _Fold]]) -> dict[str, bool]:
    """The answer of every probe that is no canary."""
    first = {probe: next(iter(row.values())).votes[0] for probe, row in table.items()}
    return {probe: vote.gold for probe, vote in first.items() if not vote.canary}


def _seats(table: Mapping[str, Mapping[str, _Fold]]) -> list[str]:
    return sorted({seat for row in table.values() for seat in row})


def _credited(fold: _Fold) -> bool | None:
    """The vote that is held for or against the seat; right for the wrong reason counts as wrong."""
    right = fold.right
    return None if right is None else fold.votes[0].gold == right


def _seat(
    name: str, table: Mapping[str, Mapping[str, _Fold]], history: VoteHistory
) -> SeatStanding:
    mine = [row[name] for row in table.values() if name in row]
    probes = [fold for fold in mine if not fold.votes[0].canary]
    marks = [(fold, fold.right) for fold in probes if fold.right is not None]
    canaries = [vote for fold in mine if fold.votes[0].canary for vote in fold.answered]
    caught = dict.fromkeys(vote.note for vote in canaries if not vote.right)
    right = sum(mark for _, mark in marks)
    own = [item for item in decided(history.dispositions) if name in item.seats]
    last = mine[-1].votes[-1] if mine else None
    return SeatStanding(
        seat=name,
        family=last.family if last else "",
        judge=last.judge if last else name,
        asked=len(probes),
        seen=len(marks),
        right=right,
        interval=wilson(right, len(marks)),
        missed=_wrong(marks, gold=True),
        alarms=_wrong(marks, gold=False),
        wrong_reason=sum(
            any(vote.outcome == "flagged" and vote.gold and not vote.right for vote in fold.votes)
            for fold in probes
        ),
        unsteady=sum(fold.unsteady for fold in probes),
        canaries=(sum(bool(vote.right) for vote in canaries), len(canaries)),
        caught=tuple(caught),
        upheld=(sum(item.disposition != "dismissed" for item in own), len(own)),
    )


def _wrong(marks: Sequence[tuple[_Fold, bool | None]], *, gold: bool) -> tuple[int, int]:
    of_kind = [mark for fold, mark in marks if fold.votes[0].gold == gold]
    return of_kind.count(False), len(of_kind)


def _pairs(probes: Sequence[Probe], seats: Sequence[str]) -> tuple[ErrorPair, ...]:
    found = (
        ErrorPair(one, other, *error_correlation(probes, one, other))
        for one, other in combinations(seats, 2)
    )
    return tuple(pair for pair in found if pair.shared)


def _worth(seats: Sequence[SeatStanding], probes: Sequence[Probe]) -> float | None:
    voting = [seat for seat in seats if seat.seen]
    if not voting:
        return None
    families = {seat.seat: seat.family or seat.seat for seat in voting}
    return effective_votes(families, families, probes)
