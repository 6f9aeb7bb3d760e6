"""``guild findings accept|dismiss|fixed``: what a person makes of a finding, for the record."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

from guildmoot.cli.arguments import Parser, add_json
from guildmoot.cli.guild.config import project_root
from guildmoot.practices.dispositions import DispositionRequest, DispositionWord, dispose
from guildmoot.system.jsonio import dumps

ACTIONS: dict[str, DispositionWord] = {
    "accept": "accepted",
    "dismiss": "dismissed",
    "fixed": "fixed",
}
_SIDE = {"accepted": "right", "dismissed": "wrong", "fixed": "right"}


def main(argv: list[str]) -> int:
    """Run one of the three actions."""
    action, words = argv[0], argv[1:]
    parser = Parser(
        f"findings {action}",
        "Say what you made of a finding. Accepted or fixed: whoever reported it was right;\n"
        "dismissed: was wrong. It counts in 'guild probe report' and the policy 'weighted'.",
        "  guild findings accept 3f2a --why 'a real overflow, ticket 41'\n"
        "  guild findings dismiss 9c01 --why 'the input is validated above' --run 20261115-2137",
    )
    parser.add_argument("id", metavar="ID", help="the finding's id, or the start of it")
    parser.add_argument("--why", required=True, metavar="TEXT", help="the reason, for others")
    parser.add_argument("--run", default="last", metavar="RUN", help="the run it is from (last)")
    add_json(parser)
    options = parser.parse_args(words)
    decided = DispositionRequest(options.id, ACTIONS[action], options.why, options.run)
    entry = dispose(project_root(), decided, datetime.now(UTC))
    if options.json:
        sys.stdout.write(dumps({"schema_version": 1, **entry._asdict()}) + "\n")
        return 0
    place = f"{entry.path}:{entry.line}" if entry.line else entry.path
    about = " ".join(filter(None, (place, entry.code)))
    who = ", ".join(entry.seats)
    side = _SIDE[entry.disposition]
    sys.stdout.write(f"{entry.disposition}: {about} ({who} counted as {side})\n")
    return 0
