"""What git takes of a lane's files, and what it refuses: that is the lane's fault, and not the machine's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from guildmoot.errors import InfrastructureError
from guildmoot.lifecycle.execution.lane_folder import large_files

_FULL = "No space left"
_REFUSALS = (
    "invalid path", "does not have a commit checked out", "adding files failed", "unable to index", "Permission denied"
)  # fmt: skip
"""What git says of files that it does not take."""
_FILTER = ("clean", "smudge", "process", "required")


class RefusedFilesError(InfrastructureError):
    """Git does not take what a lane wrote."""


class RunsGit(Protocol):
    """Git in the user's repository."""

    def __call__(self, *words: str, fine: tuple[int, ...] = (0,)) -> str: ...


def take_files(add: Callable[[], str]) -> None:
    """Put a lane's files into an index; RefusedFilesError where one of them cannot be."""
    try:
        add()
    except InfrastructureError as wrong:
        if _FULL in wrong.message or not any(mark in wrong.message for mark in _REFUSALS):
            raise
        raise RefusedFilesError(wrong.message) from None


def check_sizes(git: RunsGit, place: Path, base: str, most: int) -> None:
    """A file above the limit is refused before it is in the user's repository; what git ignores may be any size."""
    for path in large_files(place, most) if most else ():
        if git("rev-parse", "-q", "--verify", f"{base}:{path}", fine=(0, 1, 128)).strip():
            continue  # it was there before
        if not git("--work-tree", str(place), "check-ignore", "--", path, fine=(0, 1)):
            raise RefusedFilesError(f"{path} is larger than {most >> 20} MB (work.max_file_mb)")


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
