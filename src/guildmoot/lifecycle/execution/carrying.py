"""A plan that was changed in the middle of a run: lanes that it leaves as they were are taken over, not done again."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from guildmoot.lifecycle.documents import FrontMatterError, read_markdown
from guildmoot.lifecycle.execution.journal import Journal, read_run
from guildmoot.lifecycle.execution.schedule import HANDED
from guildmoot.lifecycle.execution.values import LaneState, RunState
from guildmoot.lifecycle.execution.worktrees import RunRepository
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.proof.commits import lane_commits
from guildmoot.lifecycle.work_runs import runs_of
from guildmoot.system.files import folder_inside, read_text_inside

_MOST = 1_000_000
_CHANGED = "the plan changed after"


def carry_over(folder: WorkFolder, journal: Journal, repository: RunRepository) -> None:
    """Take over what an earlier run of the same work merged, as far as the new plan says the same of it.

    Not from one whose result is on the user's branch. Killed meanwhile, the next call goes on with it.
    """
    if any(said.startswith(_CHANGED) for said in journal.state.clarified):
        return
    earlier = [run.id for run in runs_of(folder, journal.state.slug) if run.id != journal.state.run]
    old = next((state for state in (read_run(folder, run) for run in earlier) if state.lanes), None)
    if old is None or (old.at_end and repository.is_merged(old.tip)):
        return
    taken = [
        lane.task
        for lane in journal.state.lanes
        if not lane.attempt
        and (was := unchanged(journal.state, old, lane))
        and asked_of(folder, old.run, was) == asked_of(folder, journal.state.run, lane)
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
    """The lane as an earlier run has it, if the plan says the same of it and of all that it waits for. Pure."""
    was = next((each for each in old.lanes if each.task == lane.task), None)
    if was is None or was.status not in HANDED or not was.digest or was.digest != lane.digest:
        return None
    if was.depends_on != lane.depends_on:
        return None
    ready = all(state.lane(name).status in HANDED for name in lane.depends_on)
    return was if ready else None


def asked_of(folder: WorkFolder, run: str, lane: LaneState) -> list[str]:
    """What the bundle of a lane holds of the spec, by its hash: it says more than the plan's lane."""
    place = folder.context(run) / f"{lane.owner}-{lane.task}.md"
    text, _ = read_text_inside(place, folder.root, _MOST)
    try:
        sources = read_markdown(text).data.get("sources")
    except FrontMatterError:
        return []
    named = map(str, sources) if isinstance(sources, list) else ()
    return [each for each in named if each.startswith(".guild/spec/")]


def _take(
    folder: WorkFolder, journal: Journal, repository: RunRepository, old: RunState, was: LaneState
) -> bool:
    """The lane's own changes on top of this run; False where they cannot be joined with what is there now."""
    run, name = journal.state.run, f"{was.owner}-{was.task}.md"
    receipt = folder.run(old.run) / "handoffs" / name
    if not receipt.is_file():
        return False
    base = tip = commit = journal.state.tip
    merged = was.status == "done"
    own = lane_commits(folder.root, old.base, old.tip, old.run, was.task) if merged else []
    for each in own or [was.commit]:
        tree = repository.replayed(each, commit)
        if not tree:
            return False
        subject = f"[{was.task}] taken over from {old.run}"
        commit = repository.commit(was.task, tree, commit, subject)
    message = f"Merge lane {was.task}\n\nGuild-Run: {run}\nGuild-Lane: {was.task}\n"
    tip = repository.merged(tip, commit, message, always=True)
    kept = folder.run(run) / "attempts" / f"{was.task}-1" / "accepted"
    for place in (folder.run(run) / "handoffs", kept):
        folder_inside(folder.root, place.relative_to(folder.root))
        shutil.copy2(receipt, place / name)
    journal.add("dispatched", was.task, base=base, tier=was.tier)
    journal.add(
        "accepted", was.task, commit=commit, receipt=was.receipt, commands=list(was.commands)
    )
    if merged:  # else its turn comes, with the run's checks
        journal.add("merged", was.task, tip=tip, reason=f"taken over from {old.run}")
    return True
