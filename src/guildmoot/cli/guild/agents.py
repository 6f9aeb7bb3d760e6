"""``guild agents``: who can be seated, what an agent file says, and which files are broken."""

from __future__ import annotations

import sys

from guildmoot.agents.registry import Registry, load_agents, user_agents_folder
from guildmoot.cli.arguments import Parser, add_json
from guildmoot.cli.guild.config import project_root
from guildmoot.errors import EXIT_OK, EXIT_USAGE
from guildmoot.model.agent import Agent
from guildmoot.system.jsonio import dumps


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "agents",
        "Agents are Markdown files with front matter. Looked up, first wins: .guild/agents,\n"
        ".claude/agents, the user's config folder, the package.",
        "  guild agents list\n  guild agents show ruff-correctness\n  guild agents check",
    )
    parser.add_argument("action", choices=("list", "show", "check"))
    parser.add_argument("name", nargs="?", metavar="NAME", help="the agent to show")
    add_json(parser)
    options = parser.parse_args(argv)
    registry = load_agents(project_root(), user_agents_folder())
    if options.action == "check":
        return _check(registry, as_json=options.json)
    if options.action == "show":
        if not options.name:
            parser.error("which agent? 'guild agents list' names them")
        return _show(registry.get(options.name), as_json=options.json)
    return _list(registry, as_json=options.json)


def _list(registry: Registry, *, as_json: bool) -> int:
    agents = sorted(registry.agents.values())
    if as_json:
        rows = [_plain(agent) for agent in agents]
        problems = [problem._asdict() for problem in registry.problems]
        sys.stdout.write(dumps({"schema_version": 1, "agents": rows, "problems": problems}) + "\n")
        return EXIT_OK
    width = max(len(agent.name) for agent in agents)
    for agent in agents:
        kind = agent.backend if agent.origin == "package" else f"{agent.backend} ({agent.origin})"
        line = f"{agent.name:<{width}}  {kind:<8} {' '.join(agent.description.split())}"
        sys.stdout.write(shorten(line) + "\n")
    _warn(registry)
    return EXIT_OK


def _show(agent: Agent, *, as_json: bool) -> int:
    if as_json:
        sys.stdout.write(dumps({"schema_version": 1, "agent": _plain(agent)}) + "\n")
        return EXIT_OK
    shown = {key: value for key, value in _plain(agent).items() if value and key != "body"}
    width = max(len(key) for key in shown)
    for key, value in shown.items():
        sys.stdout.write(f"{key:<{width}}  {_text(value)}\n")
    sys.stdout.write(f"\n{agent.body.strip()}\n")
    return EXIT_OK


def _check(registry: Registry, *, as_json: bool) -> int:
    code = EXIT_USAGE if registry.problems else EXIT_OK
    if as_json:
        problems = [problem._asdict() for problem in registry.problems]
        body = {"schema_version": 1, "ok": not problems, "agents": len(registry.agents)}
        sys.stdout.write(dumps({**body, "problems": problems}) + "\n")
        return code
    for problem in registry.problems:
        sys.stdout.write(f"{problem.path}:{problem.line}: {problem.reason}\n")
    for hidden in registry.shadowed:
        sys.stdout.write(f"note: {hidden.agent.source} is not used: {hidden.by} comes first\n")
    bad = len(registry.problems)
    sys.stdout.write(
        f"{len(registry.agents)} agents, {bad} {'problem' if bad == 1 else 'problems'}\n"
    )
    return code


def _warn(registry: Registry) -> None:
    for problem in registry.problems:
        sys.stderr.write(f"broken: {problem.path}:{problem.line}: {problem.reason}\n")


def _plain(agent: Agent) -> dict[str, object]:
    mappings = ("exit_codes", "severities")
    return {
        key: {str(k): v for k, v in value} if key in mappings else value
        for key, value in agent._asdict().items()
    }


def shorten(line: str, width: int = 80) -> str:
    """A line that fits a narrow terminal; the rest is for ``show``."""
    return line if len(line) <= width else line[: width - 3].rstrip() + "..."


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return " ".join(str(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{key}={item}" for key, item in value.items())
    return str(value)
