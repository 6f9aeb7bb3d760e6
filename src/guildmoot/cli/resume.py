"""``guild resume``: go on with a run that was stopped or killed; what is finished is not asked again."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import Parser
from guildmoot.cli.config import project_root
from guildmoot.cli.report_files import check_files, write_files
from guildmoot.cli.verdict import add_output
from guildmoot.config import Value
from guildmoot.errors import UsageError

if TYPE_CHECKING:
    from guildmoot.runs.practice import Again


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "resume",
        "Go on with a run that was stopped, killed or refused. What was answered stands and costs\n"
        "nothing again; only what is missing is asked. The files may have changed since: what is\n"
        "judged is what was judged then. RUN is an id, the start of one, or 'last'; without it,\n"
        "the newest unfinished run.",
        "  guild resume                       the newest unfinished run\n"
        "  guild resume 20261115-2137\n  guild resume last --max-usd 5",
    )
    parser.add_argument("run", nargs="?", metavar="RUN")
    parser.add_argument("--max-usd", type=float, metavar="USD", help="another limit for the run")
    parser.add_argument("--timeout", type=float, metavar="S", help="seconds for one seat")
    add_output(parser.add_argument_group("what comes out"))
    options = parser.parse_args(argv)
    from guildmoot.runs.index import find_run
    from guildmoot.runs.resume import unfinished

    root = project_root()
    folder = find_run(root, options.run) if options.run else unfinished(root)
    return go_again("resume", options, folder, root)


def go_again(action: Again, options: argparse.Namespace, folder: Path, root: Path) -> int:
    """Do it with the run in ``folder``, whatever its practice, and print what came of it."""
    from guildmoot.calls import run_foreground
    from guildmoot.cli.watching import watch_run
    from guildmoot.runs.practice import practice_of
    from guildmoot.runs.resume import replay, rerun, resume

    practice = practice_of(folder)
    reports = practice.reports()
    if options.report and not reports.render:
        raise UsageError(f"a run of the kind {practice.name} has no report files")
    check_files(options.report, reports.formats)
    given = flags(options)
    with watch_run(quiet=options.quiet or options.json) as watch:
        report = run_foreground(
            resume(root, folder, given, watch)
            if action == "resume"
            else replay(root, folder, given)
            if action == "replay"
            else rerun(root, folder, options.seat, given, watch)
        )
    if options.json:
        from guildmoot.system.jsonio import write

        write(reports.to_json(report), sys.stdout.buffer)
    else:
        reports.show(report, root, options.all)
    if reports.render:
        write_files(options.report, partial(reports.render, report))
    return report.exit_code


def flags(options: argparse.Namespace) -> dict[str, Value]:
    """The settings that were given on the command line."""
    given = {
        "budget.run_usd": getattr(options, "max_usd", None),
        "panel.timeout": getattr(options, "timeout", None),
        "policy.name": getattr(options, "policy", None),
        "panel.fail_on": options.fail_on,
    }
    return {key: value for key, value in given.items() if value is not None}
