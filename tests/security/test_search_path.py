"""Programs that lie in the repository under review: none of them runs, wherever the PATH points.

A row is a name, the folder of the change that holds them, and what the user's PATH has before the rest
(``{root}`` is the repository).
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from conftest import Shop
from guildmoot.system.search import is_brought, search_path
from security.pull_requests import AUTH, Link, Program
from security.test_pull_requests import add_oracle, write

pytestmark = pytest.mark.slow  # a process or more for each row of a long table

ROWS = [
    ("relative", "node_modules/.bin", "node_modules/.bin"),
    ("with a dot", "bin", "./bin"),
    ("the current folder", ".", "."),
    ("empty", ".", ""),
    ("absolute", "tools", "{root}/tools"),
    ("absolute, with dots", "tools", "{root}/x/../tools/."),
    ("the root itself", ".", "{root}"),
    ("by a link", "tools", "{root}/link"),
    ("a virtual environment", ".venv/bin", "{root}/.venv/bin"),
    ("a slash too many", "tools", "{root}//tools//"),
]
NAMES = ("git", "bandit", "hadolint", "shellcheck", "ruff", "python", "python3", "sh", "eslint")
VERBS = [
    ("validate", "--diff", "main...HEAD"),
    ("validate", "--diff", "main...HEAD", "--agents", "oracle"),
    ("vibe", "--diff", "main...HEAD"),
    ("council", "validate", "--diff", "main...HEAD"),
    ("doctor",),
]


@pytest.mark.parametrize(("name", "folder", "entry"), ROWS, ids=[row[0] for row in ROWS])
def test_no_program_of_the_repository_runs(shop: Shop, name: str, folder: str, entry: str) -> None:
    add_oracle(shop)
    booby = Program(f"#!/bin/sh\ntouch '{shop.home}/BOOBY'\n")
    write(shop.root, {"a.py": AUTH, "x/y": "", "link": Link("tools")})
    shop.commit()
    shop.git("checkout", "-q", "-b", "change")
    write(shop.root, {"a.py": "a = 1\n", "run.sh": "echo\n", "Dockerfile": "FROM x\n"})
    write(shop.root, {f"{folder}/{each}": booby for each in NAMES})
    shop.git("add", "-fA")
    shop.commit()
    rest = shop.env["PATH"]
    path = f"{entry.format(root=shop.root)}{os.pathsep}{rest}"
    for verb in VERBS:
        ran = shop.guild(*verb, env={"PATH": path if entry else f"{os.pathsep}{rest}"})
        assert not (shop.home / "BOOBY").exists(), (verb, ran)


def test_programs_in_a_folder_that_git_does_not_track_are_the_users_own(shop: Shop) -> None:
    write(shop.root, {"a.py": AUTH, ".gitignore": ".venv\n"})
    shop.commit()
    write(shop.root, {".venv/bin/tool": Program("#!/bin/sh\n")})
    path = f"{shop.root}/.venv/bin:/usr/bin"
    assert search_path(path, shop.root) == path
    assert not is_brought(str(shop.root / ".venv/bin"))
    assert is_brought(str(shop.root))


@pytest.mark.parametrize("path", ["", ":", ".", "bin:./x", "::"])
def test_a_path_without_any_entry_left_is_not_the_current_folder(path: str, tmp_path: Path) -> None:
    assert search_path(path, tmp_path) == os.defpath
