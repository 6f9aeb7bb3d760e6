"""What the base of a change says of its files: whoever wrote the change does not choose what is read.

The base excluded a path when its own .gitattributes or .guildignore cover it (a path that is new, too),
when it lies in a folder of foreign code that the base already held, or when the base held a file there
with the name or the marker of a generated one. A file that was renamed counts as excluded only when both
of its names are.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from guildmoot.named import NamedTuple
from guildmoot.packet.collect import (
    PathFacts,
    is_generated_name,
    is_generated_text,
    vendored_folder,
)
from guildmoot.packet.contents import DecodedText, decode
from guildmoot.packet.encodings import ATTRIBUTES, write_rules
from guildmoot.packet.targets import Pick
from guildmoot.packet.workspace import GUILDIGNORE, attributes
from guildmoot.system.git import Git
from guildmoot.system.tree import read_tree


class BaseRevision(NamedTuple):
    """The files of the base, and what its own rules say of the paths that the change touches."""

    files: Mapping[str, str]
    """Path to the name of its content."""
    known: PathFacts
    barred: frozenset[str]
    """Kept from judges by the base's own .guildignore files."""

    def excludes(self, path: str, old: str, pick: Pick) -> str:
        """``vendored`` or ``generated`` when the base's rules keep both names from judges; else empty."""
        reason = "" if pick.named else self._by_rule(path, pick)
        return reason if reason and (old == path or self._by_rule(old, pick)) else ""

    def marked(self, git: Git, files: Iterable[tuple[str, str]]) -> list[str]:
        """The paths whose text looks generated, as the base's text of the same path did."""
        said = self.known.attributes
        looks = [
            path
            for path, text in files
            if path in self.files
            and said.get((path, "generated"), True)
            and is_generated_text(path, text)
        ]
        if not looks:
            return []
        with git.blob_reader() as read:
            texts = {path: decode(read(self.files[path])) for path in looks}
        return [
            path
            for path, found in texts.items()
            if isinstance(found, DecodedText) and is_generated_text(path, found.text)
        ]

    def _by_rule(self, path: str, pick: Pick) -> str:
        said = self.known.attributes
        vendored = said.get((path, "vendored"))
        if vendored or (vendored is None and self._has_folder(vendored_folder(path, pick.base))):
            return "vendored"
        generated = said.get((path, "generated"))
        by_name = path in self.files and is_generated_name(path)
        return "generated" if generated or (generated is None and by_name) else ""

    def _has_folder(self, folder: str) -> bool:
        return bool(folder) and any(name.startswith(folder) for name in self.files)


def read_base(
    git: Git, revision: str, paths: Collection[str], tracked: frozenset[str], own: bytes
) -> BaseRevision:
    """Look up the base; ``own`` are the lines of an ignore file that is the user's, not the project's."""
    files = {path: entry.oid for path, entry in read_tree(git, revision).files.items()}
    rules = {
        path: oid
        for path, oid in files.items()
        if path.rpartition("/")[2] in (GUILDIGNORE, ATTRIBUTES)
    }
    said, barred = _ask_rules(git, rules, own, paths) if rules or own else ({}, frozenset[str]())
    return BaseRevision(files, PathFacts(tracked, barred, said), barred)


def _ask_rules(
    git: Git, rules: Mapping[str, str], own: bytes, paths: Iterable[str]
) -> tuple[dict[tuple[str, str], bool], frozenset[str]]:
    """Git itself answers, in a repository that holds the base's rules and the user's own."""
    asked = sorted(paths)
    with tempfile.TemporaryDirectory(prefix="guildmoot-base-") as folder:
        scratch = Git(Path(folder))
        scratch.run("init", "-q", "--template=")
        (scratch.root / ".git/info").mkdir(exist_ok=True)
        (scratch.root / ".git/info/exclude").write_bytes(own)
        with git.blob_reader() as read:
            for path, oid in rules.items():
                # git knows ignore files by one name only
                folder_of, _, name = path.rpartition("/")
                known = f"{folder_of}/.gitignore".lstrip("/") if name == GUILDIGNORE else path
                write_rules(scratch.root, known, read(oid))
        return attributes(scratch, asked), frozenset(scratch.ignored(asked))
