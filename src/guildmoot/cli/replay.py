"""``guild replay``: what a recorded run comes to under another rule; nothing is called or spent."""

from __future__ import annotations

from guildmoot.cli.arguments import Parser
from guildmoot.cli.config import project_root
from guildmoot.cli.resume import flags, other_practice
from guildmoot.cli.verdict import add_output, check_reports, print_report, write_reports


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "replay",
        "Weigh the recorded replies of a run again, by the same rule or another. Nothing is called,\n"
        "spent or written. RUN is an id, the start of one, or 'last'.",
        "  guild replay last --policy veto\n  guild replay last --report again.html",
    )
    parser.add_argument("run", metavar="RUN")
    parser.add_argument("--policy", metavar="NAME", help="the rule; 'guild policies' lists them")
    add_output(parser.add_argument_group("what comes out"))
    options = parser.parse_args(argv)
    from guildmoot.calls import run_foreground
    from guildmoot.practices.resuming import replay
    from guildmoot.runs.record import find_run

    root = project_root()
    folder = find_run(root, options.run)
    other = other_practice(folder, "replay")
    if other:
        return other(root, folder, options, flags(options))
    check_reports(options.report)
    report = run_foreground(replay(root, folder, flags(options)))
    print_report(report, as_json=options.json, show_all=options.all)
    write_reports(report, options.report)
    return report.header.exit_code
