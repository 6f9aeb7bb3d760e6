"""What a coding agent's new session is told: the memory's best pages, or, after a compaction, where the work stands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import GuildmootError
from guildmoot.guard.hooks.approvals import list_questions
from guildmoot.guard.hooks.events import HookEvent
from guildmoot.lifecycle import view as views
from guildmoot.lifecycle.places import WorkFolder, find_work
from guildmoot.lifecycle.work_runs import latest_run
from guildmoot.memory.wiki.brief import MOST_TOKENS, make_brief
from guildmoot.memory.wiki.places import WIKI, memory_root
from guildmoot.system.files import read_own

_STATUS_TOKENS = 80
"""For what the guard says of itself before."""


class SessionContext(NamedTuple):
    """A text for the model, and the pages that it holds something of."""

    text: str = ""
    pages: tuple[str, ...] = ()


def session_context(event: HookEvent, folder: str) -> SessionContext:
    """What to tell a session that starts below ``folder``."""
    if event.text("source") == "compact":
        return SessionContext(_standing(event, find_work(Path(folder))))
    root = memory_root(Path(folder))
    if not (root / WIKI).is_dir():
        return SessionContext()
    brief = make_brief(root, MOST_TOKENS - _STATUS_TOKENS)
    return SessionContext(brief.text, brief.pages)


def _standing(event: HookEvent, work: WorkFolder) -> str:
    """Run, phase, next gate and open approvals, in a few lines."""
    run = event.run_id if event.run_place() else ""
    rows = []
    try:
        slug = views.choose_slug(work, _slug_of(work, run))
        view = views.look(work, slug)
        run = run or latest_run(work, slug)
        rows.append(f"Work: {slug}. Phase: {view.standing.step} ({view.standing.why}).")
        rows.append(f"Next gate: {view.standing.gate or 'none'}.")
        if view.command:
            rows.append(f"Next: {view.command}")
    except GuildmootError:  # no work, or several pieces of it
        pass
    waiting = [
        each for each in list_questions(event.env)
        if each.state == "waiting" and Path(each.folder).is_relative_to(work.root)
    ]  # fmt: skip
    if waiting:
        names = ", ".join(each.id for each in waiting[:5])
        rows.append(f"{len(waiting)} approvals wait for a person: {names} (guild approvals list).")
    head = [f"Run: {run}."] if run else []
    return "\n".join(head + rows)


def _slug_of(work: WorkFolder, run: str) -> str:
    if not run:
        return ""
    try:
        told = json.loads(read_own(work.run(run) / "work.json", 100_000) or b"{}")
    except ValueError:
        return ""
    return str(told.get("slug", "")) if isinstance(told, dict) else ""
