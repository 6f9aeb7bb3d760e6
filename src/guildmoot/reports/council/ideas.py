"""Brainstorm, research and duel as sections: what was proposed, found and scored; nothing is judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from guildmoot.model.council import Contender, CouncilReport, Duel, Ideas, Option, Scored
from guildmoot.reports import document as doc
from guildmoot.reports.council.findings import summary
from guildmoot.reports.council.view import full_name, speaker
from guildmoot.text.recall import words_of

_NO_VERDICT = "Nothing was judged here: there is no verdict, and no vote on the options."
_SCORED = "Nothing was judged here: the experts scored each other's recommendations, 0 to 1000."
_BUCKETS = {
    "winner": "Consensus Winners",
    "contested": "Contested Calls",
    "kill": "Mutual Kills",
}

Pairs = Iterable[tuple[str, str]]


def ideas_sections(report: CouncilReport, screen: doc.Screen | None) -> Iterator[doc.Block]:
    """Options or facets, what a technique brought, questions, and what each judge recommends."""
    ideas = report.ideas or Ideas()
    if screen is None:
        yield doc.Paragraph(_NO_VERDICT)
    yield from summary(report, screen)
    if report.task == "research":
        yield from _facets(report, ideas, screen)
        yield from _options(report, ideas, "Options Explored")
    else:
        if screen is None:
            yield from _proposals(report, ideas)
        yield from _options(report, ideas, "Trade-off Matrix")
    if ideas.sections:
        yield doc.SectionHeading(f"Technique: {ideas.technique}")
    for lens, points in ideas.sections:
        yield doc.SectionHeading(lens, 4)
        yield _attributed(report, points)
    asked = ((said, f" ({who})") for who, said in _together(report, ideas.questions))
    yield from _listed("Open Questions", asked)
    if ideas.recommendations or screen is None:
        yield doc.SectionHeading("Recommendation", note="each judge's own; nothing was voted on")
    if screen is None and not ideas.recommendations:
        yield doc.Paragraph("No judge gave one.")
    for who, words in _together(report, ideas.recommendations):
        verb = " recommend:" if ", " in who else " recommends:"
        yield doc.Quote(words, (doc.strong(who), verb))


def _together(report: CouncilReport, pairs: Pairs) -> list[tuple[str, str]]:
    """Who says it and what, once where several say the same."""
    found: dict[str, tuple[list[str], str]] = {}
    for who, said in pairs:
        speakers, _ = found.setdefault(" ".join(said.casefold().split()), ([], said))
        speakers.append(speaker(report, who))
    return [(", ".join(dict.fromkeys(who)), said) for who, said in found.values()]


def _facets(report: CouncilReport, ideas: Ideas, screen: doc.Screen | None) -> Iterator[doc.Block]:
    """Who looked into what, and all findings by theme; a terminal shows the same only once."""
    heads = ("Facet", "Judge", "Key Findings")
    rows = (
        (each.facet, speaker(report, each.judge), "; ".join(each.findings)) for each in ideas.facets
    )
    if screen is None or not ideas.themes:
        yield from _tabled("Facets Explored", doc.Table(heads, tuple(rows)))
    if ideas.themes:
        yield doc.SectionHeading("Synthesized Findings")
    for theme in ideas.themes:
        yield doc.SectionHeading(theme.title, 4)
        by: dict[str, list[str]] = {}
        for who, said in theme.points:
            by.setdefault(said, []).append(speaker(report, who))
        yield doc.Bullets(tuple((said, f" ({', '.join(who)})") for said, who in by.items()))


def _proposals(report: CouncilReport, ideas: Ideas) -> Iterator[doc.Block]:
    """Rows are options, columns are judges, cells are what a judge called it."""
    judges = [judge for judge in report.judges if judge.status == "answered"]
    heads = ("Option", *map(full_name, judges))
    rows = (
        (option.title, *(_wording(option, judge.label) for judge in judges))
        for option in ideas.options
    )
    yield from _tabled("Options Explored", doc.Table(heads, tuple(rows)))


def _wording(option: Option, label: str) -> str:
    if label not in option.proposed_by:
        return ""
    called = dict(option.wordings).get(label, "")
    return f"✓ {called}" if called and called != option.title else "✓"


def _options(report: CouncilReport, ideas: Ideas, title: str) -> Iterator[doc.Block]:
    rows = (
        (
            option.title,
            option.summary,
            "; ".join(_once(option.pros)),
            "; ".join(_once(option.cons)),
            ", ".join(speaker(report, who) for who in option.proposed_by),
        )
        for option in ideas.options
    )
    heads = ("Option", "What it is", "For", "Against", "Proposed by")
    yield from _tabled(title, doc.Table(heads, tuple(rows)))


def _once(points: Iterable[str]) -> Iterator[str]:
    """The points without those that say nothing which the earlier ones do not."""
    said: set[str] = set()
    for point in points:
        words = set(words_of(point.casefold()))
        if not words <= said:
            yield point
        said |= words


def duel_sections(
    report: CouncilReport, duel: Duel, screen: doc.Screen | None
) -> Iterator[doc.Block]:
    """Ballots, the matrix, winners, contested calls, kills, blind spots and diagnostics."""
    if screen is None:
        yield doc.Paragraph(_SCORED)
    yield doc.SectionHeading("The Tension to Confront")
    yield doc.Quote(duel.tension)
    if duel.contenders and (screen is None or screen.show_all):
        yield doc.SectionHeading("Experts")
        for each in duel.contenders:
            yield doc.Paragraph((doc.strong(speaker(report, each.label)), f" ({each.frameworks})"))
            yield doc.Bullets(tuple(_stand(each)))
    means = ((speaker(report, who), f"{mean:.0f}") for who, mean in duel.ballots)
    heads = ("Expert", "Mean of the others' scores")
    yield from _tabled("Whole Ballots", doc.Table(heads, tuple(means), numbers=range(1, 2)))
    if duel.missing:
        points = (
            f"{speaker(report, who)} on {speaker(report, whom)}" for who, whom in duel.missing
        )
        yield doc.Paragraph(f"Ballots that were not cast: {', '.join(points)}.")
    yield from _tabled("Score Matrix", _matrix(report, duel))
    for bucket, title in _BUCKETS.items():
        rows = (_scored(report, row) for row in duel.matrix if row.bucket == bucket)
        yield from _listed(title, rows)
    for title, pairs in (("Concessions", duel.conceded), ("Blind Spots", duel.blind_spots)):
        yield from _listed(title, _attributed(report, pairs).items)
    yield from _listed("Diagnostics", (*duel.diagnostics, *duel.notes))


def _stand(each: Contender) -> Iterator[doc.Text]:
    """Where an expert stood at the beginning and at the end."""
    for number, advice in enumerate(each.recommendations, 1):
        yield f"Recommendation {number}: {advice}"
    points = [("Would stop", kill) for kill in each.kills]
    points += [("Positioning", each.positioning), ("Top risk", each.risk)]
    points += [("Defence", each.defence), ("Revision", each.revision)]
    points += [("Did not answer", why) for why in each.failed]
    yield from (f"{name}: {words}" for name, words in points if words.strip())


def _matrix(report: CouncilReport, duel: Duel) -> doc.Table:
    scorers = list(dict.fromkeys(who for row in duel.matrix for who, _ in row.scores))
    named = (speaker(report, who) for who in scorers)
    rows = (
        (
            row.text,
            speaker(report, row.by),
            *(str(dict(row.scores).get(who, "")) for who in scorers),
            f"{row.mean:.0f}",
            str(row.gap),
        )
        for row in duel.matrix
    )
    heads = ("Recommendation", "By", *named, "Mean", "Gap")
    return doc.Table(heads, tuple(rows), numbers=range(2, len(heads)))


def _scored(report: CouncilReport, row: Scored) -> doc.Text:
    scores = ", ".join(f"{speaker(report, who)} {score}" for who, score in row.scores)
    return row.text, f" (by {speaker(report, row.by)}; {scores})"


def _attributed(report: CouncilReport, points: Pairs) -> doc.Bullets:
    return doc.Bullets(
        tuple((doc.strong(speaker(report, who)), ": ", words) for who, words in points)
    )


def _listed(title: str, items: Iterable[doc.Text]) -> Iterator[doc.Block]:
    shown = tuple(items)
    if shown:
        yield from (doc.SectionHeading(title), doc.Bullets(shown))


def _tabled(title: str, table: doc.Table) -> Iterator[doc.Block]:
    if table.rows:
        yield from (doc.SectionHeading(title), table)
