"""How far an answer can be trusted, measured: how many hold it, and how they did on probes.

What judges say of their own confidence is not part of it; what their votes are worth is in the counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from guildmoot.consensus.council import CouncilVote
from guildmoot.consensus.votes.ballots import Probe
from guildmoot.consensus.votes.counting import wilson
from guildmoot.model.council_verdict import CouncilWord


class Mark(NamedTuple):
    """How a seat did on the probes."""

    right: int
    seen: int


def marks(probes: Sequence[Probe], agents: Mapping[str, str]) -> dict[str, Mark]:
    """Each seat's record; ``agents`` names the agent behind a seat, under whom it was probed."""
    found = {}
    for seat, agent in agents.items():
        answers = [
            ballot[agent] == gold for ballot, gold in probes if ballot.get(agent) is not None
        ]
        if answers:
            found[seat] = Mark(sum(answers), len(answers))
    return found


def as_seated(probes: Sequence[Probe], agents: Mapping[str, str]) -> list[Probe]:
    """The probes with the votes under the names that the agents have at this table."""
    return [
        ({seat: ballot.get(agent) for seat, agent in agents.items()}, gold)
        for ballot, gold in probes
    ]


def measured(
    verdict: CouncilWord | None, votes: Sequence[CouncilVote], record: Mapping[str, Mark]
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
    share = f"no judge says {verdict}: a floor or the policy sets it"
    if holders:
        share = f"{holders} of {sides} judges say {verdict} ({holders / sides:.0%})"
    if quiet:
        tools = "1 tool" if len(quiet) == 1 else f"{len(quiet)} tools"
        share += f", {tools} found nothing to report"
    return f"{share}; {_record(record)}"


def _record(record: Mapping[str, Mark]) -> str:
    if not record:
        return "no probe record of these judges"
    told = []
    for seat, mark in record.items():
        low, high = wilson(mark.right, mark.seen)
        told.append(f"{seat} right on {mark.right} of {mark.seen} ({low:.0%} to {high:.0%})")
    return f"probes: {', '.join(told)}"
