"""``guild validate``: put files, a diff or commits before a panel and print one verdict."""

from __future__ import annotations

import argparse
import shlex
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import (
    HAND_OUT,
    YES,
    Parser,
    add_options,
    given,
    handed_flags,
    listed,
    many,
    number,
    packet_request,
    text,
)
from guildmoot.cli.output import add_output, judge, show_dry_run, sign_of_life
from guildmoot.errors import UsageError

if TYPE_CHECKING:
    from guildmoot.practices.panel import PanelRequest

_EXAMPLES = """  guild validate                             this branch and uncommitted work
  guild validate .                           the whole repository
  guild validate src/ 'docs/*.md'            folders, files and globs
  guild validate --diff                      uncommitted changes
  guild validate --diff main...HEAD          what this branch changes
  guild validate --staged                    what the next commit holds
  guild validate recent --recent 3           the last three commits
  git show HEAD:a.py | guild validate - --stdin-name a.py
  guild validate . --verify "pytest -q"      the project's own tests, too
  guild validate . --report out.sarif --report out.html"""

_SETTINGS = {
    "panel.add": "add",
    "panel.skip": "skip",
    "panel.timeout": "timeout",
    "panel.deadline": "deadline",
    "panel.fail_on": "fail_on",
    "policy.name": "policy",
    "panel.precedence": "precedence",
    "panel.model": "model",
    "panel.degrade": "degrade",
    "panel.baseline": "baseline",
    "budget.run_usd": "max_usd",
    "packet.recent": "recent",
    "floors.left_out": "left_out",
    "verify.command": "verify",
    "verify.timeout": "timeout",
}

_OFF = {"action": "store_const", "const": False, "default": None, "dest": "baseline"}


def main(argv: list[str]) -> int:
    """Run the verb."""
    options = _parser().parse_args(argv)
    if not (options.quiet or options.json or options.format != "text" or options.dry_run):
        sign_of_life()
    from guildmoot.api.judge import dry_run, validate
    from guildmoot.practices.panel import PANEL, PANEL_WITH_EXISTING

    request = _request(options)._replace(command=f"guild validate {shlex.join(argv)}".strip())
    if options.dry_run:
        return show_dry_run(options, PANEL, dry_run(request))
    practice = PANEL_WITH_EXISTING if options.existing else PANEL
    return judge(options, practice, lambda watch: validate(request, watch))


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        "validate",
        "Judge a piece of work and print one verdict. Without a target: this branch since it left the\n"
        "default branch, and what is not committed. Real tools judge, chosen by the file types; no key\n"
        "or network is needed. --model asks judges that think as well.",
        _EXAMPLES + "\n\nexit codes: 0 approved, 1 advisories with --fail-on warn, 2 flagged,\n"
        "3 conflict or undecided, 4 infrastructure, 64 usage, 130 stopped",
    )
    parser.usage = "guild validate [options] [TARGET ...]"
    add_options(
        parser,
        ("targets", "path, glob, folder, 'recent' or -", {"nargs": "*", "metavar": "TARGET"}),
        (
            "--diff",
            "uncommitted changes, or those of A..B, A...B",
            {"nargs": "?", "const": "", "metavar": "RANGE"},
        ),
        ("--staged", "judge what the next commit holds", YES),
        ("--recent", "commits that 'recent' means (1)", number(int)),
        ("--left-out", "accept unjudged: generated, vendored, ignored", listed(default=None)),
        ("--no-baseline", "also tell what the baseline holds", _OFF),
        ("--spec", "spec or plan to judge by", many("FILE")),
        ("--decisions", "earlier decisions; auto: those recorded for these files", many("FILE")),
        ("--evidence", "results to show the judges", many("TEXT|@FILE")),
        ("--run", "run it first and show its output to the judges", many("CMD")),
        ("--stdin-name", "what '-' is, e.g. app.py", text("NAME")),
        ("--ask", "what was originally asked for", text("TEXT")),
        title="what is judged",
    )
    add_options(
        parser,
        ("--agents", "only these judges", listed(default=None)),
        ("--add", "these judges too", listed(default=None)),
        ("--skip", "not these judges", listed(default=None)),
        ("--precedence", "whose wording leads; without it the order given", listed(default=None)),
        ("--verify", "the project's own check as a judge", {"metavar": "CMD"}),
        ("--model", "ask a model too: claude, codex, gemini, provider:model", {"metavar": "M"}),
        HAND_OUT,
        ("--degrade", "go on without judges that cannot answer", {**YES, "default": None}),
        ("--max-usd", "refuse a run that may cost more", number(float, "USD")),
        ("--dry-run", "who would judge, at what cost, what would leave", YES),
        ("--timeout", "seconds for one judge", number(float, "S")),
        ("--deadline", "seconds for all together", number(float, "S")),
        ("--policy", "the rule; 'guild policies' lists them", {"metavar": "NAME"}),
        ("--fresh", "ask again what was answered before", YES),
        title="who judges",
    )
    add_output(
        parser,
        ("--existing", "list what was there before a change, too", YES),
        ("--no-record", "keep nothing under .guild/runs", YES),
    )
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
        settings={**given(options, _SETTINGS), **handed_flags(options, "panel.model")},
    )
