"""What the wrappers look up in the repository: its files, what changed last, and the newest plan."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import TargetError
from guildmoot.packet.listing import OWN_RECORDS, list_files
from guildmoot.practices.reviews.checks.model import Look
from guildmoot.system.git import Git, GitError
from guildmoot.text.globs import matches

COMMITS = 3
"""How far back a change reaches when none is named."""
MOST_FILES = 20
"""Files that one sitting takes then, those with the most changed lines first."""
_OWN = (".agents/", ".guild/")
"""Where councils leave files that git does not know yet; what it tracks there is judged."""
_MOST_BYTES = 4_000_000


class Recent(NamedTuple):
    """What changed last."""

    title: str
    diff: str | None = None
    """What git compares with, as ``packet.Request.diff``; None stands for the only commit."""
    paths: tuple[str, ...] = ()
    """From the root; empty when nothing changed."""
    left: tuple[str, ...] = ()
    """Changed too, but beyond what one sitting takes."""
    gone: tuple[str, ...] = ()
    """Removed by the change."""
    untracked: int = 0
    """Files that git does not know yet, and that are therefore no part of it."""


def look_at(root: Path) -> Look:
    """How the checks may look around in ``root``; nothing outside of it is ever told."""

    @cache
    def mentions(word: str) -> tuple[str, ...]:
        return _mentions(root, word)

    return Look(
        files=_files(root),
        exists=lambda path: _is_inside(root, path) and (root / path).exists(),
        count_lines=lambda path: _count_lines(root, path),
        mentions=mentions,
    )


def recent_change(root: Path) -> Recent:
    """The last commits and what is not committed yet; TargetError where nothing was committed."""
    git = Git(root)
    try:
        words = ("rev-list", "--count", "--first-parent", f"--max-count={COMMITS + 1}", "HEAD")
        commits = int(git.run(*words))
    except GitError:
        raise TargetError(
            "nothing was committed here yet, so nothing changed",
            "Name what is to be judged, e.g. a folder.",
        ) from None
    status = [row for row in git.names("status", "--porcelain", "-z") if not _is_left(row)]
    untracked = sum(row.startswith("??") for row in status)
    return _reaching(git, commits, len(status) > untracked)._replace(untracked=untracked)


def _reaching(git: Git, commits: int, dirty: bool) -> Recent:
    """The change as far back as there are commits; the very first one has nothing before it."""
    if commits > 1:
        back = min(COMMITS, commits - 1)
        title = f"the last {back} commits" if back > 1 else "the last commit"
        return _changed(git, f"HEAD~{back}", f"{title} and uncommitted work" if dirty else title)
    if dirty:
        return _changed(git, "HEAD", "uncommitted work")._replace(diff="")
    return _changed(git, git.empty_tree(), "the only commit")._replace(diff=None)


def _changed(git: Git, since: str, title: str) -> Recent:
    fixed = ("--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules")
    rows = git.names("diff", "--numstat", "-z", *fixed, since, "--")
    weights = {path: _weight(added, gone) for added, gone, path in (r.split("\t", 2) for r in rows)}
    others = [path for path in weights if not matches(path, OWN_RECORDS)]
    there = [path for path in others if (git.root / path).is_file()]
    ranked = sorted(there, key=lambda path: (-weights[path], path))
    return Recent(
        title,
        since,
        tuple(sorted(ranked[:MOST_FILES])),
        tuple(ranked[MOST_FILES:]),
        tuple(path for path in others if path not in there),
    )


def _is_left(row: str) -> bool:
    """Whether a row of git's status is about a record, or about files of ours that are not tracked."""
    path = row[3:]
    return matches(path, OWN_RECORDS) or (row.startswith("??") and path.startswith(_OWN))


def _weight(added: str, gone: str) -> int:
    """Changed lines; git gives none for a binary file."""
    return sum(int(number) for number in (added, gone) if number.isdecimal())


def _files(root: Path) -> Sequence[str]:
    try:
        return sorted(list_files(Git(root)).all)
    except GitError:
        return ()


def _is_inside(root: Path, path: str) -> bool:
    full, inside = os.path.realpath(root / path), os.path.realpath(root)
    return full == inside or full.startswith(inside + os.sep)


def _count_lines(root: Path, path: str) -> int | None:
    file = root / path
    if not _is_inside(root, path) or not file.is_file() or file.stat().st_size > _MOST_BYTES:
        return None
    data = file.read_bytes()
    return data.count(b"\n") + (not data.endswith(b"\n") and data != b"")


def _mentions(root: Path, word: str) -> tuple[str, ...]:
    try:
        found = Git(root).names("grep", "-l", "-z", "-w", "-I", "--untracked", "-F", "-e", word)
    except GitError:  # nothing found, which git calls a failure
        return ()
    return tuple(found)
