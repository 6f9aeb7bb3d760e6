"""``guild whiteboard summary`` and ``decide``: what a board comes to, and a person's choice on it."""

from __future__ import annotations

import os
import sys
from time import gmtime, strftime
from typing import TYPE_CHECKING

from guildmoot.cli.guild.whiteboard_file import Line, read_line, write_json
from guildmoot.errors import UsageError, did_you_mean
from guildmoot.practices.whiteboard.boards import check_exists, read_board, record_decision
from guildmoot.reading.board import BoardDecision

if TYPE_CHECKING:
    from guildmoot.practices.whiteboard.boards import BoardWords


def summary(argv: list[str], words: BoardWords) -> int:
    """Print what a board comes to, and who holds what."""
    from guildmoot.cli.arguments import Parser, add_json

    parser = Parser(
        f"{words.verb} summary",
        "Print the decisions, contradictions and open questions on a board, who holds what, and "
        f"who moved. The words in brackets are IDs for 'guild {words.verb} decide'.",
        f"  guild {words.verb} summary board.md\n  guild {words.verb} summary board.md --json",
    )
    parser.add_argument("path", nargs="?", default="", metavar="PATH", help="the board")
    add_json(parser)
    options = parser.parse_args(argv)
    if not options.path:
        raise UsageError(f"missing {words.verb} path")
    from guildmoot.cli.output import emit
    from guildmoot.practices.whiteboard.minutes import minutes_of
    from guildmoot.reports.whiteboard import BoardReport, summary_json

    board = read_board(options.path, words)
    check_exists(options.path, words)
    path = os.path.abspath(options.path)
    report = BoardReport(path, words.path_key, board, minutes_of(board))
    if options.json:
        return emit(summary_json(report), as_json=True)
    from guildmoot.reports.pen import open_console
    from guildmoot.reports.terminal import print_document
    from guildmoot.reports.whiteboard_view import board_document

    print_document(board_document(report), open_console())
    return 0


def decide(argv: list[str], words: BoardWords) -> int:
    """Record a person's choice on the board."""
    line = read_line(argv, words)
    path, name = line.path, line.paths[1].strip() if len(line.paths) > 1 else ""
    if not name:
        raise UsageError("missing ID", f"'guild {words.verb} summary {path}' lists them.")
    why, choice = line.needed("why"), line.flags.get("choice", "").strip()
    check_exists(path, words)
    if not choice:
        name, choice = _chosen(line, name)
    decision = BoardDecision(name, choice, why, strftime("%Y-%m-%d", gmtime()))
    is_new = record_decision(path, decision, words)
    if line.json:
        where = {words.path_key: os.path.abspath(path), "recorded": is_new}
        write_json({"schema_version": 1, **where, **decision._asdict()})
    else:
        sys.stdout.write("decision recorded\n" if is_new else "that is decided already\n")
    return 0


def _chosen(line: Line, name: str) -> tuple[str, str]:
    """The ID of the scope, and the one decision on the board that the given ID leads to."""
    from guildmoot.practices.whiteboard.minutes import minutes_of
    from guildmoot.text.clean import one_line

    minutes = minutes_of(read_board(line.path, line.words))
    choices = minutes.choices
    if stand := choices.get(name):
        return minutes.ids[stand.scope], stand.said
    several = [each for each in choices if each.rpartition(".")[0] == name]
    if several:
        told = "; ".join(f"{each} is {one_line(choices[each].said)!r}" for each in several)
        raise UsageError(
            f"there are {len(several)} choices for {name}: {told}", "Name one of them."
        )
    listed = f"'guild {line.words.verb} summary' lists the IDs."
    hint = did_you_mean(name, [*choices, *minutes.ids.values()], listed)
    raise UsageError(
        f"missing choice: no decision on the board has the ID {name!r}",
        f'{hint} Or say what you choose with --choice "TEXT".',
    )
