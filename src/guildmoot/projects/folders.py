"""Projects as folders: made, adopted, listed, archived."""

from __future__ import annotations

import json
import os

from guildmoot.projects.errors import RecordError
from guildmoot.projects.events import make_event
from guildmoot.projects.manifest import PHASE_STATES, check_record, check_word, new_manifest, parse
from guildmoot.projects.places import refuse_link
from guildmoot.projects.sessions import newest_retros
from guildmoot.projects.slugs import (
    MANIFEST,
    PLAN,
    find_project,
    list_slugs,
    new_slug,
    project_here,
    projects_root,
    text_hash,
    today,
)
from guildmoot.projects.store import Project
from guildmoot.projects.toml import check_values
from guildmoot.system.files import Locked, replace_locked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guildmoot.projects.manifest import Record
    from guildmoot.projects.store import RecordChange

_CONFIG = ("base_branch", "reviewers", "labels", "verification", "worker_bindings")
NEW_CONFIG: Record = {
    "base_branch": "main", "reviewers": [], "labels": [], "verification": [], "worker_bindings": {},
}  # fmt: skip


def read_project(project: Project) -> Record:
    """What there is to know of a project at a glance."""
    values = project.read()
    meta = values["meta"]
    head = {name: meta.get(name) for name in (
        "schema_version", "title", "slug", "started", "status", "current_branch", "latest_checkin",
        "strategy",
    )}  # fmt: skip
    return {**head, "phases": values["phases"]}


def project_status() -> Record:
    """The project that the current folder belongs to."""
    project = Project(project_here())
    meta = project.read()["meta"]
    names = ("slug", "status", "current_branch", "latest_checkin", "title")
    return {name: meta.get(name) for name in names}


def list_projects(archived: bool = False) -> list[Record]:
    """The projects that there are."""
    root = projects_root()
    folder = os.path.join(root, "archive") if archived else root
    return [{"slug": slug, "path": os.path.join(folder, slug)} for slug in list_slugs(folder)]


def scaffold(name: str, plan_file: str, config_file: str, init_file: str) -> Record:
    """Make a project of a plan, its settings and its first facts."""
    slug = new_slug(name)
    folder = os.path.join(projects_root(), slug)
    if os.path.exists(os.path.join(folder, MANIFEST)):
        raise RecordError("project-exists", f"{folder} is there already")
    init, config = _read_init(init_file), _read_config(config_file)
    try:
        with open(plan_file, encoding="utf-8", errors="surrogateescape", newline="") as stream:
            plan = stream.read()
    except OSError as wrong:
        raise RecordError(
            "scaffold-failed", f"{plan_file} cannot be read: {wrong.strerror}"
        ) from None
    refuse_link(os.path.join(folder, PLAN))
    os.makedirs(folder, exist_ok=True)
    with Locked(folder):
        replace_locked(os.path.join(folder, PLAN), plan.encode("utf-8", "surrogateescape"))
    adopt_folder(folder, slug, init, init["phases"], config)
    return {"slug": slug, "path": folder}


def adopt(name: str, config_file: str, init_file: str) -> Record:
    """Give a folder that has a plan its manifest."""
    slug = new_slug(name)
    folder = os.path.join(projects_root(), slug)
    if not os.path.isdir(folder):
        raise RecordError("project-not-found", f"there is no {folder}")
    if os.path.exists(os.path.join(folder, MANIFEST)):
        raise RecordError("already-adopted", f"{folder} has its manifest already")
    if not os.path.isfile(os.path.join(folder, PLAN)):
        raise RecordError("plan-not-found", f"there is no {PLAN} in {folder}")
    init, config = _read_init(init_file), _read_config(config_file)
    adopt_folder(folder, slug, init, init["phases"], config)
    return {"slug": slug, "path": folder}


def adopt_folder(
    folder: str,
    slug: str,
    init: Record,
    phases: list[Record],
    config: Record | None = None,
    plan: str = "",
) -> None:
    """Write a manifest where there is none."""
    meta: Record = {
        "schema_version": 1, "title": init["title"], "slug": slug,
        "started": init.get("started") or today(), "status": "active", "strategy": init["strategy"],
    }  # fmt: skip
    detail = {"plan": text_hash(plan)} if plan else {}  # what the phases were made of
    begun = make_event("project-initialized", detail)
    text = new_manifest(meta, config or NEW_CONFIG, phases, begun)
    parse(text)
    path = os.path.join(folder, MANIFEST)
    refuse_link(path)
    with Locked(folder):
        if os.path.exists(path):
            raise RecordError("already-adopted", f"{folder} has its manifest already")
        replace_locked(path, text.encode())


def _read_init(path: str) -> Record:
    try:
        with open(path, encoding="utf-8") as stream:
            init = json.load(stream)
    except (OSError, ValueError) as wrong:
        raise RecordError("invalid-manifest-init", f"{path} cannot be read: {wrong}") from None
    if not isinstance(init, dict) or not isinstance(init.get("phases"), list):
        raise RecordError("invalid-manifest-init", f"{path} is not an object with a list of phases")
    for name in ("title", "started", "strategy"):
        if not isinstance(init.get(name), str):
            raise RecordError("invalid-manifest-init", f"{name} in {path} is no text")
    seen = set()
    for phase in init["phases"]:
        try:
            check_values(phase, "a phase")
            check_record("phases", phase, "a phase")
        except RecordError as wrong:
            raise RecordError("invalid-manifest-init", f"{path}: {wrong.text}") from None
        check_word("invalid-manifest-init", f"a status in {path}", phase["status"], PHASE_STATES)
        if phase["number"] in seen:
            raise RecordError("invalid-manifest-init", f"{path} has phase {phase['number']} twice")
        seen.add(phase["number"])
    return init


def _read_config(path: str) -> Record:
    try:
        with open(path, encoding="utf-8") as stream:
            config = json.load(stream)
    except FileNotFoundError:
        raise RecordError("config-not-found", f"there is no {path}") from None
    except OSError as wrong:
        raise RecordError("config-unreadable", f"{path}: {wrong.strerror}") from None
    except ValueError as wrong:
        raise RecordError("config-invalid-json", f"{path}: {wrong}") from None
    if not isinstance(config, dict):
        raise RecordError("config-invalid-json", f"{path} holds no object")
    chosen = {name: config[name] for name in _CONFIG if name in config}
    check_values(chosen, path)
    check_record("config", chosen, path)
    return chosen


def archive(name: str) -> Record:
    """Put a project away: what is still open stays on record, and its number is told."""
    folder = find_project(name)
    project, root = Project(folder), projects_root()
    if os.path.basename(os.path.dirname(folder)) == "archive":
        raise RecordError("already-archived", f"{project.slug} is archived already")
    destination = os.path.join(root, "archive", project.slug)
    if os.path.lexists(destination):
        raise RecordError("archive-failed", f"{destination} is there already")
    refuse_link(destination)
    deferred = open_items(project.read())

    def make(draft: RecordChange) -> None:
        draft.set_fields("meta", None, {"status": "archived"})
        detail: Record = {"destination": destination}
        draft.add_here(
            "events",
            make_event("archived", {**detail, "deferred": deferred} if deferred else detail),
        )

    project.change(make)
    os.makedirs(os.path.dirname(destination), exist_ok=True)
    try:
        os.rename(folder, destination)
    except OSError as wrong:
        raise RecordError("archive-failed", f"{folder} cannot be moved: {wrong.strerror}") from None
    answer: Record = {"slug": project.slug, "destination": destination}
    answer["warnings"] = _mentions(os.path.dirname(root), project.slug)
    return {**answer, "deferred": deferred} if deferred else answer


def open_items(values: Record) -> list[str]:
    """What a project leaves undone: phases, the threads of its last session, follow-ups."""
    items = [
        f"phase {phase['number']} {phase['name']}: {phase['status']}"
        for phase in values["phases"]
        if phase["status"] == "in-progress" or phase["status"] == "blocked"
    ]
    for session in values["sessions"][-1:]:
        items += (f"open thread: {thread}" for thread in session["open_threads"])
    for retro in newest_retros(values).values():
        items += (
            f"follow-up: {finding['description']}"
            for finding in retro["findings"]
            if finding["category"] == "follow-up"
        )
    return items


def _mentions(folder: str, slug: str) -> list[str]:
    """Tests beside the projects that name a project which is no longer there."""
    found = []
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".test.ts"):
            continue
        try:
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as stream:
                text = stream.read()
        except OSError:
            continue
        if slug in text:
            found.append(f"{name} mentions {slug}")
    return found
