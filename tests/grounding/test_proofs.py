"""A judge's assertions are run only by allowed programs, on a copy, and never for long."""

import os
import time

import pytest

from guildmoot.grounding.proofs import check_assertion
from guildmoot.model.verdict import Assertion


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "packet").mkdir()
    (tmp_path / "packet" / "a.py").write_text("x = 1\n")
    return tmp_path / "packet"


def check(folder, command, expected="", allowed=("grep", "sh", "sleep", "env"), timeout=5.0):
    return check_assertion(Assertion(command, expected), folder, allowed, timeout)


def test_what_holds_and_what_does_not(folder):
    assert check(folder, "grep -c x a.py", "1").status == "held"
    assert check(folder, "grep -q x a.py").status == "held"
    assert check(folder, "grep -q y a.py").status == "failed"
    assert check(folder, "grep -c x a.py", "7").status == "failed"


@pytest.mark.parametrize(
    "command",
    [
        "rm a.py",
        "/bin/grep x a.py",
        "",
        "grep 'x",
        "grep x /etc/passwd",
        "grep x ../secret",
        "./grep x",
    ],
)
def test_anything_else_is_refused_and_nothing_runs(folder, command):
    checked = check(folder, command)
    assert checked.status == "refused"
    assert checked.detail
    assert (folder / "a.py").read_text() == "x = 1\n"


def test_nothing_is_allowed_by_default(folder):
    assert check(folder, "grep x a.py", allowed=()).status == "refused"


def test_it_cannot_change_what_is_judged(folder):
    assert check(folder, "sh -c 'echo y > a.py'").status == "held"
    assert (folder / "a.py").read_text() == "x = 1\n"


def test_shell_syntax_means_nothing(folder):
    check(folder, "grep x a.py ; touch owned")
    assert os.listdir(folder) == ["a.py"]


def test_its_time_is_bounded_for_its_children_too(folder):
    started = time.monotonic()
    assert check(folder, "sh -c 'sleep 60 & sleep 60'", timeout=0.3).status == "timeout"
    assert time.monotonic() - started < 30


def test_no_secret_of_the_environment_reaches_it(folder, monkeypatch):
    monkeypatch.setenv("MY_TOKEN", "hush-hush")
    assert check(folder, "env", "hush-hush").status == "failed"
