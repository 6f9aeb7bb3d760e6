"""The working tree as it was before a change, for tools that need a whole one: types, packages, settings.

It is a copy of the base's files; what git ignores (installed packages, build caches, generated files) is
linked from the working tree, for it belongs to both.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from guildmoot.model.packet import Packet
from guildmoot.named import NamedTuple
from guildmoot.packet.workspace import OWN_RECORDS
from guildmoot.system.git import Git, GitError

_MOST_BYTES = 400_000_000
_MOST_FILES = 60_000
_MOST_LINKS = 2_000
_LINK, _PROGRAM = b"120000", b"100755"
_FILES = (b"100644", _PROGRAM, _LINK)
_INSTALLED = "node_modules"
"""Programs are taken from there, so what a repository keeps below that name is not written."""


class _Entry(NamedTuple):
    path: str
    mode: bytes
    oid: str
    size: int


def write_base_tree(packet: Packet, folder: Path) -> bool:
    """Write it below the folder; False where it cannot be had, and then nothing is known of the base."""
    git = Git(Path(packet.root))
    try:
        entries = list(_entries(git, packet.base))
        if len(entries) > _MOST_FILES or sum(each.size for each in entries) > _MOST_BYTES:
            return False
        folder.mkdir(parents=True)
        _write(git, entries, folder)
        _link_ignored(git, folder)
    except (GitError, OSError):
        return False
    return True


def _entries(git: Git, revision: str) -> Iterator[_Entry]:
    for row in git.run("ls-tree", "-r", "-l", "-z", revision).split(b"\0"):
        head, _, name = row.partition(b"\t")
        path = os.fsdecode(name)
        if head and _is_plain(path):
            mode, _, oid, size = head.split()
            if mode in _FILES:
                yield _Entry(path, mode, oid.decode(), int(size))


def _is_plain(path: str) -> bool:
    parts = path.split("/")
    return not any(part in ("", ".", "..", _INSTALLED) or part.lower() == ".git" for part in parts)


def _write(git: Git, entries: list[_Entry], folder: Path) -> None:
    for parent in {each.path.rpartition("/")[0] for each in entries}:
        (folder / parent).mkdir(parents=True, exist_ok=True)
    links = []
    with git.blob_reader() as read:
        for each in entries:
            content = read(each.oid)
            if each.mode == _LINK:
                links.append((each.path, os.fsdecode(content)))
                continue
            file = folder / each.path
            file.write_bytes(content)
            if each.mode == _PROGRAM:
                file.chmod(0o755)
    for path, target in links:  # last, so that nothing is written through one
        if not os.path.normpath(f"{os.path.dirname(path)}/{target}").startswith(("/", "..")):
            os.symlink(target, folder / path)


def _link_ignored(git: Git, folder: Path) -> None:
    own = tuple(name.strip("/*").partition("/")[0] for name in OWN_RECORDS)
    words = ("ls-files", "-z", "-o", "-i", "--exclude-standard", "--directory")
    for name in git.names(*words)[:_MOST_LINKS]:
        path = name.rstrip("/")
        there = folder / path
        if path.partition("/")[0] not in own and not os.path.lexists(there):
            there.parent.mkdir(parents=True, exist_ok=True)
            os.symlink(git.root / path, there)
