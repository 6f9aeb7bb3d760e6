"""A repository with an approved plan, and a scripted specialist that does its lanes, well or badly."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.lifecycle.samples import PLAN_HEAD, SPEC, lane

from guildmoot.api.lifecycle.execution import ExecuteRequest, ExecutionReport, execute_work
from guildmoot.config import Flags
from guildmoot.lifecycle import steps
from guildmoot.lifecycle.approval import approve
from guildmoot.lifecycle.gates import GATES, GateAnswer
from guildmoot.lifecycle.places import WorkFolder

SLUG = "parcels"
TEST = "`python -m unittest discover tests`"
OWNERS = ("backend", "qa", "devops", "frontend", "mobile", "architect")
SPECIALIST = Path(__file__).with_name("specialist.py")


def git(folder: Path, *words: str) -> str:
    names = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "A"}
    env = {**os.environ, **names, "GIT_COMMITTER_EMAIL": "a@b"}
    done = subprocess.run(["git", *words], cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def branches(root: Path) -> set[str]:
    return set(git(root, "for-each-ref", "--format=%(refname:short)", "refs/heads").split())


def project(root: Path, lanes: Mapping[str, tuple[str, ...]], **scopes: str) -> Path:
    """A repository whose plan has these lanes (``T1-backend``: what it waits for), all approved."""
    (root / "app").mkdir(parents=True)
    (root / "app" / "base.py").write_text("BASE = 1\n")
    git(root, "init", "-q", "-b", "main")
    git(root, "config", "user.name", "A")
    git(root, "config", "user.email", "a@b")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "begin")
    folder = WorkFolder(root.resolve())
    rows, members = [], {}
    for task, waits in lanes.items():
        owner = task.partition("-")[2]
        scope = scopes.get(task.partition("-")[0], "Pages and storage.")
        text = lane(task, owner, f"[{', '.join(waits)}]", scope)
        rows.append(
            text.replace("may act without asking: app/", "may act without asking: anything")
        )
        named = ", ".join(name.partition("-")[2] for name in waits)
        row = f'  - name: {owner}\n    scope: "{scope}"\n    depends-on: [{named}]\n'
        members.setdefault(owner, row)
    team = f"spec: .guild/spec/{SLUG}.md\nbackend: subagent\nallow_larger: true\nspecialists:\n"
    for place, text in (
        (folder.spec(SLUG), SPEC), (folder.plan(SLUG), PLAN_HEAD + "".join(rows)),
        (folder.team(SLUG), f"{team}{''.join(members.values())}gaps_resolved: []\ncoverage_flags: []\n"),
    ):  # fmt: skip
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    approve_plan(folder)
    return root


def unproven(root: Path) -> str:
    """Replace the second criterion by one that names no command; its words."""
    folder, words = WorkFolder(root.resolve()), "the first page is there within 30 s"
    text = folder.spec(SLUG).read_text()
    folder.spec(SLUG).write_text(text.replace(f"{TEST} exits 0 within 30 s", words))
    approve_plan(folder)
    return words


def approve_plan(folder: WorkFolder) -> None:
    """Say yes to every document, and make the bundles."""
    for gate in GATES:
        said = GateAnswer(gate, "", "approved", "A", "2026-11-01T00:00:00+00:00", "user")
        approve(folder, gate, SLUG, said)
    steps.make_bundles(folder, SLUG)


def script(root: Path, **acts: object) -> str:
    """The command of the specialist; ``T1=...`` says what it does in that lane, by attempt or always."""
    file = root.parent / "script.json"
    file.write_text(json.dumps(acts))
    return f"{sys.executable} -I {SPECIALIST} {file}"


def execute(
    root: Path, worker: str = "", jobs: int = 4, settings: Flags | None = None, **more: object
) -> ExecutionReport:
    request = ExecuteRequest(SLUG, worker, jobs, cwd=root, **more)  # type: ignore[arg-type]
    return asyncio.run(execute_work(request, settings=settings or {}))


def states(report: ExecutionReport) -> dict[str, str]:
    return {lane.task: lane.status for lane in report.lanes}


def starts(root: Path) -> list[str]:
    """Every start of a specialist, in order, as it wrote it down itself."""
    file = root.parent / "starts.txt"
    return file.read_text().split() if file.is_file() else []


def start(root: Path, *words: str) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        "-m",
        "guildmoot",
        "work",
        "execute",
        SLUG,
        "--json",
        "--yes",
        *words,
    ]
    return subprocess.Popen(
        command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
