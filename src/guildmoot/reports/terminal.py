"""The report on a terminal or in a CI log: verdict, findings, seats, coverage, what to do next.

Every word makes sense without colour, and nothing is drawn that a narrow window could break.
"""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from guildmoot.model.report import RunReport, SeatReport
from guildmoot.reports.costs import cost_rows, costs_of
from guildmoot.reports.pen import Pen
from guildmoot.reports.terminal_findings import print_conflict, print_group
from guildmoot.reports.view import (
    attendance,
    by_severity,
    coverage,
    gave_judgement,
    not_seated,
    seat_state,
    strength,
    tally,
    verdict_words,
    votes,
    why_left_out,
)
from guildmoot.text.clean import one_line, seconds

DEFAULT_LIMIT = 5
_STYLES = {"approved": "bold green", "flagged": "bold red", "conflict": "bold red"}
_NARROW = 60
_MANY_SEATS = 20
_MANY_FINDINGS = 3


def render_report(
    report: RunReport,
    console: Console,
    *,
    limit: int = DEFAULT_LIMIT,
    show_all: bool = False,
    verbose: bool = False,
) -> None:
    """Print the report; of each severity, ``limit`` advisory findings, and the rest summed up.

    What blocks is always shown; ``show_all`` shows every finding. ``verbose`` adds whole quotes,
    patches, every seat, and each file that was left out.
    """
    pen = Pen(console)
    _verdict(pen, report)
    _reasons(pen, report)
    for conflict in report.conflicts:
        print_conflict(pen, conflict)
    groups = by_severity(report)
    hidden = sum(
        print_group(pen, group, verbose, len(group.advisory) if show_all else limit)
        for group in groups
    )
    _seats(pen, report, verbose)
    _counts(pen, report, verbose or show_all)
    _costs(pen, report)
    _coverage(pen, report, verbose)
    _next(pen, report, hidden)
    if len(report.blocking) + len(report.advisory) - hidden > _MANY_FINDINGS:
        pen.gap()
        _verdict(pen, report)


def _verdict(pen: Pen, report: RunReport) -> None:
    symbol, word, rest = verdict_words(report)
    style = _STYLES.get(report.outcome, "bold yellow")
    pen.hanging(Text(), Text.assemble(pen.text(f"{symbol} {word}", style), pen.text(f"  {rest}")))


def _reasons(pen: Pen, report: RunReport) -> None:
    facts = (
        one_line(report.header.target),
        attendance(report),
        strength(report),
        seconds(report.header.seconds),
    )
    pen.hanging(pen.text("  "), pen.text(" · ".join(fact for fact in facts if fact), "dim"))
    for reason in report.header.reasons:
        pen.hanging(pen.text("  "), pen.prose(one_line(reason)))


def _seats(pen: Pen, report: RunReport, verbose: bool) -> None:
    shown = _worth_a_row(report, verbose)
    pen.gap()
    pen.line(pen.text("SEATS", "bold"))
    if pen.console.width < _NARROW:
        _list_seats(pen, shown)
    elif shown:
        pen.console.print(_table(pen, shown, verbose))
    quiet = len(report.seats) - len(shown)
    if quiet:
        pen.hanging(pen.text("  "), pen.text(f"… {quiet} more answered and found nothing", "dim"))
    for seat in shown:
        if seat.reason:
            name = pen.text(f"{one_line(seat.seat.name)}: ", "bold")
            pen.hanging(pen.text("  "), Text.assemble(name, pen.prose(one_line(seat.reason))))


def _counts(pen: Pen, report: RunReport, explained: bool) -> None:
    rows = votes(report)
    if not rows or not explained:
        return
    pen.gap()
    pen.line(pen.text("VOTES", "bold"))
    for name, value, meaning in rows:
        pen.hanging(pen.text(f"  {name:<10}{value:>5}  "), pen.text(meaning, "dim"))


def _costs(pen: Pen, report: RunReport) -> None:
    rows = cost_rows(costs_of(report))
    if rows:
        pen.gap()
        pen.line(pen.text("COST", "bold"))
        for row in rows:
            pen.line(pen.text(row))


def _worth_a_row(report: RunReport, verbose: bool) -> list[SeatReport]:
    """Every seat; of a long table, those that found something or gave no plain approval."""
    if verbose or len(report.seats) <= _MANY_SEATS:
        return list(report.seats)
    return [s for s in report.seats if s.findings or s.outcome != "approved"]


def _list_seats(pen: Pen, seats: list[SeatReport]) -> None:
    """For a window in which the columns of a table would not stand beside each other."""
    for seat in seats:
        name = pen.text(one_line(seat.seat.name), "bold")
        found = tally(seat.blocking, seat.findings - seat.blocking)
        facts = ", ".join(filter(None, (seat_state(seat), found, seconds(seat.seconds))))
        pen.hanging(pen.text("• "), Text.assemble(name, pen.text(f": {facts}")))


def _table(pen: Pen, seats: list[SeatReport], verbose: bool) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("Seat", overflow="fold")
    table.add_column("Answer", overflow="fold")
    if verbose:
        table.add_column("Judge", overflow="fold")
    for name in ("Blocking", "Advisory", "Time"):
        table.add_column(name, justify="right", no_wrap=True)
    for seat in seats:
        style = "" if gave_judgement(seat) else "yellow"
        judge = " ".join(word for word in (seat.seat.backend, seat.seat.model) if word)
        cells = [
            one_line(seat.seat.name),
            seat_state(seat),
            *([one_line(judge)] if verbose else []),
            str(seat.blocking),
            str(seat.findings - seat.blocking),
            seconds(seat.seconds),
        ]
        table.add_row(*(pen.text(cell.replace("::", ": :"), style) for cell in cells))
    return table


def _coverage(pen: Pen, report: RunReport, verbose: bool) -> None:
    pen.gap()
    pen.line(pen.text("COVERAGE", "bold"))
    pen.hanging(pen.text("  "), pen.text(" ".join(coverage(report))))
    if report.passed_over:
        agents = not_seated(report, len(report.passed_over) if verbose else 6)
        pen.hanging(pen.text("  "), pen.text(f"Not seated: {agents}.", "dim"))
    for omission in report.header.omitted if verbose else ():
        where = f"{one_line(omission.path)}: {why_left_out(omission)}"
        pen.line(pen.text(f"  left out  {where}", "dim"))
    for masking in report.header.masked if verbose else ():
        where = f"{one_line(masking.path)}:{masking.line}: {one_line(masking.kind)}"
        pen.line(pen.text(f"  masked    {where}", "dim"))


def _next(pen: Pen, report: RunReport, hidden: int) -> None:
    hints = []
    if hidden:
        hints.append(("--all", f"prints the {hidden:,} findings left out here"))
    if report.outcome == "infrastructure":
        hints.append(("guild doctor", "tells what is missing and what to do"))
    if report.blocking or report.advisory:
        hints.append(("--report out.html", "writes a page to share; .md .json .sarif .xml too"))
    if report.header.run_id:
        hints.append(
            (f"guild runs show {one_line(report.header.run_id)}", "the record of this run")
        )
    if not hints:
        return
    pen.gap()
    pen.line(pen.text("NEXT", "bold"))
    for command, meaning in hints:
        hint = Text.assemble(pen.text(command, "bold"), pen.text(f"  {meaning}"))
        pen.hanging(pen.text("  "), hint)
