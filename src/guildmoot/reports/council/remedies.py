"""What all judges say of one issue: why it matters, and how to mend it.

Remedies come the most concrete first: code before words, and of words those that say most. Each reason is told once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from guildmoot.model.council import CouncilReport
from guildmoot.model.verdict import Finding, Issue
from guildmoot.reports import document as doc
from guildmoot.reports.council.view import speaker, why
from guildmoot.text.clean import one_line
from guildmoot.text.told import is_new, sentences, words_told

_CODE = re.compile(r"`[^`]+`|\w\(|\w\[|=|->|;\s*$|^\s*[+-]{1,3}\s?\S", re.MULTILINE)


Said = tuple[tuple[str, ...], str]
"""The seats that say it, and their words."""


def remedies(
    issue: Issue | None, finding: Finding, report: CouncilReport | None = None
) -> tuple[Said, ...]:
    """Who says how to mend it, and in which words; each wording once, a judge's advice beside its fix too."""
    said: dict[str, Said] = {}
    for each in _members(issue, finding):
        for fix in (each.fix, *_advised(report, each)):
            if fix.strip():
                who, words = said.get(_plain(fix), ((), fix))
                said[_plain(fix)] = tuple(dict.fromkeys((*who, each.seat))), words
    return tuple(sorted(said.values(), key=lambda row: _vagueness(row[1])))


def remedy(issue: Issue | None, finding: Finding, report: CouncilReport | None = None) -> str:
    """The most concrete remedy; empty without any."""
    return next((fix for _, fix in remedies(issue, finding, report)), "")


def reason(issue: Issue | None, finding: Finding) -> Said:
    """Why it matters and who says so, as the finding has it, else another member of its issue."""
    words = why(issue, finding)
    same = (each.seat for each in _members(issue, finding) if _plain(each.why) == _plain(words))
    return tuple(dict.fromkeys(same)), words


def attributed(report: CouncilReport, issue: Issue | None, said: Said) -> doc.Text:
    """The words after who says them, where others raise the issue too."""
    who, words = said
    if not issue or not words.strip() or set(who) == {*issue.seats}:
        return words
    named = ", ".join(dict.fromkeys(speaker(report, seat) for seat in who))
    return doc.strong(named), ": ", one_line(words)


def _members(issue: Issue | None, finding: Finding) -> tuple[Finding, ...]:
    others = issue.members if issue else ()
    return finding, *(each for each in others if each != finding)


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


def further_reasons(issue: Issue, finding: Finding, *, brief: bool = False) -> tuple[Said, ...]:
    """What others that raise it say of it: every sentence that is shown nowhere yet, and who says it.

    ``brief`` leaves out what says little that the words shown do not.
    """
    told = [finding.title, why(issue, finding), *(member.fix for member in issue.members)]
    found: dict[str, Said] = {}
    for each in _members(issue, finding)[1:]:
        own = (*sentences(each.title), *sentences(each.why))
        known = words_told(*told)
        new = (
            part
            for part in own
            if (is_new(part, known, 3) if brief else not any(_holds(text, part) for text in told))
        )
        said = _joined(new)
        key = _words(" ".join(own))
        if key in found:
            who, words = found[key]
            found[key] = tuple(dict.fromkeys((*who, each.seat))), words
        elif said:
            found[key] = (each.seat,), said
            told.append(said)
    return tuple(found.values())


def whys(report: CouncilReport, issue: Issue) -> doc.Text:
    """Why it matters, and what others that raise it add, in one line; who says which."""
    finding = issue.representative
    said = (reason(issue, finding), *further_reasons(issue, finding))
    return doc.joined(attributed(report, issue, each) for each in said)


def fixes(report: CouncilReport, issue: Issue) -> doc.Text:
    """Every remedy in one line, the most concrete first; who says which."""
    said = remedies(issue, issue.representative, report)
    return doc.joined((attributed(report, issue, each) for each in said), "; or: ") or "none given"


def _holds(text: str, part: str) -> bool:
    """Whether a text that is shown has these very words in it."""
    return f" {_words(part)} " in f" {_words(text)} "


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _joined(parts: Iterable[str]) -> str:
    """Sentences in a line; after one without a full stop a semicolon."""
    line = ""
    for part in map(one_line, parts):
        line += (" " if line.endswith((".", "!", "?", ":", ";")) else "; " if line else "") + part
    return line


def _vagueness(fix: str) -> tuple[bool, int]:
    return not _CODE.search(fix), -len(fix)


def _plain(fix: str) -> str:
    return one_line(fix).casefold().rstrip(".! ")
