"""``guild council``: put a plan, a change or a question before several judges; one honest answer."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import packet_request
from guildmoot.cli.output import judge, show_dry_run

if TYPE_CHECKING:
    from guildmoot.api.council import CouncilRequest, Review

SUBVERBS = {
    "candidates": "council_candidates:main",
    "recheck": "council_runs:recheck",
    "compare": "council_runs:compare",
    "show": "council_runs:show_again",
}
"""First words that are no task, and where each stands; imported when it is called."""


def main(argv: list[str]) -> int:
    """Run the verb."""
    if argv and argv[0] in SUBVERBS and not _is_question(argv):
        module, _, name = SUBVERBS[argv[0]].partition(":")
        found = __import__(f"guildmoot.cli.guild.{module}", fromlist=[name])
        return int(getattr(found, name)(argv[1:]))
    from guildmoot.cli.guild.council_arguments import parse_options

    return convene(parse_options(argv))


def convene(options: argparse.Namespace, review: Review = "") -> int:
    """A council or a review, from its options to its exit code."""
    from guildmoot.api.council import council, dry_run_council
    from guildmoot.practices.council.run import COUNCIL

    request = council_request(options)._replace(review=review)
    if options.dry_run:
        return show_dry_run(options, COUNCIL, dry_run_council(request))
    return judge(options, COUNCIL, lambda watch: council(request, watch))


def _is_question(argv: list[str]) -> bool:
    """``compare Redis and Memcached`` is research; ``compare RUN RUN`` compares two runs."""
    words = [word for word in argv[1:] if not word.startswith("-")]
    runs = [word for word in words if word == "last" or word[:4].isdigit()]
    needed = {"compare": 2, "show": 1}.get(argv[0], 0)
    spoken = len(words) > 1  # a single word that is no run is a slip, and is told as one
    return spoken and len(runs) < needed


def council_request(options: argparse.Namespace) -> CouncilRequest:
    """What the command line asks of a council."""
    from guildmoot.api.council import CouncilRequest
    from guildmoot.cli.guild.council_arguments import council_options, setting_flags

    packet = packet_request(options, " ".join(options.words).split())
    return CouncilRequest(
        options=council_options(options),
        packet=packet._replace(
            evidence=tuple(options.results), sweep=tuple(Path(name) for name in options.sweep)
        ),
        settings=setting_flags(options),
        sized=bool(options.depth),
        previous=options.previous,
        record=not options.no_record,
        fresh=options.fresh,
        formats=tuple(path.suffix.lower() for path in options.report),
    )
