"""What ``vibe``, ``pre-mortem`` and ``post-mortem`` have in common: the council's flags and its output."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import Parser
from guildmoot.cli.config import project_root
from guildmoot.cli.council import (
    check_reports,
    make_plan,
    make_request,
    print_council,
    write_reports,
)
from guildmoot.config import Config, process_config
from guildmoot.errors import UsageError

if TYPE_CHECKING:
    from guildmoot.model.council import CouncilReport
    from guildmoot.practices.council.plan import CouncilPlan
    from guildmoot.practices.reviews.convene import Prepared, Wrapper
    from guildmoot.practices.reviews.defaults import Defaults, Given

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

Suppose = Callable[["Given", Path], "Defaults"]


def run_wrapper(wrapper: Wrapper, suppose: Suppose, options: argparse.Namespace) -> int:
    """One sitting, from the command line to the exit code."""
    from guildmoot.cli.council_arguments import setting_flags
    from guildmoot.packet import find_root
    from guildmoot.practices.reviews.convene import nothing_to_judge, prepare

    check_reports(options.report)
    root = find_root(Path.cwd())
    config = process_config(root, setting_flags(options))
    supposed = suppose(given_of(options), root)
    if supposed.nothing:
        report = nothing_to_judge(wrapper.name, supposed.target, supposed.nothing)
        return _show(report, root, options)
    plan = _plan(_filled(options, supposed), supposed, config, root)
    ready = prepare(wrapper, plan, make_request(options, plan, config), supposed.left)
    if options.dry_run:
        return _foretell(plan, ready, config, as_json=options.json)
    keep = config.flag("runs.keep") and not options.no_record
    report = _sit(wrapper, plan, ready, config, root if keep else None, options)
    return _show(report, root, options)


def read_options(verb: str, about: str, examples: str, argv: list[str]) -> argparse.Namespace:
    """The council's flags, with a help of the wrapper's own."""
    from guildmoot.cli.council_arguments import parse_options

    if "-h" in argv or "--help" in argv:
        parser = Parser(verb, about, examples)
        parser.usage = f"guild {verb} [options] [TARGET ...]"
        group = parser.add_argument_group("options, beside all of 'guild council'")
        group.description = "\n".join(f"{name:<24}{text}" for name, text in _OPTIONS)
        parser.parse_args(["--help"])
    options = parse_options(argv)
    if options.mode not in ("", "verdict", "validate") or options.technique:
        raise UsageError(
            f"guild {verb} always gives a verdict; it takes no --mode and no --technique",
            "'guild council' has the other tasks.",
        )
    return options


def given_of(options: argparse.Namespace) -> Given:
    """What the user said, as far as it changes what is filled in."""
    from guildmoot.practices.reviews.defaults import Given

    angles = options.preset or options.perspectives or options.perspectives_file
    return Given(
        targets=tuple(options.words),
        change=options.diff is not None or options.staged,
        spec=tuple(options.spec),
        sized=bool(angles or options.quick or options.depth or options.count is not None),
        deep=options.deep,
    )


def from_here(root: Path, path: str) -> str:
    """A path of the repository as it is named where the user stands."""
    return os.path.relpath(root / path, Path.cwd()).replace(os.sep, "/")


def _filled(options: argparse.Namespace, supposed: Defaults) -> argparse.Namespace:
    options.words = ("validate", *supposed.words)
    options.diff = options.diff if options.diff is not None else supposed.diff
    options.spec = list(supposed.spec) or options.spec
    options.preset = options.preset or supposed.preset
    options.quick = options.quick or supposed.quick
    return options


def _plan(
    options: argparse.Namespace, supposed: Defaults, config: Config, root: Path
) -> CouncilPlan:
    from guildmoot.cli.council_arguments import council_options

    plan = make_plan(council_options(options), config, root)
    return plan._replace(
        target=supposed.target or plan.target,
        targets=tuple(from_here(root, path) for path in supposed.paths) or plan.targets,
        notes=(*supposed.notes, *plan.notes),
    )


def _sit(
    wrapper: Wrapper,
    plan: CouncilPlan,
    ready: Prepared,
    config: Config,
    root: Path | None,
    options: argparse.Namespace,
) -> CouncilReport:
    from guildmoot.calls import run_foreground
    from guildmoot.cli.watching import watch_run
    from guildmoot.practices.reviews.convene import sit_as
    from guildmoot.runs.index import find_run

    previous = find_run(project_root(), options.previous).name if options.previous else ""
    with watch_run(quiet=options.quiet or options.json) as watch:
        return run_foreground(
            sit_as(
                wrapper,
                plan,
                ready,
                config,
                watch,
                root=root,
                previous=previous,
                fresh=options.fresh,
            )
        )


def _foretell(plan: CouncilPlan, ready: Prepared, config: Config, *, as_json: bool) -> int:
    from guildmoot.practices.council.dry_run import dry_run, foretold_json, foretold_rows
    from guildmoot.system.jsonio import dumps
    from guildmoot.text.clean import clean

    found = dry_run(plan, ready.request, config)
    text = dumps(foretold_json(found)) if as_json else clean("\n".join(foretold_rows(found)))
    sys.stdout.write(text + "\n")
    return 0


def _show(report: CouncilReport, root: Path, options: argparse.Namespace) -> int:
    print_council(report, root, as_json=options.json, show_all=options.all)
    write_reports(report, options.report)
    return report.header.exit_code
