"""``loom doctor|check|show|timeline|compact|identity``: for people first; ``--json`` for programs."""

from __future__ import annotations

import os

from guildmoot.projects.errors import RecordError
from guildmoot.projects.slugs import PLAN, find_project, project_here
from guildmoot.projects.store import Project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guildmoot.cli.loom.main import Words
    from guildmoot.projects.manifest import Record


def _here(words: Words) -> Project:
    return Project(find_project(words.places[0]) if words.places else project_here())


def doctor(words: Words) -> object:
    from guildmoot.projects.doctor import examine

    project = _here(words)
    path = words.places and words.places[0].startswith(("/", "."))
    report = examine(project, words.places[0] if path else project.slug)
    words.exit_code = 0 if report["ok"] else 1
    return report


def check(words: Words) -> object:
    from guildmoot.projects.overlaps import check_projects

    slug = Project(find_project(words.places[0])).slug if words.places else ""
    report = check_projects(slug)
    words.exit_code = 3 if report["overlaps"] or report["stale"] else 0
    return report


def show(words: Words) -> object:
    from guildmoot.projects.view import overview, show_lines

    project = _here(words)
    view = overview(project, _depends(project), _pulls(project, words))
    if not {"json", "pretty"} & words.switches:
        words.lines = show_lines(view)
    return view


def _depends(project: Project) -> dict[str, list[str]]:
    from guildmoot.projects.phases import read_plan
    from guildmoot.projects.plan import parse_plan

    try:
        phases = parse_plan(read_plan(os.path.join(project.folder, PLAN)))["plan"]["phases"]
    except RecordError:
        return {}
    return {phase["id"]: phase["dependsOn"] for phase in phases}


def _pulls(project: Project, words: Words) -> dict[str, Record | None]:
    """The open pull requests; asked for only where a code host can be, and a phase is under way."""
    if "offline" in words.switches:
        return {}
    running = [phase for phase in project.read()["phases"] if phase["status"] == "in-progress"]
    branches = [phase["branch"] for phase in running if phase.get("branch")]
    if not branches:
        return {}
    from guildmoot.projects.pulls import CodeHost, discover

    if not CodeHost(project.folder).program:
        return {}
    return {branch: discover(project, branch)["pr"] for branch in branches}


def timeline(words: Words) -> object:
    from guildmoot.projects.view import timeline as rows_of
    from guildmoot.projects.view import timeline_lines

    rows = rows_of(_here(words))
    if not {"json", "pretty"} & words.switches:
        words.lines = timeline_lines(rows)
    return rows


def compact(words: Words) -> object:
    project = _here(words)
    return {"slug": project.slug, "moved": project.compact(), "path": project.path}


def identity(words: Words) -> object:
    from guildmoot.projects.repository import current_branch, find_checkout, root_commit
    from guildmoot.projects.store import side_branch

    project = _here(words)
    checkout = find_checkout(project.folder)
    if checkout is None:
        return {"slug": project.slug, "root": None, "common": None, "branch": None, "staged": False}
    return {
        "slug": project.slug, "root": root_commit(checkout) or None,
        "common": os.path.realpath(checkout.common), "branch": current_branch(checkout) or None,
        "staged": bool(side_branch(project.folder, project.text())),
    }  # fmt: skip
