"""The sections of a judged council: verdicts, what is shared, what is disputed, what one judge alone saw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from guildmoot.model.council import CouncilReport, Disagreement, Judge
from guildmoot.model.verdict import Finding, Issue
from guildmoot.reports.council.blocks import (
    NOTHING,
    bullets,
    cell,
    code_block,
    plain_table,
    quote,
    said,
    table,
)
from guildmoot.reports.council.view import (
    claim,
    fix,
    full_name,
    grid,
    insight,
    judge_of,
    lone_sides,
    names,
    ref,
    severity,
    speaker,
    speakers,
    state,
    vendor,
    vendors,
)
from guildmoot.reports.markdown import code, prose
from guildmoot.reports.view import doubt

_NONE = "None."
_RESULTS = {"ok": "✓ ok", "warn": "! warn", "fail": "✗ fail", "skipped": "skipped"}


def verdicts(report: CouncilReport) -> Iterator[str]:
    """One row for each vendor, one column for each judge or perspective; then who said what."""
    yield "### Verdicts"
    if not report.judges:
        yield _NONE
        return
    shown = grid(report)
    yield table(
        ["Vendor", *map(cell, shown.columns)],
        (
            [cell(side), *(", ".join(map(_vote, judges)) or NOTHING for judges in row)]
            for side, row in shown.rows
        ),
    )
    yield plain_table(
        ("Judge", "Verdict", "Key insight"),
        ((full_name(judge), state(judge), insight(judge)) for judge in report.judges),
    )
    answers = [
        f"{cell(full_name(judge))}: {prose(label)} {prose(answer)}"
        for judge in report.judges
        for label, answer in judge.answers
    ]
    if answers:
        yield bullets(answers)


def _vote(judge: Judge) -> str:
    return cell(state(judge)) if judge.word is None else f"**{judge.word}**"


def shared_findings(report: CouncilReport, heading: str = "### Shared Findings") -> Iterator[str]:
    """What every judge that voted raises."""
    yield heading
    yield findings_table(report.shared) if report.shared else _NONE


def findings_table(issues: Sequence[Issue]) -> str:
    """The four columns by which fixes are looked up."""
    return plain_table(("Finding", "Severity", "Fix", "Ref"), map(_row, issues))


def _row(issue: Issue) -> tuple[str, str, str, str]:
    shown = issue.representative
    return claim(shown), severity(issue), fix(shown), ref(shown)


def partly_shared(report: CouncilReport) -> Iterator[str]:
    """What several judges raise and others do not."""
    if not report.split:
        return
    yield "### Partly Shared Findings"
    yield plain_table(
        ("Finding", "Severity", "Raised by", "Fix", "Ref"),
        (
            (row[0], row[1], speakers(report, issue), *row[2:])
            for issue in report.split
            for row in [_row(issue)]
        ),
    )


def minority(report: CouncilReport) -> Iterator[str]:
    """What one judge alone raises, in its own words; being alone does not make it wrong."""
    if not report.minority:
        return
    yield "### Minority Views"
    for issue in report.minority:
        for finding in issue.members:
            yield from verbatim(report, finding)


def verbatim(report: CouncilReport, finding: Finding) -> Iterator[str]:
    """One finding, whole."""
    where = code(ref(finding)) if ref(finding) != "none" else "the work as a whole"
    yield f"**{prose(speaker(report, finding.seat))}** ({severity(finding)}, {where}):"
    yield quote(finding.title)
    if finding.quote.strip():
        yield code_block(finding.quote)
    details = (("Why", finding.why), ("Fix", finding.fix), ("Note", doubt(finding)))
    lines = [f"{label}: {prose(text)}" for label, text in details if text.strip()]
    lines += [_assertion(check.command, check.expected) for check in finding.assertions]
    if lines:
        yield bullets(lines)


def _assertion(command: str, expected: str) -> str:
    return f"Check: {code(command)}" + (f" prints {code(expected)}" if expected.strip() else "")


def disagreements(report: CouncilReport) -> Iterator[str]:
    """Both positions of every disagreement, side by side; nothing is settled here."""
    yield "### Disagreements"
    if not report.disagreements:
        yield _NONE
        return
    if report.outcome == "DISAGREE":
        yield "The judges do not agree, and no vote settles it: a person decides."
    sides = _sides(report)
    yield table(
        ["Issue", *map(cell, sides)],
        (
            [cell(each.issue), *(cell(_position(report, each, side)) for side in sides)]
            for each in report.disagreements
        ),
    )


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


def cross_vendor(report: CouncilReport) -> Iterator[str]:
    """What only one vendor sees; agreement of two vendors on one perspective is the best sign."""
    if len(vendors(report)) < 2:
        return
    yield "### Cross-Vendor Insights"
    if report.pairs:
        sides = list(dict.fromkeys(side for pair in report.pairs for side, _ in pair.words))
        yield plain_table(
            ("Perspective", *sides, "Agreement"),
            (
                (
                    pair.perspective,
                    *(dict(pair.words).get(side) or "no verdict" for side in sides),
                    "agree" if pair.agreed else "≠ split",
                )
                for pair in report.pairs
            ),
        )
    for side, issues in lone_sides(report):
        yield f"Only {prose(side)}:" if issues else f"Only {prose(side)}: nothing."
        if issues:
            yield bullets(_in_a_line(report, issue) for issue in issues)


def _in_a_line(report: CouncilReport, issue: Issue) -> str:
    shown = issue.representative
    where = f" ({code(ref(shown))})" if ref(shown) != "none" else ""
    return f"{severity(issue)}: {prose(claim(shown))}{where}, by {prose(speakers(report, issue))}"


def check_sections(report: CouncilReport, level: str = "###") -> Iterator[str]:
    """What was checked by programs before anybody was asked."""
    if report.checks:
        yield f"{level} Mechanical Checks"
        yield plain_table(
            ("Check", "Result", "Detail"),
            (
                (name, _RESULTS.get(result, result), detail)
                for name, result, detail in report.checks
            ),
        )
    for title, heads, rows in report.tables:
        yield f"{level} {prose(title)}"
        yield plain_table(heads, rows)


def evidence_sections(report: CouncilReport) -> Iterator[str]:
    """How many assertions each finding brought, and what the explorers found."""
    if report.evidence:
        yield "### Evidence"
        yield plain_table(
            ("Finding", "Assertions", "Enough"),
            (
                (name, str(n), "yes" if n >= 2 else "no, two are asked")
                for name, n in report.evidence
            ),
        )
    explored = [judge for judge in report.judges if judge.explored]
    if explored:
        yield "### Explorers"
        for judge in explored:
            for question, answer in judge.explored:
                yield f"**{prose(full_name(judge))}** asked: {prose(question)}"
                yield quote(answer)


def delta_section(report: CouncilReport) -> Iterator[str]:
    """What changed since the council that this one follows."""
    if report.delta:
        yield "### Since the Previous Council"
        yield plain_table(("Issue", "Before", "Now"), report.delta)


def recommendation(report: CouncilReport, level: str = "###") -> Iterator[str]:
    """What to do next, in the judges' words."""
    yield f"{level} Recommendation"
    yield said(report.recommendation) or "None was given."
