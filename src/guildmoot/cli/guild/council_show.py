"""``guild council show``: a recorded council again, its debate alone, or its record for other tools."""

from __future__ import annotations

from guildmoot.cli.arguments import Parser, add_json
from guildmoot.cli.output import emit, show
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
    from guildmoot.api.runs import RunRequest, replay
    from guildmoot.calls import run_foreground
    from guildmoot.model.council import CouncilReport
    from guildmoot.practices.council.run import COUNCIL

    report = run_foreground(replay(RunRequest(options.run)))
    if not isinstance(report, CouncilReport):
        raise UsageError("this run is no council", "'guild runs show' tells what it is.")
    if options.g4:
        from guildmoot.reports.council.council_report_v1 import to_g4

        return emit(to_g4(report, authorization_id=options.g4), as_json=True)
    reports = COUNCIL.reports()
    if not options.debate:
        show(report, reports, as_json=options.json, details=True)
        return 0
    if report.debate is None:
        raise UsageError("there was no debate in that council", "--debate=on holds one.")
    if options.json:
        return emit({"debate": reports.to_json(report)["debate"]}, as_json=True)
    from guildmoot.reports.council.debate import debate_document
    from guildmoot.reports.pen import open_console
    from guildmoot.reports.terminal import print_document

    print_document(debate_document(report), open_console())
    return 0
