"""The council's voting table, and nothing else.

    all PASS                        PASS
    any WARN, no FAIL               WARN
    any FAIL                        FAIL
    families split PASS and FAIL    DISAGREE (its verdict is FAIL); both positions are shown
    too few judges answered         INCOMPLETE, or ERROR when nobody did

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
        return CouncilResult("ERROR", None, False, ("no judge gave a verdict", *_silent(votes)))
    if len(words) < quorum:
        why = f"{len(words)} of {len(votes)} judges gave a verdict, {quorum} are needed"
        return CouncilResult("INCOMPLETE", None, False, (why, *_silent(votes)))
    verdict = max(words, key=_RANK.__getitem__)
    split = "; ".join(filter(None, map(disagreement, pairs or [votes])))
    reasons = [*_tellers(votes, verdict), *_silent(votes), *([split] if split else [])]
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


def disagreement(votes: Sequence[CouncilVote]) -> str:
    """Who says PASS while another family says FAIL; empty when nobody does."""
    opinions = [vote for vote in votes if not vote.computed]
    sides = {
        word: sorted({vote.family for vote in opinions if vote.word == word})
        for word in ("PASS", "FAIL")
    }
    if not all(sides.values()) or sides["PASS"] == sides["FAIL"]:
        return ""
    return "DISAGREE: " + "; ".join(f"{', '.join(who)} said {word}" for word, who in sides.items())


def _tellers(votes: Sequence[CouncilVote], verdict: CouncilWord) -> list[str]:
    who = [vote.seat for vote in votes if vote.word == verdict]
    return [f"{verdict} by {', '.join(who)}"]


def _silent(votes: Sequence[CouncilVote]) -> list[str]:
    return [f"{vote.seat} gave no verdict: {vote.reason}" for vote in votes if not vote.word]


def _floored(
    verdict: CouncilWord, split: bool, reasons: list[str], floors: Sequence[VerdictFloor]
) -> CouncilResult:
    least: dict[str, CouncilWord] = {"warn": "WARN", "undecided": "WARN", "flagged": "FAIL"}
    for floor in floors:
        held = least[floor.at_least]
        if _RANK[held] > _RANK[verdict]:
            verdict = held
        reasons.append(f"floor {floor.name}: {floor.why}")
    outcome: CouncilOutcome = "DISAGREE" if split else verdict
    if not split and any(floor.at_least == "undecided" for floor in floors) and verdict != "FAIL":
        outcome = "INCOMPLETE"
    return CouncilResult(outcome, verdict, split, tuple(reasons))
