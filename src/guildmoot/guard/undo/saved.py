"""Whether git has the very bytes of a file, told by the index and a short question or two to git.

It is asked before many calls: nothing but ``os`` is loaded, and git does not look at the working tree.
"""

from __future__ import annotations

import os

from guildmoot.guard.commands.words import has_marks
from guildmoot.guard.quick_git import quick_git
from guildmoot.guard.site import inside, is_made

_MOST_INDEX = 64 * 1024 * 1024
_FIXED = 62
"""Bytes of an entry before its name, in versions 2 and 3."""


_ASKED = ("diff-index", "--cached", "--quiet", "--no-ext-diff", "--no-textconv", "HEAD", "--")


def is_committed(top: str, paths: tuple[str, ...]) -> bool:
    """Whether every one of these files is as the last commit has it. False also where that cannot be told."""
    there = tuple(path for path in paths if os.path.lexists(path))
    return _in_index(top, there) and _as_committed(top, there)


_STATUS = ("status", "--porcelain", "-z", "--no-renames", "--ignored=matching", "-uall", "--")
_MOST_LISTED = 2_000_000


def changed_below(top: str, paths: tuple[str, ...]) -> tuple[str, ...] | None:
    """The files at these paths, wildcards among them, that git could not bring back; None where it cannot be told."""
    inner = paths_below(top, paths)
    if not inner:
        return ()
    listed = quick_git(top, ("ls-files", "-z", "-v", "--", *inner), most=_MOST_LISTED)
    status = quick_git(top, (*_STATUS, *inner), most=_MOST_LISTED)
    if listed[0] or status[0] or max(len(listed[1]), len(status[1])) >= _MOST_LISTED:
        return None
    if any(row[:1] != b"H" for row in listed[1].split(b"\0") if row):
        return None  # git was told not to look at it, or it is in conflict
    found = []
    for row in filter(None, status[1].split(b"\0")):
        path = os.fsdecode(row[3:])
        if row[1:2] == b"D" or any(is_made(part) for part in path.split("/")):
            continue
        if path.endswith("/"):
            return None  # a folder of which git says no more
        found.append(os.path.join(top, path))
    return tuple(found)


def paths_below(top: str | os.PathLike[str], paths: tuple[str, ...]) -> list[str]:
    """Those that lie in a tree, relative to it; of a wildcard the folder before it."""
    inner, real_top = [], os.path.realpath(top)
    for path in paths:
        while has_marks(path):
            path = os.path.dirname(path)
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        if inside(real, real_top) and os.path.lexists(real):
            inner.append(os.path.relpath(real, real_top))
    return inner


def _as_committed(top: str, paths: tuple[str, ...]) -> bool:
    """Whether the index has the same of them as the last commit."""
    return quick_git(top, (*_ASKED, *paths))[0] == 0


def _in_index(top: str, paths: tuple[str, ...]) -> bool:
    """Whether they are as the index has them."""
    try:
        with open(os.path.join(top, ".git", "index"), "rb") as file:
            written = os.fstat(file.fileno())
            if written.st_size > _MOST_INDEX:
                return False
            data = file.read()
        return bool(paths) and all(_is_as(data, written, top, path) for path in paths)
    except (OSError, ValueError):  # a worktree, no index, a name that no file has
        return False


def _is_as(data: bytes, written: os.stat_result, top: str, path: str) -> bool:
    if data[:4] != b"DIRC" or data[4:8] not in (b"\0\0\0\2", b"\0\0\0\3"):
        return False
    real_top = os.path.realpath(top)
    real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    if not real.startswith(real_top + os.sep):
        return False
    name = os.fsencode(real[len(real_top) + 1 :])
    if not 0 < len(name) < 0xFFF:
        return False
    now = os.lstat(real)
    at = data.find(name + b"\0", 12 + _FIXED)
    while at >= 0:
        flags = int.from_bytes(data[at - 2 : at], "big")
        if flags == len(name):  # no conflict, nothing that git was told not to look at
            return _same(data[at - _FIXED : at], now, written)
        at = data.find(name + b"\0", at + 1)
    return False


def _same(entry: bytes, now: os.stat_result, written: os.stat_result) -> bool:
    """By times, number and size, as git itself tells it; a file as young as the index may have changed since."""
    fields = [int.from_bytes(entry[at : at + 4], "big") for at in range(0, 40, 4)]
    _, _, seconds, nanos, _, number, mode, _, _, size = fields
    changed = now.st_mtime_ns
    return (
        (seconds, nanos) == (changed // 10**9 & 0xFFFFFFFF, changed % 10**9)
        and number == now.st_ino & 0xFFFFFFFF
        and size == now.st_size & 0xFFFFFFFF
        and mode & 0o170000 == now.st_mode & 0o170000
        and changed < written.st_mtime_ns
    )
