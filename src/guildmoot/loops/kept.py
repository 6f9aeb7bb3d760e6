"""The repository itself, kept aside while commands of others are at work: one that deletes ``.git`` loses nothing.

Objects are linked, which costs no space and outlives a deletion; what changes in place (references, index, settings)
is copied. It lies in the checkout's own folder for loops, as long as a loop runs. What steers git in a clone is kept
too: a command there may change files, and by no setting or flag hide from git that it did.
"""

from __future__ import annotations

import os
import re
import shutil
import threading
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from guildmoot.backends.enclosure import command_view, lane_view
from guildmoot.guard.settings import settings_for
from guildmoot.system import fence


class KeptRepository:
    """A second set of names for everything in a repository's git folder."""

    def __init__(self, git_folder: Path, place: Path, pointer: Path) -> None:
        self._git, self._place, self._pointer = git_folder, place, pointer
        self._text = pointer.read_bytes() if pointer.is_file() else b""
        """What ``.git`` holds where it is a file that leads to the folder: a worktree."""
        self._lock = threading.Lock()
        self._is_kept = False
        self.stamps: dict[str, int] = {}
        """What is copied into clones, as it was before the first command; see ``copies``."""

    @cached_property
    def _fenced(self) -> tuple[bool, bool]:
        """Whether a fence can be had around the checkout, and around the whole system."""
        root = str(self._pointer.parent)
        if not settings_for(self._pointer.parent).flag("work.fence"):
            return False, False
        whole = fence.works(root, whole=True)
        return whole or fence.works(root), whole

    def fence(self, clone: Path, *, shut: bool, client: bool = False) -> tuple[str, ...]:
        """All is read-only for who works in a clone but the clone (but for its ``.git``, where that is shut) and what
        ``enclosure`` leaves open; where that cannot be had, the checkout and its repository; else nothing."""
        fenced, whole = self._fenced
        if not fenced:
            return ()
        root = self._pointer.parent
        apart = () if self._git.is_relative_to(root) else (f"!{self._git}",)  # a worktree's
        own = (f"!{clone / '.git'}",) if shut else ()
        places = (*apart, str(clone), *own)
        if not whole:
            return (str(root), *places)
        view = lane_view if client else command_view
        writable = settings_for(root).strings("work.writable")
        return view(str(root), places, writable)

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

    def index_before(self) -> Path | None:
        """The checkout's index as it was kept, when it is another one now."""
        own = self._own_folder()
        kept = self._place / own.relative_to(self._git) / "index"
        return kept if kept.is_file() and _held(kept) != _held(own / "index") else None

    def _own_folder(self) -> Path:
        """Where the checkout's own HEAD and index are: in a worktree's folder, or in the repository's."""
        text = self._text.decode("utf-8", "surrogateescape").removeprefix("gitdir:").strip()
        own = Path(os.path.normpath(self._pointer.parent / text)) if text else self._git
        return own if own.is_relative_to(self._git) else self._git

    def moved(self) -> list[str]:
        """References that are gone or elsewhere, and settings and hooks that changed, which are put back; the branch
        of HEAD may move, and what is fetched."""
        with self._lock:
            if not self._is_kept or not (self._git / "HEAD").is_file():
                return []
            if not (self._place / "HEAD").is_file():
                return [
                    f"{self._told(self._place.parent)} was emptied, where the loop keeps what is its own"
                ]
            own = _held(self._git / "HEAD").decode("utf-8", "replace").partition("ref: ")[2].strip()
            before, now = _refs(self._place), _refs(self._git)
            told = [
                f"{name.removeprefix('refs/')} is {'elsewhere' if name in now else 'gone'} (it was at {at[:12]})"
                for name, at in before.items()
                if now.get(name) != at and name != own
            ]
            others = [n for n in _STEERS if _digest(self._place / n) != _digest(self._git / n)]
            return [*told, *map(self._back, others)]

    def _told(self, place: Path) -> str:
        return os.path.relpath(place, self._pointer.parent)

    def _back(self, name: str) -> str:
        """Put one back as it was; what was written there is kept, for it may be somebody's."""
        aside = self._place.parent / "refused" / name
        _remove(aside)
        aside.parent.mkdir(parents=True, exist_ok=True)
        if os.path.lexists(self._git / name):
            shutil.move(self._git / name, aside)
        kept = self._place / name
        if kept.is_dir():
            shutil.copytree(kept, self._git / name, symlinks=True)
        elif kept.is_file():
            (self._git / name).parent.mkdir(exist_ok=True)
            shutil.copy2(kept, self._git / name)
        return f"its {name} changed, and is as it was again (what came is in {self._told(aside)})"

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


class KeptSettings:
    """What steers git in a clone before a command runs there: settings, the index with its flags, what is ignored."""

    def __init__(self, git_folder: Path) -> None:
        self._git = git_folder
        self._names = set(os.listdir(git_folder)) if git_folder.is_dir() else set()
        places = [git_folder / "config", git_folder / "index", *(git_folder / "info").glob("*")]
        self._files = {file: (_held(file), file.stat()) for file in places if file.is_file()}

    def put_back(self) -> None:
        """As it was, whatever a command wrote; no link is followed. A clone without its folder is told by others."""
        if self._git.is_symlink() or not self._git.is_dir():
            return
        for name in os.listdir(self._git):
            if name not in self._names or name in ("config", "index", "info"):
                _remove(self._git / name)
        _remove(self._git / "objects" / "info" / "alternates")
        for file, (held, known) in self._files.items():
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(held)
            os.utime(file, ns=(known.st_atime_ns, known.st_mtime_ns))  # git compares it with files'


_STEERS = ("config", "config.worktree", "hooks", "info/attributes", "info/exclude", "info/grafts",
           "info/sparse-checkout")  # fmt: skip
"""What in a repository makes git, or what git starts, do something else."""


def _refs(folder: Path) -> dict[str, str]:
    """Branches, tags, notes and what is stashed, with their commits; what is fetched or ours is none of them."""
    rows = _held(folder / "packed-refs").decode("utf-8", "replace").splitlines()
    packed = (row.partition(" ") for row in rows if row[:1] not in ("#", "^"))
    found = {name: at for at, _, name in packed}
    for place, _, names in os.walk(folder / "refs"):
        for name in (each for each in names if not each.endswith(".lock")):
            file = Path(place, name)
            found[str(file.relative_to(folder))] = _held(file).decode("ascii", "replace").strip()
    found |= {f"stash {at[:12]}": at for at in _stashed(folder)}  # a new one moves the reference
    told = ("refs/heads/", "refs/tags/", "refs/notes/", "stash ")
    return {name: at for name, at in found.items() if name.startswith(told)}


def _stashed(folder: Path) -> list[str]:
    rows = _held(folder / "logs" / "refs" / "stash").decode("utf-8", "replace").splitlines()
    return [row.split()[1] for row in rows if len(row.split()) > 1]


def _digest(place: Path) -> dict[str, bytes]:
    """A file, or the files of a folder, by name. Which branch follows which is not told: editors note that."""
    files = [place] if place.is_file() else sorted(place.glob("*")) if place.is_dir() else []
    return {file.name: _BRANCHES.sub(b"", _held(file)) for file in files}


_BRANCHES = re.compile(rb"^\[branch [^\n]*\n(?:(?!\[)[^\n]*\n?)*", re.MULTILINE)


def _remove(place: Path) -> None:
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place, ignore_errors=True)
    else:
        place.unlink(missing_ok=True)


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
