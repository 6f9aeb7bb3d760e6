"""``guild whiteboard run``: ask engineers for a design, round by round, on one board."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import Parser, add_json, names, read_stdin
from guildmoot.cli.config import project_root
from guildmoot.config import Value, process_config
from guildmoot.errors import UsageError

if TYPE_CHECKING:
    from guildmoot.practices.whiteboard.boards import Words
    from guildmoot.practices.whiteboard.request import WhiteboardRequest
    from guildmoot.reports.whiteboard import BoardReport

_ABOUT = """Ask several engineers for a design. In the first round each answers alone; from the second
on, each sees all that was said, without names and in an order of their own, and is asked for
contradictions, reframings and consensus. Every round is put on the board when it ends; running
the same command again goes on from there."""
_EXAMPLES = """  guild {verb} run --recipe plan-feature --model claude \\
      --brief brief.md --board plans/cache.md --until settled
  guild {verb} run --engineers plan-data@codex,plan-api@gemini \\
      --brief 'How should sessions be stored?' --board board.md --rounds 3

'guild recipe plan-feature' shows who is in a recipe; planners begin with plan-.
exit codes: 0 held, 1 usage, 4 an engineer did not answer, 130 stopped"""


def main(argv: list[str], words: Words) -> int:
    """Run the action."""
    options = _parser(words).parse_args(argv)
    request = _request(options, words)
    root = project_root()
    config = process_config(root, _flags(options))
    from guildmoot.calls import run_foreground
    from guildmoot.cli.output import watch_run
    from guildmoot.practices.whiteboard.run import run_whiteboard

    with watch_run(quiet=options.quiet or options.json) as watch:
        report = run_foreground(run_whiteboard(request._replace(root=root), config, watch))
    return print_board(report, as_json=options.json)


def print_board(report: BoardReport, *, as_json: bool) -> int:
    """Print what a run did; also for one that was resumed."""
    if as_json:
        from guildmoot.reports.whiteboard import run_json
        from guildmoot.system.jsonio import write

        write(run_json(report), sys.stdout.buffer)
    else:
        from guildmoot.reports.pen import open_console
        from guildmoot.reports.whiteboard_view import render_run

        render_run(report, open_console())
    return report.exit_code


def _parser(words: Words) -> argparse.ArgumentParser:
    parser = Parser(f"{words.verb} run", _ABOUT, _EXAMPLES.format(verb=words.verb))
    what = parser.add_argument_group("what is planned")
    what.add_argument(
        "--brief", default="", metavar="FILE|TEXT", help="the question; - is standard input"
    )
    what.add_argument("--board", default="", metavar="PATH", help="the Markdown file to write on")
    who = parser.add_argument_group("who plans")
    who.add_argument("--engineers", type=names, default=(), metavar="A,B", help="agents, a@model")
    who.add_argument("--recipe", metavar="NAME", help="the engineers of a recipe, before those")
    who.add_argument(
        "--model", metavar="M", help="for agents without one: provider:model or a client"
    )
    who.add_argument(
        "--degrade", action="store_true", default=None, help="go on without absent engineers"
    )
    who.add_argument("--timeout", type=float, metavar="S", help="seconds for one engineer")
    who.add_argument("--max-usd", type=float, metavar="USD", help="refuse what may cost more")
    how = parser.add_argument_group("how")
    how.add_argument(
        "--rounds", type=int, metavar="N", help="rounds on the board in the end, 1 to 4 (one more)"
    )
    how.add_argument(
        "--until", choices=("settled",), help="stop when a round adds nothing new; at most 4"
    )
    how.add_argument(
        "--own", choices=("marked", "anonymous"), default="anonymous",
        help="whether engineers are told which sections are theirs (anonymous)",
    )  # fmt: skip
    how.add_argument(
        "--names", choices=("shown", "hidden"), default="hidden", help="of colleagues (hidden)"
    )
    how.add_argument(
        "--seed", type=int, metavar="N", help="for the order of sections (from the brief)"
    )
    how.add_argument("--fresh", action="store_true", help="ask anew what was answered before")
    how.add_argument(
        "--context", type=int, metavar="N", help="characters of earlier rounds shown (240000)"
    )
    out = parser.add_argument_group("what comes out")
    add_json(out)  # type: ignore[arg-type]
    out.add_argument("--quiet", "-q", action="store_true", help="no progress")
    out.add_argument("--no-record", action="store_true", help="keep nothing under .guild/runs")
    return parser


def _request(options: argparse.Namespace, words: Words) -> WhiteboardRequest:
    from guildmoot.practices.whiteboard.memory import CONTEXT
    from guildmoot.practices.whiteboard.prompts import Manners
    from guildmoot.practices.whiteboard.request import WhiteboardRequest, default_seed

    engineers = _engineers(options)
    if not engineers:
        raise UsageError("empty engineers list", "Name them: --engineers a,b or --recipe NAME.")
    brief = _brief(options.brief)
    if not brief.strip():
        raise UsageError("missing brief", "Say what to plan: --brief TEXT or --brief FILE.")
    if not options.board:
        raise UsageError(f"missing {words.verb} path", "Say where: --board PATH.")
    seed = default_seed(brief) if options.seed is None else options.seed
    return WhiteboardRequest(
        brief=brief,
        engineers=engineers,
        board=Path(options.board),
        rounds=options.rounds,
        until_settled=options.until == "settled",
        manners=Manners(seed, options.own == "marked", options.names == "shown"),
        context=CONTEXT if options.context is None else options.context,
        words=words,
        record=not options.no_record,
        fresh=options.fresh,
    )


def _engineers(options: argparse.Namespace) -> tuple[str, ...]:
    if not options.recipe:
        return tuple(options.engineers)
    from guildmoot.agents.recipes import load_axes, members

    return tuple(dict.fromkeys((*members(load_axes(), options.recipe), *options.engineers)))


def _brief(value: str) -> str:
    """The text itself, or what the file of that name holds."""
    if value == "-":
        return read_stdin().decode("utf-8", "replace")
    path = value.removeprefix("@")
    named = value.startswith("@") or ("\n" not in value and len(value) < 1000 and _is_file(value))
    if not named and not (value.endswith((".md", ".txt")) and " " not in value):
        return value
    from guildmoot.guard.egress import admit

    if admit(path):
        raise UsageError(f"{path} is a key file and does not leave this machine")
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as wrong:
        raise UsageError(f"missing brief: {path}: {wrong.strerror}", "Check the path.") from wrong


def _is_file(value: str) -> bool:
    try:
        return Path(value).is_file()
    except (OSError, ValueError):  # text that could not be a name
        return False


def _flags(options: argparse.Namespace) -> dict[str, Value]:
    given = {
        "panel.model": options.model,
        "panel.degrade": options.degrade,
        "panel.timeout": options.timeout,
        "budget.run_usd": options.max_usd,
    }
    return {key: value for key, value in given.items() if value is not None}
