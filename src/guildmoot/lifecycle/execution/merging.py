"""Lanes into the run's branch, one after the other: merged, checked, and only then told to the user's repository."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from guildmoot.errors import InfrastructureError
from guildmoot.guard.secrets import mask
from guildmoot.lifecycle.execution.worktrees import RunRepository, lane_environment
from guildmoot.loops.workshop import git
from guildmoot.system.process import run_process
from guildmoot.text.clean import clean, one_line

MERGED = "merged"
"""The worktree in which lanes are merged; no task is called so."""
CHECK_SECONDS = 600.0
_TAIL = 4_000
_QUIET = ("-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0", "-c", "commit.gpgSign=false")


class MergeOutcome(NamedTuple):
    """How a merge ended."""

    status: Literal["merged", "conflict", "checks"]
    tip: str = ""
    reason: str = ""
    paths: tuple[str, ...] = ()
    """Where the two sides cannot be joined."""
    by_rerere: bool = False
    """A conflict that somebody resolved before was resolved the same way."""


async def merge_lane(
    repository: RunRepository, tip: str, task: str, commit: str, checks: Sequence[str]
) -> MergeOutcome:
    """Merge a lane's commit onto the tip and run the checks on the result; no branch is moved."""
    joined = await asyncio.to_thread(_join, repository, tip, task, commit)
    if joined.status == "merged" and checks:
        await asyncio.to_thread(_clean_tree, repository, joined.tip)
    for command in checks if joined.status == "merged" else ():
        code, output = await run_command(command, repository, MERGED)
        if code != 0:
            how = "did not end in time" if code is None else f"ended with exit code {code}"
            reason = f"`{command}` {how} after the merge: {one_line(clean(output))[-400:]}"
            return MergeOutcome("checks", "", reason)
    return joined


def _join(repository: RunRepository, tip: str, task: str, commit: str) -> MergeOutcome:
    """By three ways first, without a worktree; then as somebody resolved the same conflict before."""
    message = f"Merge lane {task}\n\nGuild-Run: {repository.run}\nGuild-Lane: {task}\n"
    made = repository.merged(tip, commit, message, always=True)
    if made:
        return MergeOutcome("merged", made)
    place = _clean_tree(repository, tip)
    words = ("-c", "rerere.enabled=true", "-c", "rerere.autoUpdate=true", "merge", "-q", "--no-ff")
    git(place, *_QUIET, *words, "-m", message, commit, fine=(0, 1))
    if not git(place, "rev-parse", "-q", "--verify", "MERGE_HEAD", fine=(0, 1)).strip():
        return _taken(repository, place)
    left = git(place, "diff", "--name-only", "-z", "--diff-filter=U").split("\0")
    paths = tuple(sorted(filter(None, left)))
    if paths:
        git(place, *_QUIET, "merge", "--abort", fine=(0, 128))
        reason = f"{', '.join(paths[:5])} was changed on both sides"
        return MergeOutcome("conflict", "", reason, paths)
    git(place, *_QUIET, "commit", "-q", "--no-verify", "-m", message)
    return _taken(repository, place)._replace(by_rerere=True)


def _taken(repository: RunRepository, place: Path) -> MergeOutcome:
    """A merge that was made in the worktree, brought into the user's repository."""
    commit = git(place, "rev-parse", "HEAD").strip()
    words = ("fetch", "-q", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance")
    git(repository.root, *words, str(place), "HEAD")
    return MergeOutcome("merged", commit)


def _clean_tree(repository: RunRepository, tip: str) -> Path:
    """The merge worktree exactly at the tip, whatever a check left there."""
    place = repository.folder(MERGED)
    repository.open()
    head = (
        git(place, "rev-parse", "HEAD", fine=(0, 128)).strip() if (place / ".git").is_file() else ""
    )
    if not head:
        return repository.add(MERGED, tip)
    git(place, *_QUIET, "reset", "-q", "--hard", tip)
    git(place, "clean", "-q", "-ffd")
    return place


async def run_command(
    command: str, repository: RunRepository, task: str, seconds: float = CHECK_SECONDS
) -> tuple[int | None, str]:
    """A command of the approved plan in a worktree: its exit code, None when it took too long, and what it printed."""
    place = repository.folder(task)
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = await run_process(
        ["/bin/sh", "-c", command],
        cwd=str(place), env={**env, "GUILD_RUN_ID": repository.run, **lane_environment(place)},
        timeout=seconds, max_output=2 * _TAIL, joined=True, both_ends=True,
    )  # fmt: skip
    if done.status in ("missing", "unstartable"):
        raise InfrastructureError(f"the shell could not be started: {done.error}")
    text = mask(clean(done.stdout.decode("utf-8", "replace")), "output")[0][-_TAIL:]
    return (None if done.status == "timeout" else done.exit_code), text


def conflict_text(repository: RunRepository, tip: str, base: str, commit: str, task: str) -> str:
    """Both sides of a conflict, for whoever resolves it."""
    theirs = repository.between(base, tip)
    own = repository.between(base, commit)
    return (
        f"# {task} cannot be merged\n\n## What the run has meanwhile\n\n```diff\n{theirs}```\n\n"
        f"## What {task} changed\n\n```diff\n{own}```\n"
    )
