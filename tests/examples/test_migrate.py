"""The example of a real migration, in its short form: a package from PyPI, proven by its own tests."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "examples" / "migrate" / "migrate.py"
pytestmark = pytest.mark.slow  # downloads a package and runs its tests a dozen times


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("migrate")


def migrate(place: Path, *more: str):
    shutil.rmtree(place / "package", ignore_errors=True)
    words = [sys.executable, str(SCRIPT), "--short", "--json", "--work", str(place), *more]
    done = subprocess.run(words, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout)
    changed = subprocess.run(
        ["git", "diff", "--name-only", "main", told["branch"], "--", ".", ":!projects"],
        cwd=place / "package", capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert changed == sorted(told["landed"])  # what is told is what git shows
    return told


def test_all_that_is_proven_lands_and_the_one_module_that_breaks_others_is_named(place):
    told = migrate(place)
    (bad,) = told["quarantined"]
    assert bad["item"] == "pygments/lexers/web.py"
    assert "cannot import name" in bad["evidence"]
    assert len(told["landed"]) >= 20
    assert told["proven"]


def test_an_implementer_that_only_says_it_is_done_lands_what_git_and_the_tests_show(place):
    told = migrate(place, "--implementer")
    reasons = {each["item"]: each["reason"] for each in told["quarantined"]}
    assert set(reasons) == {"pygments/lexers/web.py", "pygments/lexers/tnt.py"}
    assert "README.rst" in reasons["pygments/lexers/tnt.py"]
    assert told["proven"]
