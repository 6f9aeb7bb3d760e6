"""``guild council recheck``: do the findings of an earlier run still hold?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import Parser, add_json
from guildmoot.cli.guild.config import project_root
from guildmoot.config import process_config

if TYPE_CHECKING:
    from guildmoot.practices.recheck import Recheck, Rechecked

_SIGNS = {"holds": "=", "moved": "~", "vanished": "-", "unchecked": "?"}


def main(argv: list[str]) -> int:
    """Run the action."""
    parser = Parser(
        "council recheck",
        "Look the findings of a run up in the work as it is now: quotes in the files, and the\n"
        "findings' own assertions where grounding.allow names their programs. Nobody is asked.\n"
        "RUN is an id, the start of one, or 'last'.",
        "  guild council recheck last\n  guild council recheck 20261115-2137 --head --json",
    )
    parser.add_argument("run", nargs="?", default="last", metavar="RUN")
    parser.add_argument("--head", action="store_true", help="the last commit, not the working tree")
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.practices.recheck import recheck
    from guildmoot.practices.run_diff import load_past_run

    root = project_root()
    found = recheck(root, load_past_run(root, options.run), process_config(root), head=options.head)
    if options.json:
        from guildmoot.system.jsonio import dumps

        sys.stdout.write(dumps(_plain(found)) + "\n")
        return 0
    _print(found)
    return 0


def _print(found: Recheck) -> None:
    from guildmoot.practices.recheck import STANDINGS
    from guildmoot.reports.pen import Pen, open_console

    pen = Pen(open_console())
    number = {word: sum(each.standing == word for each in found.issues) for word in STANDINGS}
    told = ", ".join(f"{count} {word}" for word, count in number.items() if count) or "no findings"
    pen.line(pen.text(f"{found.run.run_id} against {found.against}: {told}", "bold"))
    for each in found.issues:
        lead = pen.text(f"  {_SIGNS[each.standing]} {each.standing:<10} ")
        pen.hanging(lead, pen.text(_claim(each)))
        pen.hanging(pen.text(" " * len(lead)), pen.text(each.detail, "dim"))


def _claim(each: Rechecked) -> str:
    shown = each.issue.representative
    line = each.line or shown.line
    place = f"{shown.path}:{line}" if shown.path and line else shown.path
    return " ".join(filter(None, (place, " ".join(shown.title.split()))))


def _plain(found: Recheck) -> dict[str, object]:
    rows = [
        {
            "id": each.issue.id,
            "standing": each.standing,
            "detail": each.detail,
            "assertions_ran": each.ran,
            "severity": each.issue.severity,
            "title": each.issue.representative.title,
            "path": each.issue.representative.path,
            "line": each.issue.representative.line,
            "line_now": each.line,
        }
        for each in found.issues
    ]
    return {
        "schema_version": 1,
        "run_id": found.run.run_id,
        "outcome": found.run.outcome,
        "against": found.against,
        "changed_files": list(found.changed),
        "findings": rows,
    }
