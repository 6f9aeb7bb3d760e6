"""``guild pre-mortem``: is this plan good enough to be carried out?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from guildmoot.practices.reviews.defaults import Defaults, Given

_ABOUT = """Is this plan good enough? Programs check what it says of the repository, one judge looks at
it (--deep: four, from the angles of plan-review), and the answer is PROCEED, ADDRESS or RETHINK. Each
issue is kept as a prediction with an id, which 'guild post-mortem' scores later."""
_EXAMPLES = """  guild pre-mortem                   the newest plan here, a quick look
  guild pre-mortem docs/sessions.md
  guild pre-mortem --deep --model claude PLAN.md
  guild pre-mortem PLAN.md --json

exit codes: 0 PASS, or WARN without --fail-on warn; 1 WARN with it; 2 FAIL;
3 DISAGREE or INCOMPLETE; 4 infrastructure; 64 usage; 130 stopped"""


def main(argv: list[str]) -> int:
    """Run the verb."""
    from guildmoot.cli.wrapping import read_options, run_wrapper

    options = read_options("pre-mortem", _ABOUT, _EXAMPLES, argv)
    from guildmoot.practices.reviews.pre_mortem import PRE_MORTEM

    return run_wrapper(PRE_MORTEM, _suppose, options)


def _suppose(given: Given, root: Path) -> Defaults:
    from guildmoot.practices.council.repository import view_repository
    from guildmoot.practices.reviews.defaults import pre_mortem_defaults

    return pre_mortem_defaults(given, view_repository(root, Path.cwd()).newest_plan())
