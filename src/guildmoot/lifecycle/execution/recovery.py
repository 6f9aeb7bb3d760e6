"""A run whose journal is gone: what its commits, their names and the receipts prove is taken as done, the rest is told.

Every commit of a run names run and lane, and the run's branch holds what was merged, in order.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import InfrastructureError
from guildmoot.lifecycle.execution import control
from guildmoot.lifecycle.execution.checking import JudgedReceipt, ReceiptFacts, judge_receipt
from guildmoot.lifecycle.execution.journal import Journal
from guildmoot.lifecycle.execution.values import LaneState
from guildmoot.lifecycle.execution.worktrees import RunRepository
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.plan import Lane, Plan
from guildmoot.lifecycle.proof.asked import criteria_of
from guildmoot.lifecycle.proof.commits import kept_name
from guildmoot.lifecycle.proof.weakening.sides import changed_packages
from guildmoot.system.files import folder_inside, put_in_place, read_text_inside

_MOST = 1_000_000


class RunTraces(NamedTuple):
    """What git knows of a run."""

    base: str = ""
    """The user's commit that it began from; empty where nothing of it is to be found."""
    merges: tuple[tuple[str, str], ...] = ()
    """Lanes of the branch with the tip after each, in the order of merging."""
    commits: tuple[tuple[str, str], ...] = ()
    """Lanes that were accepted, with their commits."""
    tip: str = ""
    """Where the run's branch is."""


def find_traces(repository: RunRepository, branch: str) -> RunTraces:
    """What is left of a run in the user's repository."""
    commits = repository.named_lanes()
    tip = repository.tip_of(f"refs/heads/{branch}", kept_name(repository.run))
    start = tip or next(iter(commits.values()), "")
    if not start:
        return RunTraces()
    ours = repository.own_line(start)
    merges = [(lane, commit) for commit, lane in reversed(ours.rows) if lane and tip]
    return RunTraces(ours.base, tuple(merges), tuple(commits.items()), tip)


def recover_lanes(
    folder: WorkFolder, journal: Journal, repository: RunRepository, plan: Plan, traces: RunTraces
) -> None:
    """Put into a fresh journal what is proven; nothing of that is done or paid for again."""
    accepted, tips = dict(traces.commits), dict(traces.merges)
    merged = [*dict.fromkeys(lane for lane, _ in reversed(traces.merges))][::-1]
    known = {lane.task: lane for lane in plan.lanes}
    found: list[str] = []
    lost: list[str] = []
    for task in dict.fromkeys((*merged, *known)):
        if task not in known or task not in accepted:
            continue
        lane = known[task]
        if _take_again(folder, journal, repository, lane, accepted[task], tips.get(task, "")):
            found.append(task)
        else:
            lost.append(task)
    if traces.tip not in ("", journal.state.tip) and (done := [t for t in found if t in tips]):
        journal.add("merged", done[-1], tip=traces.tip)
    _follow_again(folder, journal)
    said = f"the journal was gone; found again by their commits and receipts: {', '.join(found) or 'no lanes'}"
    journal.add("note", reason=f"{said}; what was spent before is not counted")
    for task in lost:
        journal.add("note", task, reason="its commit is there and no receipt proves it: done again")


def _take_again(
    folder: WorkFolder, journal: Journal, repository: RunRepository, lane: Lane, commit: str, tip: str
) -> bool:  # fmt: skip
    """Rows for a lane whose receipt fits its commit; it is merged where the branch holds it."""
    state = journal.state.lane(lane.task)
    base = repository.parent_of(commit)
    text, judged = _proof(folder, repository, lane, state, base, commit)
    if judged is None:
        return False
    place = folder.run(journal.state.run) / "handoffs" / f"{lane.owner}-{lane.task}.md"
    folder_inside(folder.root, place.parent.relative_to(folder.root))
    put_in_place(place, text.encode())
    attempts = max(len(_attempts(folder, journal.state.run, lane.task)), 1)
    for _ in range(attempts):
        journal.add("dispatched", lane.task, base=base, tier=lane.tier)
    digest = hashlib.sha256(text.encode()).hexdigest()
    journal.add(
        "accepted", lane.task, commit=commit, receipt=digest, commands=list(judged.commands)
    )
    if tip:
        journal.add("merged", lane.task, tip=tip, reason="found in the run's branch")
    return True


def _proof(
    folder: WorkFolder, repository: RunRepository, lane: Lane, state: LaneState, base: str, commit: str
) -> tuple[str, JudgedReceipt | None]:  # fmt: skip
    """The receipt that fits what the lane's commit changed; None where there is none."""
    name = f"{lane.owner}-{lane.task}.md"
    run = folder.run(repository.run)
    kept = [each / "accepted" / name for each in _attempts(folder, repository.run, lane.task)]
    try:
        repository.add(lane.task, commit, state.attempt)
        diff = repository.diff(lane.task, base)
    except (InfrastructureError, OSError):
        return "", None
    finally:
        repository.remove(lane.task)
    for path in (run / "handoffs" / name, *reversed(kept)):
        text, problem = read_text_inside(path, folder.root, _MOST)
        packages = changed_packages(repository.root, (base, diff.tree), diff.changed)
        criteria = criteria_of(folder.root, repository.run)
        facts = ReceiptFacts(lane, diff, criteria=criteria, packages=packages)
        judged = None if problem else judge_receipt(text, facts)
        if judged and judged.verdict == "accepted":
            return text, judged
    return "", None


def _attempts(folder: WorkFolder, run: str, task: str) -> list[Path]:
    places = (folder.run(run) / "attempts").glob(f"{task}-*")
    return sorted(each for each in places if each.name.removeprefix(f"{task}-").isdecimal())


def _follow_again(folder: WorkFolder, journal: Journal) -> None:
    """What a person said of lanes still holds; what they said of the whole run was for another time."""
    last = 0
    for number, asked in list(control.new_requests(folder, journal.state)):
        last = number
        if asked.do in ("skip", "allow"):
            control.follow(journal, asked, number)
    if last:
        journal.add("recovered", control=last)
