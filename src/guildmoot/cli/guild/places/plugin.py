"""``guild plugin``: build the plugin for coding agents, put it into one, take it away."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import YES, Parser, add_json, add_options, project_root
from guildmoot.cli.output import emit
from guildmoot.errors import EXIT_USAGE, UsageError
from guildmoot.text.clean import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from guildmoot.guard.install.setup import SettingsChange

_AFTER = {
    "claude": "Claude Code: start it anew, then /guild:guild-validate",
    "codex": "Codex: start it anew; $guild-validate, or ask for a verdict",
    "gemini": "Gemini: start it anew; /guild:status, or ask for a verdict",
}


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "plugin",
        "Put guild's skills, commands, agents, hooks and MCP server into a coding agent: for you, or\n"
        "with --project for this project alone. Shows every change first and asks. 'build' writes the\n"
        "plugin's files into a folder.",
        "  guild plugin install --claude\n  guild plugin install --codex --project\n"
        "  guild plugin install --claude --status-line --yes\n"
        "  guild plugin uninstall --claude\n  guild plugin build plugin",
    )
    parser.add_argument("action", choices=("install", "uninstall", "build"))
    parser.add_argument("folder", nargs="?", type=Path, help="for build")
    for host in _AFTER:
        parser.add_argument(f"--{host}", action="store_true", help=f"for {host}")
    add_options(
        parser,
        ("--project", "of this project, not of yours", YES),
        ("--status-line", "claude: also show the work in the status line", YES),
        ("--yes", "without asking", YES),
        ("--diff", "show every line that changes, not only the files", YES),
    )
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.places import plugin_install

    if options.action == "build":
        written = plugin_install.build(options.folder or Path("plugin"))
        rows = [f"{count(len(written), 'file')} written"]
        return emit({"files": [str(path) for path in written]}, rows, as_json=options.json)
    hosts = [host for host in _AFTER if getattr(options, host)]
    if not hosts:
        raise UsageError("for which agent?", "Name at least one: --claude, --codex, --gemini.")
    away = options.action == "uninstall"
    changes, kept = plugin_install.plan(
        hosts, project_root() if options.project else None, os.environ,
        status_line=options.status_line, uninstall=away,
    )  # fmt: skip
    data = {
        "hosts": hosts,
        "changed": [str(each.path) for each in changes],
        "kept": [str(path) for path in kept],
    }
    sys.stderr.writelines(f"kept {path}: guild did not write it as it is\n" for path in kept)
    if not changes:
        return emit(data, ["Nothing is to be changed."], as_json=options.json)
    sys.stderr.writelines(_shown(changes, whole=options.diff))
    if not options.yes and not _agreed():
        return EXIT_USAGE
    plugin_install.apply(changes)
    done = [f"{count(len(changes), 'file')} {'taken back' if away else 'written'}"]
    done += [] if away else [_AFTER[host] for host in hosts]
    return emit({**data, "done": True}, done, as_json=options.json)


def _shown(changes: Sequence[SettingsChange], *, whole: bool) -> list[str]:
    """Files that others wrote to are shown line by line; of ours the names."""
    rows = []
    for each in changes:
        if whole or (each.before is not None and each.after is not None):
            rows.append(each.diff)
        elif each.after is None:
            rows.append(f"- {each.path}\n")
        else:
            rows.append(f"+ {each.path}\n" if each.path.suffix != ".json" else each.diff)
    return rows


def _agreed() -> bool:
    """A person's yes; where nobody can be asked it is no."""
    if not sys.stdin.isatty():
        sys.stderr.write("Nothing was changed: --yes does it without asking.\n")
        return False
    sys.stderr.write("Do it? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().casefold() in ("y", "yes")
