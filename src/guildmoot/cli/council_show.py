"""``guild council show``: a recorded council again, its debate alone, or its record for other tools."""

from __future__ import annotations

import sys

from guildmoot.cli.arguments import Parser, add_json
from guildmoot.cli.config import project_root
from guildmoot.errors import UsageError


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "council show",
        "Show a recorded council again. Nothing is called or written. RUN is an id, the start of\n"
        "one, or 'last'.",
        "  guild council show last\n  guild council show last --debate\n"
        "  guild council show last --g4 TICKET-12 > council-report.json",
    )
    parser.add_argument("run", nargs="?", default="last", metavar="RUN")
    parser.add_argument("--debate", action="store_true", help="only who moved, and why")
    parser.add_argument(
        "--g4", default="", metavar="AUTHORIZATION", help="as council-report.v1, a bounded record"
    )
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.calls import run_foreground
    from guildmoot.cli.council import print_council
    from guildmoot.model.council import CouncilReport
    from guildmoot.runs.index import find_run
    from guildmoot.runs.resume import replay
    from guildmoot.system.jsonio import dumps

    root = project_root()
    folder = find_run(root, options.run)
    report = run_foreground(replay(root, folder, {}))
    if not isinstance(report, CouncilReport):
        raise UsageError("this run is no council", "'guild runs show' tells what it is.")
    if options.g4:
        from guildmoot.reports.council.council_report_v1 import to_g4

        sys.stdout.write(dumps(to_g4(report, authorization_id=options.g4)) + "\n")
        return 0
    if not options.debate:
        print_council(report, root, as_json=options.json, show_all=True)
        return 0
    if report.debate is None:
        raise UsageError("there was no debate in that council", "--debate=on holds one.")
    if options.json:
        from guildmoot.reports.council.json import render_json

        found = {"schema_version": 1, "debate": render_json(report)["debate"]}
        sys.stdout.write(dumps(found) + "\n")
        return 0
    from guildmoot.reports.council.terminal_debate import debate_view
    from guildmoot.reports.pen import open_console

    debate_view(report, open_console())
    return 0
