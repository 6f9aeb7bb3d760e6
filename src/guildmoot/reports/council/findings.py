"""The sections of a judged council: verdicts, what is shared, what is disputed, what one judge alone saw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from guildmoot.model.council import CouncilReport, Disagreement, Judge
from guildmoot.model.verdict import Assertion, Finding, Issue
from guildmoot.reports import document as doc
from guildmoot.reports.council import view
from guildmoot.reports.view import doubt, place
from guildmoot.text.clean import count, one_line

_NONE = doc.Paragraph("None.")
_RESULTS = {
    "ok": "✓ ok",
    "warn": "! warn",
    "undecided": "? undecided",
    "fail": "✗ fail",
    "skipped": "skipped",
}
_TITLES = {
    "shared": ("Shared Findings", "every judge that voted raises them"),
    "split": ("Partly Shared Findings", "several raise them, others do not"),
    "minority": ("Minority Views", "one judge alone raises them, in its own words"),
}
_ALONE = ("Findings", "of one judge each, in its own words; nobody else read the whole work")
_MOST_ISSUES = 8
_MOST_ROWS = 12
_MOST_RETRIED = 5
"""Tools read no more lines than this."""

Bucket = Literal["shared", "split", "minority"]


def verdicts(report: CouncilReport, screen: doc.Screen | None) -> Iterator[doc.Block]:
    """One row for each vendor, one column for each judge or perspective; then who said what."""
    answered, total = view.responded(report)
    yield doc.SectionHeading(
        "Judges" if screen else "Verdicts", note=f"{answered} of {total} answered"
    )
    if not report.judges:
        yield _NONE
        return
    if screen is None and report.outcome:
        yield _votes(report)
    called = view.names(report)
    together = _alike(report.judges) if screen else [(judge,) for judge in report.judges]
    rows = (
        (
            ", ".join(called[judge.label] if screen else view.full_name(judge) for judge in judges),
            doc.vote(judges[0].word) if judges[0].word else view.answer_state(report, judges[0]),
            _remarks(judges[0], called[judges[0].label]) if screen else view.insight(judges[0]),
        )
        for judges in together
    )
    yield doc.Table(("Judge", "Verdict", "Key insight"), tuple(rows))
    if screen and view.missing(report):
        yield doc.Paragraph(f"asked for, but silent: {', '.join(view.missing(report))}", "callout")
    answers = [
        f"{view.full_name(judge)}: {label} {answer}"
        for judge in report.judges
        for label, answer in judge.answers
    ]
    if answers and screen is None:
        yield doc.Bullets(tuple(answers))


def _alike(judges: Sequence[Judge]) -> list[tuple[Judge, ...]]:
    """Tools that passed the work and found nothing, together; every other judge for itself."""
    quiet = [each for each in judges if each.computed and each.word == "PASS" and not each.findings]
    loud: list[tuple[Judge, ...]] = [(each,) for each in judges if each not in quiet]
    return [*loud, tuple(quiet)] if quiet else loud


def _votes(report: CouncilReport) -> doc.Table:
    shown = view.grid(report)
    rows = (
        (side, *(doc.joined(map(_vote, judges), ", ") for judges in row))
        for side, row in shown.rows
    )
    return doc.Table(("Vendor", *shown.columns), tuple(rows))


def _vote(judge: Judge) -> doc.Text:
    return doc.strong(judge.word) if judge.word else view.state(judge)


def _remarks(judge: Judge, name: str) -> doc.Text:
    """What it says, who it is and what must be known of its vote, a line each."""
    program = "" if judge.computed else judge.seat.backend
    who = (judge.label if judge.label != name else "", program, judge.seat.model)
    reason = judge.reason if judge.reason != view.insight(judge) else ""
    remarks = (", ".join(one_line(each) for each in who if each), one_line(reason))
    said = one_line(view.insight(judge))
    line: list[str | doc.StyledText] = [said, doc.BREAK] if said else []
    return (*line, *(part for each in remarks if each for part in (doc.muted(each), doc.BREAK)))[
        :-1
    ]


def chosen(report: CouncilReport, bucket: Bucket, screen: doc.Screen | None) -> Sequence[Issue]:
    """What of a bucket is shown; a terminal has room for all that blocks and a few more."""
    issues: tuple[Issue, ...] = getattr(report, bucket)
    if screen is None or screen.show_all:
        return issues
    blocking = sum(issue.blocking for issue in issues)
    return sorted(issues, key=lambda issue: not issue.blocking)[: max(blocking, _MOST_ISSUES)]


def findings(
    report: CouncilReport, bucket: Bucket, screen: doc.Screen | None
) -> Iterator[doc.Block]:
    """The issues that all judges, several or one of them raise."""
    title, note = _title(report, bucket)
    issues: tuple[Issue, ...] = getattr(report, bucket)
    shown = chosen(report, bucket, screen)
    if issues or (bucket == "shared" and screen is None):
        yield doc.SectionHeading(title, note=count(len(issues), "finding") if screen else note)
    if not issues:
        yield from [_NONE] if bucket == "shared" and screen is None else []
        return
    if bucket == "minority":
        said = [finding for issue in shown for finding in issue.members]
        mild = [each for each in said if screen and not screen.show_all and _is_mild(each)]
        yield from _cards(report, [each for each in said if each not in mild], screen, "verbatim")
        yield from _cards(report, mild, screen, "listed")
    else:
        cards = tuple(issue_card(report, i.representative, i, screen) for i in shown)
        yield doc.FindingCards(
            cards, table=issue_table(shown, report if bucket == "split" else None)
        )
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
        yield doc.FindingCards(
            tuple(issue_card(report, each, screen=screen) for each in found), form
        )


def _title(report: CouncilReport, bucket: Bucket) -> tuple[str, str]:
    """Where no second judge read the whole work, what one found is no minority's view."""
    readers = sum(judge.word is not None and not judge.computed for judge in report.judges)
    return _ALONE if bucket == "minority" and readers < 2 else _TITLES[bucket]


def issue_card(
    report: CouncilReport,
    finding: Finding,
    issue: Issue | None = None,
    screen: doc.Screen | None = None,
) -> doc.FindingCard:
    """A finding with its reasons; for an issue, with what the others say of it."""
    blocks = issue.blocking if issue else finding.blocking
    brief = screen is not None and not screen.show_all and not (blocks and finding.proven)
    others = issue.members if issue and not brief else ()
    details: list[tuple[str, doc.Text]] = [
        ("Why", "" if brief else finding.why),
        ("Fix", finding.fix),
        ("Note", doubt(finding)),
        *(("Check", _assertion(check)) for check in finding.assertions if not brief),
        *(
            ("Also", (doc.strong(view.speaker(report, other.seat)), ": ", view.claim(other)))
            for other in others
            if other != finding
        ),
    ]
    return doc.FindingCard(
        title=finding.title,
        place=place(finding) or one_line(finding.url),
        label=view.severity(issue or finding),
        who=view.speakers(report, issue) if issue else view.speaker(report, finding.seat),
        blocking=blocks,
        tone=issue.severity if issue else finding.severity,
        quote="" if brief else finding.quote,
        line=finding.line if screen else 0,
        details=tuple(
            (name, text) for name, text in details if not isinstance(text, str) or text.strip()
        ),
    )


def _assertion(check: Assertion) -> doc.Text:
    printed = (" prints ", doc.code(check.expected)) if check.expected.strip() else ()
    return doc.code(check.command), *printed


def issue_table(issues: Sequence[Issue], raised_in: CouncilReport | None = None) -> doc.Table:
    """The four columns by which fixes are looked up, and who raises it where not all do."""
    by = ("Raised by",) if raised_in else ()
    rows = (
        (
            view.claim(issue.representative),
            view.severity(issue),
            *([view.speakers(raised_in, issue)] if raised_in else []),
            view.fix(issue.representative),
            view.ref(issue.representative),
        )
        for issue in issues
    )
    return doc.Table(("Finding", "Severity", *by, "Fix", "Ref"), tuple(rows))


def overview(report: CouncilReport) -> Iterator[doc.Block]:
    """What blocks and what only informs, at a glance, and what each judge is concerned about."""
    if report.wrapper == "vibe":
        for title, blocks in (("CRITICAL (blocks ship)", True), ("INFORMATIONAL", False)):
            issues = [issue for issue in report.issues if issue.blocking == blocks]
            yield doc.SectionHeading(title)
            yield issue_table(issues) if issues else _NONE
    concerns = [
        (doc.strong(view.full_name(judge)), f" ({judge.word}): ", view.insight(judge))
        for judge in report.judges
        if judge.word in ("WARN", "FAIL")
    ]
    yield doc.SectionHeading("Concerns")
    yield doc.Bullets(tuple(concerns)) if concerns else _NONE


def disagreements(report: CouncilReport, screen: doc.Screen | None = None) -> Iterator[doc.Block]:
    """Both positions of every disagreement, side by side; nothing is settled here."""
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
        lines += [lead + position.says] if here else []
    return "; ".join(lines)


def cross_vendor(report: CouncilReport) -> Iterator[doc.Block]:
    """What only one vendor sees; agreement of two vendors on one perspective is the best sign."""
    if len(view.vendors(report)) < 2:
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
    for side, issues in view.lone_sides(report):
        yield doc.Paragraph(f"Only {side}:" if issues else f"Only {side}: nothing.")
        if issues:
            yield doc.Bullets(tuple(in_a_line(report, issue) for issue in issues))


def in_a_line(report: CouncilReport, issue: Issue) -> doc.Text:
    """Severity, claim, place and who raises it."""
    shown = issue.representative
    where = (" (", doc.code(view.ref(shown)), ")") if view.ref(shown) != "none" else ()
    by = f", by {view.speakers(report, issue)}"
    return (f"{view.severity(issue)}: ", view.claim(shown), *where, by)


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


def retry_lines(report: CouncilReport) -> Iterator[doc.Block]:
    """One line a finding, in the form that a tool hands to the next attempt."""
    if report.verdict == "FAIL" and report.issues:
        yield doc.SectionHeading("Findings for the Next Attempt", 2)
        for issue in report.issues[:_MOST_RETRIED]:
            shown = issue.representative
            fields = (
                ("FINDING", view.claim(shown)),
                ("FIX", view.fix(shown)),
                ("REF", view.ref(shown)),
            )
            # a bar of the judge's own would end the field for whoever reads the line
            lines = (f"{name}: {one_line(text).replace('|', '¦')}" for name, text in fields)
            first, *rest = lines
            yield doc.Paragraph(
                (first, *(part for each in rest for part in (doc.mark(" | "), each)))
            )
