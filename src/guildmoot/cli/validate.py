"""``guild validate``: put files, a diff or commits before a panel and print one verdict."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import Parser, names, read_stdin
from guildmoot.cli.config import project_root
from guildmoot.cli.verdict import add_output, check_reports, print_report, write_reports
from guildmoot.config import Config, Value, process_config
from guildmoot.errors import UsageError

if TYPE_CHECKING:
    from guildmoot.model.report import RunReport
    from guildmoot.packet import Request

_EXAMPLES = """  guild validate .                           the whole repository
  guild validate src/ 'docs/*.md'            folders, files and globs
  guild validate --diff                      uncommitted changes
  guild validate --diff main...HEAD          what this branch changes
  guild validate --staged                    what the next commit holds
  guild validate recent --recent 3           the last three commits
  git show HEAD:a.py | guild validate - --stdin-name a.py
  guild validate . --verify "pytest -q"      the project's own tests take a seat
  guild validate . --report out.sarif --report out.html"""


def main(argv: list[str]) -> int:
    """Run the verb."""
    options = _parser().parse_args(argv)
    check_reports(options.report)
    _read_targets(options)
    config = process_config(project_root(), _flags(options))
    request = _packet_request(options, config)
    if options.dry_run:
        return _foretell(options, request, config)
    report = _judge(options, request, config)
    print_report(report, as_json=options.json, show_all=options.all)
    write_reports(report, options.report)
    return report.header.exit_code


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        "validate",
        "Put a piece of work before a panel of judges and print one verdict. Without named agents\n"
        "the panel is made of evidence judges: real tools, chosen by the file types. No key or\n"
        "network is needed.",
        _EXAMPLES + "\n\nexit codes: 0 approved, 1 advisories with --fail-on warn, 2 flagged,\n"
        "3 conflict or undecided, 4 infrastructure, 64 usage, 130 stopped",
    )
    what = parser.add_argument_group("what is judged")
    what.add_argument(
        "targets", nargs="*", metavar="TARGET", help="path, glob, folder, 'recent' or -"
    )
    what.add_argument("--diff", nargs="?", const="", metavar="RANGE", help="judge a change only")
    what.add_argument("--staged", action="store_true", help="judge what the next commit holds")
    what.add_argument("--recent", type=int, metavar="N", help="commits that 'recent' means (1)")
    what.add_argument(
        "--spec", action="append", default=[], metavar="FILE", help="spec or plan to judge by"
    )
    what.add_argument(
        "--decisions", action="append", default=[], metavar="FILE", help="earlier decisions"
    )
    what.add_argument(
        "--evidence", action="append", default=[], metavar="TEXT|@FILE", help="results"
    )
    what.add_argument(
        "--run", action="append", default=[], metavar="CMD", help="run first, show the judges"
    )
    what.add_argument("--stdin-name", default="", metavar="NAME", help="what '-' is, e.g. app.py")
    what.add_argument("--ask", default="", metavar="TEXT", help="what was originally asked for")
    who = parser.add_argument_group("who judges")
    who.add_argument("--agents", type=names, metavar="A,B", help="seat exactly these")
    who.add_argument("--add", type=names, metavar="A,B", help="seat these beside the derived panel")
    who.add_argument("--skip", type=names, metavar="A,B", help="do not seat these")
    who.add_argument(
        "--verify", default="", metavar="CMD", help="the project's own check as a judge"
    )
    who.add_argument(
        "--model", metavar="M", help="for agents without one: provider:model or a client"
    )
    who.add_argument(
        "--degrade", action="store_true", default=None, help="go on without absent seats"
    )
    who.add_argument("--max-usd", type=float, metavar="USD", help="refuse a run that may cost more")
    who.add_argument(
        "--dry-run", action="store_true", help="show the roster, cost and what would leave"
    )
    who.add_argument("--timeout", type=float, metavar="S", help="seconds for one seat")
    who.add_argument("--deadline", type=float, metavar="S", help="seconds for the whole panel")
    who.add_argument("--policy", metavar="NAME", help="the rule; 'guild policies' lists them")
    who.add_argument(
        "--fresh", action="store_true", help="ask anew what the ledger has an answer to"
    )
    out = parser.add_argument_group("what comes out")
    add_output(out)
    out.add_argument("--no-record", action="store_true", help="keep nothing under .guild/runs")
    return parser


def _read_targets(options: argparse.Namespace) -> None:
    """``--diff src`` means the change in src, not a range called src."""
    if options.diff and ".." not in options.diff and os.path.exists(options.diff):
        options.targets.insert(0, options.diff)
        options.diff = ""
    if options.agents is not None and not options.agents:
        raise UsageError("guild-validate-error: empty agents list", "Name at least one agent.")
    if not options.targets and options.diff is None and not options.staged:
        raise UsageError(
            "guild-validate-error: missing packet: nothing to judge was named",
            "'guild validate .' judges the whole repository, '--diff' what you changed.",
        )


def _packet_request(options: argparse.Namespace, config: Config) -> Request:
    from guildmoot.packet import Request, run_evidence

    cwd, patience = Path.cwd(), config.number("verify.timeout")
    return Request(
        targets=tuple(options.targets),
        cwd=cwd,
        diff=options.diff,
        staged=options.staged,
        spec=tuple(Path(name) for name in options.spec),
        decisions=tuple(Path(name) for name in options.decisions),
        evidence=tuple(options.evidence),
        evidence_results=tuple(run_evidence(line, cwd, patience) for line in options.run),
        stdin=read_stdin() if "-" in options.targets else None,
        stdin_name=options.stdin_name,
        ask=options.ask,
        max_bytes=int(config.number("packet.max_bytes")),
        max_file_bytes=int(config.number("packet.max_file_bytes")),
        recent=int(config.number("packet.recent")),
    )


def _flags(options: argparse.Namespace) -> dict[str, Value]:
    given = {
        "panel.add": options.add,
        "panel.skip": options.skip,
        "panel.timeout": options.timeout,
        "panel.deadline": options.deadline,
        "panel.fail_on": options.fail_on,
        "policy.name": options.policy,
        "panel.model": options.model,
        "panel.degrade": options.degrade,
        "budget.run_usd": options.max_usd,
        "packet.recent": options.recent,
        "verify.command": options.verify or None,
        "verify.timeout": options.timeout,
    }
    return {key: value for key, value in given.items() if value is not None}


def _judge(options: argparse.Namespace, request: Request, config: Config) -> RunReport:
    from guildmoot.calls import run_foreground
    from guildmoot.cli.watching import watch_run
    from guildmoot.practices.panel import PanelRequest, validate

    record = config.flag("runs.keep") and not options.no_record
    asked = PanelRequest(request, options.agents or (), record=record, fresh=options.fresh)
    quiet = options.quiet or options.json
    with watch_run(quiet=quiet) as watch:
        return run_foreground(validate(asked, config, watch))


def _foretell(options: argparse.Namespace, request: Request, config: Config) -> int:
    """What the run would do, without doing it."""
    from guildmoot.calls.estimate import estimate_json, estimate_rows
    from guildmoot.practices.panel import PanelRequest, dry_run
    from guildmoot.system.jsonio import dumps

    found, packet = dry_run(PanelRequest(request, options.agents or ()), config)
    text = (
        dumps(estimate_json(found, packet))
        if options.json
        else "\n".join(estimate_rows(found, packet))
    )
    sys.stdout.write(text + "\n")
    return 0
