"""Tests as they stood before a run hold its result, also where they failed before it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from guildmoot.lifecycle.proof.old_tests import OldTests, failing_tests, said_by_old_tests
from guildmoot.loops.values import CommandResult

OLD = frozenset(("tests/__init__.py", "tests/test_shop.py", "test/sum.test.js"))
ONE = "FAIL: test_one (tests.test_shop.T.test_one)\n"
VAT = "ERROR: test_vat (tests.test_shop.T.test_vat)\n"
NEW = "ERROR: tests.test_new (unittest.loader._FailedTest.tests.test_new)\n"
U = "python -m unittest"


def said(command: str, red: str, before: str, *changed: str, code: int | None = 1) -> str | None:
    ran = CommandResult(command, 1, 0.1, red)
    return said_by_old_tests(OldTests(OLD, changed), ran, CommandResult(command, code, 0.1, before))


@pytest.mark.parametrize(
    ("command", "red", "before", "changed", "why"),
    [
        (U, ONE, VAT, "tests/test_shop.py", "test_one (tests.test_shop.T.test_one) fails, and did not"),
        (U, ONE + VAT, VAT, "tests/test_shop.py", "test_one (tests.test_shop.T.test_one) fails, and did not"),
        (U, ONE + VAT, ONE + VAT, "tests/test_shop.py", "fail, as before it"),
        (U, ONE, ONE, "tests/helpers.py", "fails, as before it"),
        (U, NEW + ONE, NEW + ONE, "tests/test_new.py", "test_one) fails, as before it"),
        (U, "ERROR: test_shop (unittest.loader._FailedTest.test_shop)", "ERROR: test_shop (unittest.loader._FailedTest.test_shop)", "tests/test_shop.py", "as before it"),
        ("pytest", "FAILED tests/test_shop.py::test_one - assert 1 == 10\n", "FAILED tests/test_shop.py::test_vat\n", "tests/test_shop.py", "tests/test_shop.py::test_one fails"),
        ("node --test", "not ok 1 - adds\n", "not ok 2 - multiplies\n", "test/sum.test.js", "adds fails"),
        ("node --test", "✖ adds (1.5ms)\n", "✖ multiplies (1.1ms)\n", "test/sum.test.js", "adds fails"),
        ("npx jest", "  ● Shop › adds\n", "", "test/sum.test.js", "Shop › adds fails"),
        ("make check", "one of them failed", "", "tests/test_shop.py", "cannot be read"),
    ],
)  # fmt: skip
def test_what_an_old_test_asks_for_and_only_a_changed_one_finds_is_told(
    command: str, red: str, before: str, changed: str, why: str
) -> None:
    assert why in (said(command, red, before, changed) or "")


@pytest.mark.parametrize(
    ("command", "red", "before", "changed"),
    [
        (f"{U} tests.test_new", NEW, NEW, ("tests/test_new.py", "tests/test_shop.py")),
        ("pytest tests/test_new.py", "ERROR tests/test_new.py - none", "ERROR tests/test_new.py - none", ("tests/test_new.py",)),
        ("pytest tests/test_new.py::test_a", "no tests ran", "no tests ran", ("tests/test_new.py", "tests/test_shop.py")),
        (f"{U} tests.unit", "no module", "no module", ("tests/unit/test_a.py", "tests/test_shop.py")),
        ("node --test test/new/", "Could not find", "Could not find", ("test/new/a.test.js", "test/sum.test.js")),
        ("make check", "one of them failed", "failed", ("tests/test_new.py",)),
    ],
)  # fmt: skip
def test_a_command_that_asks_for_new_tests_fails_without_them_and_nobody_is_asked(
    command: str, red: str, before: str, changed: tuple[str, ...]
) -> None:
    assert said(command, red, before, *changed) is None


def test_a_command_that_passed_before_is_told_whatever_changed() -> None:
    assert said("make check", "", "", "tests/test_new.py", code=0) == "it passed before the run"


RUNNERS = {
    f"{sys.executable} -m unittest test_a": {"test_bad (test_a.A.test_bad)"},
    f"{sys.executable} -m unittest test_none": {"test_none (unittest.loader._FailedTest.test_none)"},
    f"{sys.executable} -m pytest -q test_a.py": {"test_a.py::A::test_bad"},
    "node --test a.test.js": {"bad"},
}  # fmt: skip


@pytest.mark.parametrize("command", RUNNERS)
def test_failing_tests_are_read_as_real_runners_name_them(tmp_path: Path, command: str) -> None:
    if command.startswith("node") and not shutil.which("node"):
        pytest.skip("no node")
    (tmp_path / "test_a.py").write_text(
        "import unittest\nclass A(unittest.TestCase):\n    def test_bad(self): self.assertEqual(1, 2)\n"
        "    def test_fine(self): pass\n"
    )
    (tmp_path / "a.test.js").write_text(
        "const t = require('node:test');\nt('bad', () => { throw Error('x'); });\nt('fine', () => {});\n"
    )
    done = subprocess.run(["/bin/sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=60)  # fmt: skip
    assert set(failing_tests(done.stdout + done.stderr)) == RUNNERS[command]
