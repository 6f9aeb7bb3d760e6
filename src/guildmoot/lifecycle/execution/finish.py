"""What is written when a run has come to its end: the assumptions of all receipts, and nothing left behind."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from guildmoot.guard.scrub import write_durable
from guildmoot.lifecycle.documents import FrontMatterError, read_markdown
from guildmoot.lifecycle.execution.journal import Journal
from guildmoot.lifecycle.execution.values import PERSON, ExecutionReport, RunState
from guildmoot.lifecycle.execution.worktrees import RunRepository
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.work_runs import assumed_before
from guildmoot.system.files import folder_inside, put_in_place, read_own, read_text_inside
from guildmoot.text.clean import clean

_MOST = 1_000_000
UNRESOLVED, RECOVERY = "UNRESOLVED.md", "RECOVERY-STATUS.json"
_NOTES = 5
_HOW = {
    "running": "not at its end",
    "undecided": "a person must decide",
    "error": "the machine failed",
}


def finish(folder: WorkFolder, state: RunState, repository: RunRepository) -> list[str]:
    """Write the assumptions once every lane is merged, and take the worktrees away; what is amiss, in lines."""
    if not state.at_end:
        return []
    rows, problems = ["# Assumptions", "", *assumed_before(folder, state.run)], []
    for lane in state.lanes:
        if lane.status == "skipped":
            continue
        path = folder.run(state.run) / "handoffs" / f"{lane.owner}-{lane.task}.md"
        text, problem = read_text_inside(path, folder.root, _MOST)
        if problem or hashlib.sha256(text.encode()).hexdigest() != lane.receipt:
            problems.append(f"{path.name} is not the receipt that was accepted")
        said = clean(assumptions_of(text))
        rows += [f"## {lane.owner} ({lane.task})", "", said, ""] if said else []
    write_durable(folder.run(state.run) / "assumptions.md", "\n".join(rows).rstrip() + "\n")
    repository.end()
    return problems


def leave_word(folder: WorkFolder, state: RunState, report: ExecutionReport) -> None:
    """What is open and how to go on, where a run did not come to its end; taken away when it did."""
    here = folder.run(state.run)
    files = (here / UNRESOLVED, here / RECOVERY)
    if report.status == "done":
        for file in files:
            file.unlink(missing_ok=True)
        return
    rows = [
        f"# Unresolved: {state.slug}",
        "",
        f"{state.run}: {_HOW.get(report.status, report.status)}.",
        "",
    ]
    rows += [f"Why: {state.halt}.", ""] if state.halt and (state.paused or state.stopped) else []
    open_lanes = [lane for lane in report.lanes if lane.status not in ("done", "skipped")]
    rows += [
        f"- {lane.task}: {lane.status}. {lane.reason}".rstrip()
        + (f" Next: `{lane.answer} --run {state.slug}`" if lane.answer else "")
        for lane in open_lanes
    ]
    rows += (
        ["", "What was told last:", *(f"- {each}" for each in report.notes[-_NOTES:])]
        if report.notes
        else []
    )
    rows += [
        "",
        f"Look: `guild lane show`, with the name of a lane for more. Go on: `{state.goes_on}`.",
        "",
    ]
    write_durable(files[0], "\n".join(rows))
    status = {
        "schema_version": 1, "slug": state.slug, "run": state.run, "status": report.status,
        "failed_lanes": [lane.task for lane in open_lanes if lane.status == "failed"],
        "asking_lanes": [lane.task for lane in open_lanes if lane.status in PERSON],
        "open_lanes": [lane.task for lane in open_lanes], "resume_from": state.goes_on,
        "branch": state.branch, "tip": state.tip,
    }  # fmt: skip
    write_durable(files[1], json.dumps(status, indent=2) + "\n")


def put_aside(folder: WorkFolder, run: str) -> None:
    """A lane is begun again: what was written about the whole before no longer holds."""
    here = folder.run(run)
    for name in ("assumptions.md", "review.md", "verify.md"):
        if (here / name).is_file():
            folder_inside(folder.root, (here / "superseded").relative_to(folder.root))
            os.replace(here / name, here / "superseded" / name)


def mend_receipts(folder: WorkFolder, journal: Journal) -> None:
    """Accepted receipts that are gone or were changed: put back as they were handed over, else the lane is redone."""
    for lane in journal.state.lanes:
        if lane.status not in ("done", "handed-over") or not lane.receipt:
            continue
        name = f"{lane.owner}-{lane.task}.md"
        place = folder.run(journal.state.run) / "handoffs" / name
        if receipt_digest(place) == lane.receipt:
            continue
        attempts = folder.run(journal.state.run) / "attempts" / f"{lane.task}-{lane.attempt}"
        kept = next(
            (p for p in attempts.glob(f"accepted/{name}") if receipt_digest(p) == lane.receipt),
            None,
        )
        if kept:
            folder_inside(folder.root, place.parent.relative_to(folder.root))
            put_in_place(place, kept.read_bytes())
            journal.add(
                "note", lane.task, reason="its receipt was gone or changed, and is put back"
            )
        else:
            journal.add("reset", lane.task, reason="its receipt is gone")


def receipt_digest(path: Path) -> str:
    """Of a receipt as it lies there; empty where there is none."""
    try:
        return hashlib.sha256(read_own(path, _MOST)).hexdigest() if path.is_file() else ""
    except OSError:
        return ""


def assumptions_of(receipt: str) -> str:
    """What a receipt assumes, verbatim; empty where it assumes nothing. Pure."""
    try:
        section = read_markdown(receipt).section("assumptions")
    except (FrontMatterError, ValueError):
        return ""
    return section.text.strip() if section and not section.says_none else ""
