"""Findings on a terminal: one severity after the other, long advisory lists summed up."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from guildmoot.model.verdict import Conflict, Finding
from guildmoot.reports.pen import Pen
from guildmoot.reports.view import SeverityGroup, doubt, foremost, place, repeats, speakers
from guildmoot.text.clean import clean, count, first_lines, one_line

_COLOURS = {"critical": "magenta", "high": "red", "medium": "yellow", "low": "cyan"}
_INDENT = "    "
_QUOTE_LINES = 6
_CODES = 5


def print_group(pen: Pen, group: SeverityGroup, verbose: bool, limit: int) -> int:
    """Print one severity; return how many advisory findings were summed up instead of shown."""
    pen.gap()
    parts = (("✗", group.blocking, "blocking"), ("•", group.advisory, "advisory"))
    words = [f"{mark} {len(found):,} {word}" for mark, found, word in parts if found]
    heading = pen.text(group.severity.upper(), f"bold {_COLOURS[group.severity]}")
    pen.line(heading, pen.text("  " + "  ".join(words)))
    shown, rest = foremost(group.advisory, limit)
    for number, finding in enumerate((*group.blocking, *shown)):
        if number:
            pen.gap()
        _finding(pen, finding, verbose)
    if rest:
        _rest(pen, group, rest)
    return len(rest)


def print_conflict(pen: Pen, conflict: Conflict) -> None:
    """Print the remedies that cannot both be applied."""
    pen.gap()
    pen.line(pen.text("CONFLICT", "bold red"), pen.text(f"  {one_line(conflict.scope)}"))
    for finding in conflict.findings:
        seat = pen.text(f"{one_line(finding.seat)}: ", "bold")
        remedy = pen.prose(one_line(finding.fix or finding.title))
        pen.hanging(pen.text("  "), Text.assemble(seat, remedy))
    advice = "These cannot both be applied; a person must choose."
    pen.hanging(pen.text("  "), pen.text(advice, "dim"))


def _finding(pen: Pen, finding: Finding, verbose: bool) -> None:
    _where(pen, finding)
    indent = pen.text(_INDENT)
    title = one_line(finding.title) or "No reason was given."
    pen.hanging(indent, pen.prose(title))
    _quote(pen, finding, verbose)
    echoes = [("also", f"{seat}: {said}") for seat, said in finding.echoes]
    labelled = [("why", finding.why), ("fix", finding.fix), ("note", doubt(finding)), *echoes]
    for label, content in labelled:
        if content.strip():
            lead = pen.text(f"{_INDENT}{label:<4} ", "green" if label == "fix" else "dim")
            pen.hanging(lead, pen.prose(one_line(content)))
    if verbose:
        _more(pen, finding)


def _where(pen: Pen, finding: Finding) -> None:
    """Place, code and seat; on two lines where one is too narrow."""
    mark, style = ("✗ ", "bold red") if finding.blocking else ("• ", "dim")
    where = pen.text(place(finding) or "the work as a whole", "bold")
    who = pen.text(f"{one_line(finding.code)}  {one_line(speakers(finding))}".strip(), "cyan")
    head = pen.text(mark, style)
    if head.cell_len + where.cell_len + 2 + who.cell_len <= pen.console.width:
        pen.line(head, where, pen.text("  "), who)
    else:
        pen.line(head, where)
        pen.hanging(pen.text(_INDENT), who)


def _quote(pen: Pen, finding: Finding, verbose: bool) -> None:
    if not finding.quote.strip():
        return
    lines, left_out = first_lines(clean(finding.quote), 10**9 if verbose else _QUOTE_LINES)
    last = finding.line + len(lines) - 1
    for number, line in enumerate(lines, finding.line):
        gutter = f"{number:>{len(str(last))}} │ " if finding.line > 0 else "│ "
        pen.cropped(pen.text(_INDENT + gutter, "dim"), pen.text(line))
    if left_out:
        pen.line(pen.text(f"{_INDENT}… {count(left_out, 'more line')}", "dim"))


def _more(pen: Pen, finding: Finding) -> None:
    if finding.url:
        pen.line(pen.text(f"{_INDENT}rule {one_line(finding.url)}", "dim"))
    checked = "proof computed by a program" if finding.proven else f"place {finding.grounding}"
    pen.line(pen.text(f"{_INDENT}{checked}", "dim"))
    for line in clean(finding.patch).strip("\n").split("\n") if finding.patch.strip() else ():
        pen.line(pen.text(f"{_INDENT}│ {line}"))


def _rest(pen: Pen, group: SeverityGroup, rest: Sequence[Finding]) -> None:
    """Say what the findings that are not shown are about, by code."""
    pen.gap()
    pen.line(pen.text(f"… {len(rest):,} more {group.severity}, advisory:"))
    by_code = repeats(rest)
    for repeat in by_code[:_CODES]:
        files = f" in {count(repeat.files, 'file')}" if repeat.files else ""
        number = pen.text(f"{repeat.number:,} × {one_line(repeat.code)}{files}  ")
        example = pen.text(f"e.g. {one_line(repeat.title)}", "dim")
        pen.cropped(pen.text(_INDENT), Text.assemble(number, example))
    others = sum(repeat.number for repeat in by_code[_CODES:])
    if others:
        codes = count(len(by_code) - _CODES, "other code")
        pen.line(pen.text(f"{_INDENT}{others:,} × {codes}"))
