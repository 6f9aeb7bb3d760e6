"""What a terminal shows beside the judging: a wrapper's tables and predictions, what changed since before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from guildmoot.model.council import CouncilReport
from guildmoot.reports.pen import Pen
from guildmoot.text.clean import one_line

_SHOWN = 12


def print_more(pen: Pen, report: CouncilReport, *, verbose: bool = False) -> None:
    """Each group under its heading; long ones are shortened, and said to be."""
    for heading, lines in _groups(report):
        pen.gap()
        pen.line(pen.text(heading, "bold"))
        shown = lines if verbose else lines[:_SHOWN]
        for line in shown:
            pen.hanging(pen.text("  "), pen.text(one_line(line)))
        if len(shown) < len(lines):
            pen.line(pen.text(f"  {len(lines) - len(shown)} more; --all shows them", "dim"))


def _groups(report: CouncilReport) -> Iterator[tuple[str, Sequence[str]]]:
    for title, _, rows in report.tables:
        yield one_line(title).upper(), [_row(row) for row in rows]
    if report.predictions:
        yield "PREDICTIONS", [f"{name}  {said}" for name, said in report.predictions]
    if report.delta:
        lines = [f"{issue}: {before} -> {now}" for issue, before, now in report.delta]
        yield f"SINCE {one_line(report.previous)}", lines


def _row(row: Sequence[str]) -> str:
    return "  ".join(cell for cell in row if cell != "-")
