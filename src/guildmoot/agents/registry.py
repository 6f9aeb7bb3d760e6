"""Finds agents by name; first wins: the project's, Claude Code's, the user's, the package's.

A bad file is never silently dropped: it holds its name, so that asking for the agent says what is
wrong instead of calling another one. A README without front matter is no agent file.

What lies in the repository under review is text of whoever wrote it. ``trusted`` leaves it out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from guildmoot.agents.fields import AgentProblem
from guildmoot.agents.files import Origin, read_agent
from guildmoot.errors import AgentFileError, UsageError, did_you_mean
from guildmoot.model.agent import Agent
from guildmoot.system.files import read_text_inside

PACKAGE_FOLDER = Path(__file__).with_name("data")
MAX_BYTES = 1_000_000


class Folder(NamedTuple):
    """A place where agent files are looked for."""

    path: Path
    origin: Origin
    inside: Path | None = None
    """Nothing outside this folder may be reached from here; ``None`` is no limit."""


class Shadowed(NamedTuple):
    """An agent that another file of the same name stands before."""

    agent: Agent
    by: str
    """The file that wins."""


class Registry(NamedTuple):
    """Every agent that can be called by name, and every file that could not be read."""

    agents: dict[str, Agent]
    shadowed: tuple[Shadowed, ...]
    problems: tuple[AgentProblem, ...]
    trusted: dict[str, Agent]
    """The agents by name as they would be if the repository held none."""

    def get(self, name: str) -> Agent:
        """The agent of that name, upper and lower case alike; else an error says what to do."""
        key = name.casefold()
        broken = [problem for problem in self.problems if problem.agent.casefold() == key]
        found = next(
            (agent for agent in self.agents.values() if agent.name.casefold() == key), None
        )
        if found is not None:
            return found
        if broken:
            raise AgentFileError(
                "\n".join(map(str, broken)),
                "Mend the file; 'guild agents check' looks at all of them.",
            )
        hint = did_you_mean(name, self.agents, "'guild agents list' shows them all.", most=3)
        raise UsageError(f"there is no agent {name!r}", hint)


class _File(NamedTuple):
    """One agent file, good or bad, and the name that it holds."""

    name: str
    path: str
    problems: list[AgentProblem]
    agent: Agent | None = None
    name_line: int = 1


def load_agents(root: Path | None, user_dir: Path | None = None) -> Registry:
    """Read every agent file that counts for ``root``; ``user_dir`` holds the user's own."""
    folders = _folders(root, user_dir)
    layers = [
        [_read_file(path, folder) for path in _agent_files(folder.path)] for folder in folders
    ]
    agents, shadowed = _first_wins(layers)
    trusted, _ = _first_wins(
        [layer for folder, layer in zip(folders, layers, strict=True) if folder.inside is None]
    )
    problems = tuple(problem for layer in layers for problem in _problems(layer))
    return Registry(agents, tuple(shadowed), problems, trusted)


def user_agents_folder() -> Path:
    """Where the user keeps agents for every project."""
    from platformdirs import user_config_path

    return user_config_path("guildmoot") / "agents"


def _folders(root: Path | None, user_dir: Path | None) -> list[Folder]:
    of_root: list[Folder] = []
    if root is not None:
        of_root = [
            Folder(root / ".guild" / "agents", "project", root),
            Folder(root / ".claude" / "agents", "claude", root),
        ]
    user = Folder(user_agents_folder() if user_dir is None else user_dir, "user")
    return [*of_root, user, Folder(PACKAGE_FOLDER, "package")]


def _first_wins(layers: list[list[_File]]) -> tuple[dict[str, Agent], list[Shadowed]]:
    """Agents by name; a name is held by the first folder that has it, be the file good or bad."""
    holders: dict[str, _File] = {}
    shadowed: list[Shadowed] = []
    for layer in layers:
        fresh: dict[str, _File] = {}
        for file in layer:
            key = file.name.casefold()
            if key not in holders:
                # Of two files with one name nobody can tell which is meant.
                fresh[key] = fresh[key]._replace(agent=None) if key in fresh else file
            elif file.agent is not None:
                shadowed.append(Shadowed(file.agent, holders[key].path))
        holders.update(fresh)
    good = [file.agent for file in holders.values() if file.agent is not None]
    return {agent.name: agent for agent in good}, shadowed


def _problems(layer: list[_File]) -> Iterator[AgentProblem]:
    first: dict[str, str] = {}
    for file in layer:
        yield from file.problems
        holder = first.setdefault(file.name.casefold(), file.path)
        if file.agent is not None and holder != file.path:
            reason = f"name {file.name} is already taken by {holder}"
            yield AgentProblem(file.path, file.name_line, reason, file.name)


def _agent_files(folder: Path) -> Iterator[Path]:
    """Every Markdown file below the folder, in the same order on every machine.

    A folder that cannot be listed is given as if it were a file, so that its reading fails.
    """
    unlisted: list[Path] = []

    def note(wrong: OSError) -> None:
        if not isinstance(wrong, FileNotFoundError):
            unlisted.append(Path(wrong.filename))

    for where, folders, files in os.walk(folder, onerror=note):
        folders.sort()
        paths = (Path(where, name) for name in sorted(files) if name.lower().endswith(".md"))
        yield from (path for path in paths if not _is_readme(path))
    yield from unlisted


def _read_file(path: Path, folder: Folder) -> _File:
    text, problem = read_text_inside(path, folder.inside, MAX_BYTES)
    if problem:
        return _File(path.stem, str(path), [AgentProblem(str(path), 1, problem, path.stem)])
    agent, problems = read_agent(text, path, folder.origin, folder.inside)
    if agent is None:
        return _File(problems[0].agent, str(path), problems)
    return _File(agent.name, str(path), [], agent, _name_line(text))


def _name_line(text: str) -> int:
    lines = text.splitlines()
    return next((at for at, line in enumerate(lines, 1) if line.startswith("name:")), 1)


def _is_readme(path: Path) -> bool:
    if path.name.lower() != "readme.md":
        return False
    text, problem = read_text_inside(path, None, MAX_BYTES)
    return not problem and not text.lstrip("\ufeff\r\n ").startswith("---")
