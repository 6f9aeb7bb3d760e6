"""The command line of ``guild council``: every flag, under the names of both generations.

Words become values here: :class:`CouncilOptions`, the flag layer of the settings, and what the face
itself needs. What they mean together is for ``practices.council.plan``. A bare ``--debate`` or ``--diff``
takes no value from the words that follow it.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from guildmoot.cli.arguments import (
    HAND_OUT,
    YES,
    Kind,
    Parser,
    add_options,
    handed_flags,
    listed,
    many,
    names,
    number,
    text,
)
from guildmoot.cli.output import FORMATS
from guildmoot.config import Origin, Value
from guildmoot.errors import UsageError
from guildmoot.model.settings import find_profile
from guildmoot.practices.council.request import CouncilOptions, one_of

_EXAMPLES = """  guild council validate recent              two judges, the last commit
  guild council validate main...HEAD         a range; also 'the last 3 commits'
  guild council --quick validate recent      one judge, asked once
  guild council validate this plan           the newest plan of the repository
  guild council --preset=security-audit validate src/auth/
  guild council --deep --debate validate the migration plan
  guild council --mixed validate PLAN.md     3 claude and 3 codex judges
  guild council --perspectives="security-auditor,perf-critic" validate src/
  guild council brainstorm caching approaches
  guild council --technique=scamper brainstorm API improvements
  guild council --deep --explorers=3 research upgrade patterns
  guild council debate monorepo or one repository a service
  guild council --agents mine,yours validate recent       your own agents

afterwards, each with a --help of its own:
  guild council show [RUN]                   a recorded council again
  guild council compare RUN RUN              what two councils say differently
  guild council recheck [RUN]                are its findings still true?
  guild council candidates                   what it suggests to remember

presets: architecture, code-review, developer-experience, doc-review, duel,
leadership-quartet, migration, ops, plan-review, product, red-team, research,
retrospective, security-audit, strategy, testing; yours in .guild/presets/

exit codes: 0 PASS, or WARN without --fail-on warn; 1 WARN with it; 2 FAIL;
3 DISAGREE or INCOMPLETE; 4 infrastructure; 64 usage; 130 stopped

Without a model (--model, council.vendors, COUNCIL_CLAUDE_MODEL) the judges
are tools of this machine, and nothing is sent anywhere."""


def parse_options(argv: Sequence[str], verb: str = "council") -> argparse.Namespace:
    """The options of one command line; UsageError says what is wrong with it, and where ``verb`` explains itself."""
    argv = list(argv)
    end = argv.index("--") if "--" in argv else len(argv)
    options = _parser(verb).parse_intermixed_args(list(_bare(argv[:end])))
    options.words = (*options.words, *argv[end + 1 :])  # argparse forgets what "--" protected
    options.add_perspective = tuple(name for group in options.add_perspective for name in group)
    return options


_REVISION = re.compile(
    r"^(?![./-]).*(?:\.\.|[~^])|^(?:HEAD|@|ORIG_HEAD|FETCH_HEAD)$|^v?\d[\w.-]*$|^[0-9a-f]{7,40}$"
)
"""What can only be a range or a revision; a branch's name may be a word of the question."""


def _bare(argv: Sequence[str]) -> Iterator[str]:
    """``--debate validate x`` debates; it is no debate of the kind ``validate``."""
    skip = False
    for at, word in enumerate(argv):
        if skip:
            skip = False
        elif word == "--debate":
            yield "--debate=on"
        elif word == "--diff":
            following = argv[at + 1] if at + 1 < len(argv) else ""
            skip = bool(_REVISION.search(following)) and not os.path.exists(following)
            yield f"--diff={following if skip else ''}"
        else:
            yield word


_GROUPS: dict[str, tuple[tuple[str, str, Kind], ...]] = {
    "what is judged": (
        ("words", "paths, globs, 'recent', - or plain words", {"nargs": "*", "metavar": "TARGET"}),
        ("--mode", "verdict, brainstorm, research or debate", text("TASK")),
        ("--focus", "the subject to look at most", text("TEXT")),
        ("--diff", "a change only: --diff or --diff=A..B", {"metavar": "RANGE"}),
        ("--staged", "what the next commit holds", YES),
        ("--recent", "commits that 'recent' means (1)", number(int)),
        ("--left-out", "accept unjudged: generated, vendored, ignored", listed("A,B")),
        ("--spec", "spec or plan to judge by", many("FILE")),
        ("--decisions", "what was decided before", many("FILE")),
        ("--results", "empirical results", many("TEXT|@FILE")),
        ("--run", "run first, show the judges", many("CMD")),
        ("--sweep", "numbered findings to confirm or reject, in place of searching", many("FILE")),
        ("--packet", "judge this council_packet (JSON) instead; - is standard input", text("FILE")),
        ("--stdin-name", "what '-' is, e.g. app.py", text("NAME")),
        (
            "--previous --follow",
            "an earlier council that this follows up: the report says what changed",
            text("RUN"),
        ),
    ),
    "how it is judged": (
        ("--depth", "quick, standard or deep", text("D")),
        (
            "--debate",
            "a second round: --debate always, --debate=auto when split, --debate=off never",
            {"choices": ("on", "off", "auto"), "default": "", "metavar": "WHEN"},
        ),
        ("--quick", "one judge, asked once, without a second look", YES),
        ("--deep", "3 judges; they debate where they split", YES),
        ("--mixed", "judges of two vendors, side by side", YES),
        ("--adversarial", "the same as --debate", YES),
        ("--evidence", "every finding must bring two checks that run", YES),
        ("--strict-mixed", "with --mixed: no verdict unless both vendors gave one", YES),
        ("--fit", "seat fewer judges where more than 12 agents are asked for (so by default)", YES),
        ("--degrade", "go on without judges that cannot answer", YES),
        ("--tdd", "the same as --evidence", {"dest": "evidence", **YES}),
        ("--count", "judges of each vendor", number(int)),
        ("--explorers", "explorers for each judge, at most 5 (0)", number(int)),
        ("--technique", "brainstorm by scamper, six-hats or reverse", text("T")),
        (
            "--hats",
            "six-hats: all each, or one each",
            {"choices": ("all", "split"), "default": ""},
        ),
        ("--timeout", "seconds a judge a round (120)", number(float, "S")),
        ("--policy", "the rule; 'guild policies' lists them", {"metavar": "NAME"}),
        ("--profile", "thorough, balanced, fast or inherit", text("P")),
        ("--tier", "the same: quality, balanced, budget or inherit", text("P")),
    ),
    "from which angles": (
        ("--preset --roster", "a named group of perspectives", text("NAME")),
        ("--perspectives", "one judge for each name", listed("A,B")),
        ("--perspectives-file", "YAML or TOML: name and focus", text("FILE")),
        ("--add-perspective", "one more beside the others", many("NAME", names)),
        (
            "--pairing",
            "with --mixed: both vendors take every angle, or share them",
            {"choices": ("paired", "split"), "default": ""},
        ),
    ),
    "who judges": (
        ("--model", "client or provider:model; two with --mixed", listed("M[,M2]")),
        HAND_OUT,
        ("--runtime", "mixed, claude, codex, gemini or tools", text("R")),
        ("--claude-model", "e.g. opus, sonnet, haiku", text("M")),
        ("--codex-model", "the client's own by default", text("M")),
        ("--explorer-model", "model of the explorers", text("M")),
        ("--effort", "how hard models think: low, medium or high", text("E")),
        ("--agents", "seat these agents in turn", listed("A,B")),
        ("--max-usd", "refuse a run that may cost more", number(float, "USD")),
        ("--print-packet", "print what judges would see, as a council_packet (JSON)", YES),
        ("--dry-run", "show the plan, roster, cost and what would leave", YES),
    ),
    "what comes out": (
        ("--json", "print one JSON document, nothing else", YES),
        ("--format", "for editors and code hosts", {"choices": FORMATS, "default": "text"}),
        ("--report", "also write .md, .json, .sarif, .xml (JUnit) or .html", many("FILE", Path)),
        ("--commit-ready", "also write the report to docs/council-log/", YES),
        ("--fail-on", "WARN fails too, with 'warn'", {"choices": ("flagged", "warn")}),
        ("--all", "print every finding, however many", YES),
        ("--quiet -q", "no progress", YES),
        ("--progress", "tell progress with --json, too", YES),
        ("--fresh", "ask anew what the ledger has an answer to", YES),
        ("--no-record", "write nothing into the repository", YES),
    ),
}

_SETTINGS: dict[str, tuple[str, ...]] = {
    "--count": ("council.judges",),
    "--timeout": ("council.timeout", "council.second_timeout"),
    "--explorers": ("council.explorers",),
    "--explorer-model": ("council.explorer_model",),
    "--claude-model": ("council.claude_model",),
    "--codex-model": ("council.codex_model",),
    "--agents": ("council.agents",),
    "--fit": ("council.fit",),
    "--strict-mixed": ("council.strict_mixed",),
    "--degrade": ("panel.degrade",),
    "--tier": ("council.profile",),
    "--profile": ("council.profile",),
    "--adversarial": ("council.debate",),
    "--debate": ("council.debate",),
    "--runtime": ("council.vendors",),
    "--model": ("council.vendors",),
    "--fail-on": ("panel.fail_on",),
    "--policy": ("policy.name",),
    "--max-usd": ("budget.run_usd",),
    "--effort": ("panel.effort",),
    "--recent": ("packet.recent",),
    "--left-out": ("floors.left_out",),
}
"""What each flag sets; of two flags for one setting the later one here counts."""


def setting_flags(options: argparse.Namespace) -> dict[str, Value | Origin]:
    """The settings that were given on the command line, each under its flag's name."""
    profile, tier = options.profile, options.tier
    if profile and tier and find_profile(profile) != find_profile(tier):
        raise UsageError(f"--profile {profile} and --tier {tier} name two profiles", "Name one.")
    found: dict[str, Value | Origin] = {}
    for flag, keys in _SETTINGS.items():
        value = getattr(options, flag[2:].replace("-", "_"))
        if value is None or value is False or value in ("", (), "mixed"):
            continue
        if flag == "--adversarial":
            value, flag = "on", "--debate"
        elif flag == "--runtime":
            value = (value,)
        found |= {key: Origin(value, flag) for key in keys}
    return found | handed_flags(options, "council.vendors")


def council_options(options: argparse.Namespace) -> CouncilOptions:
    """What is asked; the second generation's knobs are put into flags."""
    depth = one_of(options.depth or "standard", ("quick", "standard", "deep"), "depth")
    fields = (field for field in CouncilOptions._fields if field != "given")
    given = {field: getattr(options, field) for field in fields}
    return CouncilOptions(**given)._replace(
        quick=options.quick or depth == "quick",
        deep=options.deep or depth == "deep",
        mixed=options.mixed or options.runtime == "mixed",
    )


def _parser(verb: str) -> Parser:
    parser = Parser(
        verb,
        "Put a plan, a change or a question before a council of judges. The first word may name\n"
        "the task (validate, brainstorm, research or debate); otherwise it is read from your words.\n"
        "Words that are paths are judged, the rest is the question.",
        _EXAMPLES,
    )
    parser.usage = "guild council [options] [TASK] [TARGET ...]"
    for title, rows in _GROUPS.items():
        add_options(parser, *rows, title=title)
    return parser
