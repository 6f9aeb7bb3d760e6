"""``guild post-mortem``: look back at finished work, and at what was foretold about it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from guildmoot.practices.reviews.defaults import Defaults, Given

_ABOUT = """What was planned, what was delivered, what will it cost later, what did it teach? Programs
check the plan's files, tests, links and complexity, three judges look back, and the predictions of
earlier pre-mortems are scored HIT, MISS or SURPRISE. The answer is CLOSE, FOLLOW-UP or REOPEN."""
_EXAMPLES = """  guild post-mortem                      what changed last
  guild post-mortem --spec PLAN.md       by the plan it came from
  guild post-mortem --diff v1.2..HEAD --model claude
  guild post-mortem src/ --json

exit codes: 0 PASS, or WARN without --fail-on warn; 1 WARN with it; 2 FAIL;
3 DISAGREE or INCOMPLETE; 4 infrastructure; 64 usage; 130 stopped"""


def main(argv: list[str]) -> int:
    """Run the verb."""
    from guildmoot.cli.wrapping import read_options, run_wrapper

    options = read_options("post-mortem", _ABOUT, _EXAMPLES, argv)
    from guildmoot.practices.reviews.post_mortem import POST_MORTEM

    return run_wrapper(POST_MORTEM, _suppose, options)


def _suppose(given: Given, root: Path) -> Defaults:
    from guildmoot.practices.council.repository import view_repository
    from guildmoot.practices.reviews.defaults import post_mortem_defaults
    from guildmoot.practices.reviews.repository import recent_change

    recent = None if given.targets or given.change else recent_change(root)
    return post_mortem_defaults(given, recent, view_repository(root, Path.cwd()).newest_plan())
