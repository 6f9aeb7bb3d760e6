"""How far the judges agree, and what that is worth: counts, who raises an issue, measured confidence.

What judges say of their own confidence is not part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from guildmoot.consensus.panel import has_voted
from guildmoot.consensus.votes.ballots import Probe
from guildmoot.consensus.votes.counting import (
    Ability,
    effective_votes,
    krippendorff_alpha,
    wilson,
)
from guildmoot.model.report import Counts
from guildmoot.model.verdict import Issue, Judgement
from guildmoot.named import NamedTuple

if TYPE_CHECKING:
    from guildmoot.consensus.council import CouncilVote
    from guildmoot.model.council_verdict import CouncilWord

MEANINGS = {
    "asked": "seats at the table",
    "voted": "seats that judged; the others stay in the denominator",
    "families": "distinct vendors or tools among them; agreement within one is coverage, not votes",
    "effective": "independent votes that the panel is worth",
    "flagged": "share of all seats that flagged",
    "missing": "share of all seats without a vote",
    "alpha": "agreement on the issues beyond chance (Krippendorff): 1 full, 0 none",
}
"""One line for each count, for reports."""

Bucket = Literal["shared", "split", "minority"]


class Buckets(NamedTuple):
    """All issues by who raises them, each once."""

    shared: tuple[Issue, ...]
    split: tuple[Issue, ...]
    minority: tuple[Issue, ...]


def bucket_of(issue: Issue, readers: Collection[str]) -> Bucket:
    """Whether everybody, several or one seat alone raises the issue.

    A tool looks for its own rules only, so its silence is no denial: what matters is who of the
    readers, the judges that read the whole work, raises it too.
    """
    if len(issue.seats) < 2:
        return "minority"
    return "shared" if set(readers) <= set(issue.seats) else "split"


def sort_issues(issues: Iterable[Issue], readers: Collection[str]) -> Buckets:
    """The issues by bucket, each bucket in the order given."""
    found: dict[Bucket, list[Issue]] = {"shared": [], "split": [], "minority": []}
    for issue in issues:
        found[bucket_of(issue, readers)].append(issue)
    return Buckets(tuple(found["shared"]), tuple(found["split"]), tuple(found["minority"]))


def tally(
    judgements: Sequence[Judgement],
    issues: Sequence[Issue],
    asked: Sequence[str],
    probes: Sequence[Probe] = (),
    is_fooled: Callable[[str], bool] = lambda seat: False,
) -> Counts:
    """The counts of one panel; ``asked`` names every seat, answered or not. Fooled seats are worth nothing."""
    voters = {j.seat: j.family or j.seat for j in judgements if has_voted(j)}
    sound = {seat: family for seat, family in voters.items() if not is_fooled(seat)}
    flagged = sum(j.outcome == "flagged" for j in judgements)
    total = max(len(asked), 1)
    return Counts(
        asked=len(asked),
        voted=len(voters),
        families=len(set(voters.values())),
        effective=effective_votes(sound, sound, probes) if sound else 0.0,
        flagged=flagged / total,
        missing=(len(asked) - len(voters)) / total,
        alpha=krippendorff_alpha(_ratings(judgements, issues)),
    )


def _ratings(judgements: Sequence[Judgement], issues: Sequence[Issue]) -> list[dict[str, bool]]:
    """Who reported which issue, among seats that all read the whole packet.

    A tool looks only for its own rules, so its silence about an issue is no disagreement.
    """
    readers = [
        judgement.seat
        for judgement in judgements
        if has_voted(judgement) and not judgement.computed
    ]
    return [{seat: seat in issue.seats for seat in readers} for issue in issues]


def measured(
    verdict: CouncilWord | None, votes: Sequence[CouncilVote], record: Mapping[str, Ability]
) -> str:
    """The confidence in words: the share of the judges that hold the verdict, and their record.

    Silent judges count against it; a tool that found nothing takes no side. A verdict that nobody
    voted for, because a floor or another policy set it, has no share.
    """
    if verdict is None:
        return ""
    quiet = [vote for vote in votes if vote.computed and vote.word == "PASS" and verdict != "PASS"]
    sides = len(votes) - len(quiet)
    holders = sum(vote.word == verdict for vote in votes)
    share = f"no judge says {verdict}: a check or the rule sets it"
    if holders:
        softened = any(vote.softened and vote.word == verdict for vote in votes)
        say = "count as" if softened else "say"
        share = f"{holders} of {sides} judges {say} {verdict} ({holders / sides:.0%})"
        share = share if sides > 1 else f"the one judge says {verdict}"
    if quiet:
        tools = "1 tool" if len(quiet) == 1 else f"{len(quiet)} tools"
        share += f", {tools} found nothing to report"
    return f"{share}; {_record(record)}"


def _record(record: Mapping[str, Ability]) -> str:
    if not record:
        return "how often they are right was not measured ('guild probe' does)"
    told = []
    for seat, mark in record.items():
        low, high = wilson(mark.right, mark.seen)
        told.append(f"{seat} right on {mark.right} of {mark.seen} ({low:.0%} to {high:.0%})")
    return f"probes: {', '.join(told)}"
