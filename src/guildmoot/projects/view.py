"""A project as people look at it: its phases as a tree, and what happened in the order of time."""

from __future__ import annotations

from guildmoot.projects.checkins import list_checkins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guildmoot.projects.manifest import Record
    from guildmoot.projects.store import Project

_SIGNS = {"completed": "✓", "in-progress": "▶", "blocked": "✗", "not-started": "·"}


def overview(
    project: Project, depends: dict[str, list[str]], pulls: dict[str, Record | None]
) -> Record:
    """Everything that ``loom show`` tells, as values."""
    values = project.read()
    phases = []
    for phase in values["phases"]:
        branch = phase.get("branch", "")
        rows = [row for row in values["checkins"] if row["phase"]["number"] == phase["number"]]
        last = list_checkins({"checkins": rows})[-1:] if rows else []
        needed = depends.get(str(phase["number"]), [])
        phases.append(
            {
                **phase,
                "depends_on": needed,
                "checkins": len(rows),
                "last_checkin": _brief(last[0]) if last else None,
                "pull_request": pulls.get(branch),
            }
        )
    done = sum(phase["status"] == "completed" for phase in values["phases"])
    return {
        "slug": project.slug, "title": values["meta"]["title"], "status": values["meta"]["status"],
        "completed": done, "phases": phases, "blockers": _blockers(phases),
        "last_event": values["events"][-1] if values["events"] else None,
        "open_threads": values["sessions"][-1]["open_threads"] if values["sessions"] else [],
    }  # fmt: skip


def _brief(row: Record) -> Record:
    return {
        "number": row["number"], "branch": row["branch"], "unit": row["unit"],
        "verdict": row["verdict"]["result"], "created": row["created"],
    }  # fmt: skip


def _blockers(phases: list[Record]) -> list[str]:
    states = {str(phase["number"]): phase["status"] for phase in phases}
    found = []
    for phase in phases:
        if phase["status"] == "blocked":
            found.append(
                f"phase {phase['number']}: {phase.get('blocked_reason') or 'no reason given'}"
            )
        waits = [each for each in phase["depends_on"] if states.get(each) != "completed"]
        if phase["status"] == "in-progress" and waits:
            found.append(
                f"phase {phase['number']} runs before phase {', '.join(waits)} is completed"
            )
    return found


def show_lines(view: Record) -> list[str]:
    """The same for people."""
    lines = [f"{view['title']}  ({view['slug']}, {view['status']})"]
    phases = view["phases"]
    lines.append(f"{view['completed']} of {len(phases)} phases completed")
    for number, phase in enumerate(phases):
        lines += _phase_lines(phase, number + 1 == len(phases))
    for blocker in view["blockers"]:
        lines.append(f"blocked: {blocker}")
    for thread in view["open_threads"]:
        lines.append(f"open: {thread}")
    event = view["last_event"]
    if event:
        lines.append(f"last: {event['event']} at {event['at']}")
    return lines


def _phase_lines(phase: Record, last: bool) -> list[str]:
    bar, rest = ("└─", "  ") if last else ("├─", "│ ")
    needs = f"  after {', '.join(phase['depends_on'])}" if phase["depends_on"] else ""
    sign = _SIGNS.get(phase["status"], "?")
    lines = [f"{bar} {sign} {phase['number']} {phase['name']}  {phase['status']}{needs}"]
    checkin, pull = phase["last_checkin"], phase["pull_request"]
    if phase.get("branch"):
        lines.append(f"{rest}    branch {phase['branch']}")
    if checkin:
        lines.append(
            f"{rest}    check-in {checkin['number']} {checkin['unit']}: {checkin['verdict']}"
            f" ({phase['checkins']} in all)"
        )
    if pull:
        lines.append(f"{rest}    #{pull.get('number')} {pull.get('state')} {pull.get('url')}")
    return lines


def timeline(project: Project) -> list[Record]:
    """Events, check-ins, sessions, retros and revisions, oldest first."""
    values = project.read()
    rows = [
        {"at": event["at"], "kind": "event", "what": event["event"], "detail": event["detail"],
         **({"branch": event["branch"]} if "branch" in event else {})}
        for event in values["events"]
    ]  # fmt: skip
    for row in values["checkins"]:
        what = f"{row['number']} {row['unit']}: {row['verdict']['result']}"
        rows.append(
            {"at": row["created"], "kind": "check-in", "what": what, "branch": row["branch"]}
        )
    for row in values["retros"]:
        what = f"{row['type']}, {len(row['findings'])} findings"
        rows.append({"at": row["created"], "kind": "retro", "what": what})
    rows += (
        {"at": row["timestamp"], "kind": "revision", "what": f"{row['target']} {row['seq']}"}
        for row in values["revisions"]
    )
    return sorted(rows, key=lambda row: row["at"])


def timeline_lines(rows: list[Record]) -> list[str]:
    """The same for people, a day at a time."""
    lines, day = [], ""
    for row in rows:
        if row["at"][:10] != day:
            day = row["at"][:10]
            lines.append(day)
        detail = row.get("detail") or {}
        told = ", ".join(f"{key} {value}" for key, value in detail.items())
        where = f"  [{row['branch']}]" if row.get("branch") else ""
        lines.append(
            f"  {row['at'][11:16] or '     '}  {row['kind']:<8}  {row['what']}{'  ' + told if told else ''}{where}"
        )
    return lines
