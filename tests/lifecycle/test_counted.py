"""A test command that ends well without a count of tests that passed shows nothing."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from guildmoot.lifecycle.proof.counted import runner_of, unshown
from guildmoot.lifecycle.proof.criteria import show_criterion
from guildmoot.loops.values import CommandResult

UNITTEST = (
    "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): self.assertEqual(1, {})\n"
)
RUNS = {
    "fine": (UNITTEST.format(1), ""),
    "it ends at once": ("import os\nos._exit(0)\n", "it printed no count of tests"),
    "it ends behind failures": (
        f"import atexit, os\natexit.register(os._exit, 0)\n{UNITTEST.format(2)}", "it counts tests that failed"
    ),
    "all are skipped": (
        UNITTEST.format(1).replace("    def", "    @unittest.skip('x')\n    def"), "no test ran"
    ),
}  # fmt: skip


def ran(folder: Path, command: str) -> CommandResult:
    done = subprocess.run(["/bin/sh", "-c", command], cwd=folder, capture_output=True, text=True, timeout=60)  # fmt: skip
    return CommandResult(command, done.returncode, 0.1, done.stdout + done.stderr)


@pytest.mark.parametrize("how", RUNS)
@pytest.mark.parametrize("module", ["unittest", "pytest -q"])
def test_a_run_that_exits_0_is_believed_by_its_count(tmp_path: Path, how: str, module: str) -> None:
    text, why = RUNS[how]
    (tmp_path / "test_a.py").write_text(text, encoding="utf-8")
    done = ran(tmp_path, f"{sys.executable} -m {module}")
    assert done.code == 0
    found = show_criterion(f"`{done.command}` exits 0", [done])
    assert (found.result, why in found.text) == ("open" if why else "shown", True)


@pytest.mark.skipif(not shutil.which("node"), reason="node is not here")
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("test('a', () => {});", ""),
        ("test.skip('a', () => {});", "no test ran"),
        ("test('a', {todo: true}, () => { throw 1; });", "no test ran"),
    ],
)
def test_a_run_of_node_is_believed_by_its_count(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "a.test.js").write_text(
        f"const {{test}} = require('node:test');\n{text}\n", encoding="utf-8"
    )
    done = ran(tmp_path, "node --test a.test.js")
    assert done.code == 0
    assert why in unshown(done.command, done.output)
    assert bool(unshown(done.command, done.output)) == bool(why)


@pytest.mark.parametrize(
    ("command", "printed", "why"),
    [
        ("npx jest a.test.js", "Tests:       2 passed, 2 total\n", ""),
        ("npx vitest run", "      Tests  3 passed (3)\n", ""),
        ("npx mocha", "\n  2 passing (4ms)\n", ""),
        ("npx jest", "Tests:       1 failed, 1 passed, 2 total\n", "it counts tests that failed"),
        ("jest", "", "it printed no count of tests"),
        ("node --test", "\u2139 tests 1\n\u2139 pass 1\n\u2139 fail 0\n", ""),
        ("pytest -qq", "..          [100%]\n", ""),
        ("pytest", "=== 3 passed, 1 skipped, 2 warnings in 0.12s ===\n", ""),
        ("python3 -m pytest", "1 passed, 1 xfailed in 61.20s (0:01:01)\n", ""),
        ("uv run pytest tests", "", "it printed no count of tests"),
        ("A=1 python -B -m unittest", "Ran 0 tests in 0.0s\n\nOK\n", "no test ran"),
        ("python -m unittest", "Ran 4 tests in 0.0s\n\nOK (skipped=1)\n", ""),
    ],
)  # fmt: skip
def test_summaries_of_runners_are_read(command: str, printed: str, why: str) -> None:
    said = unshown(command, printed)
    assert why in said
    assert bool(said) == bool(why)


@pytest.mark.parametrize(
    "command",
    [
        "make test", "pytest -q > /dev/null", "pytest --co", "grep pytest setup.cfg", "python -m app pytest",
        "node --test --test-reporter=dot", "npm test", "python app/main.py", "git commit -m pytest", "pytest | tail -1",
    ],
)  # fmt: skip
def test_commands_whose_summary_is_not_seen_are_no_runs_of_tests(command: str) -> None:
    assert runner_of(command) == ""
    assert unshown(command, "") == ""
