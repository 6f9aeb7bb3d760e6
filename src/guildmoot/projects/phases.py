"""A project's phases: which there are, which may start, and what becomes of them."""

from __future__ import annotations

import os
import re

from guildmoot.projects.errors import RecordError
from guildmoot.projects.events import note_event
from guildmoot.projects.manifest import PHASE_STATES, check_word
from guildmoot.projects.slugs import PLAN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guildmoot.projects.manifest import Record
    from guildmoot.projects.store import Project, RecordChange

_WHOLE = re.compile(r"0\Z|-?[1-9][0-9]*\Z")


def read_number(word: str) -> int:
    """A phase's number as it is written in one way only."""
    if not _WHOLE.match(word) or word.startswith("-"):
        raise RecordError("invalid-phase", f"{word!r} is no phase number: 1, 2, 3 ...")
    return int(word)


def find_phase(values: Record, number: int) -> int:
    """Where the phase stands in the list."""
    for index, phase in enumerate(values["phases"]):
        if phase["number"] == number:
            return index
    known = ", ".join(str(phase["number"]) for phase in values["phases"]) or "none"
    raise RecordError("phase-not-found", f"there is no phase {number}; there are: {known}")


def ready_phases(project: Project) -> Record:
    """The phases that may start: not started, and everything they depend on is completed."""
    from guildmoot.projects.plan import parse_plan

    path = os.path.join(project.folder, PLAN)
    values = project.read()
    depends = {
        phase["id"]: phase["dependsOn"] for phase in parse_plan(read_plan(path))["plan"]["phases"]
    }
    states = {str(phase["number"]): phase["status"] for phase in values["phases"]}
    ready: list[Record] = []
    unresolved: list[Record] = []
    for phase in values["phases"]:
        if phase["status"] != "not-started":
            continue
        needed = depends.get(str(phase["number"]), [])
        missing = [each for each in needed if each not in states]
        unresolved += ({"number": phase["number"], "depId": each} for each in missing)
        if all(states.get(each) == "completed" for each in needed):
            ready.append(phase)
    return {"ready": ready, "unresolvedDeps": unresolved}


def read_plan(path: str) -> str:
    """The plan's text; RecordError when there is none."""
    from guildmoot.projects.places import read_held

    try:
        return read_held(path).decode("utf-8", "replace")
    except OSError:
        raise RecordError("plan-not-found", f"there is no {path}") from None


def update_phase(
    project: Project, number: int, status: str, branch: str = "", reason: str = ""
) -> Record:
    """Change a phase's state, and put down the event that goes with it."""
    check_word("invalid-status", "the status", status, PHASE_STATES)
    if status == "blocked" and not reason:
        raise RecordError("missing-args", "a phase that is blocked needs --reason")

    def make(draft: RecordChange) -> Record:
        index = find_phase(draft.values, number)
        phase = draft.values["phases"][index]
        fields: Record = {"status": status}
        if branch:
            fields["branch"] = branch
        if status == "blocked":
            fields["blocked_reason"] = reason
        elif "blocked_reason" in phase:
            fields["blocked_reason"] = None
        draft.set_fields("phases", index, fields)
        _note(draft, phase, status, reason)
        changed = {**phase, **fields}
        return {name: value for name, value in changed.items() if value is not None}

    return project.change(make)


def _note(draft: RecordChange, phase: Record, status: str, reason: str) -> None:
    number = {"phase": phase["number"]}
    if status == "in-progress" and phase["status"] == "blocked":
        note_event(draft, "phase-unblocked", number)
    elif status == "in-progress":
        note_event(draft, "phase-started", {**number, "name": phase["name"]})
    elif status == "completed":
        note_event(draft, "phase-completed", number)
    elif status == "blocked":
        note_event(draft, "phase-blocked", {**number, "reason": reason})


def add_phase(project: Project, number: int, name: str, status: str, branch: str) -> Record:
    """One phase more."""
    check_word("invalid-status", "the status", status, PHASE_STATES)
    phase: Record = {"number": number, "name": name, "status": status}
    if branch:
        phase["branch"] = branch

    def make(draft: RecordChange) -> Record:
        if any(each["number"] == number for each in draft.values["phases"]):
            raise RecordError("phase-already-exists", f"there is a phase {number} already")
        draft.add_here("phases", phase)
        return phase

    return project.change(make)
