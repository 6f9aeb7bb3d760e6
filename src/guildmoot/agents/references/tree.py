"""The paths of a repository, and what a file may mean by naming one of them. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from guildmoot.named import NamedTuple


class Reference(NamedTuple):
    """What a file names, and where that may lie."""

    line: int
    written: str
    """As it stands there, for the message."""
    targets: tuple[str, ...]
    """Any of them will do: ``a/b.ts``, ``a/b.*``, ``a/*.go``, ``a/`` for a folder that holds something, ``**/x.h``."""
    sure: bool = False
    """Whether it cannot work when none of them is there, so that a new one is wrong at once."""
    firm: bool = True
    """Whether it cannot work once its file is gone; what is guarded may."""
    unless: tuple[str, str] = ("", "")
    """A file that may give it as a name of its own, and that name."""


class Tree:
    """All paths of one side of a change."""

    def __init__(self, files: Iterable[str], opaque: Iterable[str] = ()) -> None:
        """``opaque`` are links and other repositories: what lies below them is not known."""
        self.files = frozenset(files)
        self._opaque = frozenset(opaque)

    @cached_property
    def folders(self) -> Mapping[str, frozenset[str]]:
        """The names of the files in each folder; folders that hold folders alone have none."""
        found: dict[str, set[str]] = {"": set()}
        for path in self.files:
            folder, name = posixpath.split(path)
            found.setdefault(folder, set()).add(name)
            while folder and (folder := posixpath.dirname(folder)) not in found:
                found[folder] = set()
        return {folder: frozenset(names) for folder, names in found.items()}

    @cached_property
    def _by_name(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self.files:
            found.setdefault(posixpath.basename(path), []).append(path)
        return found

    def holds_any(self, targets: Iterable[str]) -> bool:
        """Whether one of them is there, or cannot be known."""
        return any(map(self.holds, targets))

    def holds(self, target: str) -> bool:
        """Whether the target is there, or cannot be known."""
        if target.startswith("**/"):
            return bool(self.ending(target[3:]))
        if target.startswith("../") or target == "..":
            return True  # outside of the repository
        if self._opaque and self._is_hidden(target):
            return True
        if target.endswith("/"):
            return target[:-1] in self.folders
        folder, name = posixpath.split(target)
        if name.startswith("*"):
            return any(each.endswith(name[1:]) for each in self.folders.get(folder, ()))
        if name.endswith("*"):
            return any(each.startswith(name[:-1]) for each in self.folders.get(folder, ()))
        return target in self.files

    def ending(self, tail: str) -> list[str]:
        """The files whose path ends so, at a folder."""
        named = self._by_name.get(posixpath.basename(tail), ())
        return [path for path in named if f"/{path}".endswith(f"/{tail}")]

    def _is_hidden(self, target: str) -> bool:
        parts = target.rstrip("/").split("/")
        return any("/".join(parts[:at]) in self._opaque for at in range(1, len(parts) + 1))


class BothTrees(NamedTuple):
    """Both sides of a change, and how to read what it leaves alone."""

    then: Tree
    now: Tree
    text: Callable[[str], str]
    """The text of a file as it is now; empty where there is none."""

    def known(self, path: str) -> bool:
        """Whether one of them has the file."""
        return path in self.then.files or path in self.now.files


Finder = Callable[[str, str, BothTrees], Iterable[Reference]]
"""What a file of that path and text names."""


def beside(path: str, written: str) -> str:
    """The path that is meant by one relative to a file; it begins with ``..`` where it leaves the repository."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), written))


def line_at(text: str, at: int) -> int:
    """The line of a place in a text."""
    return text.count("\n", 0, at) + 1
