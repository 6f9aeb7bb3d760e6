"""What people make of findings: decisions on a run's findings, and on candidates for later."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from guildmoot.errors import UsageError
from guildmoot.memory import candidates
from guildmoot.memory.suppressions import Suppression, add_suppression
from guildmoot.system.git import project_root

if TYPE_CHECKING:
    from guildmoot.consensus.votes.history import Disposition
    from guildmoot.practices.dispositions import DispositionRequest


class CandidateDecision(NamedTuple):
    """What became of a candidate that a council staged."""

    key: str
    """The start of its key."""
    state: candidates.State
    why: str
    suppress: bool = False
    """A rejected one is kept out of reviews' lists too."""


async def decide_finding(request: DispositionRequest, cwd: Path = Path()) -> Disposition:
    """Record what a person made of a finding of a recorded run."""
    import asyncio

    from guildmoot.practices.dispositions import dispose

    def work() -> Disposition:
        return dispose(project_root(cwd.absolute()), request, datetime.now(UTC))

    return await asyncio.to_thread(work)


async def list_candidates(cwd: Path = Path()) -> candidates.CandidateList:
    """The findings that councils staged for later, each with what was decided on it."""
    import asyncio

    return await asyncio.to_thread(lambda: candidates.read_candidates(project_root(cwd.absolute())))


async def decide_candidate(
    decision: CandidateDecision, cwd: Path = Path()
) -> candidates.StoredCandidate:
    """Accept or reject a candidate."""
    import asyncio

    return await asyncio.to_thread(record_decision, decision, cwd)


def record_decision(decision: CandidateDecision, cwd: Path) -> candidates.StoredCandidate:
    """What ``decide_candidate`` awaits."""
    if decision.suppress and decision.state != "rejected":
        raise UsageError("--suppress goes with reject")
    root, day = project_root(cwd.absolute()), f"{datetime.now(UTC):%Y-%m-%d}"
    kept = candidates.decide(root, decision.key, decision.state, decision.why, day)
    if decision.suppress:
        add_suppression(root, Suppression(kept.candidate.finding_description, decision.why))
    return kept
