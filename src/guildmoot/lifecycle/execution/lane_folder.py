"""Files around a lane's worktree: what its git may write to, what it left, what is in a file, and taking it away."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from guildmoot.loops.workshop import git
from guildmoot.system.environment import stay_in
from guildmoot.system.files import read_own
from guildmoot.system.removal import walk

TOO_DEEP = 1 << 62


def git_places(worktree: Path) -> tuple[str, ...]:
    """What of the run's repository a lane's git writes to.

    Neither its settings nor its attributes are among them: the engine's own git reads those, outside of the fence.
    """
    here = worktree.parent / "repo.git"
    places = (here / "objects", here / "refs", here / "logs", here / "worktrees" / worktree.name)
    closed = here / "objects" / "info"
    return (
        *(str(each) for each in places if each.is_dir()),
        *([f"!{closed}"] if closed.is_dir() else []),
    )


def closed_places(root: Path, git_dir: str) -> tuple[str, ...]:
    """Repositories outside of a checkout that no lane may write to: its own, and remotes that are folders here."""
    words = ("config", "-z", "--get-regexp", r"^remote\..*url$")
    rows = git(root, *words, fine=(0, 1)).split("\0")
    urls = [row.partition("\n")[2].removeprefix("file://") for row in rows if row]
    found = (os.path.realpath(os.path.join(root, each)) for each in (git_dir, *urls))
    here = os.path.realpath(root) + os.sep
    outside = (each for each in dict.fromkeys(found) if os.path.isdir(each))
    return tuple(
        f"!{each}"
        for each in outside
        if not (each + os.sep).startswith(here)
        and not here.startswith(each.rstrip(os.sep) + os.sep)
    )


def is_made(place: Path) -> bool:
    """Whether the folder of a lane is one that its run made, and nobody else's."""
    own = place.parent / "repo.git" / "worktrees" / place.name / "gitdir"
    return read_own(own, 5000).decode("utf-8", "replace").strip() == str(place / ".git")


def refused_pushes(receipt: Path) -> list[str]:
    """Where a lane tried to push to."""
    text = read_own(receipt.parent / "refused-pushes", 100_000).decode("utf-8", "replace")
    return sorted(set(text.splitlines()))


def moved_itself(own: Path, tip: str) -> bool:
    """Whether a worktree took its branch to a commit, by git's log of its moves: lanes share one store of names."""
    rows = read_own(own / "logs" / "HEAD", 10_000_000).decode("utf-8", "replace").splitlines()
    return any(row.split(" ")[1:2] == [tip] for row in rows)


def lane_environment(place: Path) -> dict[str, str]:
    """Without its own ``.git`` a lane must not find the user's, which lies above it."""
    return stay_in(place)


def file_hash(path: Path) -> str | None:
    """The SHA-256 of a file, or of where a link leads; None where there is neither."""
    try:
        if stat.S_ISLNK(os.lstat(path).st_mode):
            return hashlib.sha256(os.fsencode(os.readlink(path))).hexdigest()
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None


def large_files(place: Path, most: int) -> dict[str, int]:
    """Files below a folder with more bytes than that, and how many; git's own are not looked at.

    A folder that lies too deep is one of them, for nobody looks into it.
    """
    found = {}
    for folder, names, cut in walk(place):
        if cut:
            found[os.path.relpath(folder, place)] = TOO_DEEP
        for path in (os.path.join(folder, name) for name in names):
            try:
                size = os.lstat(path).st_size
            except OSError:
                continue
            if size > most:
                found[os.path.relpath(path, place)] = size
    return found


def stays_inside(place: Path, path: str) -> bool:
    """Whether a link leads to somewhere in the worktree."""
    end = os.path.realpath(place / path)
    return (end + os.sep).startswith(os.path.realpath(place) + os.sep)
