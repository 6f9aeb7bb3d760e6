"""``guild trust``: the user's word for what a repository brings along to choose its judges."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import Parser, add_json
from guildmoot.cli.output import emit
from guildmoot.cli.person import not_in_a_lane
from guildmoot.errors import EXIT_USAGE, UsageError
from guildmoot.text.clean import clean, count

if TYPE_CHECKING:
    from guildmoot.api.trust import TrustReport

_MARKS = {"trusted": "trusted", "changed": "CHANGED since you trusted it", "new": "not trusted"}


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "trust",
        "Settings, agents and tables that a repository brings along are used only when you trust"
        " them here once. What you trust is their content: when it changes, you are asked anew."
        " Your word is kept in your own state folder, for every clone of the repository.",
        "  guild trust            show what this repository brings, and ask\n"
        "  guild trust main       the same for what another revision holds\n"
        "  guild trust --yes      without asking, for scripts\n"
        "  guild trust show       only show\n"
        "  guild trust revoke     trust nothing of this repository any more",
    )
    parser.add_argument(
        "what", nargs="?", default="", metavar="show|revoke|REVISION", help="see the examples"
    )
    parser.add_argument("--yes", action="store_true", help="trust it without asking")
    add_json(parser)
    options = parser.parse_args(argv)
    if options.what != "show":
        not_in_a_lane("trust")
    from guildmoot.api import trust as api

    if options.what == "revoke":
        gone = api.revoke(Path.cwd())
        row = f"{count(gone, 'file')} of this repository no longer trusted"
        return emit({"revoked": gone}, [row], as_json=options.json)
    found = api.look(Path.cwd(), "" if options.what == "show" else options.what)
    open_files = [file for file in found.files if file.state != "trusted"]
    if options.what == "show" or not open_files:
        return emit(_plain(found), _rows(found), as_json=options.json)
    if not options.yes and not _agreed(found, as_json=options.json):
        sys.stderr.write("nothing was trusted\n")
        return EXIT_USAGE
    found = api.accept(found)
    done = f"{count(len(found.files), 'file')} trusted; 'guild trust revoke' takes it back"
    rows = (*_rows(found), done) if options.yes else (done,)
    return emit(_plain(found), rows, as_json=options.json)


def _agreed(found: TrustReport, *, as_json: bool) -> bool:
    """Show it to a person and ask; nobody there to answer is no yes."""
    if found.problem:
        raise UsageError(f"nothing can be trusted here: {found.problem}")
    if as_json or not sys.stdin.isatty():
        raise UsageError(
            "there is nobody to ask: standard input is no terminal",
            "'guild trust show' shows it, 'guild trust --yes' trusts it.",
        )
    sys.stdout.write("".join(f"{line}\n" for line in _rows(found)))
    sys.stdout.write("Trust all of this, for every clone of this repository? [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().casefold() in ("y", "yes")


def _rows(found: TrustReport) -> Iterator[str]:
    where = f"in {found.revision}" if found.revision else "here"
    if not found.files:
        yield f"Nothing {where} would choose judges, programs or limits: there is nothing to trust."
    for file in found.files:
        yield f"{clean(file.path)}: {_MARKS[file.state]}"
        yield from (f"  {clean(line)}" for line in file.says)
    if found.problem:
        yield f"Nothing can be trusted here: {found.problem}."


def _plain(found: TrustReport) -> dict[str, object]:
    return {
        "first_commit": found.first_commit or None,
        "problem": found.problem or None,
        "revision": found.revision or None,
        "files": [
            {"path": file.path, "state": file.state, "says": list(file.says)}
            for file in found.files
        ],
    }
