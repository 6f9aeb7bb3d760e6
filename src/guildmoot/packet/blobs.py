"""Contents that lie in git's objects: the new side of a staged change or of a range."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from guildmoot.packet.diff import GITLINK, LINK, Entry
from guildmoot.packet.reading import Refused, Tree
from guildmoot.system.git import Git, GitError

_NO_CONTENT = {"D": Refused("deleted"), "U": Refused("conflict")}


class Blobs:
    """The new side of the entries, as a source of contents."""

    def __init__(
        self, git: Git, entries: Iterable[Entry], read: Callable[[str], bytes], limit: int
    ) -> None:
        self._entries = {entry.path: entry for entry in entries}
        self._read = read
        self._limit = limit
        wanted = [entry.oid for entry in self._entries.values() if _kind(entry) is None]
        self._sizes = git.sizes(wanted) if wanted else {}

    def size(self, path: str) -> int | Refused:
        """The size of a file's new content."""
        entry = self._entries[path]
        refused = _kind(entry)
        if refused:
            return refused
        size = self._sizes.get(entry.oid)
        if size is None:
            return Refused("unreadable", "git does not have its content")
        if size > self._limit:
            return Refused("too-large", f"{size} bytes, the limit is {self._limit}")
        return size

    def read(self, path: str) -> bytes | Refused:
        """A file's new content."""
        try:
            return self._read(self._entries[path].oid)
        except (GitError, OSError) as error:
            return Refused("unreadable", str(error))

    def equal(self, tree: Tree, paths: Iterable[str]) -> bool:
        """Whether the working tree holds the same content under every one of the paths."""
        return all(tree.read(path) == self.read(path) for path in paths)


def _kind(entry: Entry) -> Refused | None:
    """Why an entry has no content of its own, if it has none."""
    if entry.status in _NO_CONTENT:
        return _NO_CONTENT[entry.status]
    if entry.mode == GITLINK:
        return Refused("submodule")
    return Refused("symlink") if entry.mode == LINK else None
