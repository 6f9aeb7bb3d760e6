"""``guild replay``: what a recorded run comes to under another rule; nothing is called or spent."""

from __future__ import annotations

from guildmoot.cli.arguments import Parser
from guildmoot.cli.config import project_root
from guildmoot.cli.resume import go_again
from guildmoot.cli.verdict import add_output


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
    from guildmoot.runs.index import find_run

    root = project_root()
    return go_again("replay", options, find_run(root, options.run), root)
