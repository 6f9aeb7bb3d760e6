"""Tools that a nursery runs answer as their own programs do, and nobody depends on it."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from guildmoot.system import starter
from guildmoot.system.environment import child_environment
from guildmoot.system.process import ProcessResult, run_process

NURSERY = "guildmoot.agents.tools.nursery"
LANGUAGES = "guildmoot.agents.tools.languages"


def run(folder: Path, *words: str) -> ProcessResult:
    argv = [sys.executable, "-P", "-m", *words]
    going = run_process(argv, cwd=str(folder), env=child_environment({"HERE": "1"}), timeout=30)
    return asyncio.run(going)._replace(seconds=0.0)


@pytest.fixture
def nursery():
    starter.start_early(NURSERY, [LANGUAGES])
    yield starter._begun[NURSERY]
    left = starter._begun.pop(NURSERY)
    starter._nursed.clear()
    left.socket.close()
    left.process.wait(20)


def test_it_answers_as_the_program_and_without_it_the_program_does(tmp_path, nursery):
    (tmp_path / "a.json").write_text("{")
    (tmp_path / "b.go").write_text("package b\n")
    inside = run(tmp_path, LANGUAGES, ".")
    assert (inside.exit_code, inside.stdout.count(b"does-not-parse")) == (1, 1)
    assert run(tmp_path, LANGUAGES).exit_code == 2  # how it is called
    nursery.process.kill()
    nursery.process.wait()
    assert run(tmp_path, LANGUAGES, ".") == inside
    starter.start_early(NURSERY, [LANGUAGES])


def test_what_it_does_not_know_is_a_program_as_ever(tmp_path, nursery):
    starter._nursed[b"platform"] = NURSERY
    assert b"Linux" in run(tmp_path, "platform").stdout or sys.platform != "linux"
