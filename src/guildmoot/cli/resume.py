"""``guild resume``: go on with a run that was stopped or killed; what is finished is not asked again."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import cast

from guildmoot.cli.arguments import Parser
from guildmoot.cli.config import project_root
from guildmoot.cli.verdict import add_output, check_reports, print_report, write_reports
from guildmoot.config import Value
from guildmoot.errors import UsageError

_CAN = {"council": ("resume", "replay", "rerun"), "whiteboard": ("resume",)}
"""What can be done again with runs that are no panel's; ``resume_<practice>`` does it."""


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
    return _resume(options)


def _resume(options: argparse.Namespace) -> int:
    from guildmoot.calls import run_foreground
    from guildmoot.cli.watching import watch_run
    from guildmoot.practices.resuming import resume, unfinished
    from guildmoot.runs.record import find_run

    root = project_root()
    folder = find_run(root, options.run) if options.run else unfinished(root)
    other = other_practice(folder, "resume")
    if other:
        return other(root, folder, options, flags(options))
    check_reports(options.report)
    with watch_run(quiet=options.quiet or options.json) as watch:
        report = run_foreground(resume(root, folder, flags(options), watch))
    print_report(report, as_json=options.json, show_all=options.all)
    write_reports(report, options.report)
    return report.header.exit_code


def other_practice(folder: Path, action: str) -> Callable[..., int] | None:
    """What does the action for a run that is no panel; None for a panel's."""
    from guildmoot.runs.record import read_part

    practice = read_part(folder, "request").get("practice", "panel")
    if practice == "panel":
        return None
    if action not in _CAN.get(str(practice), ()):
        raise UsageError(f"a run of the kind {practice} has nothing to {action}")
    module = __import__(f"guildmoot.cli.resume_{practice}", fromlist=[action])
    return cast("Callable[..., int]", getattr(module, action))


def flags(options: argparse.Namespace) -> dict[str, Value]:
    """The settings that were given on the command line."""
    given = {
        "budget.run_usd": getattr(options, "max_usd", None),
        "panel.timeout": getattr(options, "timeout", None),
        "policy.name": getattr(options, "policy", None),
        "panel.fail_on": options.fail_on,
    }
    return {key: value for key, value in given.items() if value is not None}
