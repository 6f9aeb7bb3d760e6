"""The facts about a folder that the rules ask for, looked up on the disk with a few cheap calls."""

from __future__ import annotations

import os

from guildmoot.guard.commands.words import ANY, STAR, has_marks, pattern_fits
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
        members=_members,
        blobs=_blobs,
        worktree=_worktree,
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
    """How many names a file has; of a wildcard the most that one of its files has."""
    at = next((at for at, char in enumerate(path) if has_marks(char)), -1)
    if at < 0:
        return _names_of(path)
    pattern = path.replace(ANY, STAR)
    pattern = pattern if pattern.count(STAR) < 4 else path[:at] + STAR
    most, left = 1, _MOST_LISTED
    for folder, folders, files in os.walk(path[: path.rfind("/", 0, at)] or "/"):
        folders[:] = [name for name in folders if name not in (".git", "node_modules")]
        for full in (f"{folder}/{name}" for name in files):
            if pattern_fits(pattern, full):
                most = max(most, _names_of(full))
        left -= len(files)
        if left < 0:
            break
    return most


_MOST_LISTED = 5_000


def _names_of(path: str) -> int:
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


def _worktree(path: str, project: str) -> str:
    """By the file that git leaves there; what is committed stays in the repository that both share."""
    ours, its = _repository(_git_folder(project)), _repository(path)
    if not its or its != ours or _git_folder(project) == path:
        return ""
    from guildmoot.guard.quick_git import quick_git

    code, answer = quick_git(path, ("status", "--porcelain"), most=1)
    return "clean" if code == 0 and not answer else "dirty"


def _repository(top: str) -> str:
    """The folder of git that a working tree and its sisters share."""
    place = os.path.join(top, ".git")
    try:
        with open(place, encoding="utf-8") as file:
            named = file.read(4_000).strip().removeprefix("gitdir: ")
    except IsADirectoryError:
        return os.path.realpath(place)
    except (OSError, ValueError):
        return ""
    head, found, _ = named.partition("/worktrees/")
    return os.path.realpath(os.path.join(top, head)) if found else ""


_MOST_MEMBERS = 20_000
_MOST_PACKED = 2 * 1024 * 1024
"""A packed tar has to be unpacked to be listed; a zip has its list at the end."""


def _members(path: str) -> list[str] | None:
    import tarfile
    import zlib
    from zipfile import BadZipFile, ZipFile, is_zipfile

    try:
        found = os.stat(path)
        if (found.st_mode & 0o170000) != 0o100000:
            return None
        if is_zipfile(path):
            with ZipFile(path) as packed:
                return packed.namelist()[:_MOST_MEMBERS]
        if found.st_size > _MOST_PACKED:
            return None
        listed: list[str] = []
        with tarfile.open(path) as archive:
            for member in archive:
                listed += [member.name, *filter(None, [member.linkname])]
                if len(listed) > _MOST_MEMBERS:
                    return None
    except (OSError, ValueError, EOFError, BadZipFile, tarfile.TarError, zlib.error):
        return None
    return listed


_MOST_BLOBS = 1_000_000


def _blobs(repository: str, objects: list[str]) -> dict[str, str]:
    """One process of git for all of them."""
    from guildmoot.guard.quick_git import quick_git

    asked = [each for each in objects if "\n" not in each]
    given = "".join(f"{each}\n" for each in asked).encode("utf-8", "surrogateescape")
    _, answer = quick_git(repository, ("cat-file", "--batch"), given, _MOST_BLOBS)
    found: dict[str, str] = {}
    at = 0
    for each in asked:
        head = answer[at:].partition(b"\n")[0]
        at += len(head) + 1
        last = head.split()[-2:]
        if len(last) == 2 and last[0] in (b"blob", b"tree", b"commit", b"tag"):
            size = int(last[1])
            if last[0] == b"blob":
                found[each] = answer[at : at + size].decode("utf-8", "replace")
            at += size + 1
    return found
