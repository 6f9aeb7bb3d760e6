"""Where a project stands: which one is meant, what was left undecided in it, what reviewers ask for."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.errors import UsageError
from guildmoot.loops.armed import DECISIONS, ROUNDS
from guildmoot.loops.confidence.inventory import DONE, FLAGGED, OPEN
from guildmoot.loops.confidence.telling import history_of
from guildmoot.loops.confidence.tiers import HIGHEST
from guildmoot.loops.hatch import UNRESOLVED, is_unresolved
from guildmoot.loops.paired.pairing import PairState
from guildmoot.loops.phase import branch_name, find_place
from guildmoot.loops.records import records_at
from guildmoot.loops.routing import read_message
from guildmoot.loops.state import LoopState
from guildmoot.loops.values import LoopRequest
from guildmoot.loops.workshop import git, tip_of
from guildmoot.projects.errors import RecordError
from guildmoot.projects.slugs import find_project, list_slugs, projects_root
from guildmoot.projects.store import Project

if TYPE_CHECKING:
    from guildmoot.projects.manifest import Record

Understand = Callable[[str], bool]
"""Whether an evaluator takes a message for what is said of it."""
_LONGEST = 500
"""Characters of a comment that a deliverable is called by."""


def named_project(slug: str, message: str) -> tuple[str, str]:
    """The first word is a project; where none is called so, it belongs to the message."""
    if not slug:
        return slug, message
    try:
        find_project(slug)
    except RecordError:
        words = f"{slug} {message}".strip()
        if " " in words or read_message(words).kind != "unclear":
            return "", words
    return slug, message


def project_folder(slug: str) -> str:
    """The folder of a project, or of the only one."""
    try:
        if slug:
            return find_project(slug)
        active = list_slugs(projects_root())
        if len(active) == 1:
            return find_project(active[0])
    except RecordError as wrong:
        raise UsageError(wrong.message, "'loom project list' shows them.") from None
    told = (
        f"there are {len(active)} projects: {', '.join(active[:5])}"
        if active
        else "there is no project"
    )
    raise UsageError(told, "Name one: guild run-phase PROJECT.")


def left_undecided(root: Path, inner: Path, phase: Record, merged: bool) -> str:
    """Where an armed run of the phase left what it could not settle; empty when nothing is left."""
    place, branch = inner / UNRESOLVED, str(phase.get("branch") or "")
    if merged:
        text = (root / place).read_text("utf-8", "replace") if (root / place).is_file() else ""
        return str(place) if is_unresolved(text, int(phase["number"])) else ""
    for ref in (f"refs/heads/{branch}", f"refs/remotes/origin/{branch}"):
        text = git(root, "show", f"{ref}:{place}", fine=(0, 128))
        if is_unresolved(text, int(phase["number"])):
            return f"{place} on {branch}"
    return ""


def begun_elsewhere(root: Path, inner: Path, phases: Sequence[Record]) -> dict[int, str]:
    """Phases that have not started by what is checked out, and are under way on a branch of their own."""
    found = {}
    for phase in phases:
        branch = str(phase.get("branch") or branch_name(inner.name, str(phase["name"])))
        tip = tip_of(root, branch) if phase["status"] == "not-started" else ""
        if not tip:
            continue
        with records_at(root, tip, inner) as folder:
            try:
                theirs = Project(str(folder), branch).read()["phases"]
            except RecordError:
                continue
        if any(p["number"] == phase["number"] and p["status"] == "in-progress" for p in theirs):
            found[int(phase["number"])] = branch
    return found


def is_all_done(root: Path, inner: Path, phase: Record) -> bool:
    """Whether a loop is through with everything in a phase, as its branch proves."""
    if paired_standing(root, inner, phase) == "done":
        return True
    try:
        place = find_place(LoopRequest(root, slug=inner.name, phase=phase["number"]))
    except UsageError:
        return False
    items = history_of(root, place).items
    marks = {item.mark for item in items if item.mark == FLAGGED or item.tier < HIGHEST}
    closed = LoopState(root, place.key).closed
    return DONE in marks and not marks & {OPEN, FLAGGED} and not closed


def is_merged_here(root: Path, values: Record, branch: str) -> bool:
    """Where no code host can be asked: whether the base holds the branch, check-ins and all."""
    base = str(values["config"]["base_branch"]) or "main"
    if git(root, "branch", "--show-current").strip() != base:
        return False
    left = git(root, "rev-list", "--count", f"{base}..{branch}", fine=(0, 128)).strip()
    return left == "0" and any(row["branch"] == branch for row in values["checkins"])


def paired_standing(root: Path, inner: Path, phase: Record) -> str:
    """How far the paired loop came with a phase: empty when it has no part in it, else ``open`` or ``done``."""
    state = PairState(root, f"{inner.name}-{phase['number']}")
    branch = str(phase.get("branch") or "")
    if not state.deliverables or not branch:
        return ""
    with records_at(root, tip_of(root, branch) or "HEAD", inner) as folder:
        try:
            rows = Project(str(folder), branch).read()["checkins"]
        except RecordError:
            rows = []
    done = {
        row["unit"]
        for row in rows
        if row["branch"] == branch and row["verdict"]["result"] == "approved"
    }
    return "done" if done >= set(state.deliverables) else "open"


def feedback_units(pull: int, comments: list[Record]) -> tuple[str, ...]:
    """One deliverable for each thing that somebody wrote; where they wrote it is said with it."""
    found = []
    for each in comments:
        words = " ".join(str(each.get("body") or "").split())
        if each.get("state") == "CHANGES_REQUESTED":
            words = f"changes requested: {words or 'see the comments of that review'}"
        where = f"{each['path']}: " if words and each.get("path") else ""
        if words:
            cut = words if len(words) <= _LONGEST else f"{words[:_LONGEST]} ..."
            found.append(f"#{pull}: {where}{cut}")
    return tuple(dict.fromkeys(found))


def understander(fits: Callable[[str], bool]) -> Understand:
    """Asks an evaluator at most so often as the budget says."""
    left = DECISIONS["router"] * ROUNDS

    def understand(meaning: str) -> bool:
        nonlocal left
        left -= 1
        return left >= 0 and fits(meaning)

    return understand


def program_of(name: str) -> str | None:
    """Where one of our own commands is: beside this Python, or on the PATH."""
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else shutil.which(name)
