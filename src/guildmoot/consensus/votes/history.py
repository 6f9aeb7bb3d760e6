"""The answers to probes and the dispositions on record, and the rule that is fitted on them.

Pure: ``memory.calibration`` reads and writes it. A judge is an agent on a model, whatever seat it has in a
run, and counts by its newest answers only, to the probe as it is now. One that a canary caught is *fooled*:
its votes are not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Literal

from guildmoot.consensus.votes.ballots import Ballot, Probe, Rule, SeatMap
from guildmoot.consensus.votes.calibration import AGGREGATORS, choose
from guildmoot.model.verdict import Outcome
from guildmoot.named import NamedTuple


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
    """The client where that chooses its own; empty for a program, which is a judge by itself."""
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
        """The agent and the model behind the seat; two seats of one judge are one vote."""
        return f"{self.agent}@{self.model}" if self.model else self.agent


class Disposition(NamedTuple):
    """What a person made of a finding."""

    issue: str
    disposition: Literal["accepted", "dismissed", "fixed"]
    why: str
    seats: tuple[str, ...]
    """The judges who reported it."""
    families: tuple[str, ...] = ()
    run: str = ""
    code: str = ""
    path: str = ""
    line: int = 0
    title: str = ""
    ts: str = ""
    who: str = ""
    prints: tuple[str, ...] = ()
    """The fingerprints of its findings, by which a dismissal is known again in later runs."""


class VoteHistory(NamedTuple):
    """All that was recorded, oldest first; ``bad`` lines could not be read, ``foreign`` ones are not this user's."""

    votes: tuple[CastVote, ...] = ()
    dispositions: tuple[Disposition, ...] = ()
    bad: int = 0
    foreign: int = 0


def by_judge(history: VoteHistory) -> VoteHistory:
    """Every answer under the name of its judge, for a table of all judges."""
    return history._replace(votes=tuple(vote._replace(seat=vote.judge) for vote in history.votes))


def seated(history: VoteHistory, judges: Mapping[str, str]) -> VoteHistory:
    """Every answer under the seats that its judge has at one table; ``judges`` has the judge of each seat.

    What a model that sits here answered as another agent stays under a name that nobody has here: it counts for the
    family. Who does not sit here counts for nothing.
    """
    seats: dict[str, list[str]] = {}
    for seat, judge in judges.items():
        seats.setdefault(judge, []).append(seat)
    models = {judge.partition("@")[2] for judge in judges.values()} - {""}
    votes = [
        vote._replace(seat=name)
        for vote in history.votes
        for name in seats.get(vote.judge, [vote.judge] if vote.model in models else [])
    ]
    dispositions = [
        item._replace(seats=tuple(seat for judge in item.seats for seat in seats.get(judge, ())))
        for item in history.dispositions
    ]
    return history._replace(votes=tuple(votes), dispositions=tuple(dispositions))


def fit(history: VoteHistory) -> Rule | None:
    """The aggregator that leave-one-out chooses, fitted on probes and dispositions; None without probes.

    Votes of fooled seats are taken out of every ballot before it is weighed. The fitting takes a moment
    and is done at the first ballot, so that a panel under another policy does not wait for it.
    """
    probes, panel = labelled(history)
    if not probes:
        return None
    is_fooled = fooled_seats(history)

    @cache
    def fitted() -> Rule:
        disposed = [_as_probe(item, is_fooled) for item in decided(history.dispositions)]
        known = [(ballot, gold) for ballot, gold in disposed if ballot]
        chosen = AGGREGATORS[choose(probes, [], panel).name]
        return chosen([*probes, *known], [], panel)

    return lambda ballot: fitted()(
        {seat: vote for seat, vote in ballot.items() if not is_fooled(seat)}
    )


def current(votes: Sequence[CastVote]) -> list[CastVote]:
    """The newest answers, to the probe as it is now."""
    newest_probe = {vote.probe: (vote.packet, vote.gold) for vote in votes}
    live = [
        vote
        for vote in votes
        # A canary that was reworded since still caught whom it caught.
        if vote.canary or newest_probe[vote.probe] == (vote.packet, vote.gold)
    ]
    asked = {(vote.probe, vote.seat): vote.run for vote in live}
    # A seat that could not be reached lately keeps what it answered before.
    answered = {(vote.probe, vote.seat): vote.run for vote in live if vote.right is not None}
    run = {**asked, **answered}
    return [vote for vote in live if run[vote.probe, vote.seat] == vote.run]


def labelled(history: VoteHistory) -> tuple[list[Probe], SeatMap]:
    """Probes with every repeat as a replica of its seat, fooled seats left out."""
    newest = current(history.votes)
    is_fooled = fooled_seats(history)
    families: dict[str, str] = {}
    judges: dict[str, str] = {}
    ballots: dict[str, dict[str, bool | None]] = {}
    gold: dict[str, bool] = {}
    for vote in sorted(newest, key=lambda vote: (vote.probe, vote.seat, vote.repeat)):
        if vote.canary or vote.right is None or is_fooled(vote.seat):
            continue
        replica = vote.seat if vote.repeat == 1 else f"{vote.seat}#{vote.repeat}"
        families[replica], judges[replica] = vote.family or vote.seat, vote.judge
        ballots.setdefault(vote.probe, {})[replica] = vote.gold == vote.right
        gold[vote.probe] = vote.gold
    return [(ballot, gold[probe]) for probe, ballot in ballots.items()], SeatMap(families, judges)


def fooled_seats(history: VoteHistory) -> Callable[[str], bool]:
    """Whether a seat is one that a canary caught."""
    newest = current(history.votes)
    caught = {vote.seat for vote in newest if vote.canary and vote.right is False}
    return caught.__contains__


def decided(dispositions: Iterable[Disposition]) -> list[Disposition]:
    """The newest word on every issue."""
    return list({item.issue: item for item in dispositions}.values())


def _as_probe(item: Disposition, is_fooled: Callable[[str], bool]) -> tuple[Ballot, bool]:
    """Who reported it said "defective"; a person said whether that is so."""
    seats = [seat for seat in item.seats if not is_fooled(seat)]
    return dict.fromkeys(seats, True), item.disposition != "dismissed"
