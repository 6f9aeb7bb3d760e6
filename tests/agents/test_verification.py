"""The project's own check is found to be shown, and becomes a judge when it is named."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from guildmoot.agents.verification import find_verification, verification_agent
from guildmoot.errors import UsageError


@pytest.mark.parametrize(
    ("file", "text", "command"),
    [
        ("pyproject.toml", "[tool.pytest.ini_options]\n", "pytest"),
        ("pytest.ini", "", "pytest"),
        ("setup.cfg", "[tool:pytest]\n", "pytest"),
        ("tests/test_x.py", "", "pytest"),
        ("package.json", '{"scripts": {"test": "vitest"}}', "npm test"),
        ("Cargo.toml", "", "cargo test"),
        ("go.mod", "module x\n", "go test ./..."),
        ("Makefile", "all:\n\ntest: all\n\tgo\n", "make test"),
        ("pyproject.toml", "[project]\n", None),
        ("pyproject.toml", "broken [", None),
        (
            "package.json",
            '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}',
            None,
        ),
        ("package.json", '{"scripts": []}', None),
        ("package.json", "{", None),
        ("Makefile", "test := 1\nlatest:\n", None),
        ("README.md", "", None),
    ],
)
def test_the_likely_command_is_found(
    tmp_path: Path, file: str, text: str, command: str | None
) -> None:
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(text, encoding="utf-8")
    assert find_verification(tmp_path) == command


def test_a_plain_command_runs_without_a_shell() -> None:
    assert verification_agent("pytest -k 'a and b'").command == ("pytest", "-k", "a and b")


@pytest.mark.parametrize(
    "command", ["make test | tail", "a && b", "CI=1 pytest", "ls *.py", "x $HOME"]
)
def test_what_needs_a_shell_gets_one(command: str) -> None:
    assert verification_agent(command).command == ("sh", "-c", command)


@pytest.mark.parametrize("command", ["", "   ", "pytest 'x"])
def test_a_command_that_cannot_be_run_is_refused(command: str) -> None:
    with pytest.raises(UsageError):
        verification_agent(command)


@pytest.mark.parametrize(
    ("command", "meaning"),
    [
        ("true", "clean"),
        ("exit 3;", "findings"),
        ("kill -9 $$", "findings"),
        ("no-such-program-here;", "error"),
    ],
)
def test_any_failure_is_a_finding_unless_the_command_could_not_start(
    command: str, meaning: str
) -> None:
    agent = verification_agent(command)
    code = subprocess.run(agent.command, capture_output=True, check=False).returncode
    assert dict(agent.exit_codes)[code] == meaning


def test_the_judge_runs_in_the_checkout_and_blocks() -> None:
    agent = verification_agent("pytest")
    assert (agent.backend, agent.run_in, agent.format) == ("tool", "checkout", "exit")
    assert (agent.role, agent.blocks_at) == ("evaluator", "critical")
