"""The facts about a folder that the rules ask for, looked up on the disk with a few cheap calls."""

from __future__ import annotations

import os

from guildmoot.guard.site import Site

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def site_at(cwd: str, project: str, env: Mapping[str, str], guarded: tuple[str, ...] = ()) -> Site:
    """The site of a command. Whether there is uncommitted work is not looked up: that takes git."""
    cwd = os.path.abspath(cwd)
    top = _git_folder(cwd)
    project = os.path.abspath(project) if project else (top or cwd)
    temporary = env.get("TMPDIR", "")
    return Site(
        cwd,
        project,
        env.get("HOME", "") or os.path.expanduser("~"),
        git=bool(top or _git_folder(project)),
        branch=_branch(top),
        temporary=(os.path.abspath(temporary),) if temporary else (),
        guarded=guarded,
        real=_real,
        links=_links,
        top=_git_folder,
        read=_read,
        holds=_holds,
        same=_same,
    )


_MOST_READ = 64 * 1024


def _read(path: str) -> str:
    """A small text file; nothing for what is large, special or no text."""
    try:
        found = os.stat(path)
        if (found.st_mode & 0o170000) != 0o100000 or not 0 < found.st_size <= _MOST_READ:
            return ""
        with open(path, encoding="utf-8") as file:
            text = file.read(_MOST_READ)
    except (OSError, ValueError):
        return ""
    return "" if "\0" in text else text


def _holds(path: str) -> bool:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return False
    kind = found.st_mode & 0o170000
    return kind == 0o040000 or (kind == 0o100000 and found.st_size > 0)


def _git_folder(folder: str) -> str:
    """The folder above that holds ``.git``; empty outside a checkout."""
    while True:
        if os.path.lexists(os.path.join(folder, ".git")):
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            return ""
        folder = above


def _branch(top: str) -> str:
    """The branch that is checked out, where that costs one small read."""
    if not top:
        return ""
    try:
        with open(os.path.join(top, ".git", "HEAD"), encoding="utf-8") as head:
            text = head.read(1_000).strip()
    except (OSError, ValueError):  # a worktree's .git is a file
        return ""
    return text.removeprefix("ref: refs/heads/") if text.startswith("ref: ") else ""


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):  # a zero byte, a name that is too long
        return path


def _links(path: str) -> int:
    """How many names a file has; folders and what is not there count as one."""
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return 1
    return 1 if (found.st_mode & 0o170000) == 0o040000 else found.st_nlink


def _same(path: str, other: str) -> bool:
    try:
        return os.path.samefile(path, other)
    except (OSError, ValueError):
        return False
