"""Which lane changed which file, by git alone: every commit of a run names its run and its lane."""

from __future__ import annotations

from pathlib import Path

from guildmoot.lifecycle.execution.values import RunState
from guildmoot.system.git import Git, GitError

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


def lane_lines(root: Path, base: str, result: str, run: str) -> list[tuple[str, dict[str, int]]]:
    """Each lane's commits between two commits, the oldest first: the files, and how many of their lines are gone."""
    form = f"%x01%(trailers:key={RUN},valueonly,separator=%x20)%x02%(trailers:key={LANE},valueonly,separator=%x20)%x02"
    words = ("log", "--no-merges", "--no-renames", "--reverse", "--topo-order", "--numstat", "-z")
    text = Git(root).run(*words, f"--format={form}", f"{base}..{result}", "--")
    found = []
    for commit in text.decode("utf-8", "surrogateescape").split("\x01")[1:]:
        of_run, task, rows = commit.split("\x02", 2)
        parts = (row.lstrip("\n").split("\t", 2) for row in rows.split("\0") if row.strip())
        lines = {each[2]: int(each[1]) if each[1].isdigit() else 1 for each in parts}
        if of_run.strip() == run:
            found.append((task.strip(), lines))
    return found


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


def _branches_with(git: Git, commit: str) -> list[str]:
    words = ("for-each-ref", "--contains", commit, "--format=%(refname:short)", "refs/heads")
    try:
        return git.run(*words).decode("utf-8", "replace").splitlines()
    except GitError:  # the commit itself is gone
        return []


def result_words(root: Path, state: RunState) -> str:
    """Where the verified result of a run is, and what takes it over; of a branch that is gone or moved on, that."""
    if not state.branch:
        return ""
    git, branch = Git(root), state.branch
    names = (f"refs/heads/{branch}", kept_name(state.run))
    rows = git.run("for-each-ref", "--format=%(refname) %(objectname)", *names).decode()
    found = dict(row.split(" ") for row in rows.splitlines())
    if (at := found.get(names[0], "")) == state.tip:
        return f"the result is on {branch}: git merge {branch}"
    kept = names[1] if found.get(names[1]) == state.tip else state.tip[:12]
    if at:
        return f"{branch} is at {at[:12]} now, and {state.tip[:12]} was verified: git merge {kept}"
    if held := _branches_with(git, state.tip):
        return f"the result is merged into {held[0]}"
    again = f"guild work execute {state.slug}"
    return f"the branch {branch} that holds the result is gone; unless you took it over: {again} restores it"
