"""What holds a client's commands, and what is said before a lane where nothing does."""

from __future__ import annotations

from pathlib import Path

import pytest

from guildmoot.errors import UsageError
from guildmoot.lifecycle.execution.workers.guarding import LaneTools, check_guard

BASH, NONE = ("Read", "Write", "Bash"), ("Read", "Write")


def told(tmp_path: Path, model: str, tools: tuple[str, ...], *, fenced: bool) -> list[str]:
    lanes = [LaneTools("T1-backend", "mid", tools)]
    return check_guard(lanes, {"mid": model}, (), tmp_path, fenced=fenced)


@pytest.mark.parametrize("model", ["claude:sonnet", "gemini:pro"])
@pytest.mark.parametrize("tools", [BASH, ("*",), ("Bash(git *)",)])
def test_without_a_fence_no_client_runs_commands_that_nothing_holds(
    model: str, tools: tuple[str, ...], tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="no fence can be put up"):
        told(tmp_path, model, tools, fenced=False)
    assert told(tmp_path, model, tools, fenced=True) == []
    assert told(tmp_path, model, NONE, fenced=False) == []


def test_one_that_could_take_over_is_held_to_the_same(tmp_path: Path) -> None:
    lanes = [LaneTools("T1-backend", "mid", BASH)]
    with pytest.raises(UsageError, match="claude may run any command"):
        check_guard(lanes, {"mid": "codex:gpt-5"}, ("claude:sonnet",), tmp_path, fenced=False)


def test_codex_has_a_sandbox_of_its_own_and_runs_commands_whatever_its_specialist_has(
    tmp_path: Path,
) -> None:
    assert told(tmp_path, "codex:gpt-5", BASH, fenced=False) == []
    (said,) = told(tmp_path, "codex:gpt-5", NONE, fenced=True)
    assert said.startswith("T1-backend: codex reads and writes by commands alone")
