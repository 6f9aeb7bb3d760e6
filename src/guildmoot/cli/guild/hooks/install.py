"""``guild guard install`` and ``uninstall``: shows what would change, asks, and does it."""

from __future__ import annotations

import argparse
import asyncio
import sys
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import Parser, add_json
from guildmoot.cli.output import emit
from guildmoot.errors import EXIT_FLAGGED, EXIT_USAGE, UsageError
from guildmoot.text.clean import clean, count

if TYPE_CHECKING:
    from guildmoot.guard.install.setup import InstallPlan

_HOSTS = ("claude", "codex", "gemini")


def install(argv: list[str]) -> int:
    """Put the guard in front of agents."""
    from guildmoot.api.guarding import install_guard, plan_guard

    options = _options("install", argv)
    hosts = _hosts(options)
    plan = asyncio.run(plan_guard(hosts, user=options.user))
    if not plan.changes:
        rows = ["It is installed already.", *plan.notes]
        emit(_plain(plan, done=True), rows, as_json=options.json)
        return EXIT_FLAGGED if plan.off else 0
    if not _agreed(plan, options):
        return EXIT_USAGE
    asyncio.run(install_guard(plan))
    state = "installed" if plan.off else "guarded"
    own = " --user" if options.user else ""
    rows = [
        f"{' and '.join(hosts)}: {state} {'everywhere' if own else 'in ' + plan.project}",
        *plan.notes,
        f"'guild guard probe' proves it; 'guild guard uninstall{own}' takes it away",
    ]
    emit(_plain(plan, done=True), rows, as_json=options.json)
    return EXIT_FLAGGED if plan.off else 0


def uninstall(argv: list[str]) -> int:
    """Take it away again."""
    from guildmoot.api.guarding import guarded_files, plan_unguard, uninstall_guard

    options = _options("uninstall", argv)
    plan = asyncio.run(plan_unguard(_named(options) or _HOSTS, user=options.user))
    if not plan.changes:
        rows = ["Nothing of the guard is here."]
        others = asyncio.run(guarded_files())
        rows += ["It is in:", *(f"  {clean(path)}" for path in others)] if others else []
        rows += ["Run it in that project, or with --user for your own settings."] if others else []
        return emit(_plain(plan, done=True), rows, as_json=options.json)
    if not _agreed(plan, options):
        return EXIT_USAGE
    asyncio.run(uninstall_guard(plan))
    edited = f", {plan.edited} of them with what was changed since" if plan.edited else ""
    row = f"{count(len(plan.changes), 'file')} without the guard{edited}; it is off"
    return emit(_plain(plan, done=True), [row], as_json=options.json)


def _options(word: str, argv: list[str]) -> argparse.Namespace:
    parser = Parser(
        f"guard {word}",
        "Merges the guard's hooks and the host's own rules into its settings: of this project"
        " (.claude/settings.local.json, kept out of git by .git/info/exclude, so that no stash, clean"
        " or commit takes it along) or of yours. Shows the change first."
        if word == "install"
        else "Takes out what the installation put in, for the agents named or all; a file that nobody"
        " changed since gets its old bytes back.",
        f"  guild guard {word} --claude          in this project\n"
        f"  guild guard {word} --codex --user    in your own settings\n"
        f"  guild guard {word} --claude --yes    without asking, for scripts",
    )
    for host in _HOSTS:
        parser.add_argument(f"--{host}", action="store_true", help=f"for {host}")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--project", action="store_true", help="in this project (the default)")
    where.add_argument("--user", action="store_true", help="in your own settings")
    parser.add_argument("--yes", action="store_true", help="without asking")
    add_json(parser)
    return parser.parse_args(argv)


def _named(options: argparse.Namespace) -> tuple[str, ...]:
    return tuple(host for host in _HOSTS if getattr(options, host))


def _hosts(options: argparse.Namespace) -> tuple[str, ...]:
    hosts = _named(options)
    if not hosts:
        raise UsageError("for which agent?", "Name at least one: --claude, --codex, --gemini.")
    return hosts


def _agreed(plan: InstallPlan, options: argparse.Namespace) -> bool:
    """Show the change and ask; nobody there to answer is no yes."""
    if options.yes and options.json:
        return True
    out = sys.stderr if options.json else sys.stdout
    for change in plan.changes:
        if str(change.path) == plan.handler:
            out.write(f"writes the handler {plan.handler}\n")
        else:
            out.write(clean(change.diff))
    if options.yes:
        return True
    if not sys.stdin.isatty():
        sys.stderr.write("nothing was changed: --yes agrees where nobody can be asked\n")
        return False
    out.write("Do it? [y/N] ")
    out.flush()
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        return True
    sys.stderr.write("nothing was changed\n")
    return False


def _plain(plan: InstallPlan, *, done: bool) -> dict[str, object]:
    return {
        "hosts": list(plan.hosts),
        "project": plan.project or None,
        "handler": plan.handler,
        "changed": [str(change.path) for change in plan.changes],
        "notes": list(plan.notes),
        "done": done,
    }
