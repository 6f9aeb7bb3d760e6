"""A plan that was changed in the middle of a run: lanes that it leaves as they were are taken over, not done again."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

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
    if old is None or old.at_end:
        return
    taken = [
        lane.task
        for lane in journal.state.lanes
        if not lane.attempt
        and (was := unchanged(journal.state, old, lane))
        and _take(folder, journal, repository, old, was)
    ]  # fmt: skip
    _carry_words(journal, old)
    said = ", ".join(taken) or "no lane"
    journal.add("replanned", reason=f"{_CHANGED} {old.run}: {said} taken over from it")


def _carry_words(journal: Journal, old: RunState) -> None:
    """What a person said of a lane that the plan leaves as it was holds in the new run as well; else it is told."""
    for lane in journal.state.lanes:
        was = next((each for each in old.lanes if each.task == lane.task), None)
        rows = words_of(was, old.clarified) if was else []
        same = was is not None and was.digest == lane.digest and lane.status == "pending"
        for event, fields in rows if same else ():
            journal.add(event, lane.task, **fields)
        if rows and not same and lane.status == "pending":
            said = f"what you said of it in {old.run} does not hold: the plan says otherwise now"
            journal.add("note", lane.task, reason=said)


def words_of(was: LaneState, clarified: Sequence[str]) -> list[tuple[str, dict[str, object]]]:
    """The rows by which a new run knows what a person said of a lane: places, an answer, that it is left out. Pure."""
    rows: list[tuple[str, dict[str, object]]] = []
    if was.allowed:
        said = [each for each in clarified if each.startswith(f"{was.task} may also change ")]
        why = "; ".join(dict.fromkeys(each.partition(": ")[2] for each in said))
        rows.append(("allowed", {"places": list(was.allowed), "reason": why}))
    if was.status == "skipped":
        rows.append(("skipped", {"reason": was.reason}))
    by_engine = was.by not in ("", "asked") or was.tries or was.returned or was.advised
    if was.status == "pending" and was.sent_back and not by_engine:
        rows.append(("reset", {"reason": was.sent_back, "by": "asked"}))
    return rows


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
    commit = repository.commit(was.task, repository.tree_of(was.commit), was.base, subject)
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
