from __future__ import annotations

import subprocess
from pathlib import Path

import pytest


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path / "home"
    place.mkdir()
    return place


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with uncommitted work."""
    place = tmp_path / "project"
    place.mkdir()
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    (place / "a.txt").write_text("committed\n")
    for words in (["init", "-q", "-b", "main"], ["add", "."], [*who, "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=place, check=True)
    (place / "a.txt").write_text("not committed\n")
    return place
