"""The verbs of trust: what a repository brings that would choose its judges, and the user's word for it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from guildmoot.agents.files import read_agent
from guildmoot.config import project_table, read_table
from guildmoot.errors import ConfigError
from guildmoot.guard.trust import SETTINGS_FILES, Trust, guarded_files
from guildmoot.packet.changes import commit_named
from guildmoot.system.git import Git, project_root
from guildmoot.text.clean import one_line

_LINES = 20
_AGENTS = (".guild/agents/", ".claude/agents/")


class GuardedFile(NamedTuple):
    """A file of the repository that would choose judges, programs, money or rules."""

    path: str
    state: Literal["trusted", "changed", "new"]
    """``changed``: another content of it was trusted."""
    says: tuple[str, ...]
    """What it would do, line by line: settings, an agent's program, the beginning of another file."""


class TrustReport(NamedTuple):
    """What a repository brings, and what of it counts here."""

    root: Path
    revision: str
    """Empty for the working tree."""
    first_commit: str
    """What the repository is known by; empty where nothing can be trusted."""
    problem: str
    """Why nothing can be."""
    files: tuple[GuardedFile, ...]
    content: dict[str, bytes]
    """The very bytes that were looked at: what is trusted is what was shown."""


async def show_trust(cwd: Path = Path(), revision: str = "") -> TrustReport:
    """What the repository brings that would choose its judges, and whether the user trusts it."""
    return await asyncio.to_thread(look, cwd, revision)


async def trust(cwd: Path = Path(), revision: str = "") -> TrustReport:
    """Trust what the repository brings now, or in a revision; another content needs another word."""
    return await asyncio.to_thread(lambda: accept(look(cwd, revision)))


async def revoke_trust(cwd: Path = Path()) -> int:
    """Trust nothing of this repository any more; how many files it was."""
    return await asyncio.to_thread(revoke, cwd)


def look(cwd: Path, revision: str = "") -> TrustReport:
    """What ``show_trust`` awaits."""
    root = project_root(cwd.absolute())
    revision = commit_named(Git(root), revision) if revision else ""
    found = Trust(root, revision)
    commit, problem = found.first_commit
    content = guarded_files(root, revision)
    files = [
        GuardedFile(path, found.state(path, data), tuple(_told(found, path, data)))
        for path, data in content.items()
    ]
    return TrustReport(root, revision, commit, problem, tuple(files), content)


def accept(found: TrustReport) -> TrustReport:
    """Keep the user's word for what was shown; ConfigError where its settings are wrong."""
    settings = {path: found.content[path] for path in SETTINGS_FILES if path in found.content}
    if table := project_table(settings):
        read_table(table[1], table[0])
    Trust(found.root, found.revision).add(found.content)
    return found._replace(files=tuple(file._replace(state="trusted") for file in found.files))


def revoke(cwd: Path) -> int:
    """What ``revoke_trust`` awaits."""
    return Trust(project_root(cwd.absolute())).revoke()


def _told(trust: Trust, path: str, data: bytes) -> Iterator[str]:
    """What a file says; of one that changed, what is new (+) and gone (-) since it was trusted."""
    old = trust.trusted_before(path) if trust.state(path, data) == "changed" else None
    lines = [*_says(path, data)]
    if old is not None:
        from difflib import ndiff  # few files need it

        differing = [line for line in ndiff([*_says(path, old)], lines) if line[0] in "+-"]
        lines = differing or lines
    yield from lines[:_LINES]
    if len(lines) > _LINES:
        yield f"and {len(lines) - _LINES} more lines"


def _says(path: str, data: bytes) -> Iterator[str]:
    if path in SETTINGS_FILES:
        try:
            source, table = project_table({path: data}) or (path, {})
            settings = read_table(table, source)
        except ConfigError as wrong:
            yield f"cannot be used: {wrong.message}"
            return
        yield from (f"{key} = {_toml(origin.value)}" for key, origin in settings.values.items())
        yield from (f"prices.{name} = {_toml(price)}" for name, price in settings.prices.items())
        return
    text = data.decode("utf-8", "replace")
    agent = read_agent(text, Path(path), "project")[0] if path.startswith(_AGENTS) else None
    if agent:
        runs = one_line(" ".join(agent.command)) or agent.model or "no program of its own"
        yield f"agent {agent.name}, {agent.backend}: {runs}"
    yield from (one_line(line) for line in text.splitlines() if line.strip())


def _toml(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
