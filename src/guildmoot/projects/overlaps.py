"""What open work claims at the same time, and what was derived from something that changed since."""

from __future__ import annotations

import itertools
import os

from guildmoot.projects.checkins import list_checkins
from guildmoot.projects.errors import RecordError
from guildmoot.projects.slugs import PLAN, list_slugs, projects_root, text_hash
from guildmoot.projects.store import Project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guildmoot.projects.manifest import Record


def check_projects(slug: str = "") -> Record:
    """``{"open", "overlaps", "stale", "unreadable"}`` over all active projects, or one of them."""
    root = projects_root()
    claims: dict[str, list[Record]] = {}
    stale: list[Record] = []
    unreadable: list[Record] = []
    count = 0
    for name in list_slugs(root):
        project = Project(os.path.join(root, name))
        try:
            values = project.read()
        except (RecordError, OSError) as wrong:
            unreadable.append({"slug": name, "reason": str(wrong)})
            continue
        items = open_claims(name, values)
        count += len(items)
        for item in items:
            for path in item.pop("paths"):
                claims.setdefault(path, []).append(item)
        stale += _stale(project, values)
    overlaps = [
        {"path": path, "claims": found}
        for path, found in sorted(_joined(claims).items())
        if len(found) > 1 and (not slug or any(each["slug"] == slug for each in found))
    ]
    mine = [each for each in stale if not slug or each["slug"] == slug]
    return {"open": count, "overlaps": overlaps, "stale": mine, "unreadable": unreadable}


def open_claims(slug: str, values: Record) -> list[Record]:
    """The phases in progress, each with the paths that its check-ins name as theirs."""
    found = []
    for phase in values["phases"]:
        if phase["status"] != "in-progress":
            continue
        rows = [row for row in list_checkins(values) if row["phase"]["number"] == phase["number"]]
        paths = {
            path for row in rows for path in (*row["scope"], *row["execution"]["files_touched"])
        }
        found.append(
            {
                "slug": slug, "phase": phase["number"], "branch": phase.get("branch", ""),
                "paths": sorted(path.rstrip("/") for path in paths if path),
            }
        )  # fmt: skip
    return found


def _joined(claims: dict[str, list[Record]]) -> dict[str, list[Record]]:
    """Who claims a folder claims what lies in it: its claims stand with every path below."""
    joined: dict[str, list[Record]] = {}
    for path, found in claims.items():
        parts = path.split("/")
        above = [
            each
            for depth in range(1, len(parts))
            for each in claims.get("/".join(parts[:depth]), ())
            if each not in found
        ]
        if found + above:
            joined[path] = found + above
    return joined


def _stale(project: Project, values: Record) -> list[Record]:
    """Phases and revisions whose plan was changed behind them, by hand or by another revision."""
    bases = [
        ("the phases", "", event["detail"]["plan"])
        for event in values["events"][:1]
        if isinstance(event["detail"].get("plan"), str)
    ]
    bases += [
        (f"revision {each['seq']}", each["base"], each["result"])
        for each in values["revisions"]
        if "base" in each and "result" in each
    ]
    found = [
        _row(project, name, base, result)
        for (_, _, result), (name, base, _) in itertools.pairwise(bases)
        if base != result
    ]
    if bases:
        now = _plan_hash(project)
        if now != bases[-1][2]:
            found.append(_row(project, PLAN, bases[-1][2], now))
    return found


def _plan_hash(project: Project) -> str:
    try:
        with open(os.path.join(project.folder, PLAN), encoding="utf-8", newline="") as stream:
            return text_hash(stream.read())
    except (OSError, UnicodeDecodeError):
        return ""


def _row(project: Project, record: str, base: str, now: str) -> Record:
    return {"slug": project.slug, "record": record, "base": base, "now": now}
