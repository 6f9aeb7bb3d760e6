"""Who disagrees with whom, and in which words: both positions, never a winner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from guildmoot.consensus.buckets import Buckets
from guildmoot.consensus.council import CouncilVote
from guildmoot.model.council import Disagreement, Position
from guildmoot.model.council_verdict import CouncilWord
from guildmoot.model.verdict import Conflict, Issue
from guildmoot.practices.council.hearing import Heard


def find_disagreements(
    heard: Sequence[Heard],
    votes: Sequence[CouncilVote],
    buckets: Buckets,
    conflicts: Sequence[Conflict],
) -> list[Disagreement]:
    """The verdict where judges hold PASS and FAIL, remedies that clash, what only some see as blocking."""
    said = {one.seat.label: _insight(one) for one in heard}
    words = {vote.seat: vote.word for vote in votes if vote.word and not vote.computed}
    found = []
    if {"PASS", "FAIL"} <= set(words.values()):
        found.append(Disagreement("the verdict", _by_word(words, said)))
    for conflict in conflicts:
        positions = (Position((f.seat,), f.fix or f.title) for f in conflict.findings)
        found.append(Disagreement(f"remedies at {conflict.scope}", tuple(positions)))
    for issue in (*buckets.split, *buckets.minority):
        others = [label for label in words if label not in issue.seats]
        if issue.blocking and others:
            found.append(Disagreement(issue.representative.title, _about(issue, others, words)))
    return found


def _by_word(words: Mapping[str, CouncilWord], said: Mapping[str, str]) -> tuple[Position, ...]:
    return tuple(
        Position((label,), f"{word}: {said[label]}" if said[label] else word)
        for wanted in ("PASS", "WARN", "FAIL")
        for label, word in words.items()
        if word == wanted
    )


def _about(
    issue: Issue, others: Sequence[str], words: Mapping[str, CouncilWord]
) -> tuple[Position, ...]:
    raised = {member.seat: member.title for member in issue.members}
    raisers = [Position((seat,), title) for seat, title in sorted(raised.items())]
    silent = ", ".join(f"{label} says {words[label]}" for label in others)
    return (*raisers, Position(tuple(others), f"not raised ({silent})"))


def _insight(one: Heard) -> str:
    verdict = one.reading.verdict if one.reading else None
    return verdict.key_insight or verdict.recommendation if verdict else ""
