"""Both sides of the files of a change that may judge the work, read from git."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from guildmoot.lifecycle.plan import Lane
from guildmoot.lifecycle.proof.packages import PackageChange, is_manifest, package_change
from guildmoot.lifecycle.proof.weakening.rule import (
    Sides,
    Weakened,
    is_looked_at,
    outdated_tests,
    weakened,
)
from guildmoot.lifecycle.spec import commands_of
from guildmoot.system.git import Git

_MOST = 2_000_000
"""A longer file is no Python and holds no test that could be read: it counts as emptied."""


def weakened_by(
    root: Path,
    change: tuple[str, str],
    files: Iterable[str],
    lane: Lane,
    criteria: Sequence[str] = (),
) -> tuple[Weakened, ...]:
    """What a change, from a commit to a commit or tree, takes away from what judges it."""
    commands = [c for text in (*lane.criteria, *criteria) for c in commands_of(text)]
    asked = {path for path in files if is_looked_at(path, commands)}
    if not asked:
        return ()
    return weakened(_sides(root, change, asked), commands, lane.tree)


def changed_packages(
    root: Path, change: tuple[str, str], files: Iterable[str]
) -> dict[str, PackageChange]:
    """What a change does to the packages that manifests name."""
    asked = {path for path in files if is_manifest(path)}
    sides = _sides(root, change, asked) if asked else {}
    found = {path: package_change(path, *texts) for path, texts in sides.items()}
    return {path: each for path, each in found.items() if any(each)}


def outdated_by(root: Path, change: tuple[str, str]) -> frozenset[str]:
    """The tests that cannot be run as they stood, because a change takes away what they are about."""
    names = Git(root).run("diff-tree", "-r", "-z", "--no-renames", "--name-only", *change)
    paths = names.decode("utf-8", "surrogateescape").split("\0")
    asked = {path for path in paths if path and is_looked_at(path, ())}
    return outdated_tests(_sides(root, change, asked)) if asked else frozenset()


def _sides(root: Path, change: tuple[str, str], asked: set[str]) -> Sides:
    return {
        path: (_text(before), _text(after))
        for path, (before, after) in read_sides(root, change, asked).items()
    }


def read_sides(
    root: Path, change: tuple[str, str], asked: set[str], most: int = _MOST
) -> dict[str, tuple[bytes | None, bytes | None]]:
    """What files held before a change and hold behind it; None where they are not there, nothing of longer ones."""
    git = Git(root)
    words = ("diff-tree", "-r", "-z", "--no-renames", "--raw", *change)
    rows = git.run(*words).decode("utf-8", "surrogateescape").split("\0")
    found = {}
    with git.small_blob_reader(most) as read:
        for head, path in zip(rows[::2], rows[1::2], strict=False):
            if path in asked:
                old, new = head.split()[2:4]
                found[path] = (_held(read, old), _held(read, new))
    return found


def _held(read: Callable[[str], bytes | None], oid: str) -> bytes | None:
    return (read(oid) or b"") if oid.strip("0") else None


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "replace")
