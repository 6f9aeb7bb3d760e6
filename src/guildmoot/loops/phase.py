"""Which phase of which project a loop works on: found among the projects, or made small with ``--here``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from guildmoot.errors import UsageError
from guildmoot.loops.records import records_at
from guildmoot.loops.workshop import git, tip_of
from guildmoot.projects.errors import RecordError
from guildmoot.projects.folders import NEW_CONFIG, adopt_folder
from guildmoot.projects.phases import find_phase, read_plan
from guildmoot.projects.plan import parse_plan
from guildmoot.projects.repository import default_branch, find_checkout
from guildmoot.projects.slugs import PLAN, find_project, kebab, today
from guildmoot.projects.store import Project
from guildmoot.system.files import folder_inside

if TYPE_CHECKING:
    from guildmoot.loops.values import LoopRequest
    from guildmoot.projects.manifest import Record

_FULL = re.compile(r"\d{4}-\d{2}-\d{2}-")
HERE = "bulk-change"
"""The name of a project that is made for one change."""
SMALL = "Apply"
"""The name of its only phase."""


class PhasePlace(NamedTuple):
    """A phase, and where its records are."""

    slug: str
    inner: Path
    """The project's folder, relative to the repository."""
    number: int
    name: str
    status: str
    branch: str
    base: str
    """The branch that it is merged into."""
    goal: str
    verify: tuple[str, ...]
    """The commands that the manifest names."""
    checkins: tuple[int, ...] = ()
    """Numbers of the branch's check-ins."""
    new: bool = False
    """The project is not made yet."""

    @property
    def inventory(self) -> Path:
        """Where the list of items is."""
        return self.inner / kebab(self.name, "invalid-phase") / "inventory.md"

    @property
    def key(self) -> str:
        """What the loop's own files are called by."""
        return f"{self.slug}-{self.number}"

    def plain(self) -> Record:
        return {"number": self.number, "name": self.name}


def find_place(request: LoopRequest) -> PhasePlace:
    """The phase that a request means; UsageError when there is none, or it is completed."""
    named = request.slug or HERE
    try:
        word = str(request.root / "projects" / named) if _FULL.match(named) else named
        folder = Path(find_project(word)).resolve()
        return _read(request, folder.relative_to(request.root.resolve()), folder)
    except RecordError as wrong:
        if not request.here:
            if wrong.code == "phase-not-found":
                raise UsageError(wrong.text, f"'loom phase list {named}' shows them.") from None
            told = wrong.text if request.slug else "no project was named"
            hint = "'loom project list' shows them; --here makes a small one for one change."
            raise UsageError(told, hint) from None
    if request.phase != 1:
        raise UsageError(
            f"there is no phase {request.phase}", "--here makes a project of one phase."
        )
    try:
        return _made_before(request, named) or _small(request, named)
    except RecordError as wrong:
        raise UsageError(wrong.text, "Give it a name of a few letters, e.g. tidy.") from None


def _read(request: LoopRequest, inner: Path, folder: Path) -> PhasePlace:
    project = Project(str(folder))
    values = project.read()
    phase = values["phases"][find_phase(values, request.phase)]
    if phase["status"] == "completed":
        raise UsageError(
            f"phase {request.phase} {phase['name']} is completed", "Choose another one."
        )
    slug, name = folder.name, str(phase["name"])
    branch = str(phase.get("branch") or branch_name(slug, name))
    numbers = _checkins(request.root, inner, branch) or _numbers(values, branch)
    return PhasePlace(
        slug, inner, request.phase, name, str(phase["status"]), branch,
        base_branch(request.root, str(values["config"]["base_branch"])),
        _goal(folder, request.phase) or name, tuple(values["config"]["verification"]), numbers,
    )  # fmt: skip


def _checkins(root: Path, inner: Path, branch: str) -> tuple[int, ...]:
    """Numbers of a branch's check-ins, also where another branch is checked out."""
    tip = tip_of(root, branch)
    if not tip:
        return ()
    with records_at(root, tip, inner) as folder:
        try:
            return _numbers(Project(str(folder), branch).read(), branch)
        except RecordError:
            return ()


def _numbers(values: Record, branch: str) -> tuple[int, ...]:
    rows = [row for row in values["checkins"] if row["branch"] == branch]
    return tuple(int(row["number"]) for row in rows if row["number"].isdecimal())


def branch_name(slug: str, phase: str) -> str:
    """What a phase's branch is called."""
    return f"{slug[11:]}.{kebab(phase, 'invalid-phase')}"


def _goal(folder: Path, number: int) -> str:
    try:
        phases = parse_plan(read_plan(str(folder / PLAN)))["plan"]["phases"]
    except RecordError:
        return ""
    goals = [phase.get("goal") for phase in phases if phase["id"] == str(number)]
    return str(goals[0] or "") if goals else ""


def base_branch(root: Path, wanted: str = "") -> str:
    """The branch that work is merged into."""
    checkout = find_checkout(str(root))
    return (default_branch(checkout, wanted) if checkout else "") or wanted or "main"


def _small(request: LoopRequest, named: str) -> PhasePlace:
    """A project of one phase, which is made once the work is agreed to."""
    slug = named if _FULL.match(named) else f"{today()}-{kebab(named, 'invalid-topic')}"
    goal = request.task or request.transform or f"change {request.pattern}"
    return PhasePlace(
        slug, Path("projects") / slug, 1, SMALL, "not-started", branch_name(slug, SMALL),
        base_branch(request.root), " ".join(goal.split()), request.verify, new=True,
    )  # fmt: skip


def _made_before(request: LoopRequest, named: str) -> PhasePlace | None:
    """The small project of an earlier run, on its branch, when another one is checked out."""
    short = named[11:] if _FULL.match(named) else kebab(named, "invalid-topic")
    branch = f"{short}.apply"
    tip = tip_of(request.root, branch) or f"refs/heads/{branch}"
    listed = git(request.root, "ls-tree", "--name-only", tip, "projects/", fine=(0, 128))
    slugs = [Path(line).name for line in listed.splitlines() if line.endswith(f"-{short}")]
    if not slugs:
        return None
    small = _small(request, named)
    inner = Path("projects") / slugs[-1]
    return small._replace(slug=slugs[-1], inner=inner, branch=branch, new=False)


def make_project(folder: Path, place: PhasePlace) -> None:
    """Write a small project's plan and manifest into a clone."""
    target = folder_inside(folder, place.inner)
    proof = "\n".join(f"- `{command}` passes" for command in place.verify)
    plan = (
        f"# {place.slug[11:]}\n\n## Phase 1 — {place.name}\n\n**Goal**: {place.goal}\n"
        f"**Exit**:\n{proof}\n"
    )
    (target / PLAN).write_text(plan, encoding="utf-8")
    config = {**NEW_CONFIG, "base_branch": place.base, "verification": list(place.verify)}
    meta: Record = {"title": place.slug[11:], "started": today(), "strategy": "confidence"}
    phases: list[Record] = [{"number": 1, "name": place.name, "status": "not-started"}]
    adopt_folder(str(target), place.slug, meta, phases, config, plan)
