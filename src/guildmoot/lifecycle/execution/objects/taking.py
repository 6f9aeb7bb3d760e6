"""What git takes of a lane's files, and what it refuses: that is the lane's fault, and not the machine's."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Protocol

from guildmoot.errors import InfrastructureError
from guildmoot.lifecycle.execution.lane_folder import TOO_DEEP, large_files

_OURS = (
    *("No space left", "quota exceeded", "Read-only file system", "Input/output error", "unable to create temporary"),
    *("insufficient permission for adding", "Cannot allocate memory", "ut of memory", "Too many open files"),
    *("index.lock", "unable to write", "not a git repository"),
)  # fmt: skip
"""What git says when it is the machine's fault that it does not take files; else it is theirs."""
_LONGEST = 1_000
"""Bytes of a path: a longer one cannot be checked out everywhere."""
_KEPT_ASIDE = 1 << 30
"""Without a limit, a larger file of an attempt that was cut short is not kept."""
_AT_ONCE = 200
_SMALL, _FILES = 50, 20
"""Files of a fiftieth of the limit are counted, and all of them may be as large as twenty of the largest."""
_FILTER = ("clean", "smudge", "process", "required")


class RefusedFilesError(InfrastructureError):
    """Git does not take what a lane wrote."""


class RunsGit(Protocol):
    """Git in the user's repository."""

    def __call__(self, *words: str, fine: tuple[int, ...] = (0,)) -> str: ...


def take_files(*steps: Callable[[], str]) -> str:
    """Put a lane's files into an index and a tree; RefusedFilesError where one of them cannot be."""
    said = ""
    try:
        for step in steps:
            said = step()
    except subprocess.TimeoutExpired as late:
        raise RefusedFilesError(f"git took longer than {late.timeout:.0f} s for it") from None
    except InfrastructureError as wrong:
        if any(mark in wrong.message for mark in _OURS):
            raise
        raise RefusedFilesError(wrong.message) from None
    return said.strip()


def check_names(paths: Iterable[str]) -> None:
    """A path that is too long is refused: nobody could check out what holds it."""
    for path in paths:
        if len(os.fsencode(path)) > _LONGEST:
            raise RefusedFilesError(f"the path {path[:80]}... is longer than {_LONGEST} bytes")


def check_sizes(git: RunsGit, place: Path, base: str, most: int) -> None:
    """A file above the limit, or many that come near it, are refused before anything reads them.

    What git ignores may be any size, and so may what was so large before. Sizes are those that a reader would see: a
    file of holes takes nothing of the disk, and forever to read.
    """
    few = large_files(place, most // _SMALL) if most else {}
    large = {path: size for path, size in few.items() if size > most}
    for path in _new_ones(git, place, base, large):
        if large[path] == TOO_DEEP:
            raise RefusedFilesError(f"{path[:80]}... is nested too deep")
        raise RefusedFilesError(f"{path} is larger than {most >> 20} MB (work.max_file_mb)")
    few = {path: size for path, size in few.items() if size <= most}
    if sum(few.values()) <= _FILES * most:
        return
    new = _new_ones(git, place, base, few)
    if sum(few[path] for path in new) > _FILES * most:
        raise RefusedFilesError(
            f"{len(new)} new files, {new[0]} among them, are larger than {_FILES * most >> 20} MB in all"
            f" ({_FILES} times work.max_file_mb)"
        )


def without_large(git: RunsGit, place: Path, base: str, most: int) -> list[str]:
    """What keeps git from taking files above a size, as words of its own."""
    found = _new_ones(git, place, base, large_files(place, most or _KEPT_ASIDE))
    return [f":(exclude,literal){path}" for path in found]


def _new_ones(git: RunsGit, place: Path, base: str, sizes: Mapping[str, int]) -> list[str]:
    """Those that git does not ignore, and that the base has not at that size."""
    paths = list(sizes)
    ignored: set[str] = set()
    odd = [path for path in paths if not path.isprintable() or {*path} & {'"', "\\"}]
    plain = [path for path in paths if path not in set(odd)]
    groups = [plain[at : at + _AT_ONCE] for at in range(0, len(plain), _AT_ONCE)]
    for group in (*groups, *([path] for path in odd)):  # the names of odd ones come back quoted
        words = ("--work-tree", str(place), "check-ignore", "--", *group)
        said = git(*words, fine=(0, 1)).splitlines()
        ignored |= set(group if said and group[0] in odd else said)
    left = [path for path in paths if path not in ignored]
    rows = git("ls-tree", "-r", "-l", "-z", base).split("\0") if left else []
    known = {
        path: head.split()[3] for head, _, path in (row.partition("\t") for row in rows if row)
    }
    return [path for path in left if known.get(path) != str(sizes[path])]


def without_filters(git: RunsGit) -> tuple[str, ...]:
    """Filters that this repository's own settings name are not run: whoever packed it wrote them.

    In worktrees of the run's repository they do not hold either; those of the user's own settings hold in both.
    """
    asked = ("config", "--local", "--name-only", "--get-regexp", r"^filter\.")
    names = {key.rpartition(".")[0] for key in git(*asked, fine=(0, 1)).splitlines()}
    found: list[str] = []
    for key in (f"{name}.{what}" for name in sorted(names) for what in _FILTER):
        own = git("config", "--global", "--get", key, fine=(0, 1)).strip()
        found += ("-c", f"{key}={own or ('false' if key.endswith('required') else '')}")
    return tuple(found)
