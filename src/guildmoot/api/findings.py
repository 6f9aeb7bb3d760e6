"""Findings after a run: a project's stream of them, and what people make of findings and candidates."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from guildmoot.consensus.votes.history import Disposition
from guildmoot.memory import candidates
from guildmoot.practices.dispositions import DispositionRequest, dispose
from guildmoot.projects import findings as stream
from guildmoot.system.threads import in_project


async def append_finding(row: stream.FindingRow, cwd: Path = Path()) -> str:
    """Add a finding to its project's stream; the signature that the same finding always has."""
    return await asyncio.to_thread(stream.append, cwd.absolute(), row, datetime.now(UTC))


async def count_findings(row: stream.FindingRow, cwd: Path = Path()) -> int:
    """How often the same finding is in its project's stream."""
    return await asyncio.to_thread(stream.count, cwd.absolute(), row)


async def decide_finding(request: DispositionRequest, cwd: Path = Path()) -> Disposition:
    """Record what a person made of a finding of a recorded run."""
    return await in_project(cwd, lambda root: dispose(root, request, datetime.now(UTC)))


async def list_candidates(cwd: Path = Path()) -> candidates.CandidateList:
    """The findings that councils staged for later, each with what was decided on it."""
    return await in_project(cwd, candidates.read_candidates)


async def decide_candidate(
    decision: candidates.CandidateDecision, cwd: Path = Path()
) -> candidates.StoredCandidate:
    """Accept or reject a candidate."""
    now = datetime.now(UTC)
    return await in_project(cwd, lambda root: candidates.record_decision(root, decision, now))
