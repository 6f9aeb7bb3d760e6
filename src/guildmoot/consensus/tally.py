"""Counts what a panel's agreement is worth: families, effective votes, shares and alpha."""

from __future__ import annotations

from collections.abc import Sequence

from guildmoot.consensus.votes.ballots import Probe
from guildmoot.consensus.votes.counting import effective_votes, krippendorff_alpha
from guildmoot.model.report import Counts
from guildmoot.model.verdict import Issue, Judgement

VOTED = ("approved", "flagged", "unreadable")

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


def tally(
    judgements: Sequence[Judgement],
    issues: Sequence[Issue],
    asked: Sequence[str],
    probes: Sequence[Probe] = (),
) -> Counts:
    """The counts of one panel; ``asked`` names every seat, answered or not."""
    voters = {j.seat: j.family or j.seat for j in judgements if j.outcome in VOTED}
    flagged = sum(j.outcome == "flagged" for j in judgements)
    total = max(len(asked), 1)
    return Counts(
        asked=len(asked),
        voted=len(voters),
        families=len(set(voters.values())),
        effective=effective_votes(voters, voters, probes) if voters else 0.0,
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
        if judgement.outcome in VOTED and not judgement.computed
    ]
    return [{seat: seat in issue.seats for seat in readers} for issue in issues]
