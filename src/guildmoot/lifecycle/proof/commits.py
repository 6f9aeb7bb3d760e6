"""Which lane changed which file, by git alone: every commit of a run names its run and its lane."""

from __future__ import annotations

from pathlib import Path

from guildmoot.lifecycle.execution.values import RunState
from guildmoot.system.git import Git

RUN, LANE = "Guild-Run", "Guild-Lane"
"""Trailers of a lane's commits."""


def trailers(run: str, task: str) -> str:
    """The last lines of the message of a lane's commit."""
    return f"{RUN}: {run}\n{LANE}: {task}\n"


def lane_files(root: Path, base: str, result: str, run: str) -> dict[str, tuple[str, ...]]:
    """The files that the commits of each lane change between two commits; merges count for nothing."""
    form = f"%x01%(trailers:key={RUN},valueonly,separator=%x20)%x02%(trailers:key={LANE},valueonly,separator=%x20)%x02"
    words = ("log", "--no-merges", "--no-renames", "--name-only", "-z", f"--format={form}")
    text = Git(root).run(*words, f"{base}..{result}", "--").decode("utf-8", "surrogateescape")
    found: dict[str, set[str]] = {}
    for commit in text.split("\x01")[1:]:
        of_run, task, names = commit.split("\x02", 2)
        if of_run.strip() == run:
            found.setdefault(task.strip(), set()).update(
                name.lstrip("\n") for name in names.split("\0") if name.strip()
            )
    return {task: tuple(sorted(names)) for task, names in found.items()}


def lane_commits(root: Path, base: str, result: str, run: str, task: str) -> list[str]:
    """The commits of a lane between two commits, the oldest first, without merges."""
    form = f"%H%x02%(trailers:key={RUN},valueonly,separator=%x20)%x02%(trailers:key={LANE},valueonly,separator=%x20)"
    words = ("log", "--no-merges", "--reverse", "--topo-order", f"--format={form}")
    rows = Git(root).run(*words, f"{base}..{result}", "--").decode("utf-8", "replace").splitlines()
    parts = (row.split("\x02") for row in rows)
    return [hash for hash, of, lane in parts if (of.strip(), lane.strip()) == (run, task)]


def kept_name(run: str) -> str:
    """Where the result of a run is kept whose branch somebody else changed."""
    return f"refs/guild/{run}/result"


def result_name(root: Path, state: RunState) -> str:
    """The name of a run's result: its branch, unless that holds something else; empty where there is none."""
    if not state.branch:
        return ""
    names = (f"refs/heads/{state.branch}", kept_name(state.run))
    rows = Git(root).run("for-each-ref", "--format=%(refname) %(objectname)", *names).decode()
    found = dict(row.split(" ") for row in rows.splitlines())
    astray = found.get(names[0], state.tip) != state.tip and found.get(names[1]) == state.tip
    return names[1] if astray else state.branch
