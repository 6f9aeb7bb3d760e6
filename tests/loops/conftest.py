"""A repository whose unused imports are taken out; one file needs one of them."""

from __future__ import annotations

import shutil

import pytest

from loops.bench import CHECK, GREET, GREET_PLAN, PLAN, SLUG, call
from projects.test_many_writers import git


@pytest.fixture
def work(tmp_path, imports):
    return copied(imports, tmp_path)


@pytest.fixture
def repo(tmp_path, greetings):
    return copied(greetings, tmp_path)


def copied(made, place):
    """What was made once for all tests of this process, for one of them to change."""
    shutil.copytree(made, place, symlinks=True, dirs_exist_ok=True)
    return place / "work"


@pytest.fixture(scope="session")
def imports(tmp_path_factory):
    made = tmp_path_factory.mktemp("imports")
    folder = made / "work"
    (folder / "src").mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    for number in range(5):
        (folder / "src" / f"m{number}.py").write_text("import os\nimport sys\n\nA = os.sep\n")
    (folder / "src" / "special.py").write_text("import os\n\nB = 1\n")
    (folder / "src" / "clean.py").write_text("C = 1\n")
    (folder / "check.py").write_text(CHECK)
    (folder / "plan.md").write_text(PLAN)
    done = call(
        folder,
        "loom",
        "plan",
        SLUG,
        "--plan-file=plan.md",
        "--interview-file=plan.md",
        "--no-commit",
    )
    assert done.returncode == 0, done.stderr
    (folder / "plan.md").unlink()
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "begin")
    return made


@pytest.fixture(scope="session")
def greetings(tmp_path_factory):
    made = tmp_path_factory.mktemp("greetings")
    folder = made / "work"
    (folder / "src").mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    (folder / "src" / "greet.py").write_text("def hello(name: str) -> str:\n    return name\n")
    (made / "plan.md").write_text(GREET_PLAN)
    plan = [f"--plan-file={made}/plan.md", f"--interview-file={made}/plan.md"]
    done = call(folder, "loom", "plan", GREET, *plan, "--no-commit")
    assert done.returncode == 0, done.stderr
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "begin")
    return made
