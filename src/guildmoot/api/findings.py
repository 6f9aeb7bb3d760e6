"""Findings after a run: a project's stream of them, and what people make of findings and candidates."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.memory import candidates
from guildmoot.projects import findings as stream
from guildmoot.system.git import project_root

if TYPE_CHECKING:
    from guildmoot.consensus.votes.history import Disposition
    from guildmoot.practices.dispositions import DispositionRequest


async def append_finding(row: stream.FindingRow, cwd: Path = Path()) -> str:
    """Add a finding to its project's stream; the signature that the same finding always has."""
    return await asyncio.to_thread(stream.append, cwd.absolute(), row, datetime.now(UTC))


async def count_findings(row: stream.FindingRow, cwd: Path = Path()) -> int:
    """How often the same finding is in its project's stream."""
    return await asyncio.to_thread(stream.count, cwd.absolute(), row)


async def decide_finding(request: DispositionRequest, cwd: Path = Path()) -> Disposition:
    """Record what a person made of a finding of a recorded run."""
    from guildmoot.practices.dispositions import dispose

    def work() -> Disposition:
        return dispose(project_root(cwd.absolute()), request, datetime.now(UTC))

    return await asyncio.to_thread(work)


async def list_candidates(cwd: Path = Path()) -> candidates.CandidateList:
    """The findings that councils staged for later, each with what was decided on it."""
    return await asyncio.to_thread(lambda: candidates.read_candidates(project_root(cwd.absolute())))


async def decide_candidate(
    decision: candidates.CandidateDecision, cwd: Path = Path()
) -> candidates.StoredCandidate:
    """Accept or reject a candidate."""

    def work() -> candidates.StoredCandidate:
        root = project_root(cwd.absolute())
        return candidates.record_decision(root, decision, datetime.now(UTC))

    return await asyncio.to_thread(work)
