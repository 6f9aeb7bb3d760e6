"""The verbs behind the work: review of its lanes, verification of the result, reflection on the run."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from guildmoot.api.drafting import work_place
from guildmoot.api.judge import validate
from guildmoot.calls import Watch
from guildmoot.config import NO_FLAGS, Flags
from guildmoot.lifecycle.drafting.desk import open_desk
from guildmoot.lifecycle.execution.control import ControlRequest, ask_run, follow, new_requests
from guildmoot.lifecycle.execution.journal import Journal
from guildmoot.lifecycle.places import find_work
from guildmoot.lifecycle.plan import Lane
from guildmoot.lifecycle.proof import acts
from guildmoot.lifecycle.proof.acts import CleanRuns, LanesReviewed, WorkVerified
from guildmoot.lifecycle.proof.claims import LaneClaim
from guildmoot.lifecycle.proof.gathering import CarriedOut, gather
from guildmoot.lifecycle.proof.items import meant_item
from guildmoot.lifecycle.proof.lane_loops import challenge_lane, read_rounds
from guildmoot.lifecycle.proof.lane_rounds import LaneRounds
from guildmoot.lifecycle.proof.reflect import Reflection
from guildmoot.lifecycle.work_runs import add_part
from guildmoot.model.report import RunReport
from guildmoot.packet import PacketRequest
from guildmoot.practices.dispositions import user_name
from guildmoot.practices.panel import PanelRequest

__all__ = [
    "CleanRuns",
    "LanesReviewed",
    "Reflection",
    "WorkVerified",
    "accept_item",
    "reflect_on",
    "review_lanes",
    "verify_work",
]
_AS_IS = CleanRuns()


async def review_lanes(
    slug: str = "",
    cwd: Path = Path(),
    runs: CleanRuns = _AS_IS,
    agents: tuple[str, ...] = (),
    watch: Watch | None = None,
    settings: Flags = NO_FLAGS,
) -> LanesReviewed:
    """Look at what each lane handed over, by code and by judges; a lane that fails is sent back once."""
    loop = asyncio.get_running_loop()

    def work() -> LanesReviewed:
        place = work_place(cwd, settings)
        folder, config, terms = place
        done = gather(folder, slug, "review", terms)

        def judge(change: tuple[str, str], claim: LaneClaim, evidence: Sequence[str]) -> RunReport:
            packet = PacketRequest(
                claim.files,
                folder.root,
                "..".join(change),
                evidence=tuple(evidence),
                ask=claim.lane.text,
            )
            request = PanelRequest(packet, agents, parent=done.run, command="guild work review")
            report = asyncio.run_coroutine_threadsafe(validate(request, watch), loop).result()
            if report.run_id:
                add_part(folder, done.run, report.run_id)
            return report

        def challenge(lane: Lane, diff: str, receipt: str) -> LaneRounds:
            with open_desk(folder.root, done.run, config) as desk:
                return asyncio.run(
                    challenge_lane(folder, done.run, lane, (diff, receipt), desk, terms)
                )

        asks = bool(terms.challenger) and "implementation" in terms.loops
        return acts.review(done, judge, runs, "panel", challenge if asks else None)

    return await asyncio.to_thread(work)


async def verify_work(
    slug: str = "",
    cwd: Path = Path(),
    runs: CleanRuns = _AS_IS,
    *,
    accepted: bool = False,
    disputed: Sequence[str] = (),
) -> WorkVerified:
    """The five checks on the result, in a clean checkout of it."""

    def work() -> WorkVerified:
        folder = find_work(cwd)
        done = gather(folder, slug, "verify")
        who = user_name(folder.root)
        if disputed:
            _ask(done, [ControlRequest("dispute", "", who, text) for text in disputed])
            done = gather(folder, slug, "verify")
        return acts.verify(done, runs, who, accepted=accepted)

    return await asyncio.to_thread(work)


async def accept_item(item: str, why: str, slug: str = "", cwd: Path = Path()) -> tuple[str, ...]:
    """A person lets stand what a lane left open, or what nobody showed; recorded with who and why. What it was."""

    def work() -> tuple[str, ...]:
        folder = find_work(cwd)
        done = gather(folder, slug, "review")
        tasks = (claim.lane.task for claim in done.claims)
        left = {task: read_rounds(folder, done.run, task).left for task in tasks}
        found = meant_item(item, done.spec, done.claims, left, done.state.disputed)
        who = user_name(folder.root)
        _ask(done, [ControlRequest("accept", "", who, why, (text,)) for text in found])
        return found

    return await asyncio.to_thread(work)


def _ask(done: CarriedOut, requests: Sequence[ControlRequest]) -> None:
    """Put a person's words on record, and follow them at once: the run has ended."""
    for asked in requests:
        ask_run(done.folder, done.state, asked)
    journal = Journal(done.folder, done.run)
    try:
        for number, each in new_requests(done.folder, journal.state):
            follow(journal, each, number)
    finally:
        journal.close()


async def reflect_on(slug: str = "", cwd: Path = Path()) -> tuple[Reflection, Path]:
    """What the run of a piece of work teaches, as proposals."""
    return await asyncio.to_thread(lambda: acts.reflection(gather(find_work(cwd), slug, "done")))
