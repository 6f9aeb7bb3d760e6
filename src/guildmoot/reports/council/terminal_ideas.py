"""Brainstorm, research and duel on a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

from guildmoot.model.council import CouncilReport, Duel, Ideas
from guildmoot.reports.council.view import speaker
from guildmoot.reports.pen import Pen
from guildmoot.text.clean import count, one_line

_BUCKETS = {"winner": "✓ winner", "contested": "≠ contested", "kill": "✗ kill", "open": "open"}


def print_ideas(pen: Pen, report: CouncilReport, ideas: Ideas) -> None:
    """Options with what speaks for and against them, themes, questions, recommendations."""
    if ideas.options:
        _title(pen, "OPTIONS", count(len(ideas.options), "option"))
    for option in ideas.options:
        who = ", ".join(speaker(report, label) for label in option.proposed_by)
        head = Text.assemble(
            pen.prose(one_line(option.title), "bold"), pen.text(f"  {who}", "cyan")
        )
        pen.hanging(pen.text("• "), head)
        if option.summary.strip():
            pen.hanging(pen.text("    "), pen.prose(one_line(option.summary)))
        for mark, points in (("+", option.pros), ("-", option.cons)):
            for point in points:
                pen.hanging(pen.text(f"    {mark} "), pen.prose(one_line(point)))
    for lens, told in ideas.sections:
        _title(pen, one_line(lens).upper(), ideas.technique)
        _attributed(pen, report, told)
    for theme in ideas.themes:
        _title(pen, one_line(theme.title), "theme")
        _attributed(pen, report, theme.points)
    if ideas.questions:
        _title(pen, "OPEN QUESTIONS")
        _attributed(pen, report, ideas.questions)
    if ideas.recommendations:
        _title(pen, "RECOMMENDATION", "each judge's own; nothing was voted on")
        _attributed(pen, report, ideas.recommendations)


def print_duel(pen: Pen, report: CouncilReport, duel: Duel) -> None:
    """The ballots and what came of each recommendation."""
    _title(pen, "SCORES", "given by the other experts, 0 to 1000")
    pen.hanging(pen.text("  "), pen.prose(one_line(duel.tension)))
    for who, mean in duel.ballots:
        pen.line(pen.text(f"  {mean:4.0f}  {speaker(report, who)}"))
    for row in duel.matrix:
        scores = ", ".join(f"{speaker(report, who)} {score}" for who, score in row.scores)
        told = f"by {speaker(report, row.by)}; {scores}; gap {row.gap}"
        lead = pen.text(f"  {row.mean:4.0f}  {_BUCKETS[row.bucket]:<12}")
        pen.hanging(lead, pen.prose(f"{one_line(row.text)} ({told})"))
    for heading, pairs in (("CONCEDED", duel.conceded), ("BLIND SPOTS", duel.blind_spots)):
        if pairs:
            _title(pen, heading)
            _attributed(pen, report, pairs)
    cast = (
        f"{speaker(report, who)} did not score {speaker(report, to)}" for who, to in duel.missing
    )
    signs = (*duel.diagnostics, *duel.notes, *cast)
    if signs:
        _title(pen, "DIAGNOSTICS")
    for said in signs:
        pen.hanging(pen.text("  "), pen.text(one_line(said), "dim"))


def _attributed(pen: Pen, report: CouncilReport, pairs: Iterable[tuple[str, str]]) -> None:
    for who, words in pairs:
        name = pen.text(f"{speaker(report, who)}: ", "bold")
        pen.hanging(pen.text("  "), Text.assemble(name, pen.prose(one_line(words))))


def _title(pen: Pen, words: str, remark: str = "") -> None:
    pen.gap()
    told = pen.text(f"  {remark}" if remark else "", "dim")
    pen.hanging(Text(), Text.assemble(pen.text(words, "bold"), told))
