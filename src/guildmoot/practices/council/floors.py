"""What holds a council's verdict down whatever the votes were, gathered from plan, packet and judges."""

from __future__ import annotations

from collections.abc import Sequence

from guildmoot.backends import traits_of
from guildmoot.config import Config
from guildmoot.consensus.council import CouncilVote
from guildmoot.consensus.floors import (
    Floor,
    coverage_floor,
    evidence_floor,
    verification_floor,
)
from guildmoot.consensus.rigor import rigor_floors
from guildmoot.model.packet import Packet
from guildmoot.model.verdict import Issue
from guildmoot.practices.council.hearing import Heard
from guildmoot.practices.council.plan import CouncilPlan
from guildmoot.practices.council.prompts import gate_applies
from guildmoot.practices.council.remembering import Check


def council_floors(
    heard: Sequence[Heard],
    votes: Sequence[CouncilVote],
    packet: Packet,
    plan: CouncilPlan,
    config: Config,
    evidence: Sequence[tuple[str, int]],
    checks: Sequence[Check],
) -> list[Floor]:
    """What no vote can lift the verdict above."""
    findings = [finding for one in heard for finding in one.judgement.findings]
    floors = verification_floor(findings)
    if packet.files or packet.omitted:
        least = config.number("floors.coverage")
        floors += coverage_floor(len(packet.files), packet.omitted, least)
    floors += evidence_floor(evidence)
    if gate_applies(plan, packet):
        floors += rigor_floors(_gate_answers(heard))
    floors += _vendor_floor(plan, heard, votes) + _reader_floor(heard, votes)
    return floors + _escalations(heard) + _check_floors(checks)


def _gate_answers(heard: Sequence[Heard]) -> list[dict[str, float]]:
    verdicts = [one.reading.verdict for one in heard if one.reading and one.reading.verdict]
    return [dict(verdict.satisfaction_breakdown or ()) for verdict in verdicts]


def _vendor_floor(
    plan: CouncilPlan, heard: Sequence[Heard], votes: Sequence[CouncilVote]
) -> list[Floor]:
    """Two vendors were asked for; without a word of one of them the answer is not what was asked."""
    if not plan.mixed:
        return []
    named = {vendor.agent for vendor in plan.vendors if vendor.agent}
    sides = [
        (one.seat.seat.agent if one.seat.seat.agent in named else vote.family, vote.word)
        for one, vote in zip(heard, votes, strict=True)
    ]
    silent = {side for side, _ in sides} - {side for side, word in sides if word}
    if not silent:
        return []
    why = f"no judge of {', '.join(sorted(silent))} gave a verdict, and --mixed needs one of each"
    return [Floor("vendors", "undecided", why)]


def _reader_floor(heard: Sequence[Heard], votes: Sequence[CouncilVote]) -> list[Floor]:
    """Judges that read the whole work were seated, and only tools spoke: silence is no consent."""
    pairs = zip(heard, votes, strict=True)
    readers = [vote for one, vote in pairs if not traits_of(one.seat.agent.backend).is_tool]
    spoke = any(vote.word for vote in votes)
    if not readers or not spoke or any(vote.word for vote in readers):
        return []
    why = "no judge that reads the whole work gave a verdict; tools look for their own rules only"
    return [Floor("readers", "undecided", why)]


def _escalations(heard: Sequence[Heard]) -> list[Floor]:
    return [
        Floor("escalation", "undecided", f"{one.seat.label}: {one.judgement.reason}")
        for one in heard
        if one.judgement.outcome == "operator-judgment"
    ]


def _check_floors(checks: Sequence[Check]) -> list[Floor]:
    """A wrapper's mechanical checks: what a program found to be wrong, no judge can vote away."""
    failed = [Floor("check", "flagged", f"{name}: {why}") for name, s, why in checks if s == "fail"]
    return failed + [
        Floor("check", "warn", f"{name}: {why}") for name, s, why in checks if s == "warn"
    ]


def count_assertions(
    heard: Sequence[Heard], issues: Sequence[Issue]
) -> tuple[tuple[str, int], ...]:
    """How many assertions each issue has: the most that one judge gave; facts need none."""
    opinions = {one.seat.label for one in heard if not one.judgement.computed}
    return tuple(
        (issue.id, max(len(member.assertions) for member in issue.members))
        for issue in issues
        if any(member.seat in opinions for member in issue.members)
        and not any(member.proven for member in issue.members)
    )
