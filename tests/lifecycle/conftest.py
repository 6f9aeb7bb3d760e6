"""A repository with one committed file and one that is new; and machines that share a Postgres."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.lifecycle.machines import Machine, Sql, machines

from calls.cluster.conftest import postgres, sql, url  # noqa: F401
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


@pytest.fixture
def machine(
    tmp_path: Path, url: str, sql: Sql, monkeypatch: pytest.MonkeyPatch  # noqa: F811
) -> Iterator[Callable[[str], Machine]]:  # fmt: skip
    """Makes machines by name, and this one their desk."""
    monkeypatch.setenv("GUILD_ENGINE_URL", url)
    monkeypatch.setenv("HOME", str(tmp_path / "desk-home"))
    sql(
        "UPDATE guild.control SET lease = 60"
    )  # nobody is taken for dead because these tests are slow
    with machines(tmp_path, url) as make:
        yield make
