"""What a commit holds: git lists it once, and every rule of a run looks into the same list."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from guildmoot.named import NamedTuple
from guildmoot.system.git import Git


class TreeEntry(NamedTuple):
    """One path of a commit."""

    mode: str
    oid: str


class CommitTree(NamedTuple):
    """All paths of a commit."""

    files: Mapping[str, TreeEntry]
    folders: frozenset[str]

    def below(self, places: Sequence[str]) -> Iterator[str]:
        """The files at or below these paths."""
        yield from (place for place in places if place in self.files)
        starts = tuple(f"{place}/" for place in places if place in self.folders)
        if starts:
            yield from (path for path in self.files if path.startswith(starts))


def read_tree(git: Git, revision: str) -> CommitTree:
    """The tree of a revision; GitError where there is none."""
    if re.fullmatch(r"[0-9a-f]{40,64}", revision):  # a name of a content, which stays what it is
        return _kept(str(git.root), revision)
    return _listed(git, revision)


@lru_cache(maxsize=2)
def _kept(root: str, oid: str) -> CommitTree:
    return _listed(Git(root), oid)


def _listed(git: Git, revision: str) -> CommitTree:
    files = {}
    folders: set[str] = set()
    for row in git.names("ls-tree", "-r", "-z", "--full-tree", revision):
        facts, _, path = row.partition("\t")
        mode, _, oid = facts.split()
        files[path] = TreeEntry(mode, oid)
        folder = os.path.dirname(path)
        while folder and folder not in folders:
            folders.add(folder)
            folder = os.path.dirname(folder)
    return CommitTree(files, frozenset(folders))
