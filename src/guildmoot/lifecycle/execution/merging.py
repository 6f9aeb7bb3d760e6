"""Lanes into the run's branch, one after the other: merged, checked, and only then told to the user's repository."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from guildmoot.backends.enclosure import enclosed
from guildmoot.errors import InfrastructureError
from guildmoot.guard.secrets import mask
from guildmoot.lifecycle.execution.lane_folder import lane_environment
from guildmoot.lifecycle.execution.worktrees import RunRepository
from guildmoot.loops.workshop import git
from guildmoot.system.process import run_process
from guildmoot.text.clean import clean
from guildmoot.text.outputs import telling_end

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
    passed: tuple[str, ...] = ()
    """Checks that passed on the result."""


async def merge_lane(
    repository: RunRepository, tip: str, task: str, commit: str, checks: Sequence[str],
    red: Collection[str] = (),
) -> MergeOutcome:  # fmt: skip
    """Merge a lane's commit onto the tip and run the checks on the result; no branch is moved.

    ``red`` are checks that failed before any lane: that they still fail is nobody's fault.
    """
    joined = await asyncio.to_thread(_join, repository, tip, task, commit)
    if joined.status != "merged":
        return joined
    failing = await failing_checks(repository, joined.tip, checks)
    blamed = [reason for command, reason in failing.items() if command not in red]
    if blamed:
        return MergeOutcome("checks", "", f"after the merge {'; '.join(blamed)}")
    return joined._replace(passed=tuple(each for each in checks if each not in failing))


async def failing_checks(
    repository: RunRepository, commit: str, checks: Sequence[str]
) -> dict[str, str]:
    """The checks that fail on a commit, run in a clean worktree, each with how it ended."""
    if checks:
        await asyncio.to_thread(_clean_tree, repository, commit)
    found = {}
    for command in checks:
        code, output = await run_command(command, repository, MERGED)
        if code != 0:
            how = "did not end in time" if code is None else f"ended with exit code {code}"
            tail = telling_end(output)
            found[command] = f"`{command}` {how}{f': {tail}' if tail else ''}"
    return found


def _join(repository: RunRepository, tip: str, task: str, commit: str) -> MergeOutcome:
    """By three ways first, without a worktree; then as somebody resolved the same conflict before."""
    message = f"Merge lane {task}\n\nGuild-Run: {repository.run}\nGuild-Lane: {task}\n"
    made = repository.merged(tip, commit, message, always=True)
    if made:
        return MergeOutcome("merged", made)
    _clean_tree(repository, tip)
    words = ("-c", "rerere.enabled=true", "-c", "rerere.autoUpdate=true", "merge", "-q", "--no-ff")
    _in_tree(repository, *words, "-m", message, commit, fine=(0, 1))
    if not _in_tree(repository, "rev-parse", "-q", "--verify", "MERGE_HEAD", fine=(0, 1)).strip():
        return MergeOutcome("merged", _tip(repository))
    left = _in_tree(repository, "diff", "--name-only", "-z", "--diff-filter=U").split("\0")
    paths = tuple(sorted(filter(None, left)))
    if paths:
        _in_tree(repository, "merge", "--abort", fine=(0, 128))
        reason = f"{', '.join(paths[:5])} was changed on both sides"
        return MergeOutcome("conflict", "", reason, paths)
    _in_tree(repository, "commit", "-q", "--no-verify", "-m", message)
    return MergeOutcome("merged", _tip(repository), by_rerere=True)


def _tip(repository: RunRepository) -> str:
    return _in_tree(repository, "rev-parse", "HEAD").strip()


def _clean_tree(repository: RunRepository, tip: str) -> None:
    """The merge worktree exactly at the tip, whatever a check left there."""
    repository.open()
    place = repository.folder(MERGED)
    if place.is_symlink() or not place.is_dir() or not _own_dir(repository).is_dir():
        repository.add(MERGED, tip)
        return
    _in_tree(repository, "reset", "-q", "--hard", tip)
    _in_tree(repository, "clean", "-q", "-ffd")


def _own_dir(repository: RunRepository) -> Path:
    return repository.git_dir / "worktrees" / MERGED


def _in_tree(repository: RunRepository, *words: str, fine: tuple[int, ...] = (0,)) -> str:
    """In the merge worktree, whose own ``.git`` is not asked: a check may have put another there. What it makes lies
    in the user's repository."""
    place = repository.folder(MERGED)
    own = (f"--git-dir={_own_dir(repository)}", f"--work-tree={place}")
    return git(place, *_QUIET, *own, *words, fine=fine, objects=repository.objects)


async def run_command(
    command: str, repository: RunRepository, task: str, seconds: float = CHECK_SECONDS
) -> tuple[int | None, str]:
    """A command of the approved plan in a worktree: its exit code, None when it took too long, and what it printed."""
    place = repository.folder(task)
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    words = ["/bin/sh", "-c", command]
    if repository.writable is not None:
        words = enclosed(str(repository.root), [str(place)], repository.writable, words)
    done = await run_process(
        words, cwd=str(place), env={**env, "GUILD_RUN_ID": repository.run, **lane_environment(place)},
        timeout=seconds, max_output=2 * _TAIL, joined=True, both_ends=True,
    )  # fmt: skip
    if done.status in ("missing", "unstartable"):
        raise InfrastructureError(f"the shell could not be started: {done.error}")
    text = mask(clean(done.stdout.decode("utf-8", "replace")), "output")[0][-_TAIL:]
    return (None if done.status == "timeout" else done.exit_code), text


def conflict_text(
    repository: RunRepository, theirs: tuple[str, str], own: tuple[str, str], task: str, why: str = ""
) -> str:  # fmt: skip
    """Both sides of a conflict, each from a commit to another, for whoever resolves it."""
    had, did = repository.between(*theirs), repository.between(*own)
    return (
        f"# {task} cannot be merged\n{why}\n## What the run has meanwhile\n\n```diff\n{had}```\n\n"
        f"## What {task} changed\n\n```diff\n{did}```\n"
    )
