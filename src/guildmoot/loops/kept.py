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
