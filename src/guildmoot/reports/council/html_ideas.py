"""Brainstorm, research and duel on a page."""

from __future__ import annotations

from collections.abc import Iterator

from guildmoot.model.council import Contender, CouncilReport, Duel, Option, Scored
from guildmoot.reports.council.page import items, line, quote, section, table
from guildmoot.reports.council.view import speaker

_BUCKETS = {"winner": "✓ winner", "contested": "≠ contested", "kill": "✗ kill", "open": "open"}


def ideas_sections(report: CouncilReport) -> Iterator[str]:
    """Options and trade-offs, facets and themes, questions, and what each judge recommends."""
    ideas = report.ideas
    if ideas is None:
        return
    heads = ("Option", "For", "Against", "Proposed by")
    rows = [_option(report, option) for option in ideas.options]
    yield section("options", "Options Explored", [table(heads, rows)] if rows else [])
    for lens, told in ideas.sections:
        lines = [f"<b>{line(speaker(report, who))}</b>: {line(said)}" for who, said in told]
        body = [f'<div class="card">{items(lines)}</div>']
        yield section("lens", lens, body, f"technique {ideas.technique}")
    facets = [
        (line(each.facet), line(speaker(report, each.judge)), items(map(line, each.findings)))
        for each in ideas.facets
    ]
    shown = [table(("Facet", "Judge", "Key Findings"), facets)] if facets else []
    yield section("facets", "Facets Explored", shown)
    yield section(
        "themes", "Synthesized Findings", (_theme(report, *each) for each in ideas.themes)
    )
    asked = [f"{line(said)} ({line(speaker(report, who))})" for who, said in ideas.questions]
    body = [f'<div class="card">{items(asked)}</div>'] if asked else []
    yield section("questions", "Open Questions", body)
    advice = [
        f'<div class="card"><h3>{line(speaker(report, who))} recommends</h3>{quote(said)}</div>'
        for who, said in ideas.recommendations
    ]
    yield section("advice", "Recommendation", advice, "each judge's own; nothing was voted on")


def _option(report: CouncilReport, option: Option) -> tuple[str, ...]:
    called = [
        f"{line(speaker(report, who))}: {line(words)}" if words != option.title else line(who)
        for who, words in option.wordings
    ] or [line(speaker(report, who)) for who in option.proposed_by]
    summary = f"<small>{line(option.summary)}</small>" if option.summary else ""
    return (
        f"{line(option.title)} {summary}",
        items(map(line, option.pros)) if option.pros else "–",
        items(map(line, option.cons)) if option.cons else "–",
        items(called),
    )


def _theme(report: CouncilReport, title: str, points: tuple[tuple[str, str], ...]) -> str:
    told = [f"{line(said)} ({line(speaker(report, who))})" for who, said in points]
    return f'<div class="card"><h3>{line(title)}</h3>{items(told)}</div>'


def duel_sections(report: CouncilReport) -> Iterator[str]:
    """The tension, the matrix of scores, and what came out of them."""
    duel = report.duel
    if duel is None:
        return
    yield section("tension", "The Tension to Confront", [quote(duel.tension)])
    for each in duel.contenders:
        stand = [f'<div class="card">{items(_stand(each))}</div>']
        yield section("expert", speaker(report, each.label), stand, each.frameworks)
    means = [(line(speaker(report, who)), f"{mean:.0f}") for who, mean in duel.ballots]
    heads = ("Expert", "Mean of the others' scores")
    yield section("ballots", "Whole Ballots", [table(heads, means)] if means else [])
    scorers = list(dict.fromkeys(who for row in duel.matrix for who, _ in row.scores))
    names = [line(speaker(report, who)) for who in scorers]
    rows = [_scored(report, row, scorers) for row in duel.matrix]
    columns = ("Recommendation", "By", *names, "Mean", "Gap", "Comes to")
    yield section("matrix", "Score Matrix", [table(columns, rows)] if rows else [])
    for title, told in (("Concessions", duel.conceded), ("Blind Spots", duel.blind_spots)):
        lines = [f"<b>{line(speaker(report, who))}</b>: {line(said)}" for who, said in told]
        yield section("told", title, [f'<div class="card">{items(lines)}</div>'] if lines else [])
    signs = [*map(line, (*duel.diagnostics, *duel.notes)), *_not_cast(report, duel)]
    cards = [f'<div class="card">{items(signs)}</div>'] if signs else []
    yield section("diagnostics", "Diagnostics", cards)


def _stand(each: Contender) -> Iterator[str]:
    for number, advice in enumerate(each.recommendations, 1):
        yield f"<b>{number}.</b> {line(advice)}"
    facts = [("Would stop", kill) for kill in each.kills]
    facts += [("Positioning", each.positioning), ("Top risk", each.risk)]
    facts += [("Defence", each.defence), ("Revision", each.revision)]
    facts += [("Did not answer", why) for why in each.failed]
    yield from (f"{name}: {line(words)}" for name, words in facts if words.strip())


def _not_cast(report: CouncilReport, duel: Duel) -> Iterator[str]:
    for who, whom in duel.missing:
        yield f"Ballot not cast: {line(speaker(report, who))} on {line(speaker(report, whom))}"


def _scored(report: CouncilReport, row: Scored, scorers: list[str]) -> tuple[str, ...]:
    scores = dict(row.scores)
    return (
        line(row.text),
        line(speaker(report, row.by)),
        *(str(scores.get(who, "–")) for who in scorers),
        f"{row.mean:.0f}",
        str(row.gap),
        _BUCKETS[row.bucket],
    )
