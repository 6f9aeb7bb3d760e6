"""The council's voting table, and nothing else.

    all PASS                        PASS
    any WARN, no FAIL               WARN
    any FAIL                        FAIL
    vendors stand PASS and FAIL     DISAGREE (its verdict is FAIL); both positions are shown
    too few judges answered         INCOMPLETE, or ERROR when nobody did

Where a vendor stands is its own judges' consensus by the same table. A FAIL that rests on nothing
but minor findings counts as a WARN against judges that do not fail the work (:func:`weigh_severity`).
Floors come after the vote and can only lower the outcome. Nothing breaks a tie.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from guildmoot.consensus.floors import VerdictFloor
from guildmoot.errors import EXIT_FLAGGED, EXIT_INFRASTRUCTURE, EXIT_OK, EXIT_UNDECIDED, EXIT_WARN
from guildmoot.model.council_verdict import CouncilOutcome, CouncilWord
from guildmoot.model.verdict import Judgement

_RANK: dict[CouncilWord, int] = {"PASS": 0, "WARN": 1, "FAIL": 2}
_EXIT: dict[CouncilOutcome, int] = {
    "PASS": EXIT_OK,
    "WARN": EXIT_OK,
    "FAIL": EXIT_FLAGGED,
    "DISAGREE": EXIT_UNDECIDED,
    "INCOMPLETE": EXIT_UNDECIDED,
    "ERROR": EXIT_INFRASTRUCTURE,
}


class CouncilVote(NamedTuple):
    """One judge's word; None when it gave none."""

    seat: str
    family: str
    word: CouncilWord | None
    reason: str = ""
    """Why there is no word: did not answer, could not be read, recused."""
    computed: bool = False
    """A program's word: a fact, which no opinion of another family can be at odds with."""
    light: bool = False
    """A FAIL none of whose reasons is more than minor."""

    @property
    def softened(self) -> bool:
        """Whether it said FAIL, and counts for less."""
        return self.light and self.word not in ("FAIL", None)


class CouncilResult(NamedTuple):
    """What the council comes to."""

    outcome: CouncilOutcome
    verdict: CouncilWord | None
    """The gate's word; None when too few judges answered for one."""
    disagreement: bool
    reasons: tuple[str, ...]

    def exit_code(self, *, fail_on_warn: bool = False) -> int:
        """The process's exit code."""
        if self.outcome == "WARN" and fail_on_warn:
            return EXIT_WARN
        return _EXIT[self.outcome]


def tally_council(
    votes: Sequence[CouncilVote],
    *,
    quorum: int = 1,
    floors: Sequence[VerdictFloor] = (),
    pairs: Sequence[Sequence[CouncilVote]] = (),
) -> CouncilResult:
    """The council's outcome; ``quorum`` is how many judges must have given a word.

    With ``pairs`` only the votes of one pair can be at odds: they judge from the same perspective.
    """
    words = [vote.word for vote in votes if vote.word]
    if not words:
        return CouncilResult("ERROR", None, False, ("no judge gave a verdict", *tell_silent(votes)))
    if len(words) < quorum:
        why = f"{len(words)} of {len(votes)} judges gave a verdict, {quorum} are needed"
        return CouncilResult("INCOMPLETE", None, False, (why, *tell_silent(votes)))
    verdict = max(words, key=_RANK.__getitem__)
    split = "; ".join(filter(None, map(disagreement, pairs or [votes])))
    reasons = [*_tellers(votes, verdict), *tell_silent(votes), *_split_within(votes)]
    reasons += [split] if split else []
    return _floored(verdict, bool(split), reasons, floors)


def word_of(judgement: Judgement) -> CouncilVote:
    """A panel's judgement as a council's vote: advice makes a PASS a WARN."""
    seat, family = judgement.seat, judgement.family or judgement.seat
    vote = CouncilVote(seat, family, None, computed=judgement.computed)
    if judgement.outcome == "flagged":
        return vote._replace(word="FAIL")
    if judgement.outcome == "approved":
        return vote._replace(word="WARN" if judgement.findings else "PASS")
    return vote._replace(reason=judgement.reason or judgement.outcome)


def weigh_severity(votes: Sequence[CouncilVote]) -> list[CouncilVote]:
    """The votes with each light FAIL as a WARN, unless every judge that voted fails the work."""
    opinions = [vote for vote in votes if vote.word and not vote.computed]
    word: CouncilWord = "WARN"
    why = "it said FAIL; counts as WARN because every finding is minor"
    if all(vote.word == "FAIL" for vote in opinions):
        word, why = "FAIL", "it said FAIL, though every finding is minor; nobody passes the work"
    return [
        vote._replace(word=word, reason=why) if vote.light and vote.word == "FAIL" else vote
        for vote in votes
    ]


def vendor_positions(votes: Sequence[CouncilVote]) -> dict[str, CouncilWord]:
    """Where each vendor stands, by name: the worst word of its own judges, as the table has it."""
    said: dict[str, list[CouncilWord]] = {}
    for vote in votes:
        if vote.word and not vote.computed:
            said.setdefault(vote.family, []).append(vote.word)
    return {family: max(said[family], key=_RANK.__getitem__) for family in sorted(said)}


def disagreement(votes: Sequence[CouncilVote]) -> str:
    """Which vendors stand on PASS while others stand on FAIL; empty when none do."""
    stand = vendor_positions(votes)
    if not {"PASS", "FAIL"} <= set(stand.values()):
        return ""
    sides = {word: [name for name in stand if stand[name] == word] for word in ("PASS", "FAIL")}
    return "DISAGREE: " + "; ".join(f"{', '.join(who)} said {word}" for word, who in sides.items())


def _split_within(votes: Sequence[CouncilVote]) -> list[str]:
    """How the judges of a vendor divide, where some say PASS and some FAIL."""
    told = []
    for family in sorted({vote.family for vote in votes if not vote.computed}):
        words = [vote.word for vote in votes if vote.family == family and not vote.computed]
        if {"PASS", "FAIL"} <= set(words):
            counts = (f"{words.count(word)} {word}" for word in _RANK if word in words)
            told.append(f"{family}'s judges split: {', '.join(counts)}")
    return told


def _tellers(votes: Sequence[CouncilVote], verdict: CouncilWord) -> list[str]:
    who = [vote.seat for vote in votes if vote.word == verdict]
    softened = ", ".join(vote.seat for vote in votes if vote.softened and vote.word == verdict)
    said = f" ({softened} said FAIL, on nothing but minor findings)" if softened else ""
    return [f"{verdict} by {', '.join(who)}{said}"]


def tell_silent(votes: Sequence[CouncilVote]) -> list[str]:
    """Who gave no verdict and why; those with one reason are told once."""
    by_reason: dict[str, list[str]] = {}
    for vote in votes:
        if not vote.word:
            by_reason.setdefault(vote.reason, []).append(vote.seat)
    return [f"{', '.join(names)} gave no verdict: {why}" for why, names in by_reason.items()]


def _floored(
    verdict: CouncilWord, split: bool, reasons: list[str], floors: Sequence[VerdictFloor]
) -> CouncilResult:
    least: dict[str, CouncilWord] = {"warn": "WARN", "undecided": "WARN", "flagged": "FAIL"}
    for floor in floors:
        held = least[floor.at_least]
        if _RANK[held] > _RANK[verdict]:
            verdict = held
        reasons.append(f"{floor.name}: {floor.why}")
    outcome: CouncilOutcome = "DISAGREE" if split else verdict
    if not split and any(floor.at_least == "undecided" for floor in floors) and verdict != "FAIL":
        outcome = "INCOMPLETE"
    return CouncilResult(outcome, verdict, split, tuple(reasons))
