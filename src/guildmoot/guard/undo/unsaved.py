"""What a snapshot has to hold: everything that a checkout of the index would not bring back."""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from guildmoot.guard.site import is_made
from guildmoot.guard.undo.saved import paths_below
from guildmoot.system.git import Git, GitError

GITLINK = "160000"
_CONVERTS = re.compile(rb"\b(?:text|eol|crlf|filter|ident|working-tree-encoding)\b")


class WorkPlace(NamedTuple):
    """A working tree and where its repository is."""

    top: Path
    git_dir: Path
    common_dir: Path
    head: str
    branch: str


class Unsaved(NamedTuple):
    """What differs from the index."""

    files: dict[str, os.stat_result]
    gone: list[str]
    submodules: list[str]
    left_out: list[str]
    folders: list[str]


def unsaved_work(
    git: Git, place: WorkPlace, ignored: bool, also: tuple[str, ...], most: int
) -> Unsaved:
    """Everything that a checkout of the index would not bring back."""
    with suppress(GitError):  # it complains of files that need an update, which is what is asked
        git.run("update-index", "-q", "--really-refresh")
    gone, submodules, changed = [], [], []
    answer = git.names("diff-files", "-z", "--raw", "--no-renames", "--ignore-submodules=none")
    for facts, path in zip(answer[::2], answer[1::2], strict=False):
        old, new, _, _, status = facts.lstrip(":").split()
        if old == GITLINK:
            continue
        if status == "D":
            gone.append(path)
        elif status != "U" or new != "000000":
            changed.append(path)
    rows = []
    for row in git.names("ls-files", "-z", "-s", "-v"):
        rows.append(row[2:])
        if row[0] != "H" and not row[2:].startswith(GITLINK):  # git was told not to look at it
            path = row.partition("\t")[2]
            changed += [path] if os.path.lexists(place.top / path) else []
    tracked = [row.partition("\t")[2] for row in rows]
    submodules = [row.partition("\t")[2] for row in rows if row.startswith(GITLINK)]
    if _converts(git, place, tracked):
        changed += tracked
    which = () if ignored else ("--exclude-standard",)
    others = git.names("ls-files", "-z", "--others", *which)
    others += _named(git, place.top, also)
    left_out = [path for path in others if path.endswith("/")]  # repositories of their own
    files: dict[str, os.stat_result] = {}
    for path in dict.fromkeys((*changed, *others)):
        if path in submodules or path.endswith("/") or path in gone:
            continue
        try:
            info = os.lstat(place.top / path)
        except OSError:
            continue
        if stat.S_ISREG(info.st_mode) or stat.S_ISLNK(info.st_mode):
            files[path] = info
    size = sum(info.st_size for info in files.values())
    for path in sorted(files, key=lambda each: -files[each].st_size):
        if size <= most:
            break
        size -= files[path].st_size
        left_out.append(path)
        del files[path]
    unmerged = [path for path in gone if path in files]
    folders = _empty_folders(git, which)
    return Unsaved(files, [p for p in gone if p not in unmerged], submodules, left_out, folders)


def is_unsaved(folder: Path, paths: tuple[str, ...]) -> bool:
    """Whether git could not bring back what is at these paths now."""
    inner = paths_below(folder, paths)
    if not inner:
        return False
    words = ("status", "--porcelain", "--ignored=matching", "--untracked-files=all", "--", *inner)
    try:
        git = Git(folder)
        # What git was told not to look at is no news to its status.
        listed = git.names("ls-files", "-z", "-v", "--", *inner)
        return any(row[:1] != "H" for row in listed) or bool(git.run(*words))
    except GitError:
        return True


def _named(git: Git, top: Path, also: tuple[str, ...]) -> list[str]:
    """Ignored files at the paths that a command names, but nothing that a build makes again."""
    inner = paths_below(top, also)
    if not inner:
        return []
    words = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--", *inner)
    return [
        path for path in git.names(*words) if not any(is_made(part) for part in path.split("/"))
    ]


def _empty_folders(git: Git, which: tuple[str, ...]) -> list[str]:
    """Folders without a file in them, which git knows nothing of."""
    listed = git.names("ls-files", "-z", "--others", "--directory", *which)
    found: list[str] = []
    for path in listed[:1_000]:
        if not path.endswith("/"):
            continue
        for where, below, names in os.walk(git.root / path):
            if ".git" in below or ".git" in names:
                below.clear()
            elif not below and not names:
                found.append(os.path.relpath(where, git.root))
            if len(found) >= 10_000:
                return found
    return found


def _converts(git: Git, place: WorkPlace, tracked: list[str]) -> bool:
    """Whether git may have other bytes in the index than in the working tree."""
    try:
        if git.run("config", "core.autocrlf").strip() in (b"true", b"input"):
            return True
    except GitError:
        pass  # it is not set
    files = [place.top / path for path in tracked if path.rpartition("/")[2] == ".gitattributes"]
    for file in (place.top / ".gitattributes", *files, place.common_dir / "info" / "attributes"):
        try:
            if _CONVERTS.search(file.read_bytes()):
                return True
        except OSError:
            continue
    return False
