"""Agents of one program or vendor belong to one family."""

from __future__ import annotations

import pytest

from guildmoot.agents.families import default_family


@pytest.mark.parametrize(
    ("backend", "command", "model", "family"),
    [
        ("tool", ("ruff", "check"), "", "ruff"),
        ("tool", ("/usr/bin/ruff", "check"), "", "ruff"),
        ("tool", ("{python}", "-P", "-m", "ruff", "check"), "", "ruff"),
        ("tool", ("python3.12", "-m", "mypy.api"), "", "mypy"),
        ("tool", ("{python}", "x.py"), "", "python"),
        ("tool", ("eslint.exe",), "", "eslint"),
        ("claude", (), "", "anthropic"),
        ("command", ("claude", "-p"), "", "anthropic"),
        ("command", ("codex", "exec"), "", "openai"),
        ("command", ("llm",), "gemini-3-pro", "google"),
        ("command", ("llm",), "", "llm"),
        ("command", (), "opus", "anthropic"),
        ("command", (), "", "command"),
        ("api", (), "openai:gpt-5.2", "openai"),
        ("api", (), "openai:claude-sonnet-4-5", "anthropic"),
        ("scripted", (), "", "scripted"),
    ],
)
def test_the_family_is_the_program_or_the_vendor(
    backend: str, command: tuple[str, ...], model: str, family: str
) -> None:
    assert default_family(backend, command, model) == family
