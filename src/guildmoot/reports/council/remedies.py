"""What all judges say of one issue: why it matters, and how to mend it.

Remedies come the most concrete first: code before words, and of words those that say most. Each reason is told once.
"""

from __future__ import annotations

import re

from guildmoot.model.council import CouncilReport
from guildmoot.model.verdict import Finding, Issue
from guildmoot.reports.council.view import speaker, why
from guildmoot.text.clean import one_line
from guildmoot.text.told import is_new, sentences, words_told

_CODE = re.compile(r"`[^`]+`|\w\(|\w\[|=|->|;\s*$|^\s*[+-]{1,3}\s?\S", re.MULTILINE)


def remedies(
    issue: Issue | None, finding: Finding, report: CouncilReport | None = None
) -> tuple[tuple[str, str], ...]:
    """Who says how to mend it, and in which words; each wording once, a judge's advice beside its fix too."""
    said: dict[str, tuple[str, str]] = {}
    for each in (finding, *(issue.members if issue else ())):
        for fix in (each.fix, *_advised(report, each)):
            if fix.strip():
                said.setdefault(_plain(fix), (each.seat, fix))
    return tuple(sorted(said.values(), key=lambda row: _vagueness(row[1])))


def remedy(issue: Issue | None, finding: Finding, report: CouncilReport | None = None) -> str:
    """The most concrete remedy; empty without any."""
    return next((fix for _, fix in remedies(issue, finding, report)), "")


def _advised(report: CouncilReport | None, finding: Finding) -> list[str]:
    """What a judge recommends for a finding whose fix it gives apart."""
    judges = report.judges if report else ()
    verdicts = (judge.verdict for judge in judges if judge.seat.name == finding.seat)
    return [
        each.recommendation
        for verdict in verdicts
        for each in (verdict.findings if verdict else ())
        if each.description == finding.title and each.fix
    ]


def further_reasons(issue: Issue, finding: Finding) -> tuple[tuple[str, str], ...]:
    """What others that raise it say of it and the finding does not: who, and those sentences."""
    told = [finding.title, why(issue, finding), *(member.fix for member in issue.members)]
    found = []
    for each in issue.members:
        known = words_told(*told)
        parts = (*sentences(each.title), *sentences(each.why))
        said = " ".join(part for part in parts if is_new(part, known, 3))
        if said and each != finding:
            found.append((each.seat, one_line(said)))
            told.append(said)
    return tuple(found)


def whys(report: CouncilReport, issue: Issue) -> str:
    """Why it matters, and what others that raise it add, in one line."""
    more = (
        f"{speaker(report, seat)}: {said}"
        for seat, said in further_reasons(issue, issue.representative)
    )
    return " · ".join(filter(None, (one_line(why(issue, issue.representative)), *more)))


def fixes(report: CouncilReport, issue: Issue) -> str:
    """Every remedy in one line, the most concrete first."""
    said = [one_line(fix) for _, fix in remedies(issue, issue.representative, report)]
    return "; or: ".join(said) or "none given"


def _vagueness(fix: str) -> tuple[bool, int]:
    return not _CODE.search(fix), -len(fix)


def _plain(fix: str) -> str:
    return one_line(fix).casefold().rstrip(".! ")
