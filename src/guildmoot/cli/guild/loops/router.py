"""``guild run-phase``: looks where a project stands and calls one loop."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import YES, Parser, add_json, add_options, text
from guildmoot.cli.guild.loops.common import indented
from guildmoot.cli.guild.loops.terminal import LoopView

if TYPE_CHECKING:
    from guildmoot.api.loops import RouteReport
    from guildmoot.loops.router import Dispatch

_EXAMPLES = """\
  guild run-phase                            where the only project goes next
  guild run-phase ledger -- --pattern 'src/*.py' --transform ... --verify ...
  guild run-phase ledger 'address feedback on #14' -- --verify 'make' --done
  guild run-phase ledger 'skip to phase 3' --yes
  guild run-phase ledger 'save session'"""


def main(argv: list[str]) -> int:
    """Run the verb."""
    at = argv.index("--") if "--" in argv else len(argv)
    own, rest = argv[:at], argv[at + 1 :]
    options = _parser().parse_args(own)
    from guildmoot.api.loops import RouteRequest, run_phase
    from guildmoot.calls import run_foreground
    from guildmoot.loops.armed import read_span
    from guildmoot.system.git import project_root

    view = LoopView(quiet=options.json)
    seconds = read_span(options.wait, "--wait") if options.wait else 0.0
    request = RouteRequest(
        project_root(Path.cwd()), options.project, " ".join(options.message), options.yes,
        options.dirty or "", seconds, options.mode == "auto",
    )  # fmt: skip
    report = run_foreground(run_phase(request, view.ask))
    if report.dispatch is None or not rest:
        _print(report, options.json)
        return report.exit_code
    _print(report, options.json, to_people=True)
    return _call(report.dispatch, rest, options.json)


def _parser() -> Parser:
    parser = Parser(
        "run-phase",
        "Look where a project stands: its records, its branch and remote, its pull requests. Then pick\n"
        "the next phase by its dependencies and call one loop with what stands after '--'; without\n"
        "it, only say which.",
        _EXAMPLES,
    )
    parser.add_argument(
        "project", nargs="?", default="", help="a loom project; else the only active one"
    )
    parser.add_argument("message", nargs="*", help="what you want: see the examples")
    add_options(
        parser,
        (
            "--dirty",
            "what becomes of changes that are not committed",
            {"choices": ("commit", "continue", "discard")},
        ),
        ("--wait", "wait so long for an open pull request: 30m", text("TIME")),
        ("--mode", "auto: ask no person", {"choices": ("auto",)}),
        ("--yes -y", "agree to skip a phase that others need", YES),
    )
    add_json(parser)
    return parser


def _call(dispatch: Dispatch, rest: list[str], json: bool) -> int:
    from guildmoot.cli.guild import loop

    words = [dispatch.loop, dispatch.slug, str(dispatch.phase), *rest]
    for wanted in dispatch.deliverables:
        words += ["--deliverable", wanted]
    return loop.main([*words, *(["--json"] if json else [])])


def _print(report: RouteReport, json: bool, *, to_people: bool = False) -> None:
    if json and not to_people:
        from guildmoot.system.jsonio import dumps

        plain = report._asdict()
        plain["dispatch"] = report.dispatch._asdict() if report.dispatch else None
        sys.stdout.write(dumps({"schema_version": 1, **plain}) + "\n")
        return
    stream = sys.stderr if to_people else sys.stdout
    word = "READY" if report.dispatch and not to_people else report.status.upper()
    told = (*report.notes, *(f"open: {thread}" for thread in report.threads))
    lines = (*indented([f"{word}  {report.report}"], 0), *indented(told))
    stream.writelines(f"{line}\n" for line in lines)
    if report.next_action and not to_people:
        stream.write(f"next: {report.next_action}\n")
