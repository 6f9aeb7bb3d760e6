"""``guild doctor``: what is installed, which agents could answer, and what to do for the rest."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
import textwrap
from typing import NamedTuple

from guildmoot.agents.registry import Registry, load_agents, user_agents_folder
from guildmoot.agents.verification import find_verification
from guildmoot.backends import get_backend, traits_of
from guildmoot.cli.arguments import Parser, add_json
from guildmoot.cli.guild.config import project_root
from guildmoot.config import process_config
from guildmoot.errors import EXIT_INFRASTRUCTURE, EXIT_OK, GuildmootError
from guildmoot.model.agent import Agent
from guildmoot.system.jsonio import dumps
from guildmoot.version import __version__


class Check(NamedTuple):
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str
    needed: bool = True
    """Without it guild cannot work at all."""


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "doctor",
        "Tell what is installed, which agents could answer, and what to do for the others.",
        "  guild doctor\n  guild doctor --json",
    )
    add_json(parser)
    options = parser.parse_args(argv)
    registry = load_agents(project_root(), user_agents_folder())
    checks = [_python(), _git(), _repository(), _settings(), *_agents(registry), *_files(registry)]
    found = find_verification(project_root())
    if options.json:
        rows = [check._asdict() for check in checks]
        body = {"schema_version": 1, "version": __version__, "checks": rows, "verification": found}
        sys.stdout.write(dumps(body) + "\n")
    else:
        _print(checks, found)
    return EXIT_INFRASTRUCTURE if any(c.needed and not c.ok for c in checks) else EXIT_OK


def _print(checks: list[Check], found: str | None) -> None:
    sys.stdout.write(f"guildmoot {__version__}\n")
    for check in checks:
        mark = "ok" if check.ok else ("MISSING" if check.needed else "-")
        line = f"{mark:<8} {check.name:<24} {check.detail}"
        sys.stdout.write(textwrap.fill(line, 80, subsequent_indent=" " * 34) + "\n")
    if found:
        sys.stdout.write(
            f"\nThis project seems to be checked with: {found}\n"
            "It is never run unasked; this gives it a seat:\n"
            f"  guild validate . --verify {found!r}\n"
        )


def _python() -> Check:
    return Check("python", sys.version_info >= (3, 11), platform.python_version())


def _git() -> Check:
    path = shutil.which("git")
    if not path:
        return Check("git", False, "not found: install git")
    told = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    return Check("git", told.returncode == 0, told.stdout.strip().removeprefix("git version "))


def _repository() -> Check:
    from pathlib import Path

    from guildmoot.packet import find_root

    try:
        return Check("repository", True, str(find_root(Path.cwd())), needed=False)
    except GuildmootError as error:
        return Check("repository", False, error.message, needed=False)


def _settings() -> Check:
    try:
        config = process_config(project_root())
    except GuildmootError as error:
        return Check("settings", False, error.message)
    sources = sorted({origin.source for origin in config.values.values()})
    return Check("settings", True, ", ".join(sources))


def _agents(registry: Registry) -> list[Check]:
    thinkers = [agent for agent in registry.agents.values() if _needs_model(agent)]
    checks = [_thinkers(thinkers)] if thinkers else []
    for name, agent in sorted(registry.agents.items()):
        if agent in thinkers:
            continue
        missing = get_backend(agent.backend).missing(agent)
        needed = (
            agent.origin == "package" and traits_of(agent.backend).is_tool and not agent.optional
        )
        checks.append(Check(name, not missing, missing or f"{agent.backend} can answer", needed))
    return checks


def _needs_model(agent: Agent) -> bool:
    return traits_of(agent.backend).needs == "command" and not agent.command


def _thinkers(agents: list[Agent]) -> Check:
    """Agents that only hold instructions are one line: each needs the same thing."""
    detail = f"{len(agents)} agents think and need a command or a model, e.g. {agents[0].name}"
    return Check("judges that think", False, detail, needed=False)


def _files(registry: Registry) -> list[Check]:
    return [
        Check("agent file", False, f"{problem.path}:{problem.line}: {problem.reason}", needed=False)
        for problem in registry.problems
    ]
