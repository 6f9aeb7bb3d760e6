"""No secret of the user's environment reaches a judge."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.system.environment import ALLOWED, FIXED, child_environment, looks_secret
from guildmoot.system.process import run_process

SECRETS = {
    "OPENAI_API_KEY": "sk-planted-1",
    "GITHUB_TOKEN": "ghp-planted-2",
    "AWS_SECRET_ACCESS_KEY": "planted-3",
    "LC_SECRET": "planted-4",
    "DATABASE_URL": "postgres://u:planted-5@h/d",
    "SSH_AUTH_SOCK": "/planted-6",
    "HTTPS_PROXY": "http://u:planted-7@proxy",
}


def test_planted_secrets_do_not_reach_a_child(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    result = asyncio.run(run_process(["env"], cwd="/", env=child_environment()))
    seen = result.stdout.decode()
    assert "PATH=" in seen
    assert "planted" not in seen


def test_a_child_finds_its_way_but_writes_for_a_program() -> None:
    base = {"PATH": "/bin", "HOME": "/home/u", "LC_ALL": "C", "TERM": "xterm", "EDITOR": "vi"}
    assert child_environment(base=base) == {
        "PATH": "/bin",
        "HOME": "/home/u",
        "LC_ALL": "C",
        "TERM": "dumb",
        "NO_COLOR": "1",
    }


def test_what_a_backend_adds_is_passed_on_unless_it_looks_secret() -> None:
    passed = child_environment({"PYTHONSAFEPATH": "1", "MY_API_KEY": "x"}, base={})
    assert passed["PYTHONSAFEPATH"] == "1"
    assert "MY_API_KEY" not in passed


def test_relative_search_folders_do_not_point_into_the_work_under_review() -> None:
    passed = child_environment(base={"PATH": "bin::/usr/bin", "PYTHONPATH": "src"})
    here = os.getcwd()
    assert passed["PATH"] == "/usr/bin"
    assert passed["PYTHONPATH"] == f"{here}/src"


WORDS = st.sampled_from(["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIALS", "Keys", "token"])


@given(st.text("ABCLC_19", max_size=12), WORDS, st.booleans())
def test_a_name_that_ends_like_a_secret_never_passes(start: str, word: str, asked: bool) -> None:
    name = f"{start}_{word}"
    assert looks_secret(name)
    given_by_user = {name: "planted"}
    passed = child_environment(given_by_user if asked else None, base=given_by_user)
    assert "planted" not in passed.values()


@given(st.dictionaries(st.text("ABCDEFGHOMPATH_", min_size=1, max_size=8), st.text(max_size=5)))
def test_only_names_on_the_list_ever_pass(base: dict[str, str]) -> None:
    assert set(child_environment(base=base)) <= ALLOWED | set(FIXED)


def test_a_nested_python_finds_the_same_package(tmp_path: Path) -> None:
    argv = [sys.executable, "-P", "-c", "import guildmoot; print(guildmoot.__name__)"]
    result = asyncio.run(run_process(argv, cwd=str(tmp_path), env=child_environment()))
    assert result.stdout == b"guildmoot\n"
