"""``guild whiteboard summary``: what a board comes to, and who holds what."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import Parser, add_json
from guildmoot.errors import UsageError

if TYPE_CHECKING:
    from guildmoot.practices.whiteboard.boards import BoardWords


def main(argv: list[str], words: BoardWords) -> int:
    """Run the action."""
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
    from guildmoot.practices.whiteboard.boards import check_exists, read_board
    from guildmoot.practices.whiteboard.minutes import minutes_of
    from guildmoot.reports.whiteboard import BoardReport, summary_json

    board = read_board(options.path, words)
    check_exists(options.path, words)
    path = os.path.abspath(options.path)
    report = BoardReport(path, words.path_key, board, minutes_of(board))
    if options.json:
        from guildmoot.system.jsonio import write

        write(summary_json(report), sys.stdout.buffer)
    else:
        from guildmoot.reports.pen import open_console
        from guildmoot.reports.whiteboard_view import render_summary

        render_summary(report, open_console())
    return 0
