"""``guild council compare``: what changed between two runs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import Parser, add_json
from guildmoot.cli.guild.config import project_root

if TYPE_CHECKING:
    from guildmoot.model.verdict import Issue
    from guildmoot.practices.run_diff import IssueMatch, RunDiff

_SIGNS = {"new": "+", "still there": "=", "fixed": "-"}


def main(argv: list[str]) -> int:
    """Run the action."""
    parser = Parser(
        "council compare",
        "Compare two runs, the older one first: the verdicts, who changed sides, and which issues\n"
        "are fixed, still there or new. RUN is an id, the start of one, or 'last'.",
        "  guild council compare 20261115-2137 last\n"
        "  guild council compare 20261115-2137 20261116-0900 --json",
    )
    parser.add_argument("before", metavar="RUN")
    parser.add_argument("now", metavar="RUN")
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.practices.run_diff import compare_runs, load_past_run

    root = project_root()
    found = compare_runs(load_past_run(root, options.before), load_past_run(root, options.now))
    if options.json:
        from guildmoot.system.jsonio import dumps

        sys.stdout.write(dumps(_plain(found)) + "\n")
        return 0
    _print(found)
    return 0


def _print(found: RunDiff) -> None:
    from guildmoot.practices.run_diff import FATES
    from guildmoot.reports.pen import Pen, open_console
    from guildmoot.reports.view import place

    pen = Pen(open_console())
    pen.line(pen.text(f"{found.before.outcome} -> {found.now.outcome}", "bold"))
    pen.line(pen.text(f"  {found.before.run_id} -> {found.now.run_id}", "dim"))
    for label, before, now in found.judges:
        if before != now:
            pen.line(pen.text(f"  {label}: {before} -> {now}"))
    for fate in FATES:
        for match in found.of(fate):
            shown = match.issue.representative
            text = f"{place(shown)} {shown.title}" if shown.path else shown.title
            pen.hanging(pen.text(f"  {_SIGNS[fate]} {fate:<11} "), pen.text(text))
    if not found.matches:
        pen.line(pen.text("  neither run found anything"))


def _plain(found: RunDiff) -> dict[str, object]:
    return {
        "schema_version": 1,
        "before": {"run_id": found.before.run_id, "outcome": found.before.outcome},
        "now": {"run_id": found.now.run_id, "outcome": found.now.outcome},
        "judges": [
            {"judge": label, "before": before, "now": now} for label, before, now in found.judges
        ],
        "issues": [_issue(match) for match in found.matches],
    }


def _issue(match: IssueMatch) -> dict[str, object]:
    shown = match.issue.representative
    return {
        "fate": match.fate,
        "title": shown.title,
        "path": shown.path,
        "before": _side(match.before),
        "now": _side(match.now),
    }


def _side(issue: Issue | None) -> dict[str, object] | None:
    if issue is None:
        return None
    return {"id": issue.id, "severity": issue.severity, "line": issue.representative.line}
