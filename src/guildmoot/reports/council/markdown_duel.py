"""A duel in Markdown: named experts, the scores they gave each other, and what is still contested."""

from __future__ import annotations

from collections.abc import Iterator

from guildmoot.model.council import Contender, CouncilReport, Duel, Scored
from guildmoot.reports.council.blocks import NOTHING, bullets, cell, plain_table, quote, table
from guildmoot.reports.council.view import speaker
from guildmoot.reports.markdown import prose

_NONE = "None."


def duel_sections(report: CouncilReport, header: str) -> Iterator[str]:
    """Ballots, the matrix, winners, contested calls, kills, blind spots and diagnostics."""
    duel = report.duel
    if duel is None:
        return
    yield f"## Council Duel: {prose(report.header.target)}"
    yield header
    yield "Nothing was judged here: the experts scored each other's recommendations, 0 to 1000."
    yield "### The Tension to Confront"
    yield quote(duel.tension)
    if duel.contenders:
        yield "### Experts"
        for each in duel.contenders:
            yield f"**{prose(speaker(report, each.label))}** ({prose(each.frameworks)})"
            yield bullets(_stand(each))
    yield "### Whole Ballots"
    yield plain_table(
        ("Expert", "Mean of the others' scores"),
        ((speaker(report, who), f"{mean:.0f}") for who, mean in duel.ballots),
    )
    if duel.missing:
        told = (f"{speaker(report, who)} on {speaker(report, whom)}" for who, whom in duel.missing)
        yield prose(f"Ballots that were not cast: {', '.join(told)}.")
    yield "### Score Matrix"
    yield _matrix(report, duel)
    yield from _bucket(report, duel, "winner", "Consensus Winners")
    yield from _bucket(report, duel, "contested", "Contested Calls")
    yield from _bucket(report, duel, "kill", "Mutual Kills")
    yield from _told(report, "Concessions", duel.conceded)
    yield from _told(report, "Blind Spots", duel.blind_spots)
    yield "### Diagnostics"
    signs = (*duel.diagnostics, *duel.notes)
    yield bullets(map(prose, signs)) if signs else "Nothing stands out."


def _stand(each: Contender) -> Iterator[str]:
    """Where an expert stood at the beginning and at the end."""
    for number, advice in enumerate(each.recommendations, 1):
        yield f"Recommendation {number}: {prose(advice)}"
    for kill in each.kills:
        yield f"Would stop: {prose(kill)}"
    told = (
        ("Positioning", each.positioning),
        ("Top risk", each.risk),
        ("Defence", each.defence),
        ("Revision", each.revision),
    )
    yield from (f"{name}: {prose(words)}" for name, words in told if words.strip())
    yield from (f"Did not answer: {prose(why)}" for why in each.failed)


def _matrix(report: CouncilReport, duel: Duel) -> str:
    scorers = list(dict.fromkeys(who for row in duel.matrix for who, _ in row.scores))
    heads = ("Recommendation", "By", *(speaker(report, who) for who in scorers), "Mean", "Gap")
    return table(
        [*map(cell, heads)],
        (
            [
                cell(row.text),
                cell(speaker(report, row.by)),
                *(str(dict(row.scores).get(who, NOTHING)) for who in scorers),
                f"{row.mean:.0f}",
                str(row.gap),
            ]
            for row in duel.matrix
        ),
    )


def _bucket(report: CouncilReport, duel: Duel, name: str, title: str) -> Iterator[str]:
    yield f"### {title}"
    rows = [row for row in duel.matrix if row.bucket == name]
    yield bullets(_in_a_line(report, row) for row in rows) if rows else _NONE


def _in_a_line(report: CouncilReport, row: Scored) -> str:
    scores = ", ".join(f"{speaker(report, who)} {score}" for who, score in row.scores)
    return f"{prose(row.text)} (by {prose(speaker(report, row.by))}; {prose(scores)})"


def _told(report: CouncilReport, title: str, told: tuple[tuple[str, str], ...]) -> Iterator[str]:
    yield f"### {title}"
    lines = [f"**{prose(speaker(report, who))}**: {prose(words)}" for who, words in told]
    yield bullets(lines) if lines else _NONE
