"""``guild validate``: put files, a diff or commits before a panel and print one verdict."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import Parser, given, names, packet_request
from guildmoot.cli.output import add_output, judge, show_dry_run
from guildmoot.errors import UsageError

if TYPE_CHECKING:
    from guildmoot.practices.panel import PanelRequest

_EXAMPLES = """  guild validate .                           the whole repository
  guild validate src/ 'docs/*.md'            folders, files and globs
  guild validate --diff                      uncommitted changes
  guild validate --diff main...HEAD          what this branch changes
  guild validate --staged                    what the next commit holds
  guild validate recent --recent 3           the last three commits
  git show HEAD:a.py | guild validate - --stdin-name a.py
  guild validate . --verify "pytest -q"      the project's own tests take a seat
  guild validate . --report out.sarif --report out.html"""

_SETTINGS = {
    "panel.add": "add",
    "panel.skip": "skip",
    "panel.timeout": "timeout",
    "panel.deadline": "deadline",
    "panel.fail_on": "fail_on",
    "policy.name": "policy",
    "panel.model": "model",
    "panel.degrade": "degrade",
    "budget.run_usd": "max_usd",
    "packet.recent": "recent",
    "verify.command": "verify",
    "verify.timeout": "timeout",
}


def main(argv: list[str]) -> int:
    """Run the verb."""
    options = _parser().parse_args(argv)
    from guildmoot.api.judge import dry_run, validate
    from guildmoot.practices.panel import PANEL

    request = _request(options)
    if options.dry_run:
        return show_dry_run(options, PANEL, dry_run(request))
    return judge(options, PANEL, lambda watch: validate(request, watch))


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
    who.add_argument("--verify", metavar="CMD", help="the project's own check as a judge")
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


def _request(options: argparse.Namespace) -> PanelRequest:
    from guildmoot.practices.panel import PanelRequest

    if options.agents is not None and not options.agents:
        raise UsageError("guild-validate-error: empty agents list", "Name at least one agent.")
    packet = packet_request(options, options.targets)._replace(
        targets=tuple(options.targets),
        diff=options.diff,
        evidence=tuple(options.evidence),
        ask=options.ask,
    )
    return PanelRequest(
        packet,
        options.agents or (),
        record=not options.no_record,
        fresh=options.fresh,
        settings=given(options, _SETTINGS),
    )
