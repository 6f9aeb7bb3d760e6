"""``guild context``: looks into the bundles of a run."""

from __future__ import annotations

import asyncio
from pathlib import Path

from guildmoot.cli.arguments import Parser, add_json
from guildmoot.cli.output import emit
from guildmoot.text.clean import clean


def main(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser(
        "context",
        "Looks into the context bundles of a run: why a page is in one or not, and what differs between"
        " two lanes. 'guild work context' makes them.",
        "  guild context why RUN T1-backend concepts/cache.md\n"
        "  guild context diff RUN T1-backend T2-qa",
    )
    parser.add_argument("what", choices=("why", "diff"))
    parser.add_argument("run")
    parser.add_argument("lane")
    parser.add_argument("other", metavar="PATH|LANE")
    add_json(parser)
    options = parser.parse_args(argv)
    from guildmoot.api.work import compare_context, explain_context

    names = (options.run, options.lane, options.other)
    if options.what == "why":
        why = asyncio.run(explain_context(*names, Path.cwd()))
        return emit({"path": options.other, "why": why}, [clean(why)], as_json=options.json)
    rows = asyncio.run(compare_context(*names, Path.cwd()))
    return emit({"diff": rows}, map(clean, rows), as_json=options.json)
