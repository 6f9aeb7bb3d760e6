"""A debate on a terminal: what each judge held, what they said to each other, who moved and why."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from guildmoot.model.council import CouncilReport, Debate, Exchange, Shift
from guildmoot.reports.council.markdown_debate import HOW, RULE, convergence, no_debate
from guildmoot.reports.council.view import (
    claim,
    counted,
    moved,
    movement,
    ref,
    second_round,
    speaker,
    spread,
    was_held,
    why_moved,
)
from guildmoot.reports.pen import Pen
from guildmoot.text.clean import one_line

_WIDEST_NAME = 22
_NARROW = 60
_VERBS = {"challenge": "challenges", "acknowledge": "grants", "steel-man": "puts the best case of"}
_STYLES = {"challenge": "red", "acknowledge": "green", "steel-man": "cyan"}


def debate_view(report: CouncilReport, console: Console) -> None:
    """Print the debate in the order it happened; says so when there was none."""
    pen = Pen(console)
    debate = report.debate
    if debate is None:
        pen.line(pen.text("There was no debate in this council."))
        return
    if not was_held(debate):
        for said in (no_debate(debate), *debate.notes):
            pen.hanging(Text(), pen.prose(one_line(said)))
        return
    answered, asked = second_round(debate)
    pen.gap()
    remark = pen.text(
        f"  {answered} of {asked} judges spoke again, fidelity {debate.fidelity}", "dim"
    )
    pen.hanging(Text(), Text.assemble(pen.text("DEBATE", "bold"), remark))
    pen.hanging(pen.text("  "), pen.text(RULE, "dim"))
    _head(pen, "1", "First verdicts, restated before anyone saw the others")
    words = dict(debate.restated)
    for shift in debate.shifts:
        name = pen.text(f"{speaker(report, shift.label)}, {shift.first or 'none'}: ", "bold")
        said = one_line(words.get(shift.label, "")) or "nothing was restated"
        pen.hanging(pen.text("  "), Text.assemble(name, pen.prose(said)))
    _head(pen, "2", "What they said to each other")
    pen.hanging(pen.text("  "), pen.text(HOW[debate.branch], "dim"))
    for each in debate.exchanges:
        _exchange(pen, report, each)
    _head(pen, "3", "Who moved, and why")
    before = spread([shift.first for shift in debate.shifts])
    after = spread([counted(shift) for shift in debate.shifts])
    pen.hanging(pen.text("  "), pen.text(f"{before} -> {after}. {moved(debate)}"))
    shift_lines(pen, report, debate)
    _after(pen, report, debate)


def shift_lines(pen: Pen, report: CouncilReport, debate: Debate) -> None:
    """One paragraph a judge: from which verdict to which, and on what grounds."""
    called = [speaker(report, shift.label) for shift in debate.shifts]
    width = min(max(map(len, called), default=0), _WIDEST_NAME)
    for name, shift in zip(called, debate.shifts, strict=True):
        lead = pen.text(f"  {name:<{width}}  {_path(shift):<14}  ", "bold")
        if pen.console.width < _NARROW:
            pen.line(lead)
            lead = pen.text("      ")
        weak = movement(shift) not in ("no", "yes")
        note = pen.text(f"{movement(shift)}; " if weak else "", "yellow")
        pen.hanging(lead, Text.assemble(note, pen.prose(why_moved(shift) or "–")))


def _path(shift: Shift) -> str:
    if shift.second is None:
        return f"{shift.first or 'none'} stays"
    if shift.changed:
        return f"{shift.first or 'none'} -> {shift.second}"
    return f"{shift.first or 'none'} confirmed"


def _head(pen: Pen, number: str, words: str) -> None:
    pen.gap()
    pen.hanging(pen.text(f"{number} ", "bold"), pen.text(words, "bold"))


def _exchange(pen: Pen, report: CouncilReport, each: Exchange) -> None:
    by, to = speaker(report, each.by), speaker(report, each.to) or "the others"
    lead = pen.text(f"{by} {_VERBS[each.kind]} {to}: ", _STYLES[each.kind])
    pen.hanging(pen.text("  "), Text.assemble(lead, pen.prose(one_line(each.claim))))
    if each.response.strip():
        label = "answer" if each.kind == "challenge" else "effect"
        pen.hanging(pen.text(f"      {label}  ", "dim"), pen.prose(one_line(each.response)))


def _after(pen: Pen, report: CouncilReport, debate: Debate) -> None:
    if debate.converged:
        pen.hanging(pen.text("  ! ", "yellow"), pen.text(convergence(debate)))
    for label, finding in debate.dropped:
        said = f"{speaker(report, label)} no longer mentions: {claim(finding)} ({ref(finding)})"
        pen.hanging(pen.text("  ! ", "yellow"), pen.prose(said))
    ended = [f"Ended: {debate.stopped}"] if debate.stopped else []
    for said in (*ended, *debate.notes):
        pen.hanging(pen.text("  "), pen.text(one_line(said), "dim"))
