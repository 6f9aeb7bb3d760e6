"""``guild agents``, ``doctor``, ``policies`` and ``config``: what there is to judge with, and how."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import Parser, add_json, project_root
from guildmoot.cli.output import emit, shorten
from guildmoot.errors import EXIT_OK, EXIT_USAGE
from guildmoot.text.clean import one_line

if TYPE_CHECKING:
    from guildmoot.agents.fields import AgentProblem
    from guildmoot.agents.registry import Registry
    from guildmoot.agents.repository import BroughtAgent
    from guildmoot.api.setup import Diagnosis
    from guildmoot.config import Config
    from guildmoot.model.agent import Agent


def agents(argv: list[str]) -> int:
    """Run ``guild agents``."""
    parser = Parser(
        "agents",
        "Agents are Markdown files with front matter. Looked up, first wins: the user's\n"
        "config folder, the package. Those of the repository (.guild/agents, .claude/agents)\n"
        "are called repo:NAME, once `guild trust` was told that their files are trusted.",
        "  guild agents list\n  guild agents show ruff\n  guild agents check",
    )
    parser.add_argument("action", choices=("list", "show", "check"))
    parser.add_argument("name", nargs="?", metavar="NAME", help="the agent to show")
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.agents.repository import BroughtAgent
    from guildmoot.api.setup import find_agents

    registry = find_agents(Path.cwd())
    everybody = [*_everybody(registry)]
    wrong = (*registry.problems, *registry.repository.found.problems)
    problems = [problem._asdict() for problem in wrong]
    if options.action == "check":
        found = {"ok": not problems, "agents": len(everybody), "problems": problems}
        emit(found, _checked(registry, wrong, len(everybody)), as_json=options.json)
        return EXIT_USAGE if problems else EXIT_OK
    if options.action == "show":
        if not options.name:
            parser.error("which agent? 'guild agents list' names them")
        key = options.name.casefold()
        shown = next((each for each in everybody if each.agent.name.casefold() == key), None)
        agent, trusted = shown or BroughtAgent(registry.get(options.name), True)
        return emit({"agent": _plain(agent, trusted)}, _shown(agent, trusted), as_json=options.json)
    rows = [_plain(agent, trusted) for agent, trusted in everybody]
    emit({"agents": rows, "problems": problems}, _listed(everybody), as_json=options.json)
    for problem in () if options.json else wrong:
        sys.stderr.write(f"broken: {problem.path}:{problem.line}: {problem.reason}\n")
    return EXIT_OK


def _everybody(registry: Registry) -> Iterator[BroughtAgent]:
    """Also those of the repository that nobody trusts: they are shown, and not called."""
    from guildmoot.agents.repository import BroughtAgent

    yield from (BroughtAgent(agent, True) for agent in sorted(registry.agents.values()))
    yield from sorted(registry.repository.found.agents.values())


def _listed(everybody: list[BroughtAgent]) -> Iterator[str]:
    width = max(len(agent.name) for agent, _ in everybody)
    for agent, trusted in everybody:
        kind = agent.backend if agent.origin == "package" else f"{agent.backend} ({agent.origin})"
        kind += "" if trusted else " not trusted:"
        yield shorten(f"{agent.name:<{width}}  {kind:<8} {' '.join(agent.description.split())}")


def _shown(agent: Agent, trusted: bool) -> Iterator[str]:
    plain = {**_plain(agent, trusted), "trusted": "yes" if trusted else "no"}
    shown = {key: value for key, value in plain.items() if value and key != "body"}
    width = max(len(key) for key in shown)
    for key, value in shown.items():
        yield f"{key:<{width}}  {_text(value)}"
    yield f"\n{agent.body.strip()}"


def _checked(registry: Registry, wrong: Sequence[AgentProblem], number: int) -> Iterator[str]:
    for problem in wrong:
        yield f"{problem.path}:{problem.line}: {problem.reason}"
    for hidden in (*registry.shadowed, *registry.repository.found.shadowed):
        yield f"note: {hidden.agent.source} is not used: {hidden.by} comes first"
    for name, each in registry.repository.found.agents.items():
        if not each.trusted:
            yield f"note: {name} is not called: nobody trusted it; see `guild trust`"
    bad = len(wrong)
    yield f"{number} agents, {bad} {'problem' if bad == 1 else 'problems'}"


def _plain(agent: Agent, trusted: bool) -> dict[str, object]:
    mappings = ("exit_codes", "severities")
    plain = {
        key: {str(k): v for k, v in value} if key in mappings else value
        for key, value in agent._asdict().items()
    }
    return {**plain, "trusted": trusted}


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return " ".join(str(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{key}={item}" for key, item in value.items())
    return str(value)


def doctor(argv: list[str]) -> int:
    """Run ``guild doctor``."""
    parser = Parser(
        "doctor",
        "Tell what is installed, which agents could answer, and what to do for the others.",
        "  guild doctor\n  guild doctor --json",
    )
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.setup import diagnose
    from guildmoot.version import __version__

    found = diagnose(Path.cwd())
    checks = [check._asdict() for check in found.checks]
    data = {"version": __version__, "checks": checks, "verification": found.verification}
    rows = (f"guildmoot {__version__}", *_diagnosis(found))
    emit(data, rows, as_json=options.json)
    return found.exit_code


def _diagnosis(found: Diagnosis) -> Iterator[str]:
    from guildmoot.api.setup import Check

    shown = [check for check in found.checks if not check.idle]
    idle = [check.name for check in found.checks if check.idle]
    if idle:
        said = f"{', '.join(idle)}: not installed, and nothing here is for them (--json has more)"
        shown.append(Check("other tools", False, said, needed=False))
    for check in shown:
        mark = "ok" if check.ok else ("MISSING" if check.needed else "-")
        line = f"{mark:<8} {check.name:<24} {check.detail}"
        yield textwrap.fill(line, 80, subsequent_indent=" " * 34)
    if found.verification:
        yield f"\nThis project seems to be checked with: {found.verification}"
        yield "It is never run unasked; this gives it a seat:"
        yield f"  guild validate . --verify {found.verification!r}"


_SHOWN_SIZE = 5
"""Families of the panel whose figures are printed; JSON has all."""


def policies(argv: list[str]) -> int:
    """Run ``guild policies``."""
    parser = Parser(
        "policies",
        "List the policies. One is picked with --policy or policy.name in guild.toml.",
        "  guild policies\n  guild validate . --policy agreement",
    )
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.consensus.opinions import decided_here
    from guildmoot.consensus.policies import POLICIES
    from guildmoot.consensus.published import AGREEMENT, DATA
    from guildmoot.consensus.votes.counting import wilson
    from guildmoot.consensus.votes.evidence import upheld_by_families
    from guildmoot.memory.calibration import read

    own = decided_here(upheld_by_families(read(project_root()).dispositions))
    rows = [{"name": policy.name, "about": policy.about} for policy in POLICIES.values()]
    shown = {number: AGREEMENT[number, size] for number, size in AGREEMENT if size == _SHOWN_SIZE}
    told = {n: f"{share:.0%} ({low:.0%} to {high:.0%})" for n, (share, low, high) in shown.items()}
    for n, (up, seen) in own.items():
        low, high = wilson(up, seen)
        told[n] = f"{up} of {seen} were upheld in this project ({low:.0%} to {high:.0%})"
    lines = (
        *(f"{policy.name:<10} {policy.about}" for policy in POLICIES.values()),
        f"\nHow often an issue was right by how many of {_SHOWN_SIZE} families named it, and the 95 %",
        f"interval ({DATA}; other sizes: --json):",
        *(f"  {n}: {worth}" for n, worth in sorted(told.items())),
    )
    worth = [
        {"families": n, "of": size, "right": share, "low": low, "high": high}
        for (n, size), (share, low, high) in AGREEMENT.items()
    ]
    here = [{"families": n, "upheld": up, "decided": seen} for n, (up, seen) in own.items()]
    data = {"policies": rows, "agreement": {"data": DATA, "worth": worth, "here": here}}
    return emit(data, lines, as_json=options.json)


def config(argv: list[str]) -> int:
    """Run ``guild config``."""
    parser = Parser(
        "config",
        "Show the settings in force, or check the files that hold them.\n"
        "Precedence: built in < profile < user's guild.toml < .guild/settings.json of earlier\n"
        "releases < project's guild.toml or\n"
        "[tool.guildmoot] in pyproject.toml < environment (GUILD_PANEL_TIMEOUT, and older names\n"
        "such as COUNCIL_TIMEOUT) < flag.",
        "  guild config show --sources\n  guild config check",
    )
    parser.add_argument("action", choices=("show", "check"))
    parser.add_argument("--sources", action="store_true", help="say where each value came from")
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.guard.settings import settings_for

    found = settings_for(project_root())
    if options.action == "check":
        _check_project(project_root())
        return _check_settings(found, as_json=options.json)
    rows = _setting_rows(found, options.sources)
    return emit(_settings_json(found), rows, as_json=options.json)


def _check_project(root: Path) -> None:
    """ConfigError for what is wrong in the project's own file, whether it is used or not."""
    from guildmoot.config import project_table, read_table
    from guildmoot.errors import ConfigError
    from guildmoot.guard.trust import SETTINGS_FILES, files_at
    from guildmoot.model.seed_settings import read_seed
    from guildmoot.model.settings import SEED_FILE

    files = files_at(root, "", (*SETTINGS_FILES, SEED_FILE))
    if found := project_table(files):
        read_table(found[1], found[0])
    if SEED_FILE in files and (wrong := read_seed(files[SEED_FILE]).problems):
        rows = "\n".join(f"  {path} {message}" for path, message in wrong[1:])
        raise ConfigError(
            f"{SEED_FILE}: {wrong[0].path} {wrong[0].message}".replace(":  ", ": "), rows
        )


def _check_settings(config: Config, *, as_json: bool) -> int:
    """Loading has already refused what is wrong; what is left is to say what was read."""
    from guildmoot.config import BUILT_IN

    sources = sorted({origin.source for origin in config.values.values()} - {BUILT_IN})
    row = f"ok: {', '.join(sources) if sources else 'only built-in values'}"
    data = {"ok": True, "sources": sources, "notices": list(config.notices)}
    return emit(data, [row, *config.notices], as_json=as_json)


def _settings_json(config: Config) -> dict[str, object]:
    from guildmoot.config import env_name
    from guildmoot.model.settings import ALIASES
    from guildmoot.runs.record import shown

    settings = {
        key: {
            "value": shown(origin.value),
            "source": origin.source,
            "env": env_name(key),
            **({"aliases": list(ALIASES[key])} if key in ALIASES else {}),
            **({"unused": config.unused[key]} if key in config.unused else {}),
        }
        for key, origin in config.values.items()
    }
    return {"settings": settings, "notices": list(config.notices)}


def _setting_rows(config: Config, sources: bool) -> list[str]:
    from guildmoot.config import SETTINGS
    from guildmoot.model.settings import ALIASES
    from guildmoot.runs.record import shown
    from guildmoot.system.jsonio import dumps

    lines = [f"# {line}" for notice in config.notices for line in textwrap.wrap(notice, 78)]
    for key, origin in config.values.items():
        also = "".join(f" (${name})" for name in ALIASES.get(key, ()))
        comment = textwrap.wrap(f"{SETTINGS[key].help}{also}", 78, break_on_hyphens=False)
        lines += [f"# {line}" for line in comment]
        where = f"  # {origin.source}" if sources else ""
        value = shown(origin.value)  # JSON's scalars and lists are TOML's too
        plain = dumps(list(value) if isinstance(value, tuple) else value).replace("\n", "")
        lines.append(f"{key} = {plain}{where}")
        if key in config.unused:
            lines.append(shorten(f"# not used: {one_line(config.unused[key])}"))
    return lines
