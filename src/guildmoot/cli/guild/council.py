"""``guild council``, and its reviews: ``vibe``, ``pre-mortem`` and ``post-mortem``."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import Parser, packet_request, read_stdin
from guildmoot.cli.output import judge, show_dry_run, sign_of_life
from guildmoot.errors import UsageError

if TYPE_CHECKING:
    from guildmoot.api.council import CouncilRequest, Review

SUBVERBS = {
    "candidates": "council_candidates:main",
    "recheck": "council_runs:recheck",
    "compare": "council_runs:compare",
    "show": "council_runs:show_again",
}
"""First words that are no task, and where each stands; imported when it is called."""
_NEAR = 0.75
"""How like a verb a word must be to be a slip: ``shwo`` is, ``recent`` is no ``recheck``."""
_NEARER = 0.8
"""How like a task: ``reseach`` is, ``validation`` is a word of its own."""
_SENTENCE = 3
"""Words from which on a request is a sentence, and its first word no verb of ours."""
_ENDINGS = ("s", "es", "d", "ed", "r", "er", "or", "ing", "ion", "ions", "ison", "isons")
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
    ("--report FILE", "also write .md, .json, .sarif, .xml (JUnit) or .html"),
    ("--format F", "concise, github, gitlab or rdjson: findings one by one"),
    ("--no-record", "write nothing into the repository"),
    ("--json", "print one JSON document, nothing else"),
)
_CODES = """

exit codes: 0 PASS, or WARN without --fail-on warn; 1 WARN with it; 2 FAIL;
3 DISAGREE or INCOMPLETE; 4 infrastructure; 64 usage; 130 stopped"""
_HELP: dict[Review, tuple[str, str]] = {
    "vibe": (
        """Is this change ready? Programs check what they can (complexity, tests, links, spec), a
council judges, and the answer is SHIP, FIX or REFACTOR. Without a target, this branch since it left
the default branch and what is not committed are judged, as by 'guild validate'.""",
        """  guild vibe                      this branch and uncommitted work
  guild vibe recent               the last commit
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


def main(argv: list[str]) -> int:
    """Run the verb."""
    if argv and argv[0] in SUBVERBS and not _is_question(argv):
        return _run_subverb(argv[0], argv[1:])
    from guildmoot.cli.guild.council_arguments import parse_options

    options = parse_options(argv)
    if verb := _late_subverb(" ".join(options.words).split(), argv):
        at = argv.index(verb)
        return _run_subverb(verb, [*argv[:at], *argv[at + 1 :]])
    _refuse_slip(options.words, leads=options.words[:1] == tuple(argv[:1]))
    return convene(options, command=shlex.join(["guild", "council", *argv]))


def _run_subverb(verb: str, argv: list[str]) -> int:
    module, _, name = SUBVERBS[verb].partition(":")
    found = __import__(f"guildmoot.cli.guild.{module}", fromlist=[name])
    return int(getattr(found, name)(argv))


def _late_subverb(words: list[str], argv: list[str]) -> str:
    """The sub-verb behind options, ``council -q recheck last``; empty where the word is part of a request."""
    verb = words[0] if words else ""
    alone = len(words) < _SENTENCE or all(map(_is_run, words[1:]))
    late = verb in SUBVERBS and verb in argv and argv[0].startswith("-")
    return verb if late and alone and not _is_question(words) and not Path(verb).exists() else ""


def _refuse_slip(said: Sequence[str], leads: bool) -> None:
    """``council shwo last`` is a mistyped verb and ``council reseach ...`` a mistyped task, not work to be judged."""
    words = " ".join(said).split()
    slipped = words[0] if words else ""
    if not slipped.isalpha() or Path(slipped).exists():
        return
    from difflib import get_close_matches

    from guildmoot.practices.council.tasks import TASKS, infer_task

    told = slipped.casefold()
    alone = len(words) < _SENTENCE or all(map(_is_run, words[1:]))
    verbs = (*SUBVERBS, "help") if leads and alone else ("compare",)
    meant = get_close_matches(told, verbs, n=1, cutoff=_NEAR)
    meant = meant or get_close_matches(told, TASKS, n=1, cutoff=_NEARER)
    related = any(_is_related(told, word) for word in meant if word != told)
    if meant and not related and infer_task((slipped,)).words:
        raise UsageError(
            f"there is no 'guild council {slipped}'",
            f"Did you mean {meant[0]}? To judge work of that name: guild council validate {slipped}",
        )


def _is_related(word: str, other: str) -> bool:
    """``comparing`` and ``compare``, ``search`` and ``research``: a word of its own, not a slip."""
    inflected = word in {f"{root}{end}" for root in (other, other[:-1]) for end in _ENDINGS}
    return inflected or word.endswith(other) or other.endswith(word)


def _is_run(word: str) -> bool:
    return word == "last" or word[:4].isdigit()


def convene(options: argparse.Namespace, review: Review = "", command: str = "") -> int:
    """A council or a review, from its options to its exit code."""
    from guildmoot.api.council import council, dry_run_council
    from guildmoot.practices.council.run import COUNCIL

    request = council_request(options)._replace(review=review, command=command)
    if options.print_packet:
        from guildmoot.api.council import print_packet
        from guildmoot.calls import run_foreground
        from guildmoot.cli.output import emit

        return emit(run_foreground(print_packet(request)), as_json=True)
    if options.dry_run:
        return show_dry_run(options, COUNCIL, dry_run_council(request))
    if not (options.quiet or options.json or options.format != "text"):
        sign_of_life()
    return judge(options, COUNCIL, lambda watch: council(request, watch))


def _is_question(argv: list[str]) -> bool:
    """``compare Redis and Memcached`` is research; ``compare RUN RUN`` compares two runs."""
    words = [word for word in argv[1:] if not word.startswith("-")]
    runs = [word for word in words if _is_run(word)]
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
        handed=_handed(options.packet),
        sized=bool(options.depth),
        previous=options.previous,
        record=not options.no_record,
        fresh=options.fresh,
        formats=(
            *(path.suffix.lower() for path in options.report),
            *([".sarif"] if options.format != "text" else []),
        ),
    )


def _handed(name: str) -> str:
    """The text of a packet that was named; - is standard input."""
    if not name:
        return ""
    if name == "-":
        return read_stdin().decode("utf-8", "replace")
    try:
        return Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as wrong:
        raise UsageError(f"--packet {name}: {wrong}") from wrong


def _review(verb: Review, argv: list[str]) -> int:
    if "-h" in argv or "--help" in argv:
        _print_help(verb)
    from guildmoot.cli.guild.council_arguments import parse_options

    return convene(parse_options(argv, verb), verb, shlex.join(["guild", verb, *argv]))


vibe, pre_mortem, post_mortem = (partial(_review, verb) for verb in _HELP)


def _print_help(verb: Review) -> None:
    about, examples = _HELP[verb]
    parser = Parser(verb, about, examples + _CODES)
    parser.usage = f"guild {verb} [options] [TARGET ...]"
    group = parser.add_argument_group("options, beside all of 'guild council'")
    group.description = "\n".join(f"{name:<24}{text}" for name, text in _OPTIONS)
    parser.parse_args(["--help"])
