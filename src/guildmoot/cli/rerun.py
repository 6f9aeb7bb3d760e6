"""``guild rerun``: a new run in which some seats are asked anew and the others keep what they said."""

from __future__ import annotations

from guildmoot.cli.arguments import Parser, names
from guildmoot.cli.config import project_root
from guildmoot.cli.resume import go_again
from guildmoot.cli.verdict import add_output


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "rerun",
        "Ask some seats of a recorded run again, on the same packet, as a new run; the other seats\n"
        "keep what they said and cost nothing. RUN is an id, the start of one, or 'last'.",
        "  guild rerun last --seat evaluator-security\n  guild rerun last --seat a,b --max-usd 1",
    )
    parser.add_argument("run", metavar="RUN")
    parser.add_argument(
        "--seat", type=names, required=True, metavar="A,B", help="whom to ask again"
    )
    parser.add_argument("--max-usd", type=float, metavar="USD", help="refuse what may cost more")
    parser.add_argument("--timeout", type=float, metavar="S", help="seconds for one seat")
    parser.add_argument("--policy", metavar="NAME", help="the rule; 'guild policies' lists them")
    add_output(parser.add_argument_group("what comes out"))
    options = parser.parse_args(argv)
    from guildmoot.runs.index import find_run

    root = project_root()
    return go_again("rerun", options, find_run(root, options.run), root)
