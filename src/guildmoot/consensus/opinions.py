"""Opinions among several families: who holds an issue, how many must, and what their agreement is worth.

A fact needs nobody's agreement. An opinion is weighed against the families that read the same work and did not
say so; tools are none of them, for their silence says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from math import ceil
from typing import TYPE_CHECKING, Literal

from guildmoot.consensus.count_vote import STANDS
from guildmoot.consensus.panel import has_voted
from guildmoot.model.verdict import SEVERITIES, UNREAL, Issue, Judgement
from guildmoot.named import NamedTuple

if TYPE_CHECKING:  # what is known of families is weighed where several think
    from guildmoot.consensus.votes.evidence import Context, SeatRecord

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
    answer: Literal["yes", "no", "cannot tell", "no answer"]
    reason: str = ""


class Record(NamedTuple):
    """What is known of the families: from probes, and from what people made of findings here."""

    seats: SeatRecord | None = None
    upheld: Mapping[int, tuple[int, int]] = {}
    is_fooled: Callable[[str], bool] = lambda seat: False
    """Whether a canary caught the seat: that it says nothing, or no, is worth nothing."""


def opinion_families(judgements: Sequence[Judgement], record: Record = Record()) -> list[str]:  # noqa: B008 - frozen
    """The families that read the work and voted; what a program computed is no opinion.

    A family of which every seat was caught by a canary takes nothing from what others report.
    """
    thinking = (j for j in judgements if has_voted(j) and not j.computed)
    return sorted({j.family or j.seat for j in thinking if not record.is_fooled(j.seat)})


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
    return is_lone(issue, families) and is_placed(issue)


def is_lone(issue: Issue, families: Sequence[str]) -> bool:
    """A serious opinion of one family alone, among so few that the others can be asked."""
    blocking = [finding for finding in issue.members if finding.blocking]
    alone = len(holders_of(issue)) == 1 and 1 < len(families) <= MOST_ASKED
    fact = not blocking or any(finding.proven for finding in blocking)
    return alone and not fact and issue.severity in SERIOUS


def is_placed(issue: Issue) -> bool:
    """Whether the place that it names was found."""
    return any(finding.blocking and finding.grounding in STANDS for finding in issue.members)


def share_questions(issues: Iterable[Issue], most: int) -> list[Issue]:
    """The issues that are asked about: each family's gravest in turn, so that many of one crowd out none of another."""
    by_family: dict[str, list[Issue]] = {}
    for issue in sorted(issues, key=_rank):
        by_family.setdefault(min(holders_of(issue)), []).append(issue)
    rounds = zip_longest(*by_family.values())
    return [issue for turn in rounds for issue in turn if issue][:most]


def _rank(issue: Issue) -> tuple[int, str, int, str]:
    speaker = issue.representative
    return SEVERITIES.index(issue.severity), speaker.path, speaker.line, issue.id


def unplaced_flags(issues: Sequence[Issue], families: Sequence[str]) -> list[Issue]:
    """Serious opinions of one seat alone that nobody can be asked about: no place of all that it flags was found."""
    placed = {
        finding.seat
        for issue in issues
        for finding in issue.members
        if finding.blocking and finding.grounding in STANDS
    }
    return [
        issue for issue in issues if is_lone(issue, families) and placed.isdisjoint(issue.seats)
    ]


def context_of(issues: Sequence[Issue], families: Sequence[str]) -> Context:
    """How many findings each family has in this run."""
    from guildmoot.consensus.votes.evidence import Context

    held = [holders_of(issue) for issue in issues]
    return Context({each: sum(each in who for who in held) for each in families}, len(issues))


def basis_of(record: Record, families: Sequence[str]) -> SeatRecord | None:
    """The records, where they know enough of the families that sit here."""
    known = sum(family in record.seats.detects for family in families) if record.seats else 0
    return record.seats if known >= LEAST_FAMILIES else None


def weighed_score(issue: Issue, context: Context, record: SeatRecord) -> float:
    """How far the evidence for the issue is above what it must be; below 0 it does not block."""
    from guildmoot.consensus.published import CUT, MODEL
    from guildmoot.consensus.votes.evidence import features

    row = features(holders_of(issue) & {*context.findings}, context, record)
    return MODEL.score(row) - CUT


def decided_here(upheld: Mapping[int, tuple[int, int]]) -> dict[int, tuple[int, int]]:
    """Of findings by so many families, how many people upheld, of how many they decided on, where these are enough."""
    return {n: (up, seen) for n, (up, seen) in upheld.items() if seen >= ENOUGH_DECIDED}


def told_worth(agreeing: int, families: int, record: Record) -> str:
    """How often such agreement was right, by this project's own decisions or by the data; else nothing."""
    from guildmoot.consensus.published import AGREEMENT, DATA
    from guildmoot.consensus.votes.counting import wilson

    if agreeing in decided_here(record.upheld):
        upheld, seen = record.upheld[agreeing]
        low, high = wilson(upheld, seen)
        return f"{upheld} of {seen} such findings were upheld here ({low:.0%} to {high:.0%})"
    found = AGREEMENT.get((agreeing, families))
    if not found:
        return ""
    share, low, high = found
    return f"such findings were right {share:.0%} of the time ({low:.0%} to {high:.0%}) in {DATA}"
