"""``guild whiteboard run``: ask engineers for a design, round by round, on one board."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import (
    HAND_OUT,
    YES,
    Kind,
    Parser,
    add_options,
    given,
    handed_flags,
    listed,
    number,
    project_root,
    read_stdin,
    text,
)
from guildmoot.cli.output import judge
from guildmoot.errors import UsageError

if TYPE_CHECKING:
    from guildmoot.practices.whiteboard.boards import BoardWords
    from guildmoot.practices.whiteboard.request import WhiteboardRequest

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

_SETTINGS = {
    "panel.model": "model",
    "panel.degrade": "degrade",
    "panel.timeout": "timeout",
    "budget.run_usd": "max_usd",
}


def main(argv: list[str], words: BoardWords) -> int:
    """Run the action."""
    options = _parser(words).parse_args(argv)
    from guildmoot.api.ask import whiteboard
    from guildmoot.practices.whiteboard.run import WHITEBOARD_RUN

    request = _request(options, words)
    return judge(options, WHITEBOARD_RUN, lambda watch: whiteboard(request, watch))


def _parser(words: BoardWords) -> argparse.ArgumentParser:
    parser = Parser(f"{words.verb} run", _ABOUT, _EXAMPLES.format(verb=words.verb))
    add_options(
        parser,
        ("--brief", "the question; - is standard input", text("FILE|TEXT")),
        ("--board", "the Markdown file to write on", text("PATH")),
        ("--files", "files, folders or globs that engineers are shown", listed("A,B")),
        title="what is planned",
    )
    add_options(
        parser,
        ("--engineers", "agents, a@model", listed()),
        ("--recipe", "the engineers of a recipe, before those", {"metavar": "NAME"}),
        ("--model", "for agents without one: provider:model or a client", {"metavar": "M"}),
        HAND_OUT,
        ("--degrade", "go on without absent engineers", {**YES, "default": None}),
        ("--timeout", "seconds for one engineer", number(float, "S")),
        ("--max-usd", "refuse what may cost more", number(float, "USD")),
        title="who plans",
    )
    marked = "whether engineers are told which sections are theirs (anonymous)"
    ways: Kind = {"choices": ("marked", "anonymous"), "default": "anonymous"}
    add_options(
        parser,
        ("--rounds", "rounds on the board in the end, 1 to 4 (one more)", number(int)),
        ("--round", "hold this one round, again if it is there", number(int)),
        ("--until", "stop when a round adds nothing new; at most 4", {"choices": ("settled",)}),
        ("--own", marked, ways),
        (
            "--names",
            "of colleagues (hidden)",
            {"choices": ("shown", "hidden"), "default": "hidden"},
        ),
        ("--seed", "for the order of sections (from the brief)", number(int)),
        ("--fresh", "ask anew what was answered before", YES),
        ("--context", "characters of earlier rounds shown (240000)", number(int)),
        title="how",
    )
    add_options(
        parser,
        ("--json", "print one JSON document, nothing else", YES),
        ("--quiet -q", "no progress", YES),
        ("--no-record", "keep nothing under .guild/runs", YES),
        title="what comes out",
    )
    parser.set_defaults(report=[], all=True)
    return parser


def _request(options: argparse.Namespace, words: BoardWords) -> WhiteboardRequest:
    from guildmoot.practices.whiteboard.prompts import CONTEXT, BoardView
    from guildmoot.practices.whiteboard.request import (
        WhiteboardRequest,
        default_seed,
        read_brief,
    )

    said = options.brief
    brief = read_stdin().decode("utf-8", "replace") if said == "-" else read_brief(said)
    if not options.board:
        raise UsageError(f"missing {words.verb} path", "Say where: --board PATH.")
    root = project_root() if options.files else Path()
    seed = default_seed(brief) if options.seed is None else options.seed
    return WhiteboardRequest(
        brief=brief,
        engineers=_engineers(options),
        board=Path(options.board),
        named=options.board,
        rounds=options.rounds,
        round=options.round,
        until_settled=options.until == "settled",
        view=BoardView(seed, options.own == "marked", options.names == "shown"),
        context=CONTEXT if options.context is None else options.context,
        files=tuple(os.path.relpath(word, root) for word in options.files),
        words=words,
        record=not options.no_record,
        fresh=options.fresh,
        settings={**given(options, _SETTINGS), **handed_flags(options, "panel.model")},
    )


def _engineers(options: argparse.Namespace) -> tuple[str, ...]:
    if not options.recipe:
        return tuple(options.engineers)
    from guildmoot.agents.recipes import load_axes, members

    return tuple(dict.fromkeys((*members(load_axes(), options.recipe), *options.engineers)))
