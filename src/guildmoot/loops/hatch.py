"""How an armed loop leaves what it could not finish: a branch or a draft pull request, what is undecided, and where
to go on. Nothing is decided here, and no phase is completed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from guildmoot.loops.phase import make_project
from guildmoot.loops.records import commit_own
from guildmoot.loops.workshop import dirty_paths, git
from guildmoot.projects.events import append_event
from guildmoot.projects.slugs import MANIFEST, stamp
from guildmoot.projects.store import Project
from guildmoot.system.files import read_own, write_atomic

if TYPE_CHECKING:
    from guildmoot.loops.close import PhasePull
    from guildmoot.loops.phase import PhasePlace
    from guildmoot.projects.manifest import Record

UNRESOLVED, RECOVERY = "UNRESOLVED.md", "RECOVERY-STATUS.json"
_TITLE = "# Unresolved: phase"
_OWN = (f"projects/*/{RECOVERY}", "projects/*/.guild-findings.jsonl")


class Unresolved(NamedTuple):
    """What an armed run could not settle."""

    skill: str
    """Whose run it was, e.g. ``ev-loop-confidence``: only the same may go on."""
    step: str
    reason: str
    kind: str
    """decision-budget, round-budget, gate, terms, stalled."""
    questions: tuple[str, ...] = ()
    decisions: int = 0
    rounds: int = 0


def escape(
    root: Path, place: PhasePlace, found: Unresolved, pulls: PhasePull | None, resume: str
) -> Record:
    """Write down what is open, commit it on the phase's branch, open a draft; the pull request or why there is none."""
    folder = root / place.inner
    _to_branch(root, place)
    lines = [
        f"{_TITLE} {place.number} {place.name}", "", f"{found.reason}{'' if found.reason.endswith('?') else '.'}", "",
        f"Stopped at: {found.step}. Go on with: `{resume}`", "", "## Undecided", "",
        *(f"- {' '.join(each.split())}" for each in found.questions or (found.reason,)), "",
    ]  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    if place.new and not (folder / MANIFEST).exists():  # it was just begun
        make_project(root, place)
    write_atomic(folder / UNRESOLVED, "\n".join(lines).encode())
    status = {
        "schema_version": 1, "parent_skill": found.skill, "slug": place.slug, "failed_step": found.step,
        "resume_from": resume, "context": {"phase": place.number, "branch": place.branch, "reason": found.reason},
        "written_at": stamp(),
    }  # fmt: skip
    write_atomic(folder / RECOVERY, json.dumps(status, indent=2).encode())
    keep_out(root)
    side = "" if place.base == place.branch else place.branch
    detail = {
        "surface": found.skill, "slug": place.slug, "decisions_completed": found.decisions,
        "rounds_completed": found.rounds, "reason": found.kind,
    }  # fmt: skip
    append_event(Project(str(folder), side), "auto-mode-budget-exhausted", detail)
    if git(root, "branch", "--show-current").strip() == place.branch:
        commit_own(root, place.inner, f"[loop] stopped: {found.reason}"[:200])
    if pulls is None:
        return {"url": None, "note": f"the work so far is on the branch {place.branch}"}
    return pulls.refresh(list(dict.fromkeys((found.reason, *found.questions))), draft=True)


def recovery_of(folder: Path, skill: str, phase: int) -> Record | None:
    """Where an earlier armed run of the same skill on the same phase stopped; None when none did."""
    try:
        held = json.loads(read_own(folder / RECOVERY) or b"null")
    except (OSError, ValueError):
        return None
    if not isinstance(held, dict) or held.get("parent_skill") != skill:
        return None
    about = held.get("context")
    return held if isinstance(about, dict) and about.get("phase") == phase else None


def _to_branch(root: Path, place: PhasePlace) -> None:
    """What is left lies on the phase's branch, never loose on the one that it was cut from."""
    branch = place.branch
    if git(root, "branch", "--show-current").strip() == branch or dirty_paths(root):
        return
    known = git(root, "branch", "--list", branch).strip()
    git(root, "checkout", "-q", *(() if known else ("-b",)), branch)


def forget_stop(root: Path, place: PhasePlace, skill: str) -> None:
    """The phase came to its end: nothing is undecided, and nothing is left for the same skill to go on with."""
    folder = root / place.inner
    if recovery_of(folder, skill, place.number):
        (folder / RECOVERY).unlink(missing_ok=True)
    text = read_own(folder / UNRESOLVED).decode("utf-8", "replace")
    if is_unresolved(text, place.number):
        (folder / UNRESOLVED).unlink()
        commit_own(root, place.inner, "[loop] what was undecided is settled")


def is_unresolved(text: str, number: int) -> bool:
    """Whether an UNRESOLVED.md is that of a phase."""
    return text.startswith(f"{_TITLE} {number} ")


def keep_out(checkout: Path) -> bool:
    """What a project keeps for this machine alone is no part of any branch, whichever is checked out; whether that
    had to be noted."""
    place = checkout / git(checkout, "rev-parse", "--git-path", "info/exclude").strip()
    held = read_own(place).decode("utf-8", "replace")
    missing = [line for line in _OWN if line not in held.splitlines()]
    if missing:
        lead = "" if not held or held.endswith("\n") else "\n"
        place.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(place, f"{held}{lead}{chr(10).join(missing)}\n".encode())
    return bool(missing)
