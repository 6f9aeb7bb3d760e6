"""Files around a lane's worktree: what its git may write to, what it left, what is in a file, and taking it away."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from pathlib import Path

from guildmoot.loops.workshop import stay_in
from guildmoot.system.files import read_own


def remove_folder(place: Path) -> None:
    """Take a folder away, also where somebody took the right to write away. A link is only unlinked."""
    if place.is_symlink():
        place.unlink()
    for _ in range(2):
        if not place.exists():
            return
        shutil.rmtree(place, ignore_errors=True)
        for inner, _, _ in os.walk(place):
            os.chmod(inner, 0o700)


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


def refused_pushes(receipt: Path) -> list[str]:
    """Where a lane tried to push to."""
    text = read_own(receipt.parent / "refused-pushes", 100_000).decode("utf-8", "replace")
    return sorted(set(text.splitlines()))


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


def stays_inside(place: Path, path: str) -> bool:
    """Whether a link leads to somewhere in the worktree."""
    end = os.path.realpath(place / path)
    return (end + os.sep).startswith(os.path.realpath(place) + os.sep)
