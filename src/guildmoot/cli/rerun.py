"""``guild rerun``: a new run in which some seats are asked anew and the others keep what they said."""

from __future__ import annotations

from guildmoot.cli.arguments import Parser, names
from guildmoot.cli.config import project_root
from guildmoot.cli.resume import flags, other_practice
from guildmoot.cli.verdict import add_output, check_reports, print_report, write_reports


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "rerun",
        "Ask some seats of a recorded run again, on the same packet, as a new run; the other seats\n"
        "keep what they said and cost nothing. RUN is an id, the start of one, or 'last'.",
        "  guild rerun last --seat evaluator-security\n  guild rerun last --seat a,b --max-usd 1",
    )
    parser.add_argument("run", metavar="RUN")
    parser.add_argument(
        "--seat", type=names, required=True, metavar="A,B", help="whom to ask again"
    )
    parser.add_argument("--max-usd", type=float, metavar="USD", help="refuse what may cost more")
    parser.add_argument("--timeout", type=float, metavar="S", help="seconds for one seat")
    parser.add_argument("--policy", metavar="NAME", help="the rule; 'guild policies' lists them")
    add_output(parser.add_argument_group("what comes out"))
    options = parser.parse_args(argv)
    from guildmoot.calls import run_foreground
    from guildmoot.cli.watching import watch_run
    from guildmoot.practices.resuming import rerun
    from guildmoot.runs.record import find_run

    root = project_root()
    folder = find_run(root, options.run)
    other = other_practice(folder, "rerun")
    if other:
        return other(root, folder, options, flags(options))
    check_reports(options.report)
    with watch_run(quiet=options.quiet or options.json) as watch:
        work = rerun(root, folder, options.seat, flags(options), watch)
        report = run_foreground(work)
    print_report(report, as_json=options.json, show_all=options.all)
    write_reports(report, options.report)
    return report.header.exit_code
