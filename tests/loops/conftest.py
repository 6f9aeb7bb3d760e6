"""A repository whose unused imports are taken out; one file needs one of them."""

from __future__ import annotations

import pytest

from loops.bench import CHECK, GREET, GREET_PLAN, PLAN, SLUG, call
from projects.test_many_writers import git


@pytest.fixture
def work(tmp_path):
    folder = tmp_path / "work"
    (folder / "src").mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    for number in range(5):
        (folder / "src" / f"m{number}.py").write_text("import os\nimport sys\n\nA = os.sep\n")
    (folder / "src" / "special.py").write_text("import os\n\nB = 1\n")
    (folder / "src" / "clean.py").write_text("C = 1\n")
    (folder / "check.py").write_text(CHECK)
    (folder / "plan.md").write_text(PLAN)
    made = call(
        folder,
        "loom",
        "plan",
        SLUG,
        "--plan-file=plan.md",
        "--interview-file=plan.md",
        "--no-commit",
    )
    assert made.returncode == 0, made.stderr
    (folder / "plan.md").unlink()
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "begin")
    return folder


@pytest.fixture
def repo(tmp_path):
    folder = tmp_path / "work"
    (folder / "src").mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    (folder / "src" / "greet.py").write_text("def hello(name: str) -> str:\n    return name\n")
    (tmp_path / "plan.md").write_text(GREET_PLAN)
    plan = [f"--plan-file={tmp_path}/plan.md", f"--interview-file={tmp_path}/plan.md"]
    made = call(folder, "loom", "plan", GREET, *plan, "--no-commit")
    assert made.returncode == 0, made.stderr
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "begin")
    return folder
