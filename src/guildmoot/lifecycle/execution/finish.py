"""What is written when a run has come to its end: the assumptions of all receipts, and nothing left behind."""

from __future__ import annotations

import hashlib

from guildmoot.guard.scrub import write_durable
from guildmoot.lifecycle.documents import FrontMatterError, read_markdown
from guildmoot.lifecycle.execution.values import RunState
from guildmoot.lifecycle.execution.worktrees import RunRepository
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.system.files import read_text_inside

_MOST = 1_000_000


def finish(folder: WorkFolder, state: RunState, repository: RunRepository) -> list[str]:
    """Write the assumptions once every lane is merged, and take the worktrees away; what is amiss, in lines."""
    if not state.lanes or any(lane.status not in ("done", "skipped") for lane in state.lanes):
        return []
    rows, problems = ["# Assumptions", ""], []
    for lane in state.lanes:
        if lane.status == "skipped":
            continue
        path = folder.run(state.run) / "handoffs" / f"{lane.owner}-{lane.task}.md"
        text, problem = read_text_inside(path, folder.root, _MOST)
        if problem or hashlib.sha256(text.encode()).hexdigest() != lane.receipt:
            problems.append(f"{path.name} is not the receipt that was accepted")
        said = assumptions_of(text)
        rows += [f"## {lane.owner} ({lane.task})", "", said, ""] if said else []
    write_durable(folder.run(state.run) / "assumptions.md", "\n".join(rows).rstrip() + "\n")
    repository.end()
    return problems


def assumptions_of(receipt: str) -> str:
    """What a receipt assumes, verbatim; empty where it assumes nothing. Pure."""
    try:
        section = read_markdown(receipt).section("assumptions")
    except (FrontMatterError, ValueError):
        return ""
    return section.text.strip() if section and not section.says_none else ""
