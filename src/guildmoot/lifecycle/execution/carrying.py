"""A plan that was changed in the middle of a run: lanes that it leaves as they were are taken over, not done again."""

from __future__ import annotations

import shutil

from guildmoot.lifecycle.execution.journal import Journal, read_run
from guildmoot.lifecycle.execution.values import LaneState, RunState
from guildmoot.lifecycle.execution.worktrees import RunRepository
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.work_runs import runs_of
from guildmoot.system.files import folder_inside

_CHANGED = "the plan changed after"


def carry_over(folder: WorkFolder, journal: Journal, repository: RunRepository) -> None:
    """Take over what an earlier run of the same work merged, as far as the new plan says the same of it.

    Only from one that is in the middle; killed meanwhile, the next call goes on with it.
    """
    if any(said.startswith(_CHANGED) for said in journal.state.clarified):
        return
    earlier = [run.id for run in runs_of(folder, journal.state.slug) if run.id != journal.state.run]
    old = next((state for state in (read_run(folder, run) for run in earlier) if state.lanes), None)
    if old is None or all(lane.status in ("done", "skipped") for lane in old.lanes):
        return
    taken = [
        lane.task
        for lane in journal.state.lanes
        if not lane.attempt
        and (was := unchanged(journal.state, old, lane))
        and _take(folder, journal, repository, old, was)
    ]  # fmt: skip
    said = ", ".join(taken) or "no lane"
    journal.add("replanned", reason=f"{_CHANGED} {old.run}: {said} taken over from it")


def unchanged(state: RunState, old: RunState, lane: LaneState) -> LaneState | None:
    """The lane as an earlier run merged it, if the plan says the same of it and of all that it waits for. Pure."""
    was = next((each for each in old.lanes if each.task == lane.task), None)
    if was is None or was.status != "done" or not was.digest or was.digest != lane.digest:
        return None
    if was.by in ("merge", "review") or was.depends_on != lane.depends_on:
        return None
    ready = all(state.lane(name).status == "done" for name in lane.depends_on)
    return was if ready else None


def _take(
    folder: WorkFolder, journal: Journal, repository: RunRepository, old: RunState, was: LaneState
) -> bool:
    """The same content as a commit of this run; False where it cannot be joined with what is there now."""
    run, name = journal.state.run, f"{was.owner}-{was.task}.md"
    receipt = folder.run(old.run) / "handoffs" / name
    if not receipt.is_file():
        return False
    subject = f"[{was.task}] taken over from {old.run}"
    commit = repository.commit(was.task, f"{was.commit}^{{tree}}", was.base, subject)
    message = f"Merge lane {was.task}\n\nGuild-Run: {run}\nGuild-Lane: {was.task}\n"
    tip = repository.merged(journal.state.tip, commit, message, always=True)
    if not tip:
        return False
    kept = folder.run(run) / "attempts" / f"{was.task}-1" / "accepted"
    for place in (folder.run(run) / "handoffs", kept):
        folder_inside(folder.root, place.relative_to(folder.root))
        shutil.copy2(receipt, place / name)
    journal.add("dispatched", was.task, base=was.base, tier=was.tier)
    journal.add(
        "accepted", was.task, commit=commit, receipt=was.receipt, commands=list(was.commands)
    )
    journal.add("merged", was.task, tip=tip, reason=f"taken over from {old.run}")
    return True
