"""How every verb that ends in a panel's verdict prints it and writes its reports."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.cli.arguments import add_json
from guildmoot.cli.config import project_root
from guildmoot.cli.report_files import check_files, write_files

if TYPE_CHECKING:
    from guildmoot.model.report import RunReport


def add_output(group: argparse._ArgumentGroup) -> None:
    """The options of what comes out."""
    add_json(group)  # type: ignore[arg-type]
    group.add_argument("--report", action="append", default=[], type=Path, metavar="FILE",
                       help="also write .md, .json, .sarif, .xml (JUnit) or .html")  # fmt: skip
    group.add_argument(
        "--fail-on", choices=("flagged", "warn"), help="advisories fail too, with 'warn'"
    )
    group.add_argument("--all", action="store_true", help="print every finding, however many")
    group.add_argument("--quiet", "-q", action="store_true", help="no progress")


def check_reports(paths: list[Path]) -> None:
    """A report that could not be written is refused before anyone judges."""
    from guildmoot.reports import FORMATS

    check_files(paths, FORMATS)


def write_reports(report: RunReport, paths: list[Path]) -> None:
    """Each report in the format that its file's name asks for."""
    from guildmoot.reports import render

    write_files(paths, lambda suffix: render(report, suffix))


def print_report(report: RunReport, *, as_json: bool, show_all: bool) -> None:
    """The verdict on standard output, for people or for programs."""
    if as_json:
        from guildmoot.reports.json import to_json
        from guildmoot.system.jsonio import write

        write(to_json(report), sys.stdout.buffer)
        return
    from guildmoot.reports.pen import open_console
    from guildmoot.reports.terminal import render_report

    render_report(report, open_console(), show_all=show_all)
    if report.header.run_id:
        _offer_ignore()


def _offer_ignore() -> None:
    """Records are not meant for commits; say how to leave them out, and leave the file alone."""
    from guildmoot.packet import ignores

    if not ignores(project_root(), ".guild/runs"):
        sys.stdout.write("  echo .guild/ >> .gitignore  keeps the records out of commits\n")
