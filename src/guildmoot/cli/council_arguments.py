"""The command line of ``guild council``: every flag, under the names of both generations.

Only words become values here; what they mean together is for ``practices.council.request``. A bare
``--debate`` or ``--diff`` takes no value from the words that follow it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from guildmoot.cli.arguments import Parser, add_json, names

_EXAMPLES = """  guild council validate recent              two judges, the last commit
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

presets: architecture, code-review, developer-experience, doc-review, duel,
leadership-quartet, migration, ops, plan-review, product, red-team, research,
retrospective, security-audit, strategy, testing; yours in .guild/presets/

exit codes: 0 PASS, or WARN without --fail-on warn; 1 WARN with it; 2 FAIL;
3 DISAGREE or INCOMPLETE; 4 infrastructure; 64 usage; 130 stopped

Without a model (--model, council.vendors, COUNCIL_CLAUDE_MODEL) the judges
are tools of this machine, and nothing is sent anywhere."""


def parse_options(argv: Sequence[str]) -> argparse.Namespace:
    """The options of one command line; UsageError says what is wrong with it."""
    argv = list(argv)
    end = argv.index("--") if "--" in argv else len(argv)
    options = _parser().parse_intermixed_args(list(_bare(argv[:end])))
    options.words = (*options.words, *argv[end + 1 :])  # argparse forgets what "--" protected
    options.add_perspective = tuple(name for group in options.add_perspective for name in group)
    return options


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
            skip = ".." in following and not following.startswith((".", "/", "-"))
            yield f"--diff={following if skip else ''}"
        else:
            yield word


def _parser() -> Parser:
    parser = Parser(
        "council",
        "Put a plan, a change or a question before a council of judges. The first word may name\n"
        "the task (validate, brainstorm, research or debate); otherwise it is read from your words.\n"
        "Words that are paths are judged, the rest is the question.",
        _EXAMPLES,
    )
    parser.usage = "guild council [options] [TASK] [TARGET ...]"
    _what(parser.add_argument_group("what is judged"))
    _how(parser.add_argument_group("how it is judged"))
    _angles(parser.add_argument_group("from which angles"))
    _who(parser.add_argument_group("who judges"))
    _out(parser.add_argument_group("what comes out"))
    return parser


def _what(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "words", nargs="*", metavar="TARGET", help="paths, globs, 'recent', - or plain words"
    )
    group.add_argument(
        "--mode", default="", metavar="TASK", help="verdict, brainstorm, research or debate"
    )
    group.add_argument("--focus", default="", metavar="TEXT", help="the subject to look at most")
    group.add_argument("--diff", metavar="RANGE", help="a change only: --diff or --diff=A..B")
    group.add_argument("--staged", action="store_true", help="what the next commit holds")
    group.add_argument("--recent", type=int, metavar="N", help="commits that 'recent' means (1)")
    group.add_argument(
        "--spec", action="append", default=[], metavar="FILE", help="spec or plan to judge by"
    )
    group.add_argument(
        "--decisions", action="append", default=[], metavar="FILE", help="what was decided before"
    )
    group.add_argument(
        "--results", action="append", default=[], metavar="TEXT|@FILE", help="empirical results"
    )
    group.add_argument(
        "--run", action="append", default=[], metavar="CMD", help="run first, show the judges"
    )
    group.add_argument(
        "--sweep", action="append", default=[], metavar="FILE",
        help="numbered findings to confirm or reject, in place of searching",
    )  # fmt: skip
    group.add_argument("--stdin-name", default="", metavar="NAME", help="what '-' is, e.g. app.py")
    group.add_argument(
        "--previous",
        "--follow",
        default="",
        metavar="RUN",
        help="an earlier council that this follows up: the report says what changed",
    )


def _how(group: argparse._ArgumentGroup) -> None:
    flags = {
        "--quick": "one judge, asked once, without a second look",
        "--deep": "3 judges; they debate where they split",
        "--mixed": "judges of two vendors, side by side",
        "--adversarial": "the same as --debate",
        "--evidence": "every finding must bring two checks that run",
        "--fit": "seat fewer judges instead of refusing more than 12 agents",
        "--degrade": "go on without judges that cannot answer",
    }
    group.add_argument("--depth", default="", metavar="D", help="quick, standard or deep")
    group.add_argument(
        "--debate",
        choices=("on", "off", "auto"),
        default="",
        metavar="WHEN",
        help="a second round: --debate always, --debate=auto when split, --debate=off never",
    )
    for name, about in flags.items():
        group.add_argument(name, action="store_true", help=about)
    group.add_argument("--tdd", dest="evidence", action="store_true", help="the same as --evidence")
    group.add_argument(
        "--count", dest="judges", type=int, metavar="N", help="judges of each vendor"
    )
    group.add_argument(
        "--explorers", type=int, metavar="N", help="explorers for each judge, at most 5 (0)"
    )
    group.add_argument(
        "--technique", default="", metavar="T", help="brainstorm by scamper, six-hats or reverse"
    )
    group.add_argument(
        "--hats", choices=("all", "split"), default="", help="six-hats: all each, or one each"
    )
    group.add_argument("--timeout", type=float, metavar="S", help="seconds a judge a round (120)")
    group.add_argument("--policy", metavar="NAME", help="the rule; 'guild policies' lists them")
    group.add_argument(
        "--profile", default="", metavar="P", help="thorough, balanced, fast or inherit"
    )
    group.add_argument(
        "--tier", default="", metavar="P", help="the same: quality, balanced, budget or inherit"
    )


def _angles(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--preset", "--roster", default="", metavar="NAME", help="a named group of perspectives"
    )
    group.add_argument(
        "--perspectives", type=names, default=(), metavar="A,B", help="one judge for each name"
    )
    group.add_argument(
        "--perspectives-file", default="", metavar="FILE", help="YAML or TOML: name and focus"
    )
    group.add_argument(
        "--add-perspective",
        action="append",
        type=names,
        default=[],
        metavar="NAME",
        help="one more beside the others",
    )
    group.add_argument(
        "--pairing",
        choices=("paired", "split"),
        default="",
        help="with --mixed: both vendors take every angle, or share them",
    )


def _who(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--model",
        type=names,
        default=(),
        metavar="M[,M2]",
        help="client or provider:model; two with --mixed",
    )
    group.add_argument(
        "--runtime", default="", metavar="R", help="mixed, claude, codex, gemini or tools"
    )
    group.add_argument("--claude-model", default="", metavar="M", help="e.g. opus, sonnet, haiku")
    group.add_argument("--codex-model", default="", metavar="M", help="the client's own by default")
    group.add_argument("--explorer-model", default="", metavar="M", help="model of the explorers")
    group.add_argument(
        "--agents", type=names, default=(), metavar="A,B", help="seat these agents in turn"
    )
    group.add_argument(
        "--max-usd", type=float, metavar="USD", help="refuse a run that may cost more"
    )
    group.add_argument(
        "--dry-run", action="store_true", help="show the plan, roster, cost and what would leave"
    )


def _out(group: argparse._ArgumentGroup) -> None:
    add_json(group)  # type: ignore[arg-type]
    group.add_argument(
        "--report",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="also write .md, .json, .sarif or .html",
    )
    group.add_argument(
        "--commit-ready", action="store_true", help="also write the report to docs/council-log/"
    )
    group.add_argument("--fail-on", choices=("flagged", "warn"), help="WARN fails too, with 'warn'")
    group.add_argument("--all", action="store_true", help="print every finding, however many")
    group.add_argument("--quiet", "-q", action="store_true", help="no progress")
    group.add_argument(
        "--fresh", action="store_true", help="ask anew what the ledger has an answer to"
    )
    group.add_argument("--no-record", action="store_true", help="write nothing into the repository")
