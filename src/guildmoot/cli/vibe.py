"""``guild vibe``: is this change ready to ship? Checks first, then judges, then one word."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from guildmoot.practices.reviews.defaults import Defaults, Given

_ABOUT = """Is this change ready? Programs check what they can (complexity, tests, links, spec), a
council judges, and the answer is SHIP, FIX or REFACTOR. Without a target, the last 3 commits and what
is not committed yet are judged, at most 20 files; nothing changed passes without asking anyone."""
_EXAMPLES = """  guild vibe                      what changed last
  guild vibe src/auth/            some files
  guild vibe --diff main...HEAD   a branch
  guild vibe --spec docs/spec.md --deep --model claude
  guild vibe --json --fail-on warn

exit codes: 0 PASS, or WARN without --fail-on warn; 1 WARN with it; 2 FAIL;
3 DISAGREE or INCOMPLETE; 4 infrastructure; 64 usage; 130 stopped"""


def main(argv: list[str]) -> int:
    """Run the verb."""
    from guildmoot.cli.wrapping import read_options, run_wrapper

    options = read_options("vibe", _ABOUT, _EXAMPLES, argv)
    from guildmoot.practices.reviews.vibe import VIBE

    return run_wrapper(VIBE, _suppose, options)


def _suppose(given: Given, root: Path) -> Defaults:
    from guildmoot.practices.council.repository import view_repository
    from guildmoot.practices.reviews.defaults import vibe_defaults
    from guildmoot.practices.reviews.repository import recent_change

    recent = None if given.targets or given.change else recent_change(root)
    return vibe_defaults(given, recent, view_repository(root, Path.cwd()).newest_plan())
