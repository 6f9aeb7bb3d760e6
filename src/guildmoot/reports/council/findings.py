"""The sections of a judged council: verdicts, what is shared, what is disputed, what one judge alone saw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from guildmoot.model.council import CouncilReport, Disagreement, Judge
from guildmoot.model.verdict import Assertion, Finding, Issue
from guildmoot.reports.council.view import (
    answer_state,
    claim,
    fix,
    full_name,
    grid,
    insight,
    judge_of,
    lone_sides,
    missing,
    names,
    ref,
    responded,
    severity,
    speaker,
    speakers,
    state,
    vendor,
    vendors,
)
from guildmoot.reports.document import (
    BREAK,
    Block,
    Bullets,
    FindingCard,
    FindingCards,
    Paragraph,
    Quote,
    Screen,
    SectionHeading,
    StyledText,
    Table,
    Text,
    code,
    joined,
    mark,
    muted,
    strong,
    vote,
)
from guildmoot.reports.view import doubt, place
from guildmoot.text.clean import count, one_line

_NONE = Paragraph("None.")
_RESULTS = {"ok": "✓ ok", "warn": "! warn", "fail": "✗ fail", "skipped": "skipped"}
_TITLES = {
    "shared": ("Shared Findings", "every judge that voted raises them"),
    "split": ("Partly Shared Findings", "several raise them, others do not"),
    "minority": ("Minority Views", "one judge alone raises them, in its own words"),
}
_MOST_ISSUES = 8
_MOST_ROWS = 12
_MOST_RETRIED = 5
"""Tools read no more lines than this."""

Bucket = Literal["shared", "split", "minority"]


def verdicts(report: CouncilReport, screen: Screen | None) -> Iterator[Block]:
    """One row for each vendor, one column for each judge or perspective; then who said what."""
    answered, total = responded(report)
    yield SectionHeading("Judges" if screen else "Verdicts", note=f"{answered} of {total} answered")
    if not report.judges:
        yield _NONE
        return
    if screen is None and report.outcome:
        yield _votes(report)
    called = names(report)
    rows = (
        (
            called[judge.label] if screen else full_name(judge),
            vote(judge.word) if judge.word else answer_state(report, judge),
            _remarks(judge, called[judge.label]) if screen else insight(judge),
        )
        for judge in report.judges
    )
    yield Table(("Judge", "Verdict", "Key insight"), tuple(rows))
    if screen and missing(report):
        yield Paragraph(f"asked for, but silent: {', '.join(missing(report))}", "callout")
    answers = [
        f"{full_name(judge)}: {label} {answer}"
        for judge in report.judges
        for label, answer in judge.answers
    ]
    if answers and screen is None:
        yield Bullets(tuple(answers))


def _votes(report: CouncilReport) -> Table:
    shown = grid(report)
    rows = (
        (side, *(joined(map(_vote, judges), ", ") for judges in row)) for side, row in shown.rows
    )
    return Table(("Vendor", *shown.columns), tuple(rows))


def _vote(judge: Judge) -> Text:
    return strong(judge.word) if judge.word else state(judge)


def _remarks(judge: Judge, name: str) -> Text:
    """What it says, who it is and what must be known of its vote, a line each."""
    who = (judge.label if judge.label != name else "", judge.seat.backend, judge.seat.model)
    reason = judge.reason if judge.reason != insight(judge) else ""
    told = (", ".join(one_line(each) for each in who if each), one_line(reason))
    said = one_line(insight(judge))
    line: list[str | StyledText] = [said, BREAK] if said else []
    return (*line, *(part for each in told if each for part in (muted(each), BREAK)))[:-1]


def chosen(report: CouncilReport, bucket: Bucket, screen: Screen | None) -> Sequence[Issue]:
    """What of a bucket is shown; a terminal has room for all that blocks and a few more."""
    issues: tuple[Issue, ...] = getattr(report, bucket)
    if screen is None or screen.show_all:
        return issues
    blocking = sum(issue.blocking for issue in issues)
    return sorted(issues, key=lambda issue: not issue.blocking)[: max(blocking, _MOST_ISSUES)]


def findings(report: CouncilReport, bucket: Bucket, screen: Screen | None) -> Iterator[Block]:
    """The issues that all judges, several or one of them raise."""
    title, note = _TITLES[bucket]
    issues: tuple[Issue, ...] = getattr(report, bucket)
    shown = chosen(report, bucket, screen)
    if issues or (bucket == "shared" and screen is None):
        yield SectionHeading(title, note=count(len(issues), "finding") if screen else note)
    if not issues:
        yield from [_NONE] if bucket == "shared" and screen is None else []
        return
    brief = screen is not None and not screen.show_all
    if bucket == "minority":
        said = (finding for issue in shown for finding in issue.members)
        yield FindingCards(
            tuple(issue_card(report, each, brief=brief) for each in said), "verbatim"
        )
    else:
        cards = tuple(issue_card(report, i.representative, i, brief=brief) for i in shown)
        yield FindingCards(cards, table=issue_table(shown, report if bucket == "split" else None))
    if len(shown) < len(issues):
        yield Paragraph(f"… {len(issues) - len(shown)} more", "muted")


def issue_card(
    report: CouncilReport, finding: Finding, issue: Issue | None = None, *, brief: bool = False
) -> FindingCard:
    """A finding with its reasons; for an issue, with what the others say of it."""
    others = issue.members if issue and not brief else ()
    details: list[tuple[str, Text]] = [
        ("Why", "" if brief else finding.why),
        ("Fix", fix(finding) if issue or brief else finding.fix),
        ("Note", doubt(finding)),
        *(("Check", _assertion(check)) for check in finding.assertions if not brief),
        *(
            ("Also", (strong(speaker(report, other.seat)), ": ", claim(other)))
            for other in others
            if other != finding
        ),
    ]
    return FindingCard(
        title=finding.title,
        place=place(finding) or one_line(finding.url),
        label=severity(issue or finding),
        who=speakers(report, issue) if issue else speaker(report, finding.seat),
        blocking=issue.blocking if issue else finding.blocking,
        tone=issue.severity if issue else finding.severity,
        quote="" if brief else finding.quote,
        details=tuple(
            (name, text) for name, text in details if not isinstance(text, str) or text.strip()
        ),
    )


def _assertion(check: Assertion) -> Text:
    printed = (" prints ", code(check.expected)) if check.expected.strip() else ()
    return code(check.command), *printed


def issue_table(issues: Sequence[Issue], raised_in: CouncilReport | None = None) -> Table:
    """The four columns by which fixes are looked up, and who raises it where not all do."""
    by = ("Raised by",) if raised_in else ()
    rows = (
        (
            claim(issue.representative),
            severity(issue),
            *([speakers(raised_in, issue)] if raised_in else []),
            fix(issue.representative),
            ref(issue.representative),
        )
        for issue in issues
    )
    return Table(("Finding", "Severity", *by, "Fix", "Ref"), tuple(rows))


def overview(report: CouncilReport) -> Iterator[Block]:
    """What blocks and what only informs, at a glance, and what each judge is concerned about."""
    if report.wrapper == "vibe":
        for title, blocks in (("CRITICAL (blocks ship)", True), ("INFORMATIONAL", False)):
            issues = [issue for issue in report.issues if issue.blocking == blocks]
            yield SectionHeading(title)
            yield issue_table(issues) if issues else _NONE
    concerns = [
        (strong(full_name(judge)), f" ({judge.word}): ", insight(judge))
        for judge in report.judges
        if judge.word in ("WARN", "FAIL")
    ]
    yield SectionHeading("Concerns")
    yield Bullets(tuple(concerns)) if concerns else _NONE


def disagreements(report: CouncilReport, screen: Screen | None = None) -> Iterator[Block]:
    """Both positions of every disagreement, side by side; nothing is settled here."""
    if report.disagreements or screen is None:
        yield SectionHeading("Disagreements")
    if not report.disagreements:
        yield from [_NONE] if screen is None else []
        return
    if report.outcome == "DISAGREE":
        yield Paragraph("The judges do not agree, and no vote settles it: a person decides.")
    sides = _sides(report)
    rows = (
        (each.issue, *(_position(report, each, side) for side in sides))
        for each in report.disagreements
    )
    yield Table(("Issue", *sides), tuple(rows))


def _sides(report: CouncilReport) -> list[str]:
    """Columns: the vendors; at a table of one vendor, the judges that take part."""
    if len(vendors(report)) > 1:
        return list(vendors(report))
    heard = (
        speaker(report, who)
        for each in report.disagreements
        for position in each.positions
        for who in position.who
    )
    return list(dict.fromkeys(heard))


def _position(report: CouncilReport, each: Disagreement, side: str) -> str:
    judges, called = judge_of(report), names(report)
    told = []
    for position in each.positions:
        here = [
            who
            for who in position.who
            if side in (who, speaker(report, who))
            or (who in judges and vendor(judges[who]) == side)
        ]
        named = [called[judges[who].label] for who in here if who in judges]
        lead = f"{', '.join(named)}: " if named and side not in named else ""
        told += [lead + position.says] if here else []
    return "; ".join(told)


def cross_vendor(report: CouncilReport) -> Iterator[Block]:
    """What only one vendor sees; agreement of two vendors on one perspective is the best sign."""
    if len(vendors(report)) < 2:
        return
    yield SectionHeading("Cross-Vendor Insights")
    if report.pairs:
        sides = list(dict.fromkeys(side for pair in report.pairs for side, _ in pair.words))
        rows = (
            (
                pair.perspective,
                *(vote(dict(pair.words).get(side) or "no verdict") for side in sides),
                "agree" if pair.agreed else "≠ split",
            )
            for pair in report.pairs
        )
        yield Table(("Perspective", *sides, "Agreement"), tuple(rows))
    for side, issues in lone_sides(report):
        yield Paragraph(f"Only {side}:" if issues else f"Only {side}: nothing.")
        if issues:
            yield Bullets(tuple(in_a_line(report, issue) for issue in issues))


def in_a_line(report: CouncilReport, issue: Issue) -> Text:
    """Severity, claim, place and who raises it."""
    shown = issue.representative
    where = (" (", code(ref(shown)), ")") if ref(shown) != "none" else ()
    by = f", by {speakers(report, issue)}"
    return (f"{severity(issue)}: ", claim(shown), *where, by)


def checks(report: CouncilReport, level: int, screen: Screen | None) -> Iterator[Block]:
    """What was checked by programs before anybody was asked."""
    rows = ((name, _RESULTS.get(result, result), detail) for name, result, detail in report.checks)
    yield from cut_table(
        "Mechanical Checks", ("Check", "Result", "Detail"), tuple(rows), level, screen
    )
    for title, heads, cells in report.tables:
        yield from cut_table(title, heads, cells, level, screen)


def cut_table(
    title: str,
    heads: tuple[Text, ...],
    rows: tuple[tuple[Text, ...], ...],
    level: int,
    screen: Screen | None,
) -> Iterator[Block]:
    """A section of one table, nothing without rows; a terminal shows the first of many."""
    if not rows:
        return
    most = _MOST_ROWS if screen and not screen.show_all else len(rows)
    yield SectionHeading(title, level)
    yield Table(heads, rows[:most])
    if most < len(rows):
        yield Paragraph(f"{len(rows) - most} more; --all shows them", "muted")


def evidence(report: CouncilReport) -> Iterator[Block]:
    """How many assertions each finding brought, and what the explorers found."""
    if report.evidence:
        rows = (
            (name, str(n), "yes" if n >= 2 else "no, two are asked") for name, n in report.evidence
        )
        yield SectionHeading("Evidence")
        yield Table(("Finding", "Assertions", "Enough"), tuple(rows))
    explored = [judge for judge in report.judges if judge.explored]
    if explored:
        yield SectionHeading("Explorers")
    for judge in explored:
        for question, answer in judge.explored:
            yield Quote(answer, (strong(full_name(judge)), " asked: ", question))


def retry_lines(report: CouncilReport) -> Iterator[Block]:
    """One line a finding, in the form that a tool hands to the next attempt."""
    if report.verdict == "FAIL" and report.issues:
        yield SectionHeading("Findings for the Next Attempt", 2)
        for issue in report.issues[:_MOST_RETRIED]:
            shown = issue.representative
            fields = (("FINDING", claim(shown)), ("FIX", fix(shown)), ("REF", ref(shown)))
            # a bar of the judge's own would end the field for whoever reads the line
            told = (f"{name}: {one_line(text).replace('|', '¦')}" for name, text in fields)
            first, *rest = told
            yield Paragraph((first, *(part for each in rest for part in (mark(" | "), each))))
