"""Agent files of one place, read: good ones, bad ones, and who holds a name.

A bad file is never silently dropped: it holds its name, so that asking for the agent says what is
wrong instead of calling another one. A README without front matter is no agent file.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from guildmoot.agents.fields import AgentProblem
from guildmoot.agents.files import Origin, read_agent
from guildmoot.codec import from_plain, to_plain
from guildmoot.model.agent import Agent
from guildmoot.named import NamedTuple
from guildmoot.system.cache import code_version, recall, remember
from guildmoot.system.files import read_text_inside

MAX_BYTES = 1_000_000
_PARSED = "agents.json"
_READERS = ("agents", "backends", "model")
"""Rooms that have a say in what becomes of an agent file."""


class AgentFile(NamedTuple):
    """One agent file, good or bad, and the name that it holds."""

    name: str
    path: str
    problems: list[AgentProblem]
    agent: Agent | None = None
    name_line: int = 1


class Shadowed(NamedTuple):
    """An agent that another file of the same name stands before."""

    agent: Agent
    by: str
    """The file that wins."""


def read_folder(folder: Path, origin: Origin) -> list[AgentFile]:
    """Every agent file below a folder of the user's or the package's."""
    read = ((path, *read_text_inside(path, None, MAX_BYTES)) for path in agent_files(folder))
    return [
        read_file(path, text, problem, origin)
        for path, text, problem in read
        if not is_readme(path, text, problem)
    ]


def read_package(folder: Path) -> list[AgentFile]:
    """The agent files that come with us, which are parsed once for each version of them."""
    key = _version_of(folder)
    kept = recall(_PARSED, key)
    if kept is not None:
        return [from_plain(AgentFile, each) for each in json.loads(kept)]
    files = read_folder(folder, "package")
    if not any(file.problems for file in files):
        remember(_PARSED, key, json.dumps([to_plain(file) for file in files]).encode())
    return files


def _version_of(folder: Path) -> str:
    """Another one whenever an agent file changes, or the code that reads them."""
    found = hashlib.sha256(f"{folder}\0{code_version(*_READERS)}".encode())
    for path in agent_files(folder):
        found.update(b"%s\0%s\0" % (os.fsencode(path), path.read_bytes()))
    return found.hexdigest()


def agent_files(folder: Path) -> Iterator[Path]:
    """Every Markdown file below the folder, in the same order on every machine.

    A folder that cannot be listed is given as if it were a file, so that its reading fails.
    """
    unlisted: list[Path] = []

    def note(wrong: OSError) -> None:
        if not isinstance(wrong, FileNotFoundError):
            unlisted.append(Path(wrong.filename))

    for where, folders, files in os.walk(folder, onerror=note):
        folders.sort()
        yield from (Path(where, name) for name in sorted(files) if name.lower().endswith(".md"))
    yield from unlisted


def is_readme(path: Path, text: str, problem: str) -> bool:
    """Whether it only looks like an agent file."""
    bare = text.lstrip("\ufeff\r\n ")
    return path.name.lower() == "readme.md" and not problem and not bare.startswith("---")


def read_file(path: Path, text: str, problem: str, origin: Origin) -> AgentFile:
    """The agent of that text, or what is wrong with it."""
    if problem:
        return AgentFile(path.stem, str(path), [AgentProblem(str(path), 1, problem, path.stem)])
    agent, problems = read_agent(text, path, origin)
    if agent is None:
        return AgentFile(problems[0].agent, str(path), problems)
    return AgentFile(agent.name, str(path), [], agent, _name_line(text))


def first_wins(layers: Sequence[list[AgentFile]]) -> tuple[dict[str, Agent], list[Shadowed]]:
    """Agents by name; a name is held by the first folder that has it, be the file good or bad."""
    holders: dict[str, AgentFile] = {}
    shadowed: list[Shadowed] = []
    for layer in layers:
        fresh: dict[str, AgentFile] = {}
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


def problems_of(layers: Sequence[list[AgentFile]]) -> Iterator[AgentProblem]:
    """What is wrong with the files, and with two of one name in one place."""
    for layer in layers:
        first: dict[str, str] = {}
        for file in layer:
            yield from file.problems
            holder = first.setdefault(file.name.casefold(), file.path)
            if file.agent is not None and holder != file.path:
                reason = f"name {file.name} is already taken by {holder}"
                yield AgentProblem(file.path, file.name_line, reason, file.name)


def _name_line(text: str) -> int:
    lines = text.splitlines()
    return next((at for at, line in enumerate(lines, 1) if line.startswith("name:")), 1)
