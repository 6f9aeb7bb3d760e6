"""Brainstorm and research in Markdown: what was proposed and found, by whom; nothing is judged."""

from __future__ import annotations

from collections.abc import Iterator

from guildmoot.model.council import CouncilReport, Ideas, Option
from guildmoot.reports.council.blocks import NOTHING, bullets, cell, plain_table, quote, table
from guildmoot.reports.council.view import full_name, speaker
from guildmoot.reports.markdown import prose

_NONE = "None."
NO_VERDICT = "Nothing was judged here: there is no verdict, and no vote on the options."


def brainstorm_sections(report: CouncilReport, header: str) -> Iterator[str]:
    """Options, their trade-offs, what a technique brought, and what each judge recommends."""
    ideas = report.ideas or Ideas()
    yield f"## Council Brainstorm: {prose(report.header.target)}"
    yield header
    yield NO_VERDICT
    yield "### Options Explored"
    yield _options(report, ideas) if ideas.options else _NONE
    yield "### Trade-off Matrix"
    yield _trade_offs(report, ideas) if ideas.options else _NONE
    yield from _technique(report, ideas)
    if ideas.questions:
        yield from _questions(report, ideas)
    yield from _recommendations(report, ideas)


def research_sections(report: CouncilReport, header: str) -> Iterator[str]:
    """Facets, findings by theme, open questions, and what each judge recommends."""
    ideas = report.ideas or Ideas()
    yield f"## Council Research: {prose(report.header.target)}"
    yield header
    yield NO_VERDICT
    yield "### Facets Explored"
    if ideas.facets:
        yield plain_table(
            ("Facet", "Judge", "Key Findings"),
            (
                (each.facet, speaker(report, each.judge), "; ".join(each.findings))
                for each in ideas.facets
            ),
        )
    else:
        yield _NONE
    yield "### Synthesized Findings"
    yield from _themes(report, ideas)
    if ideas.options:
        yield "### Options Explored"
        yield _trade_offs(report, ideas)
    yield from _questions(report, ideas)
    yield from _recommendations(report, ideas)


def _options(report: CouncilReport, ideas: Ideas) -> str:
    """Rows are options, columns are judges, cells are what a judge called it."""
    judges = [judge for judge in report.judges if judge.status == "answered"]
    return table(
        ["Option", *(cell(full_name(judge)) for judge in judges)],
        (
            [cell(option.title), *(_wording(option, judge.label) for judge in judges)]
            for option in ideas.options
        ),
    )


def _wording(option: Option, label: str) -> str:
    if label not in option.proposed_by:
        return NOTHING
    called = dict(option.wordings).get(label, "")
    return f"✓ {cell(called)}" if called and called != option.title else "✓"


def _trade_offs(report: CouncilReport, ideas: Ideas) -> str:
    return plain_table(
        ("Option", "What it is", "For", "Against", "Proposed by"),
        (
            (
                option.title,
                option.summary,
                "; ".join(option.pros),
                "; ".join(option.cons),
                ", ".join(speaker(report, who) for who in option.proposed_by),
            )
            for option in ideas.options
        ),
    )


def _technique(report: CouncilReport, ideas: Ideas) -> Iterator[str]:
    if not ideas.sections:
        return
    yield f"### Technique: {prose(ideas.technique)}"
    for lens, told in ideas.sections:
        yield f"#### {prose(lens)}"
        yield bullets(f"**{prose(speaker(report, who))}**: {prose(idea)}" for who, idea in told)


def _themes(report: CouncilReport, ideas: Ideas) -> Iterator[str]:
    if not ideas.themes:
        yield _NONE
    for theme in ideas.themes:
        yield f"#### {prose(theme.title)}"
        yield bullets(
            f"{prose(point)} ({prose(speaker(report, who))})" for who, point in theme.points
        )


def _questions(report: CouncilReport, ideas: Ideas) -> Iterator[str]:
    yield "### Open Questions"
    lines = [f"{prose(asked)} ({prose(speaker(report, who))})" for who, asked in ideas.questions]
    yield bullets(lines) if lines else _NONE


def _recommendations(report: CouncilReport, ideas: Ideas) -> Iterator[str]:
    """Each judge's own, with its name: a council without a vote recommends nothing itself."""
    yield "### Recommendation"
    if not ideas.recommendations:
        yield "No judge gave one."
    for who, words in ideas.recommendations:
        yield f"**{prose(speaker(report, who))}** recommends:"
        yield quote(words)
