"""A repository with one committed file and one that is new."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifecycle.samples import git, put


@pytest.fixture
def worktree(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "user.name", "a")
    git(tmp_path, "config", "user.email", "a@b")
    put(tmp_path / "old.py", "OLD = 1\n")
    git(tmp_path, "add", "old.py")
    git(tmp_path, "commit", "-qm", "one")
    put(tmp_path / "app/api.py", "PAGES = 1\n")
    return tmp_path
