"""Looks for what is wrong with a project's records, each fault by its own name; mends nothing."""

from __future__ import annotations

import os

from guildmoot.projects.checkins import content_hash, list_checkins, run_verdict
from guildmoot.projects.errors import RecordError
from guildmoot.projects.manifest import PHASE_STATES, RETRO_CATEGORIES, VERDICTS
from guildmoot.projects.places import read_held
from guildmoot.projects.plan import parse_plan
from guildmoot.projects.repository import branch_is_known, current_branch, find_checkout
from guildmoot.projects.slugs import PLAN, numbered_files, stamp
from guildmoot.projects.store import RECORDS, Project, broken_rows, side_branch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from guildmoot.projects.manifest import Record

_QUIET_COMMITS = 20


def examine(project: Project, name: str) -> Record:
    """``{"slug", "ok", "issues": [{"code", "severity", "detail"}]}``; ok without any error."""
    issues = list(_issues(project))
    ok = all(issue["severity"] != "error" for issue in issues)
    return {"slug": name, "ok": ok, "issues": issues}


def _issues(project: Project) -> Iterator[Record]:
    if not os.path.isfile(project.path):
        yield _error("manifest-missing", f"manifest.toml not found at {project.path}")
        return
    try:
        values = project.read()
    except RecordError as wrong:
        if wrong.code == "manifest-conflict":
            yield from _conflicts(project)
        else:
            yield _error("manifest-unreadable", str(wrong))
        return
    yield from _words(values)
    yield from _doubles(values)
    yield from _strangers(values)
    yield from _places(project, values)
    yield from _plan(project, values)
    yield from _segments(project)
    yield from _events(values)
    yield from _verdicts(project, values)
    yield from _git(project, values)
    yield from _leftovers(project)


def _words(values: Record) -> Iterator[Record]:
    """Words that a field may not hold."""
    for phase in values["phases"]:
        if phase["status"] not in PHASE_STATES:
            yield _error("status-unknown", f"phase {phase['number']} is {phase['status']!r}")
        if phase["number"] < 0:
            yield _error("phase-number-negative", f"there is a phase {phase['number']}")
    for row in values["checkins"]:
        if row["verdict"]["result"] not in VERDICTS:
            detail = (
                f"check-in {row['number']} of {row['branch']} says {row['verdict']['result']!r}"
            )
            yield _error("verdict-unknown", detail)
    for retro in values["retros"]:
        for finding in retro["findings"]:
            if finding["category"] not in RETRO_CATEGORIES:
                yield _error(
                    "category-unknown", f"a retro has the category {finding['category']!r}"
                )


def _doubles(values: Record) -> Iterator[Record]:
    """What there may be one of only."""
    keys = {
        "phase-twice": [phase["number"] for phase in values["phases"]],
        "checkin-twice": [(row["branch"], row["number"]) for row in values["checkins"]],
        "session-twice": [(row["date"], row["letter"]) for row in values["sessions"]],
    }
    for code, found in keys.items():
        for each in sorted({each for each in found if found.count(each) > 1}, key=str):
            yield _error(code, f"{each} is on record {found.count(each)} times")


def _strangers(values: Record) -> Iterator[Record]:
    """Check-ins of a phase that there is not."""
    known = {phase["number"] for phase in values["phases"]}
    for row in values["checkins"]:
        if row["phase"]["number"] not in known:
            name = f"check-in {row['number']} of {row['branch']}"
            yield _error("checkin-phase-unknown", f"{name} is of phase {row['phase']['number']}")


def _places(project: Project, values: Record) -> Iterator[Record]:
    meta = values["meta"]
    if meta["slug"] != project.slug:
        yield _error(
            "slug-mismatch", f"the manifest is of {meta['slug']}, the folder {project.slug}"
        )
    archived = os.path.basename(os.path.dirname(project.folder)) == "archive"
    if (meta["status"] == "archived") != archived:
        where = "in the archive" if archived else "among the active projects"
        yield _error("status-misplaced", f"the project is {meta['status']}, and lies {where}")
    numbers = [name[:4] for name in numbered_files(os.path.join(project.folder, "decisions"))]
    for number in sorted({each for each in numbers if numbers.count(each) > 1}):
        yield _error("decision-twice", f"there are {numbers.count(number)} decisions {number}")


def _plan(project: Project, values: Record) -> Iterator[Record]:
    """Where plan and manifest say different things."""
    try:
        text = read_held(os.path.join(project.folder, PLAN)).decode("utf-8", "replace")
        parsed = parse_plan(text)
    except OSError:
        yield _warning("plan-missing", f"there is no {PLAN}")
        return
    except RecordError as wrong:
        yield _warning("plan-unreadable", str(wrong))
        return
    for each in parsed["diagnostics"]:
        if each["code"] in ("plan-duplicate-phase", "plan-dangling-dependency"):
            yield _error(each["code"], f"line {each['line']}: {each['message']}")
    planned = {each["id"]: each for each in parsed["plan"]["phases"]}
    for phase in values["phases"]:
        known = planned.get(str(phase["number"]))
        if planned and known is None:
            yield _error("phase-not-planned", f"the plan has no phase {phase['number']}")
        elif known and known["name"] != phase["name"]:
            detail = f"phase {phase['number']} is {phase['name']!r}, in the plan {known['name']!r}"
            yield _warning("phase-name-differs", detail)
    there = {str(phase["number"]) for phase in values["phases"]}
    for number in planned:
        if number.isdecimal() and number not in there:
            yield _error(
                "phase-not-on-record", f"phase {number} of the plan is not in the manifest"
            )
    cycle = _cycle({number: each["dependsOn"] for number, each in planned.items()})
    if cycle:
        yield _error("plan-cycle", f"phases wait for each other: {' -> '.join(cycle)}")


def _cycle(depends: dict[str, list[str]]) -> list[str]:
    done: set[str] = set()
    for start in depends:
        path, stack = [start], [iter(depends.get(start, ()))]
        while stack:
            each = next(stack[-1], None)
            if each is None:
                done.add(path.pop())
                stack.pop()
            elif each in path:
                return [*path[path.index(each) :], each]
            elif each not in done and each in depends:
                path.append(each)
                stack.append(iter(depends[each]))
    return []


def _segments(project: Project) -> Iterator[Record]:
    """Rows beside the manifest that cannot be read, and rows that wait to be moved into it."""
    for name in project.segments():
        if os.path.islink(os.path.join(project.folder, RECORDS, name)):
            yield _error("record-linked", f"{RECORDS}/{name} is a link, and is not read")
        broken = broken_rows(os.path.join(project.folder, RECORDS, name))
        if broken:
            detail = f"{broken} rows of {RECORDS}/{name} cannot be read; they are kept as they are"
            yield _error("record-broken", detail)
    waiting = sum(1 for _ in project.rows())
    if waiting and not side_branch(project.folder, project.text()):
        yield _warning(
            "records-to-compact",
            f"{waiting} records stand beside the manifest; 'loom compact {project.slug}' moves them in",
        )


def _events(values: Record) -> Iterator[Record]:
    times = [event["at"] for event in values["events"]]
    ahead = [each for each in times if each[:4].isdigit() and each > stamp()]
    if ahead:
        yield _error("event-in-future", f"an event is of {max(ahead)}, and now it is {stamp()}")


def _verdicts(project: Project, values: Record) -> Iterator[Record]:
    """Check-ins whose verdict no longer speaks of the files that are there."""
    newest: dict[str, Record] = {}
    for row in list_checkins(values):
        for path in row["execution"]["files_touched"]:
            newest[path] = row
    for row in values["checkins"]:
        verdict, name = row["verdict"], f"check-in {row['number']} of {row['branch']}"
        if "run" not in verdict:
            continue
        judged = run_verdict(project.folder, str(verdict["run"]))
        if judged is not None and judged != verdict["result"]:
            yield _error(
                "verdict-mismatch",
                f"{name} says {verdict['result']}, its run {verdict['run']} {judged}",
            )
        paths = row["execution"]["files_touched"]
        current = all(newest[path] is row for path in paths)
        if current and content_hash(project.folder, paths) != verdict.get("content"):
            yield _error(
                "verdict-stale",
                f"{name} was judged by run {verdict['run']}; its files changed since",
            )


def _git(project: Project, values: Record) -> Iterator[Record]:
    checkout = find_checkout(project.folder)
    if checkout is None:
        return
    running = [phase for phase in values["phases"] if phase["status"] == "in-progress"]
    for phase in running:
        branch = phase.get("branch")
        if branch and current_branch(checkout) and not branch_is_known(checkout, branch):
            yield _error(
                "branch-missing", f"phase {phase['number']} is on {branch}, which is not here"
            )
    if running and values["events"]:
        count = _commits_since(checkout.root, values["events"][-1]["at"], project)
        if count >= _QUIET_COMMITS:
            detail = (
                f"{count} commits since the last event, and a phase is in progress: nothing records"
            )
            yield _error("capture-silent", detail)


def _commits_since(root: str, at: str, project: Project) -> int:
    from guildmoot.system.git import Git, GitError

    try:
        return int(Git(root).run("rev-list", "--count", f"--since={at}", "HEAD").decode().strip())
    except (GitError, ValueError):
        return 0


def _leftovers(project: Project) -> Iterator[Record]:
    folder = project.folder
    if os.path.exists(os.path.join(folder, ".guild-writing")):
        yield _warning("write-unfinished", "a writer was killed; the next one clears its file away")
    if os.path.exists(os.path.join(folder, "RECOVERY-STATUS.json")):
        yield _warning("recovery-waiting", "RECOVERY-STATUS.json says that a loop stopped half-way")


def _conflicts(project: Project) -> Iterator[Record]:
    """What two branches made of the same field, with what it was before."""
    sides = [_stage(project, number) for number in (1, 2, 3)]
    if any(side is None for side in sides):
        yield _error("manifest-conflict", f"{project.path} holds the marks of a merge")
        return
    base, ours, theirs = (_flat(side) for side in sides if side is not None)
    found = False
    for place in sorted(base.keys() | ours.keys() | theirs.keys()):
        before, mine, other = base.get(place), ours.get(place), theirs.get(place)
        if mine not in (before, other) and other != before:
            found = True
            detail = f"{place}: base {before!r}, ours {mine!r}, theirs {other!r}"
            yield _error("manifest-conflict", detail)
    if not found:
        yield _error("manifest-conflict", f"{project.path} holds the marks of a merge")


def _stage(project: Project, number: int) -> Record | None:
    import tomllib

    from guildmoot.system.git import Git, GitError

    checkout = find_checkout(project.folder)
    if checkout is None:
        return None
    inner = os.path.relpath(os.path.realpath(project.path), os.path.realpath(checkout.root))
    try:
        return tomllib.loads(Git(checkout.root).run("show", f":{number}:{inner}").decode())
    except (GitError, ValueError):
        return None


def _flat(values: Record) -> dict[str, object]:
    """Each field by its place; phases by their number."""
    found: dict[str, object] = {}
    for section in ("meta", "config"):
        found.update((f"{section}.{name}", each) for name, each in values.get(section, {}).items())
    for phase in values.get("phases", ()):
        found.update((f"phase {phase.get('number')}.{name}", each) for name, each in phase.items())
    return found


def _error(code: str, detail: str) -> Record:
    return {"code": code, "severity": "error", "detail": detail}


def _warning(code: str, detail: str) -> Record:
    return {"code": code, "severity": "warning", "detail": detail}
