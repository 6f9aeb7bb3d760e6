"""``guild resume`` for a council: what was answered stands, what is missing is asked."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from guildmoot.cli.council import check_reports, print_council, write_reports
from guildmoot.cli.watching import watch_panel
from guildmoot.config import Value
from guildmoot.practices.council.run import resume_council
from guildmoot.spawn import run_foreground


def resume(
    root: Path, folder: Path, options: argparse.Namespace, flags: Mapping[str, Value]
) -> int:
    """Go on with a council's run and print its answer."""
    check_reports(options.report)
    with watch_panel(quiet=options.quiet or options.json) as watch:
        report = run_foreground(resume_council(root, folder, flags, watch))
    print_council(report, root, as_json=options.json, show_all=options.all)
    write_reports(report, options.report)
    return report.exit_code
