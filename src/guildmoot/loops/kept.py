"""The repository itself, kept aside while commands of others are at work: one that deletes ``.git`` loses nothing.

Objects are linked, which costs no space and outlives a deletion; what changes in place (references, index, settings)
is copied. It lies in the checkout's own folder for loops, as long as a loop runs.
"""

from __future__ import annotations

import os
import shutil
import threading
from contextlib import suppress
from pathlib import Path


class KeptRepository:
    """A second set of names for everything in a repository's git folder."""

    def __init__(self, git_folder: Path, place: Path, pointer: Path) -> None:
        self._git, self._place, self._pointer = git_folder, place, pointer
        self._text = pointer.read_bytes() if pointer.is_file() else b""
        """What ``.git`` holds where it is a file that leads to the folder: a worktree."""
        self._lock = threading.Lock()
        self._is_kept = False

    def begin(self) -> None:
        """Keep it once; a clone that is made again while commands are at work keeps nothing anew."""
        with self._lock:
            if not self._is_kept:
                self.keep()

    def keep(self) -> None:
        """As it is now, after the loop itself moved it; what was kept before is forgotten."""
        fresh = self._place.with_suffix(".new")
        shutil.rmtree(fresh, ignore_errors=True)
        _copy(self._git, fresh)
        shutil.rmtree(self._place, ignore_errors=True)
        fresh.rename(self._place)
        self._is_kept = True

    def put_back(self) -> bool:
        """Whether the repository was damaged; then it is as it was kept."""
        with self._lock:
            return self._is_kept and self._mend()

    def moved(self) -> list[str]:
        """Branches and tags that are gone or elsewhere, and changed settings and hooks; the branch of HEAD may move."""
        with self._lock:
            if not self._is_kept or not (self._git / "HEAD").is_file():
                return []
            own = _held(self._git / "HEAD").decode("utf-8", "replace").partition("ref: ")[2].strip()
            before, now = _refs(self._place), _refs(self._git)
            told = [
                f"{name.removeprefix('refs/')} is {'elsewhere' if name in now else 'gone'} (it was at {at[:12]})"
                for name, at in before.items()
                if now.get(name) != at and name != own
            ]
            others = [
                n for n in ("config", "hooks") if _digest(self._place / n) != _digest(self._git / n)
            ]
            return [*told, *(f"its {name} changed" for name in others)]

    def _mend(self) -> bool:
        whole = (self._git / "HEAD").is_file() and (self._git / "objects").is_dir()
        pointed = not self._text or _held(self._pointer) == self._text
        if whole and pointed:
            return False
        if not whole:
            shutil.rmtree(self._git, ignore_errors=True)
            self._git.unlink(missing_ok=True)
            _copy(self._place, self._git)
        if not pointed:
            self._pointer.write_bytes(self._text)
        return True

    def forget(self) -> None:
        """The loop is over."""
        self._is_kept = False
        shutil.rmtree(self._place, ignore_errors=True)


def _refs(folder: Path) -> dict[str, str]:
    """Branches and tags of a git folder with their commits; what is fetched or ours is none of them."""
    rows = _held(folder / "packed-refs").decode("utf-8", "replace").splitlines()
    packed = (row.partition(" ") for row in rows if row[:1] not in ("#", "^"))
    found = {name: at for at, _, name in packed if name.startswith(("refs/heads/", "refs/tags/"))}
    for kind in ("heads", "tags"):
        for place, _, names in os.walk(folder / "refs" / kind):
            for name in (each for each in names if not each.endswith(".lock")):
                file = Path(place, name)
                found[str(file.relative_to(folder))] = (
                    _held(file).decode("ascii", "replace").strip()
                )
    return found


def _digest(place: Path) -> dict[str, bytes]:
    """A file, or the files of a folder, by name."""
    files = [place] if place.is_file() else sorted(place.glob("*")) if place.is_dir() else []
    return {file.name: _held(file) for file in files}


def _held(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def _copy(source: Path, target: Path) -> None:
    """Objects as second names, the rest as copies; what vanishes meanwhile (a lock) is no part of it."""
    for folder, _, names in os.walk(source):
        inner = Path(folder).relative_to(source)
        there = target / inner
        there.mkdir(parents=True, exist_ok=True)
        for name in names:
            with suppress(FileNotFoundError):
                _second(Path(folder, name), there / name, link="objects" in inner.parts)


def _second(file: Path, other: Path, *, link: bool) -> None:
    if link:
        with suppress(OSError):  # another file system, or one without links
            os.link(file, other, follow_symlinks=False)
            return
    shutil.copy2(file, other, follow_symlinks=False)
