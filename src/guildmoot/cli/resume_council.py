"""``guild resume``, ``replay`` and ``rerun`` for a council."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from guildmoot.calls import run_foreground
from guildmoot.cli.council import check_reports, print_council, write_reports
from guildmoot.cli.watching import watch_run
from guildmoot.config import Value
from guildmoot.model.council import CouncilReport
from guildmoot.practices.council.run import replay_council, rerun_council, resume_council
from guildmoot.practices.reviews.resume import finish_report_again


def resume(
    root: Path, folder: Path, options: argparse.Namespace, flags: Mapping[str, Value]
) -> int:
    """Go on with a council's run and print its answer."""
    check_reports(options.report)
    with watch_run(quiet=options.quiet or options.json) as watch:
        dress = finish_report_again(root, folder)
        report = run_foreground(resume_council(root, folder, flags, watch, dress))
    return _shown(report, root, options)


def replay(
    root: Path, folder: Path, options: argparse.Namespace, flags: Mapping[str, Value]
) -> int:
    """Weigh a council's recorded replies again."""
    check_reports(options.report)
    dress = finish_report_again(root, folder, keep=False)
    return _shown(run_foreground(replay_council(root, folder, flags, dress)), root, options)


def rerun(root: Path, folder: Path, options: argparse.Namespace, flags: Mapping[str, Value]) -> int:
    """Ask some judges of a council again, as a new run."""
    check_reports(options.report)
    with watch_run(quiet=options.quiet or options.json) as watch:
        dress = finish_report_again(root, folder)
        work = rerun_council(root, folder, options.seat, flags, watch, dress)
        report = run_foreground(work)
    return _shown(report, root, options)


def _shown(report: CouncilReport, root: Path, options: argparse.Namespace) -> int:
    print_council(report, root, as_json=options.json, show_all=options.all)
    write_reports(report, options.report)
    return report.header.exit_code
