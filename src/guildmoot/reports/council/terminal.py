"""A council on a terminal or in a CI log: the verdict, who said what, the findings, what to do next.

Every word makes sense without colour. A debate has a view of its own, in ``terminal_debate``.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from guildmoot.model.council import CouncilReport, Judge
from guildmoot.model.verdict import Issue
from guildmoot.reports.council.markdown_debate import no_debate
from guildmoot.reports.council.terminal_debate import debate_view, shift_lines
from guildmoot.reports.council.terminal_ideas import print_duel, print_ideas
from guildmoot.reports.council.terminal_more import print_more
from guildmoot.reports.council.view import (
    OUTCOMES,
    fix,
    insight,
    meaning,
    missing,
    moved,
    names,
    ref,
    responded,
    seating,
    severity,
    speaker,
    speakers,
    state,
    strength,
    was_held,
)
from guildmoot.reports.pen import Pen
from guildmoot.reports.view import doubt
from guildmoot.text.clean import count, one_line, seconds

__all__ = ["debate_view", "render_terminal"]

STYLES = {"PASS": "bold green", "FAIL": "bold red", "DISAGREE": "bold red"}
_TITLES = {"brainstorm": "BRAINSTORM", "research": "RESEARCH", "debate": "DUEL"}
_MARKS = {"ok": "✓", "warn": "!", "fail": "✗", "skipped": "·"}
_WIDEST_NAME = 22
_NARROW = 60
_SHOWN = 8


def render_terminal(report: CouncilReport, console: Console, *, verbose: bool = False) -> None:
    """Print the report; ``verbose`` shows every finding with its reasons, and the whole debate."""
    pen = Pen(console)
    _verdict(pen, report)
    _checks(pen, report)
    _judges(pen, report)
    if report.debate and verbose:
        debate_view(report, console)
    elif report.debate:
        title(pen, "DEBATE")
        held = was_held(report.debate)
        said = moved(report.debate) if held else no_debate(report.debate)
        pen.hanging(pen.text("  "), pen.prose(one_line(said)))
        if held:
            shift_lines(pen, report, report.debate)
    if report.ideas:
        print_ideas(pen, report, report.ideas)
    if report.duel:
        print_duel(pen, report, report.duel)
    _disagreements(pen, report)
    hidden = _findings(pen, report, verbose)
    print_more(pen, report, verbose=verbose)
    _recommendation(pen, report)
    _coverage(pen, report)
    _next(pen, report, hidden)


def title(pen: Pen, words: str, remark: str = "") -> None:
    """An empty line and a heading."""
    pen.gap()
    told = pen.text(f"  {remark}" if remark else "", "dim")
    pen.hanging(Text(), Text.assemble(pen.text(words, "bold"), told))


def _verdict(pen: Pen, report: CouncilReport) -> None:
    if report.outcome:
        symbol = OUTCOMES[report.outcome][0]
        head = pen.text(f"{symbol} {report.outcome}", STYLES.get(report.outcome, "bold yellow"))
    else:
        head = pen.text(_TITLES.get(report.task, "COUNCIL"), "bold")
    decision = f"{one_line(report.decision)}: " if report.decision else ""
    means = meaning(report) or "nothing was judged, so there is no verdict"
    pen.hanging(Text(), Text.assemble(head, pen.text(f"  {decision}{means}")))
    votes = strength(report) if report.outcome else ""
    facts = (one_line(report.header.target), seating(report), votes, report.confidence)
    told = " · ".join(one_line(fact) for fact in (*facts, seconds(report.header.seconds)) if fact)
    pen.hanging(pen.text("  "), pen.text(told, "dim"))
    told_already = "\n".join(report.header.reasons)
    floors = [floor for floor in report.header.floors if floor not in told_already]
    for reason in (*report.header.reasons, *floors, *report.notes):
        pen.hanging(pen.text("  "), pen.prose(one_line(reason)))


def _checks(pen: Pen, report: CouncilReport) -> None:
    if report.checks:
        title(pen, "CHECKS", "by programs, before anyone was asked")
    for name, result, detail in report.checks:
        lead = pen.text(f"  {_MARKS.get(result, '?')} {one_line(name)}  ")
        pen.hanging(lead, pen.prose(one_line(f"{result}: {detail}" if detail else result)))


def _judges(pen: Pen, report: CouncilReport) -> None:
    answered, total = responded(report)
    title(pen, "JUDGES", f"{answered} of {total} answered")
    called = names(report)
    width = min(max((len(called[judge.label]) for judge in report.judges), default=0), _WIDEST_NAME)
    for judge in report.judges:
        _judge(pen, report, judge, called[judge.label], width)
    if missing(report):
        absent = ", ".join(missing(report))
        pen.hanging(pen.text("  "), pen.text(f"asked for, but silent: {absent}", "yellow"))


def _judge(pen: Pen, report: CouncilReport, judge: Judge, name: str, width: int) -> None:
    said = state(judge) if report.outcome or judge.status != "answered" else "answered"
    style = STYLES.get(said, "bold yellow")
    head = Text.assemble(pen.text(f"  {name:<{width}}  ", "bold"), pen.text(f"{said:<9}  ", style))
    lead = Text(" " * head.cell_len)
    if pen.console.width < _NARROW:
        pen.line(head)
        head = lead = Text("      ")
    pen.hanging(head, pen.prose(one_line(insight(judge))))
    who = (judge.label if judge.label != name else "", judge.seat.backend, judge.seat.model)
    pen.hanging(lead, pen.text(", ".join(one_line(each) for each in who if each), "dim"))
    if judge.reason and judge.reason != insight(judge):
        pen.hanging(lead, pen.text(one_line(judge.reason), "dim"))


def _disagreements(pen: Pen, report: CouncilReport) -> None:
    if report.disagreements:
        remark = "no vote settles it; a person decides" if report.outcome == "DISAGREE" else ""
        title(pen, "DISAGREEMENTS", remark)
    for each in report.disagreements:
        pen.hanging(pen.text("≠ "), pen.prose(one_line(each.issue), "bold"))
        for position in each.positions:
            who = ", ".join(speaker(report, label) for label in position.who)
            said = Text.assemble(pen.text(f"{who}: ", "bold"), pen.prose(one_line(position.says)))
            pen.hanging(pen.text("    "), said)


def _findings(pen: Pen, report: CouncilReport, verbose: bool) -> int:
    """Print the findings by how many judges raise them; return how many were left out."""
    groups: Sequence[tuple[str, Sequence[Issue]]] = (
        ("SHARED FINDINGS", report.shared),
        ("PARTLY SHARED FINDINGS", report.split),
        ("MINORITY VIEWS", report.minority),
    )
    hidden = 0
    for heading, issues in groups:
        ordered = sorted(issues, key=lambda issue: not issue.blocking)
        blocking = sum(issue.blocking for issue in issues)
        most = len(issues) if verbose else max(blocking, _SHOWN)
        if issues:
            title(pen, heading, count(len(issues), "finding"))
        for issue in ordered[:most]:
            _issue(pen, report, issue, verbose)
        hidden += max(len(issues) - most, 0)
        if len(issues) > most:
            pen.line(pen.text(f"  … {len(issues) - most} more", "dim"))
    return hidden


def _issue(pen: Pen, report: CouncilReport, issue: Issue, verbose: bool) -> None:
    shown = issue.representative
    mark, style = ("✗ ", "bold red") if issue.blocking else ("• ", "dim")
    where = "the work as a whole" if ref(shown) == "none" else ref(shown)
    who = f"{severity(issue)}  {speakers(report, issue)}"
    pen.line(pen.text(mark, style), pen.text(where, "bold"))
    pen.hanging(pen.text("    "), pen.text(who, "cyan"))
    pen.hanging(pen.text("    "), pen.prose(one_line(shown.title) or "No reason was given."))
    details = [("why", shown.why if verbose else ""), ("fix", fix(shown)), ("note", doubt(shown))]
    if verbose:
        others = (member for member in issue.members if member != shown)
        details += [("also", f"{speaker(report, o.seat)}: {o.title}") for o in others]
    for label, said in details:
        if said.strip():
            pen.hanging(pen.text(f"    {label:<4} ", "dim"), pen.prose(one_line(said)))


def _recommendation(pen: Pen, report: CouncilReport) -> None:
    lines = [line for line in map(one_line, report.recommendation.splitlines()) if line]
    if lines:
        title(pen, "RECOMMENDATION")
    for line in lines:
        pen.hanging(pen.text("  "), pen.prose(line))


def _coverage(pen: Pen, report: CouncilReport) -> None:
    said = [f"Reviewed {count(report.header.files_reviewed, 'file')}."]
    if report.header.omitted:
        said.append(f"Left out {len(report.header.omitted)}.")
    if report.header.masked:
        said.append(f"Held back {count(len(report.header.masked), 'secret')}.")
    if report.suppressed:
        said.append(f"Suppressed {count(len(report.suppressed), 'finding')}, reasons on file.")
    title(pen, "COVERAGE")
    pen.hanging(pen.text("  "), pen.text(" ".join(said)))


def _next(pen: Pen, report: CouncilReport, hidden: int) -> None:
    hints = []
    if hidden or report.debate:
        hints.append(("--all", "prints every finding, and who said what to whom"))
    if report.outcome == "ERROR":
        hints.append(("guild doctor", "tells what is missing and what to do"))
    if report.header.run_id:
        hints.append(
            (f"guild runs show {one_line(report.header.run_id)}", "the record of this run")
        )
    if hints:
        title(pen, "NEXT")
    for command, use in hints:
        hint = Text.assemble(pen.text(command, "bold"), pen.text(f"  {use}"))
        pen.hanging(pen.text("  "), hint)
