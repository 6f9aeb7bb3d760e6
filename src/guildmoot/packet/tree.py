"""The working tree as judges may see it, file by file: the rules of the packet, asked for one path at a time.

Listed by git without what it ignores; without key files, what .guildignore bars, generated and foreign code and
what we wrote ourselves; read without following a link; every text goes out through ``release``, so secrets are
masked. Nothing outside the repository has a name here.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from guildmoot.errors import TargetError
from guildmoot.packet.collect import ByteBudget, collect, refuse_name, spare_name
from guildmoot.packet.egress import Draft, release
from guildmoot.packet.request import MAX_FILE_BYTES, PacketRequest
from guildmoot.packet.targets import Pick
from guildmoot.packet.workspace import Workspace, is_foreign, open_workspace
from guildmoot.system.git import Git, GitError, find_root

_OWN = (".guild/", ".agents/", "docs/council-log/")
"""What councils and runs left: earlier verdicts are nobody's work."""
_FOUND = Pick(named=False, base="")


class FilteredTree:
    """The files of one repository that may be shown, and their texts as they may be shown."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._texts: dict[str, str | None] = {}

    @cached_property
    def _work(self) -> Workspace:
        return open_workspace(Git(self.root), PacketRequest(cwd=self.root), whole=True)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Every file that may be shown as far as its name tells, sorted."""
        known = self._work.known
        return tuple(
            path
            for path in sorted(self._work.listing.all)
            if not path.endswith("/")
            and not path.startswith(_OWN)
            and not refuse_name(path, known)
            and not spare_name(path, _FOUND, known)
            and not is_foreign(self.root, path)
        )

    def text(self, path: str) -> str | None:
        """The text with secrets masked; None when it may not be shown, or is no text."""
        if path not in self._texts:
            self._texts[path] = self._shown(path) if path in self._known else None
        return self._texts[path]

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.paths)

    def _shown(self, path: str) -> str | None:
        work = self._work
        found = collect({path: _FOUND}, work.tree, work.known, ByteBudget(MAX_FILE_BYTES))
        released = release(Draft(str(self.root), path, found.files)).files
        return released[0].text if released else None


def open_tree(folder: Path) -> FilteredTree | None:
    """The tree that the folder belongs to; None where there is no repository."""
    try:
        tree = FilteredTree(find_root(folder))
        tree.paths  # noqa: B018  # asks git, which may fail
    except (TargetError, GitError):
        return None
    return tree
