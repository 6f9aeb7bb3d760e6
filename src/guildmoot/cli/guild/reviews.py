"""``guild vibe``, ``pre-mortem`` and ``post-mortem``: councils with a purpose of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guildmoot.cli.arguments import Parser
from guildmoot.cli.guild.council import convene
from guildmoot.cli.guild.council_arguments import parse_options
from guildmoot.errors import UsageError

if TYPE_CHECKING:
    from guildmoot.api.council import Review

_OPTIONS = (
    ("--diff [A..B]", "a change only; --staged for what the next commit holds"),
    ("--spec FILE", "spec or plan to judge by"),
    ("--deep, --quick", "3 judges and a debate where they split; one judge"),
    ("--mixed", "judges of two vendors, side by side"),
    ("--preset NAME", "other angles; --perspectives a,b for your own"),
    ("--model M, --agents A,B", "who judges; tools of this machine without"),
    ("--follow RUN", "what changed since that run (--previous is the same)"),
    ("--dry-run", "roster, cost and what would leave, nothing else"),
    ("--fail-on warn", "WARN fails too"),
    ("--report FILE", "also write .md, .json, .sarif or .html"),
    ("--no-record", "write nothing into the repository"),
    ("--json", "print one JSON document, nothing else"),
)
_CODES = """

exit codes: 0 PASS, or WARN without --fail-on warn; 1 WARN with it; 2 FAIL;
3 DISAGREE or INCOMPLETE; 4 infrastructure; 64 usage; 130 stopped"""
_HELP: dict[Review, tuple[str, str]] = {
    "vibe": (
        """Is this change ready? Programs check what they can (complexity, tests, links, spec), a
council judges, and the answer is SHIP, FIX or REFACTOR. Without a target, the last 3 commits and what
is not committed yet are judged, at most 20 files; nothing changed passes without asking anyone.""",
        """  guild vibe                      what changed last
  guild vibe src/auth/            some files
  guild vibe --diff main...HEAD   a branch
  guild vibe --spec docs/spec.md --deep --model claude
  guild vibe --json --fail-on warn""",
    ),
    "pre-mortem": (
        """Is this plan good enough? Programs check what it says of the repository, one judge looks at
it (--deep: four, from the angles of plan-review), and the answer is PROCEED, ADDRESS or RETHINK. Each
issue is kept as a prediction with an id, which 'guild post-mortem' scores later.""",
        """  guild pre-mortem                   the newest plan here, a quick look
  guild pre-mortem docs/sessions.md
  guild pre-mortem --deep --model claude PLAN.md
  guild pre-mortem PLAN.md --json""",
    ),
    "post-mortem": (
        """What was planned, what was delivered, what will it cost later, what did it teach? Programs
check the plan's files, tests, links and complexity, three judges look back, and the predictions of
earlier pre-mortems are scored HIT, MISS or SURPRISE. The answer is CLOSE, FOLLOW-UP or REOPEN.""",
        """  guild post-mortem                      what changed last
  guild post-mortem --spec PLAN.md       by the plan it came from
  guild post-mortem --diff v1.2..HEAD --model claude
  guild post-mortem src/ --json""",
    ),
}


def vibe(argv: list[str]) -> int:
    """Run ``guild vibe``."""
    return _review("vibe", argv)


def pre_mortem(argv: list[str]) -> int:
    """Run ``guild pre-mortem``."""
    return _review("pre-mortem", argv)


def post_mortem(argv: list[str]) -> int:
    """Run ``guild post-mortem``."""
    return _review("post-mortem", argv)


def _review(verb: Review, argv: list[str]) -> int:
    if "-h" in argv or "--help" in argv:
        _print_help(verb)
    options = parse_options(argv)
    if options.mode not in ("", "verdict", "validate") or options.technique:
        raise UsageError(
            f"guild {verb} always gives a verdict; it takes no --mode and no --technique",
            "'guild council' has the other tasks.",
        )
    return convene(options, verb)


def _print_help(verb: Review) -> None:
    about, examples = _HELP[verb]
    parser = Parser(verb, about, examples + _CODES)
    parser.usage = f"guild {verb} [options] [TARGET ...]"
    group = parser.add_argument_group("options, beside all of 'guild council'")
    group.description = "\n".join(f"{name:<24}{text}" for name, text in _OPTIONS)
    parser.parse_args(["--help"])
