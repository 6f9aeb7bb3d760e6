"""The words of voting: ballots, probes, panels, verdicts, and the shape of a rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from guildmoot.named import NamedTuple

#: A seat's answer; None (or an absent seat) is a missing vote.
Vote = bool | None
Ballot = Mapping[str, Vote]
#: A ballot on a question whose answer is known.
Probe = tuple[Ballot, bool]

#: Scores closer to zero than this are ties; a balance of equal weights misses zero by rounding only.
TIE = 1e-9


class WeighedVote(NamedTuple):
    """A decision (None for a tie) and the log-odds that the answer is True."""

    decision: bool | None
    score: float

    @classmethod
    def of(cls, score: float) -> WeighedVote:
        """The decision that a score in log-odds stands for."""
        return cls(None if abs(score) < TIE else score > 0, score)


class Tally(NamedTuple):
    """The sum of one judge's votes on an item, as +1 and -1, and their number."""

    total: int
    votes: int

    @property
    def mean(self) -> float:
        """1 for a steady yes, -1 for a steady no, 0 when he contradicts himself."""
        return self.total / self.votes


class SeatMap(NamedTuple):
    """Who has which seat: ``judges`` names the model behind a seat, ``families`` the vendor; both default to the seat.

    Seats of one judge are replicas (say, the two orders of a pair) and are folded into one vote. Seats of one family
    but of different judges stay separate votes, believed to err together.
    """

    families: Mapping[str, str] = MappingProxyType({})
    judges: Mapping[str, str] = MappingProxyType({})

    def judge(self, seat: str) -> str:
        """The judge behind a seat."""
        return self.judges.get(seat, seat)

    def family_of_judges(self, seats: Iterable[str]) -> dict[str, str]:
        """The family of every judge behind these seats, in the order of the judges' names."""
        found = {
            self.judge(seat): self.families.get(seat, self.judge(seat)) for seat in sorted(seats)
        }
        return dict(sorted(found.items()))

    def fold(self, ballot: Ballot) -> dict[str, Tally]:
        """The votes of each judge who cast one."""
        totals: dict[str, int] = {}
        votes: dict[str, int] = {}
        for seat, vote in signs(ballot).items():
            judge = self.judges.get(seat, seat)
            totals[judge] = totals.get(judge, 0) + vote
            votes[judge] = votes.get(judge, 0) + 1
        return {judge: Tally(total, votes[judge]) for judge, total in totals.items()}


Rule = Callable[[Ballot], WeighedVote]
Aggregator = Callable[[Sequence[Probe], Sequence[Ballot], SeatMap], Rule]


def sign(answer: bool) -> int:
    """+1 for True and -1 for False."""
    return 1 if answer else -1


def signs(ballot: Ballot) -> dict[str, int]:
    """The votes cast as +1 and -1, without the missing ones."""
    return {seat: 1 if vote else -1 for seat, vote in ballot.items() if vote is not None}
