"""``guild initiative``: goals that outlive one piece of work; and ``guild work init``."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import Parser, add_json, add_options, text
from guildmoot.cli.guild.work.show import short_path, wrapped
from guildmoot.cli.output import emit
from guildmoot.errors import UsageError

if TYPE_CHECKING:
    from guildmoot.lifecycle.project.initiatives import Initiative

_NAMED = ("status", "update", "add", "archive", "restore", "close")


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "initiative",
        "Goals that outlive one piece of work. Work belongs to one when you say so ('guild run"
        " --initiative ID', or work.initiative in the settings); its bundles then carry the goal.",
        "  guild initiative new 'Faster checkout' --goal 'p95 of a checkout below 1 s'\n"
        "  guild initiative add faster-checkout cart-cache\n"
        "  guild initiative close faster-checkout --release v2.1 --documents CHANGELOG.md",
    )
    parser.add_argument("what", choices=("new", "list", *_NAMED))
    parser.add_argument("name", nargs="?", default="", metavar="TITLE|ID")
    parser.add_argument("work", nargs="?", default="", metavar="SLUG")
    add_options(
        parser,
        ("--goal", "what it is for", text("TEXT")),
        ("--settled", "with update: what was settled", text("TEXT")),
        ("--release", "with close: what was released", text("NAME")),
        ("--documents", "with close: the file that tells of it", text("FILE")),
    )
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api import initiatives as api

    cwd, name = Path.cwd(), options.name
    if options.what == "list":
        found = asyncio.run(api.list_initiatives(cwd))
        rows = [f"{each.id:<30} {each.state:<9} {each.title}" for each in found] or [
            "there are none"
        ]
        return emit({"initiatives": [_plain(each) for each in found]}, rows, as_json=options.json)
    if not name:
        raise UsageError(f"{options.what} needs a name", f"guild initiative {options.what} NAME")
    if options.what == "status":
        one, happened = asyncio.run(api.show_initiative(name, cwd))
        rows = [*_rows(one), *(f"  {row.get('when')}  {row.get('what')}" for row in happened)]
        return emit({**_plain(one), "activity": happened}, rows, as_json=options.json)
    if options.what == "new":
        one = asyncio.run(api.new_initiative(name, options.goal, cwd))
    elif options.what == "update":
        one = asyncio.run(
            api.update_initiative(name, cwd, goal=options.goal, settled=options.settled)
        )
    elif options.what == "add":
        one = asyncio.run(api.add_to_initiative(name, options.work, cwd))
    elif options.what == "close":
        from guildmoot.lifecycle.project.initiatives import InitiativeClosing

        proof = InitiativeClosing(options.release, options.documents)
        one = asyncio.run(api.close_initiative(name, proof, cwd))
    else:
        to = "archived" if options.what == "archive" else "active"
        one = asyncio.run(
            api.move_initiative(name, "archived" if to == "archived" else "active", cwd)
        )
    return emit(_plain(one), _rows(one), as_json=options.json)


def _plain(one: Initiative) -> dict[str, object]:
    return {**one._asdict(), "folder": str(one.folder), "work": list(one.work)}


def _rows(one: Initiative) -> Iterator[str]:
    yield f"{one.id}: {one.state}, {one.title}"
    yield from wrapped(f"  goal: {one.goal or 'not said yet'}", "    ")
    yield f"  work: {', '.join(one.work) or 'none yet'}"
    yield f"  {short_path(one.folder)}"


def init(argv: list[str]) -> int:
    """``guild work init``."""
    parser = Parser(
        "work init",
        "Writes what a project needs before its first piece of work: a map of the codebase, an overview"
        " and goals in the wiki, a guild.toml in which nothing is set. What is there stays.",
        "  guild work init --about 'A shop for tea' --goals 'orders without accounts'",
    )
    add_options(
        parser,
        ("--about", "what this project is", text("TEXT")),
        ("--goals", "what it is for", text("TEXT")),
    )
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.initiatives import init_project

    about, goals = options.about, options.goals
    if sys.stdin.isatty() and not options.json:
        about = about or _asked("What is this project? (empty: only the map tells)")
        goals = goals or _asked("What is it for? (empty: left open)")
    done = asyncio.run(init_project(Path.cwd(), about=about, goals=goals))
    rows: Sequence[str] = [
        f"{done.shape}, {done.files} files",
        *(f"  written {each}" for each in done.written),
        *(f"  kept    {each}" for each in done.kept),
        *(f"  open    guild work init {each}" for each in done.missing),
        "next: guild run 'what you want'",
    ]
    return emit(done._asdict(), rows, as_json=options.json)


def _asked(question: str) -> str:
    sys.stdout.write(f"{question}\n> ")
    sys.stdout.flush()
    return sys.stdin.readline().strip()
