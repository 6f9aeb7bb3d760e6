"""Opinions among several families: who holds an issue, how many must, and what their agreement is worth.

A fact needs nobody's agreement. An opinion is weighed against the families that read the same work and did not
say so; tools are none of them, for their silence says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Literal, NamedTuple

from guildmoot.consensus.count_vote import STANDS
from guildmoot.consensus.panel import has_voted
from guildmoot.consensus.published import AGREEMENT, CUT, DATA, MODEL
from guildmoot.consensus.votes.counting import wilson
from guildmoot.consensus.votes.evidence import Context, SeatRecord, features
from guildmoot.model.verdict import UNREAL, Issue, Judgement

LEAST_FAMILIES = 3
"""Families from which on their records are weighed; of fewer there is no data."""
ENOUGH_DECIDED = 10
"""Findings that people must have decided on here before that is told in place of the published figures."""
SERIOUS = ("critical", "high")
MOST_ASKED = 5
"""Families up to which asking them about another's finding pays: among more, what one alone names is right less
than one time in ten, and judges who are right eight times in ten keep too much of it."""


class SecondLook(NamedTuple):
    """What one family answered to the question whether another's finding is right."""

    family: str
    answer: Literal["yes", "no", "cannot tell"]
    reason: str = ""


class Record(NamedTuple):
    """What is known of the families: from probes, and from what people made of findings here."""

    seats: SeatRecord | None = None
    upheld: Mapping[int, tuple[int, int]] = {}


def opinion_families(judgements: Sequence[Judgement]) -> list[str]:
    """The families that read the work and voted; what a program computed is no opinion."""
    return sorted({j.family or j.seat for j in judgements if has_voted(j) and not j.computed})


def least_families(families: int) -> int:
    """How many must hold an opinion for it to block: a third, and never fewer than two where two sit."""
    return min(families, max(2, ceil(families / 3)))


def holders_of(issue: Issue) -> set[str]:
    """The families that name the issue at a place that is not known to be wrong."""
    real = [f for f in issue.members if f.blocking or f.grounding not in UNREAL]
    return {finding.family or finding.seat for finding in real}


def is_open(issue: Issue, families: Sequence[str]) -> bool:
    """Whether one family alone holds it, it is serious, and its place was found: worth asking the others.

    What a program computed is not asked about.
    """
    blocking = [finding for finding in issue.members if finding.blocking]
    grounded = any(finding.grounding in STANDS for finding in blocking)
    alone = len(holders_of(issue)) == 1 and 1 < len(families) <= MOST_ASKED
    fact = any(finding.proven for finding in blocking)
    return alone and grounded and not fact and issue.severity in SERIOUS


def context_of(issues: Sequence[Issue], families: Sequence[str]) -> Context:
    """How many findings each family has in this run."""
    held = [holders_of(issue) for issue in issues]
    return Context({each: sum(each in who for who in held) for each in families}, len(issues))


def basis_of(record: Record, families: Sequence[str]) -> SeatRecord | None:
    """The records, where they know enough of the families that sit here."""
    known = sum(family in record.seats.detects for family in families) if record.seats else 0
    return record.seats if known >= LEAST_FAMILIES else None


def weighed_score(issue: Issue, context: Context, record: SeatRecord) -> float:
    """How far the evidence for the issue is above what it must be; below 0 it does not block."""
    row = features(holders_of(issue) & {*context.findings}, context, record)
    return MODEL.score(row) - CUT


def told_worth(agreeing: int, families: int, record: Record) -> str:
    """How often such agreement was right, by this project's own decisions or by the data; else nothing."""
    upheld, seen = record.upheld.get(agreeing, (0, 0))
    if seen >= ENOUGH_DECIDED:
        low, high = wilson(upheld, seen)
        return f"{upheld} of {seen} such findings were upheld here ({low:.0%} to {high:.0%})"
    found = AGREEMENT.get((agreeing, families))
    if not found:
        return ""
    share, low, high = found
    return f"right {share:.0%} of the time ({low:.0%} to {high:.0%}) in {DATA}"
