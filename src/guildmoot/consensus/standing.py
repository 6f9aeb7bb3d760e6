"""What gold probes and dispositions showed of each seat, and the rule that follows from it.

Pure functions over the ledger that ``records.calibration`` reads. A seat is judged by its newest
answers only: to the probe as it is now, by the model that it has now. A seat that a canary caught
is *fooled*: it is shown, and its votes are not counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

from guildmoot.consensus.ballots import Ballot, Panel, Probe, Rule
from guildmoot.consensus.calibration import AGGREGATORS, Choice, choose
from guildmoot.consensus.counting import (
    Interval,
    effective_votes,
    error_correlation,
    krippendorff_alpha,
    wilson,
)
from guildmoot.types import Outcome

ENOUGH = 10
"""Probes below which a report says that they are too few to tell: with nine right out of nine the
interval still begins at 70 %."""


class CastVote(NamedTuple):
    """What one seat made of one probe, and whether that was right."""

    run: str
    probe: str
    packet: str
    """Hash of what was shown."""
    gold: bool
    """True: defective, so that "flagged" is the right answer."""
    seat: str
    agent: str
    family: str
    model: str
    outcome: Outcome
    vote: bool | None
    """True: defective. None: it gave no answer to this question."""
    right: bool | None
    """None where there is nothing to hold against it or for it."""
    repeat: int = 1
    canary: str = ""
    note: str = ""
    ts: str = ""

    @property
    def judge(self) -> str:
        """Who stands behind the seat; two seats of one judge are the same voice twice."""
        return f"{self.agent}@{self.model}" if self.model else self.agent


class Disposition(NamedTuple):
    """What a person made of a finding."""

    issue: str
    disposition: Literal["accepted", "dismissed", "fixed"]
    why: str
    seats: tuple[str, ...]
    """Who reported it."""
    families: tuple[str, ...] = ()
    run: str = ""
    code: str = ""
    path: str = ""
    line: int = 0
    title: str = ""
    ts: str = ""


class Ledger(NamedTuple):
    """All that was recorded, oldest first; ``bad`` lines could not be read."""

    votes: tuple[CastVote, ...] = ()
    dispositions: tuple[Disposition, ...] = ()
    bad: int = 0


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


class Pair(NamedTuple):
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
    pairs: tuple[Pair, ...]
    effective_votes: float | None
    alpha: float | None
    choice: Choice | None
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


def assess(ledger: Ledger) -> Standing:
    """Where every seat stands."""
    table = _table(_current(ledger.votes))
    gold = _gold(table)
    known = {*_seats(table), *(seat for item in ledger.dispositions for seat in item.seats)}
    seats = tuple(_seat(name, table, ledger) for name in sorted(known))
    sound = [seat for seat in seats if not seat.fooled]
    probes = [
        ({seat: _credited(cell) for seat, cell in row.items()}, gold[probe])
        for probe, row in table.items()
        if probe in gold
    ]
    answered = [name for name in _seats(table) if any(name in ballot for ballot, _ in probes)]
    labelled, panel = _ballots(ledger)
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
        choice=choose(labelled, [], panel) if len(labelled) > 1 else None,
        dispositions=len(_decided(ledger.dispositions)),
        bad=ledger.bad,
    )


def fit(ledger: Ledger) -> Rule | None:
    """The aggregator that leave-one-out chooses, fitted on probes and dispositions; None without probes.

    Votes of fooled seats are taken out of every ballot before it is weighed.
    """
    labelled, panel = _ballots(ledger)
    if not labelled:
        return None
    name = choose(labelled, [], panel).name
    is_fooled = _fooled(ledger)
    disposed = [_as_probe(item, is_fooled) for item in _decided(ledger.dispositions)]
    heard = [(ballot, gold) for ballot, gold in disposed if ballot]
    rule = AGGREGATORS[name]([*labelled, *heard], [], panel)
    return lambda ballot: rule({seat: vote for seat, vote in ballot.items() if not is_fooled(seat)})


def _current(votes: Sequence[CastVote]) -> list[CastVote]:
    """The newest answers: to the probe as it is now, by the judge who sits there now."""
    newest_probe = {vote.probe: (vote.packet, vote.gold) for vote in votes}
    newest_judge = {vote.seat: vote.judge for vote in votes}
    live = [
        vote
        for vote in votes
        if newest_probe[vote.probe] == (vote.packet, vote.gold)
        and newest_judge[vote.seat] == vote.judge
    ]
    asked = {(vote.probe, vote.seat): vote.run for vote in live}
    # A seat that could not be reached lately keeps what it answered before.
    answered = {(vote.probe, vote.seat): vote.run for vote in live if vote.right is not None}
    run = {**asked, **answered}
    return [vote for vote in live if run[vote.probe, vote.seat] == vote.run]


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


def _seat(name: str, table: Mapping[str, Mapping[str, _Fold]], ledger: Ledger) -> SeatStanding:
    mine = [row[name] for row in table.values() if name in row]
    probes = [fold for fold in mine if not fold.votes[0].canary]
    marks = [(fold, fold.right) for fold in probes if fold.right is not None]
    canaries = [vote for fold in mine if fold.votes[0].canary for vote in fold.answered]
    caught = dict.fromkeys(vote.note for vote in canaries if not vote.right)
    right = sum(mark for _, mark in marks)
    decided = [item for item in _decided(ledger.dispositions) if name in item.seats]
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
        upheld=(sum(item.disposition != "dismissed" for item in decided), len(decided)),
    )


def _wrong(marks: Sequence[tuple[_Fold, bool | None]], *, gold: bool) -> tuple[int, int]:
    of_kind = [mark for fold, mark in marks if fold.votes[0].gold == gold]
    return of_kind.count(False), len(of_kind)


def _pairs(probes: Sequence[Probe], seats: Sequence[str]) -> tuple[Pair, ...]:
    found = (
        Pair(one, other, *error_correlation(probes, one, other))
        for one, other in combinations(seats, 2)
    )
    return tuple(pair for pair in found if pair.shared)


def _worth(seats: Sequence[SeatStanding], probes: Sequence[Probe]) -> float | None:
    voting = [seat for seat in seats if seat.seen]
    if not voting:
        return None
    families = {seat.seat: seat.family or seat.seat for seat in voting}
    return effective_votes(families, families, probes)


def _ballots(ledger: Ledger) -> tuple[list[Probe], Panel]:
    """Probes with every repeat as a replica of its seat, fooled seats left out."""
    current = _current(ledger.votes)
    is_fooled = _fooled(ledger)
    families: dict[str, str] = {}
    judges: dict[str, str] = {}
    ballots: dict[str, dict[str, bool | None]] = {}
    gold: dict[str, bool] = {}
    for vote in sorted(current, key=lambda vote: (vote.probe, vote.seat, vote.repeat)):
        if vote.canary or vote.right is None or is_fooled(vote.seat):
            continue
        voice = vote.seat if vote.repeat == 1 else f"{vote.seat}#{vote.repeat}"
        families[voice], judges[voice] = vote.family or vote.seat, vote.judge
        ballots.setdefault(vote.probe, {})[voice] = vote.gold == vote.right
        gold[vote.probe] = vote.gold
    return [(ballot, gold[probe]) for probe, ballot in ballots.items()], Panel(families, judges)


def _fooled(ledger: Ledger) -> Callable[[str], bool]:
    """Whether a seat is one that a canary caught; ``kind-2`` is ``kind`` sitting there twice."""
    current = _current(ledger.votes)
    known = {vote.seat for vote in current}
    caught = {vote.seat for vote in current if vote.canary and vote.right is False}

    def is_fooled(seat: str) -> bool:
        return seat in caught or (seat not in known and re.sub(r"-\d+$", "", seat) in caught)

    return is_fooled


def _decided(dispositions: Iterable[Disposition]) -> list[Disposition]:
    """The newest word on every issue."""
    return list({item.issue: item for item in dispositions}.values())


def _as_probe(item: Disposition, is_fooled: Callable[[str], bool]) -> tuple[Ballot, bool]:
    """Who reported it said "defective"; a person said whether that is so."""
    seats = [seat for seat in item.seats if not is_fooled(seat)]
    return dict.fromkeys(seats, True), item.disposition != "dismissed"
