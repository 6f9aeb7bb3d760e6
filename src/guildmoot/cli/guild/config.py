"""``guild config``: show the settings in force and where each came from; check the files."""

from __future__ import annotations

from pathlib import Path

from guildmoot.cli.arguments import Parser, add_json
from guildmoot.cli.output import emit
from guildmoot.config import BUILT_IN, SETTINGS, Config, Value, env_name, process_config
from guildmoot.model.settings import ALIASES
from guildmoot.system.jsonio import dumps


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "config",
        "Show the settings in force, or check the files that hold them.\n"
        "Precedence: built in < profile < user's guild.toml < project's guild.toml or\n"
        "[tool.guildmoot] in pyproject.toml < environment (GUILD_PANEL_TIMEOUT, and older names\n"
        "such as COUNCIL_TIMEOUT) < flag.",
        "  guild config show --sources\n  guild config check",
    )
    parser.add_argument("action", choices=("show", "check"))
    parser.add_argument("--sources", action="store_true", help="say where each value came from")
    add_json(parser)
    options = parser.parse_args(argv)
    config = process_config(project_root())
    if options.action == "check":
        return _check(config, as_json=options.json)
    rows = _as_rows(config, options.sources)
    return emit(_as_json(config), rows, as_json=options.json)


def project_root() -> Path:
    """The repository's root, or the working folder outside of one."""
    from guildmoot.system import git

    return git.project_root(Path.cwd())


def _check(config: Config, *, as_json: bool) -> int:
    """Loading has already refused what is wrong; what is left is to say what was read."""
    sources = sorted({origin.source for origin in config.values.values()} - {BUILT_IN})
    row = f"ok: {', '.join(sources) if sources else 'only built-in values'}"
    return emit({"ok": True, "sources": sources}, [row], as_json=as_json)


def _as_json(config: Config) -> dict[str, object]:
    from guildmoot.runs.record import shown

    settings = {
        key: {
            "value": shown(origin.value),
            "source": origin.source,
            "env": env_name(key),
            **({"aliases": list(ALIASES[key])} if key in ALIASES else {}),
        }
        for key, origin in config.values.items()
    }
    return {"settings": settings}


def _as_rows(config: Config, sources: bool) -> list[str]:
    from guildmoot.runs.record import shown

    lines = []
    for key, origin in config.values.items():
        also = "".join(f" (${name})" for name in ALIASES.get(key, ()))
        lines.append(f"# {SETTINGS[key].help}{also}")
        where = f"  # {origin.source}" if sources else ""
        lines.append(f"{key} = {_toml(shown(origin.value))}{where}")
    return lines


def _toml(value: Value) -> str:
    """JSON's scalars and lists are TOML's too."""
    return dumps(list(value) if isinstance(value, tuple) else value).replace("\n", "")
