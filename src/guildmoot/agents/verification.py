"""The project's own check as a judge: finds a likely command to show, and makes an agent of one.

Nothing here runs it. A command that was only found is never run either; it has to be named, by flag
or in the configuration.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from guildmoot.config import parse_toml
from guildmoot.errors import ConfigError, UsageError
from guildmoot.model.agent import Agent
from guildmoot.text.patterns import lazy

NAME = "verification"

_MAX_BYTES = 1_000_000
_SHELL = lazy(r"[|&;<>()$`\\*?\[\]#~!{}\n]|^\s*\w+=")
_CANNOT_RUN = (126, 127)
_BUILTINS = [[word] for word in ("cd", "exit", "export", "source", ".", "set", "eval", "exec", ":")]
_PYTEST_FILES = ("pytest.ini", ".pytest.ini", "pytest.toml", "conftest.py", "tests/conftest.py")
_NPM_PLACEHOLDER = "no test specified"


def find_verification(root: Path) -> str | None:
    """The command that this project most likely checks itself with, to be shown to the user."""
    has_test: tuple[tuple[str, Callable[[Path], bool]], ...] = (
        ("pytest", _has_pytest),
        ("npm test", _has_npm_test),
        ("cargo test", lambda root: (root / "Cargo.toml").is_file()),
        ("go test ./...", lambda root: (root / "go.mod").is_file()),
        ("make test", _has_make_test),
    )
    return next((command for command, found in has_test if found(root)), None)


def verification_agent(command: str) -> Agent:
    """A judge that runs the command in the checkout: exit code 0 is clean, any other blocks."""
    return Agent(
        name=NAME,
        description=f"Runs the project's own check: {command}",
        body="Anything but exit code 0 blocks, with the last lines of the output as evidence.",
        source="the verification command",
        backend="tool",
        family=NAME,
        command=_words(command),
        run_in="checkout",
        format="exit",
        exit_codes=tuple((code, _meaning(code)) for code in range(-64, 256)),
        severities=(("*", "critical"),),
        blocks_at="critical",
    )


def _meaning(code: int) -> Literal["clean", "findings", "error"]:
    """A check that a signal ended has failed; one that the shell cannot start has not been made."""
    return "clean" if code == 0 else "error" if code in _CANNOT_RUN else "findings"


def _words(command: str) -> tuple[str, ...]:
    if _SHELL.search(command) or command.split(maxsplit=1)[:1] in _BUILTINS:
        return ("sh", "-c", command)
    try:
        words = tuple(shlex.split(command))
    except ValueError as wrong:
        raise UsageError(f"the verification command {command!r} has {str(wrong).lower()}") from None
    if not words:
        raise UsageError("the verification command is empty")
    return words


def _has_pytest(root: Path) -> bool:
    if any((root / name).is_file() for name in _PYTEST_FILES):
        return True
    if "[tool:pytest]" in _read(root / "setup.cfg") or "[pytest]" in _read(root / "tox.ini"):
        return True
    try:
        tools = parse_toml(_read(root / "pyproject.toml").encode(), "pyproject.toml").get("tool")
    except ConfigError:
        tools = None
    return (isinstance(tools, dict) and "pytest" in tools) or any(
        (root / "tests").glob("test_*.py")
    )


def _has_npm_test(root: Path) -> bool:
    try:
        script = json.loads(_read(root / "package.json"))["scripts"]["test"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
    return isinstance(script, str) and bool(script) and _NPM_PLACEHOLDER not in script


def _has_make_test(root: Path) -> bool:
    files = ("GNUmakefile", "makefile", "Makefile")
    return any(re.search(r"^test\s*:(?!=)", _read(root / name), re.MULTILINE) for name in files)


def _read(file: Path) -> str:
    """The text of a small file; empty when there is none, for nothing here is worth an error."""
    try:
        if not file.is_file() or file.stat().st_size > _MAX_BYTES:
            return ""
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
