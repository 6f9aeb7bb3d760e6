"""``guild council``: put a plan, a change or a question before several judges; one honest answer."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.config import project_root
from guildmoot.cli.report_files import check_files, write_files
from guildmoot.config import Config, process_config
from guildmoot.errors import UsageError

if TYPE_CHECKING:
    from guildmoot.model.council import CouncilReport
    from guildmoot.packet import Request
    from guildmoot.practices.council.options import CouncilOptions
    from guildmoot.practices.council.plan import CouncilPlan

SUBVERBS = {
    "candidates": "council_candidates",
    "recheck": "council_recheck",
    "compare": "council_compare",
    "show": "council_show",
}
"""First words that are no task, and the modules that have them; imported when they are called."""


def main(argv: list[str]) -> int:
    """Run the verb."""
    if argv and argv[0] in SUBVERBS and not _is_question(argv):
        module = __import__(f"guildmoot.cli.{SUBVERBS[argv[0]]}", fromlist=["main"])
        return int(module.main(argv[1:]))
    from guildmoot.cli.council_arguments import council_options, parse_options, setting_flags

    options = parse_options(argv)
    check_reports(options.report)
    root = project_root()
    config = process_config(root, setting_flags(options))
    plan = make_plan(council_options(options), config, root)
    _check_task(options.report, plan)
    request = make_request(options, plan, config)
    if options.dry_run:
        return _foretell(plan, request, config, as_json=options.json)
    keep = config.flag("runs.keep") and not options.no_record and (root / ".git").exists()
    report = _convene(options, plan, request, config, root if keep else None)
    print_council(report, root, as_json=options.json, show_all=options.all)
    write_reports(report, options.report)
    return report.header.exit_code


def _is_question(argv: list[str]) -> bool:
    """``compare Redis and Memcached`` is research; ``compare RUN RUN`` compares two runs."""
    words = [word for word in argv[1:] if not word.startswith("-")]
    runs = [word for word in words if word == "last" or word[:4].isdigit()]
    needed = {"compare": 2, "show": 1}.get(argv[0], 0)
    spoken = len(words) > 1  # a single word that is no run is a slip, and is told as one
    return spoken and len(runs) < needed


def make_plan(options: CouncilOptions, config: Config, root: Path) -> CouncilPlan:
    """The council that is asked for; errors come before anything is spent."""
    from guildmoot.agents.presets.loader import load_presets
    from guildmoot.practices.council.plan import plan_council
    from guildmoot.practices.council.repository import view_repository, why_not

    view = view_repository(root, Path.cwd())
    return plan_council(options, config, load_presets(root), why_not, view)


def make_request(options: argparse.Namespace, plan: CouncilPlan, config: Config) -> Request:
    """What the judges are shown."""
    from guildmoot.cli.arguments import read_stdin
    from guildmoot.packet import Request, run_evidence
    from guildmoot.practices.council.plan import packet_request

    cwd, patience = Path.cwd(), config.number("verify.timeout")
    base = Request(
        targets=(),
        cwd=cwd,
        diff=options.diff,
        staged=options.staged,
        spec=tuple(Path(name) for name in options.spec),
        decisions=tuple(Path(name) for name in options.decisions),
        sweep=tuple(Path(name) for name in options.sweep),
        evidence=tuple(options.results),
        evidence_results=tuple(run_evidence(line, cwd, patience) for line in options.run),
        stdin=read_stdin() if "-" in plan.targets else None,
        stdin_name=options.stdin_name,
        max_bytes=int(config.number("packet.max_bytes")),
        max_file_bytes=int(config.number("packet.max_file_bytes")),
        recent=int(config.number("packet.recent")),
    )
    return packet_request(plan, base)


def _convene(
    options: argparse.Namespace,
    plan: CouncilPlan,
    request: Request,
    config: Config,
    root: Path | None,
) -> CouncilReport:
    from guildmoot.calls import run_foreground
    from guildmoot.cli.watching import watch_run
    from guildmoot.practices.council.run import convene
    from guildmoot.runs.index import find_run

    previous = find_run(project_root(), options.previous).name if options.previous else ""
    with watch_run(quiet=options.quiet or options.json) as watch:
        work = convene(
            plan, request, config, watch, root=root, previous=previous, fresh=options.fresh
        )
        return run_foreground(work)


def _foretell(plan: CouncilPlan, request: Request, config: Config, *, as_json: bool) -> int:
    """What the council would do, without doing it."""
    from guildmoot.practices.council.dry_run import dry_run, foretold_json, foretold_rows
    from guildmoot.system.jsonio import dumps
    from guildmoot.text.clean import clean

    found = dry_run(plan, request, config)
    text = dumps(foretold_json(found)) if as_json else clean("\n".join(foretold_rows(found)))
    sys.stdout.write(text + "\n")
    return 0


def check_reports(paths: list[Path]) -> None:
    """A report that could not be written is refused before anyone judges."""
    from guildmoot.reports.council import FORMATS

    check_files(paths, FORMATS)


def _check_task(paths: list[Path], plan: CouncilPlan) -> None:
    """SARIF holds findings, which only a verdict has."""
    if plan.task != "validate" and any(path.suffix.lower() == ".sarif" for path in paths):
        raise UsageError(
            f"a {plan.task} has no findings to write as SARIF", "Name a .md, .json or .html file."
        )


def write_reports(report: CouncilReport, paths: list[Path]) -> None:
    """Each report in the format that its file's name asks for."""
    from guildmoot.reports.council import render

    write_files(paths, lambda suffix: render(report, suffix))


def print_council(
    report: CouncilReport, root: Path, *, as_json: bool, show_all: bool = False
) -> None:
    """The answer on standard output, for people or for programs."""
    if as_json:
        from guildmoot.reports.council.json import render_json
        from guildmoot.system.jsonio import write

        write(render_json(report), sys.stdout.buffer)
        return
    from guildmoot.reports.council.terminal import render_terminal
    from guildmoot.reports.pen import open_console
    from guildmoot.runs.council_record import FOLDER, is_report_of

    render_terminal(report, open_console(), verbose=show_all)
    file = FOLDER / f"{report.stem}.md"
    if is_report_of(root, report.stem, report.header.run_id) and (root / file).is_file():
        sys.stdout.write(f"  {file}\n")
