"""What in a checkout is not committed, told without running what its settings name."""

from __future__ import annotations

from pathlib import Path

from guildmoot.errors import InfrastructureError
from guildmoot.system.git import Git, GitError


def uncommitted(root: Path) -> list[str]:
    """Paths that differ from the last commit; InfrastructureError where git cannot tell."""
    words = ("status", "--porcelain", "-z", "--untracked-files=normal", "--no-renames")
    try:
        return [row[3:] for row in Git(root).names(*words)]
    except GitError as wrong:
        raise InfrastructureError(f"git status failed: {wrong}") from None
