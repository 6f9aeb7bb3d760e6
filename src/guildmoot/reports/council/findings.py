"""The sections of a judged council: what is shared, what is disputed, what one judge alone saw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from guildmoot.model.council import CouncilReport, Disagreement, name_ideas
from guildmoot.model.verdict import Assertion, Finding, Issue
from guildmoot.reports import document as doc
from guildmoot.reports.council import view
from guildmoot.reports.council.remedies import (
    attributed,
    fixes,
    further_reasons,
    reason,
    remedies,
    remedy,
    whys,
)
from guildmoot.reports.sections import line_link
from guildmoot.reports.view import doubt, gathered
from guildmoot.text.clean import count, one_line

_NONE = doc.Paragraph("None.")
_RESULTS = {
    "ok": "✓ ok",
    "warn": "! warn",
    "undecided": "? undecided",
    "fail": "✗ fail",
    "skipped": "skipped",
}
_SHARED = ("Shared Findings", "two judges or more raise them; how many of how many stands by each")
_SINGLE = ("Minority Views", "one judge alone raises them, in its own words")
_ALONE = ("Findings", "of one judge each, in its own words; nobody else read the whole work")
_NOT_SHARED = "No finding is raised by two judges or more."
_MOST_ISSUES = 8
_MOST_ROWS = 12
_MOST_RETRIED = 5
"""Tools read no more lines than this."""


def summary(report: CouncilReport, screen: doc.Screen | None) -> Iterator[doc.Block]:
    """What it comes to in a few sentences, with the places of the issues that each rests on.

    A template only names the gravest: a terminal, where they follow at once, needs it for single views alone.
    """
    shared = {issue.id for issue in view.shared(report)}
    follows = report.ideas is None and all(shared.issuperset(s.issues) for s in report.summary)
    if not report.summary or (screen and not report.chair and follows):
        return
    places = {issue.id: view.where(issue) for issue in report.issues}
    if report.ideas is not None:
        places = name_ideas(report.ideas)
    yield doc.SectionHeading("In Short")
    if not report.chair:
        first, *rest = report.summary
        yield doc.Paragraph(first.text)
        yield doc.Bullets(tuple(each.text for each in rest))
        return
    items: list[doc.Text] = []
    for each in report.summary:
        named = ", ".join(dict.fromkeys(filter(None, (places.get(id, "") for id in each.issues))))
        beside = "; ".join(filter(None, (each.counted, named)))
        items.append((f"{each.text} ", doc.muted(f"({beside})")) if beside else each.text)
    yield doc.Bullets(tuple(items))
    when = "after the verdict was computed" if report.ideas is None else "from what the judges said"
    yield doc.Paragraph(
        f"{_beside(report)} by a chair ({one_line(report.chair)}) {when}; it can change nothing.",
        "muted",
    )


def _beside(report: CouncilReport) -> str:
    """Who wrote what: what blocks always stands there in the judges' own words."""
    blocks = report.ideas is None and any(issue.blocking for issue in report.issues)
    return "What blocks is in the judges' words; the rest was written" if blocks else "Written"


def chosen(issues: Sequence[Issue], screen: doc.Screen | None) -> Sequence[Issue]:
    """What is shown of a list; a terminal has room for all that blocks and a few more."""
    if screen is None or screen.show_all:
        return issues
    blocking = sum(issue.blocking for issue in issues)
    return sorted(issues, key=lambda issue: not issue.blocking)[: max(blocking, _MOST_ISSUES)]


def shared_findings(report: CouncilReport, screen: doc.Screen | None) -> Iterator[doc.Block]:
    """What two judges or more raise, the gravest first, with how many of how many raise it."""
    issues = view.shared(report)
    title, note = _SHARED
    if issues:
        shown = chosen(issues, screen)
        yield doc.SectionHeading(title, note=count(len(issues), "finding") if screen else note)
        cards = tuple(issue_card(report, i.representative, i, screen) for i in shown)
        yield doc.FindingCards(cards, table=issue_table(shown, report))
        yield from _more(issues, shown)
    elif screen is None:
        yield doc.SectionHeading(title)
        yield doc.Paragraph(_NOT_SHARED)


def single_views(report: CouncilReport, screen: doc.Screen | None) -> Iterator[doc.Block]:
    """What one judge alone raises, kept word for word."""
    issues = view.by_weight(report, report.minority)
    if not issues:
        return
    # where no second judge read the whole work, what one found is no minority's view
    title, note = _SINGLE if view.readers_that_voted(report) > 1 else _ALONE
    shown = chosen(issues, screen)
    yield doc.SectionHeading(title, note=count(len(issues), "finding") if screen else note)
    said = [finding for issue in shown for finding in issue.members]
    mild = [each for each in said if screen and not screen.show_all and _is_mild(each)]
    yield from _cards(report, [each for each in said if each not in mild], screen, "verbatim")
    yield from _cards(report, mild, screen, "listed")
    yield from _more(issues, shown)


def _more(issues: Sequence[Issue], shown: Sequence[Issue]) -> Iterator[doc.Block]:
    if len(shown) < len(issues):
        yield doc.Paragraph(f"… {len(issues) - len(shown)} more", "muted")


def _is_mild(finding: Finding) -> bool:
    """Advice of a tool, of which a terminal shows one line."""
    return finding.proven and not finding.blocking and finding.severity in ("medium", "low")


def _cards(
    report: CouncilReport,
    found: Sequence[Finding],
    screen: doc.Screen | None,
    form: Literal["verbatim", "listed"],
) -> Iterator[doc.Block]:
    if found:
        facts = {id(same[0]): same[1:] for same in gathered([f for f in found if f.proven])}
        yield doc.FindingCards(
            tuple(
                issue_card(report, each, screen=screen)._replace(
                    others=tuple(map(view.where, facts.get(id(each), ())))
                )
                for each in found
                if not each.proven or id(each) in facts
            ),
            form,
        )


def issue_card(
    report: CouncilReport,
    finding: Finding,
    issue: Issue | None = None,
    screen: doc.Screen | None = None,
) -> doc.FindingCard:
    """A finding with its reasons; for an issue, with what the others say of it."""
    blocks = issue.blocking if issue else finding.blocking
    brief = screen is not None and not screen.show_all and not (blocks and finding.proven)
    first, *more = remedies(issue, finding, report) or (((), ""),)
    details: list[tuple[str, doc.Text]] = [
        ("Why", attributed(report, issue, reason(issue, finding))),
        ("Fix", attributed(report, issue, first)),
        *(
            ("Or", attributed(report, issue, each))
            for each in more
            if not brief or finding.seat in each[0]
        ),
        ("Note", doubt(finding)),
        *(("Check", _assertion(check)) for check in finding.assertions if not brief),
        *(
            ("Also", attributed(report, issue, each))
            for each in (further_reasons(issue, finding, brief=brief) if issue else ())
        ),
    ]
    return doc.FindingCard(
        title=finding.title,
        place=view.where(issue or finding),
        label=view.severity(issue or finding),
        who=view.raised_by(report, issue) if issue else view.speaker(report, finding.seat),
        blocking=blocks,
        tone=issue.severity if issue else finding.severity,
        link=line_link(report.header.origin, finding),
        quote="" if brief else finding.quote,
        line=finding.line if screen else 0,
        details=tuple(
            (name, text) for name, text in details if not isinstance(text, str) or text.strip()
        ),
    )


def _assertion(check: Assertion) -> doc.Text:
    printed = (" prints ", doc.code(check.expected)) if check.expected.strip() else ()
    return doc.code(check.command), *printed


def issue_table(issues: Sequence[Issue], report: CouncilReport) -> doc.Table:
    """The columns by which fixes are looked up, with who raises it and why it matters."""
    rows = (
        (
            view.claim(issue.representative),
            view.severity(issue),
            view.raised_by(report, issue),
            whys(report, issue),
            fixes(report, issue),
            view.where(issue) or "none",
        )
        for issue in issues
    )
    return doc.Table(("Finding", "Severity", "Raised by", "Why", "Fix", "Ref"), tuple(rows))


def overview(report: CouncilReport) -> Iterator[doc.Block]:
    """What blocks and what only informs, at a glance, and what each judge is concerned about."""
    if report.wrapper == "vibe":
        for title, blocks in (("CRITICAL (blocks ship)", True), ("INFORMATIONAL", False)):
            issues = [issue for issue in report.issues if issue.blocking == blocks]
            yield doc.SectionHeading(title)
            yield issue_table(issues, report) if issues else _NONE
    concerns = [
        (doc.strong(view.full_name(judge)), f" ({judge.word}): ", view.insight(judge))
        for judge in report.judges
        if judge.word in ("WARN", "FAIL")
    ]
    yield doc.SectionHeading("Concerns")
    yield doc.Bullets(tuple(concerns)) if concerns else _NONE


def disagreements(report: CouncilReport, screen: doc.Screen | None = None) -> Iterator[doc.Block]:
    """Both positions of every disagreement, side by side; nothing is settled here.

    Not to raise a finding is none.
    """
    undecided = report.outcome == "DISAGREE"
    if report.disagreements or screen is None:
        note = "no vote settles it; a person decides" if screen and undecided else ""
        yield doc.SectionHeading("Disagreements", note=note)
    if screen:
        for each in report.disagreements:
            yield doc.Paragraph(doc.strong(each.issue), "disputed")
            for position in each.positions:
                who = ", ".join(view.speaker(report, label) for label in position.who)
                yield doc.Paragraph((doc.strong(who), ": ", position.says), "answer")
        return
    if not report.disagreements:
        yield _NONE
        return
    if undecided:
        yield doc.Paragraph("The judges do not agree, and no vote settles it: a person decides.")
    sides = _sides(report)
    rows = (
        (each.issue, *(_position(report, each, side) for side in sides))
        for each in report.disagreements
    )
    yield doc.Table(("Issue", *sides), tuple(rows))


def _sides(report: CouncilReport) -> list[str]:
    """Columns: the vendors; at a table of one vendor, the judges that take part."""
    if len(view.vendors(report)) > 1:
        return list(view.vendors(report))
    speaking = (
        view.speaker(report, who)
        for each in report.disagreements
        for position in each.positions
        for who in position.who
    )
    return list(dict.fromkeys(speaking))


def _position(report: CouncilReport, each: Disagreement, side: str) -> str:
    judges, called = view.judge_of(report), view.names(report)
    lines = []
    for position in each.positions:
        here = [
            who
            for who in position.who
            if side in (who, view.speaker(report, who))
            or (who in judges and view.vendor(judges[who]) == side)
        ]
        named = [called[judges[who].label] for who in here if who in judges]
        lead = f"{', '.join(named)}: " if named and side not in named else ""
        lines += [lead + position.says.strip().removesuffix(".")] if here else []
    return "; ".join(lines)


def cross_vendor(report: CouncilReport) -> Iterator[doc.Block]:
    """What only one vendor sees; agreement of two vendors on one perspective is the best sign."""
    lone = [(side, issues) for side, issues in view.lone_sides(report) if issues]
    if len(view.vendors(report)) < 2 or not (report.pairs or lone):
        return
    yield doc.SectionHeading("Cross-Vendor Insights")
    if report.pairs:
        sides = list(dict.fromkeys(side for pair in report.pairs for side, _ in pair.words))
        rows = (
            (
                pair.perspective,
                *(doc.vote(dict(pair.words).get(side) or "no verdict") for side in sides),
                "agree" if pair.agreed else "≠ split",
            )
            for pair in report.pairs
        )
        yield doc.Table(("Perspective", *sides, "Agreement"), tuple(rows))
    for side, issues in lone:
        yield doc.Paragraph(f"Raised so by {side} alone:")
        yield doc.Bullets(tuple(in_a_line(report, issue) for issue in issues))


def in_a_line(report: CouncilReport, issue: Issue) -> doc.Text:
    """Severity, claim, place and who raises it."""
    where = (" (", doc.code(view.where(issue)), ")") if view.where(issue) else ()
    by = f", by {view.speakers(report, issue)}"
    return (f"{view.severity(issue)}: ", view.claim(issue.representative), *where, by)


def checks(report: CouncilReport, level: int, screen: doc.Screen | None) -> Iterator[doc.Block]:
    """What was checked by programs before anybody was asked."""
    rows = ((name, _RESULTS.get(result, result), detail) for name, result, detail in report.checks)
    yield from cut_table(
        "Mechanical Checks", ("Check", "Result", "Detail"), tuple(rows), level, screen
    )
    for title, heads, cells in report.tables:
        yield from cut_table(title, heads, cells, level, screen)


def cut_table(
    title: str,
    heads: tuple[doc.Text, ...],
    rows: tuple[tuple[doc.Text, ...], ...],
    level: int,
    screen: doc.Screen | None,
) -> Iterator[doc.Block]:
    """A section of one table, nothing without rows; a terminal shows the first of many."""
    if not rows:
        return
    most = _MOST_ROWS if screen and not screen.show_all else len(rows)
    yield doc.SectionHeading(title, level)
    yield doc.Table(heads, rows[:most])
    if most < len(rows):
        yield doc.Paragraph(f"{len(rows) - most} more; --all shows them", "muted")


def evidence(report: CouncilReport) -> Iterator[doc.Block]:
    """How many assertions each finding brought, and what the explorers found."""
    if report.evidence:
        rows = (
            (name, str(n), "yes" if n >= 2 else "no, two are asked") for name, n in report.evidence
        )
        yield doc.SectionHeading("Evidence")
        yield doc.Table(("Finding", "Assertions", "Enough"), tuple(rows))
    explored = [judge for judge in report.judges if judge.explored]
    if explored:
        yield doc.SectionHeading("Explorers")
    for judge in explored:
        for question, answer in judge.explored:
            yield doc.Quote(answer, (doc.strong(view.full_name(judge)), " asked: ", question))


def recommendations(report: CouncilReport) -> Iterator[doc.Block]:
    """What each judge advises, in its own words and under its name; the same words stand once."""
    if not report.advice:
        yield doc.Lines(report.recommendation)
        return
    yield doc.Bullets(
        tuple(
            (
                doc.strong(", ".join(view.speaker(report, label) for label in each.who)),
                f" ({'/'.join(each.words)}): ",
                one_line(each.text),
            )
            for each in report.advice
        )
    )


def retry_lines(report: CouncilReport) -> Iterator[doc.Block]:
    """One line a finding, in the form that a tool hands to the next attempt."""
    if report.verdict == "FAIL" and report.issues:
        yield doc.SectionHeading("Findings for the Next Attempt", 2)
        for issue in report.issues[:_MOST_RETRIED]:
            shown = issue.representative
            fields = (
                ("FINDING", view.claim(shown)),
                ("FIX", one_line(remedy(issue, shown, report)) or "none given"),
                ("REF", view.ref(shown)),
            )
            # a bar of the judge's own would end the field for whoever reads the line
            lines = (f"{name}: {one_line(text).replace('|', '¦')}" for name, text in fields)
            first, *rest = lines
            yield doc.Paragraph(
                (first, *(part for each in rest for part in (doc.mark(" | "), each)))
            )
