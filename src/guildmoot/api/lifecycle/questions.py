"""What waits for a person around pieces of work: one inbox, each question with the command that answers it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import NamedTuple

from guildmoot.agents.hosts.answers import answer_of
from guildmoot.agents.hosts.folder import load_hosts
from guildmoot.errors import GuildmootError
from guildmoot.lifecycle import view
from guildmoot.lifecycle.execution.finish import assumptions_of
from guildmoot.lifecycle.execution.journal import is_at_work, read_run
from guildmoot.lifecycle.execution.values import RunState
from guildmoot.lifecycle.execution.workers.host import PLAN
from guildmoot.lifecycle.places import WorkFolder, find_work
from guildmoot.lifecycle.standing import is_waiting
from guildmoot.lifecycle.view import MOST
from guildmoot.system.files import read_text_inside
from guildmoot.text.clean import clean, one_line

_SHOWN = 600


class WorkQuestion(NamedTuple):
    """Something that waits for a person, and how it is answered."""

    work: str
    task: str
    """The lane; empty where the whole piece of work waits."""
    text: str
    command: str


async def open_questions(cwd: Path = Path()) -> list[WorkQuestion]:
    """What pieces of work wait for: approvals, lanes that ask, failed or conflict; and hosts that ask first."""
    return await asyncio.to_thread(_questions, cwd)


def _questions(cwd: Path) -> list[WorkQuestion]:
    try:
        folder = find_work(cwd)
    except GuildmootError:
        return []
    found = _asking_hosts(folder.root)
    for slug in view.known_slugs(folder):
        seen = view.look(folder, slug)
        if is_waiting(seen.standing):
            found.append(WorkQuestion(slug, "", seen.standing.why, seen.command))
            continue
        state = read_run(folder, seen.run) if seen.run else RunState("", slug)
        if seen.standing.step in ("review", "verify") and seen.standing.blockers:
            found.append(WorkQuestion(slug, "", seen.standing.why, seen.command))
        if state.paused or state.stopped:
            how = "paused" if state.paused else "stopped"
            text = f"{state.run} is {how}: {state.halt or 'nobody said why'}"
            found.append(WorkQuestion(slug, "", text, f"guild resume {slug}"))
        for lane in state.lanes:
            if lane.answer:
                how = f"{lane.answer} --run {slug}"
                found.append(WorkQuestion(slug, lane.task, f"{lane.status}: {lane.reason}", how))
        found += _handed_out(folder, slug, state)
        if state.red and state.untouched:
            text = f"fails before anything is done: {', '.join(state.red)}"
            found.append(WorkQuestion(slug, "", text, f"guild work execute {slug} --yes"))
        found += _assumed(folder, slug, state, seen.standing.step)
    return found


def _handed_out(folder: WorkFolder, slug: str, state: RunState) -> list[WorkQuestion]:
    """Lanes that wait for the agents of a host, which a person starts."""
    plan = folder.run(state.run) / PLAN if state.run else None
    if state.mode != "agent" or plan is None or not plan.is_file() or is_at_work(folder, state.run):
        return []
    where = plan.relative_to(folder.root)
    how = f"guild run --slug {slug}"
    return [
        WorkQuestion(slug, each.task, f"handed out: start its agent by {where}, then go on", how)
        for each in state.lanes
        if each.status == "running"
    ]


def _assumed(folder: WorkFolder, slug: str, state: RunState, step: str) -> list[WorkQuestion]:
    """What lanes assumed and nobody let stand yet: told as soon as a lane handed over, answered at the verification."""
    if step == "done":
        return []
    answer = f"guild work verify {slug} --yes (or --dispute TEXT)"
    how = answer if step == "verify" else f"guild run --slug {slug}, then {answer}"
    found = []
    for lane in state.lanes:
        if lane.status in ("handed-over", "done"):
            place = folder.run(state.run) / "handoffs" / f"{lane.owner}-{lane.task}.md"
            text, _ = read_text_inside(place, folder.root, MOST)
            if said := one_line(clean(assumptions_of(text))):
                found.append(WorkQuestion(slug, lane.task, f"assumed: {said[:_SHOWN]}", how))
    return found


def _asking_hosts(root: Path) -> list[WorkQuestion]:
    """Hosts whose manifest asks before work leaves this machine, and that nobody answered as it is now."""
    return [
        WorkQuestion(
            f"host {host.host_id}",
            "",
            "asks before a lane's files leave this machine",
            f"guild hosts approve {host.host_id} --yes (or --no)",
        )
        for host in load_hosts(root).hosts
        if host.egress == "always-ask" and answer_of(root, host) is None
    ]
