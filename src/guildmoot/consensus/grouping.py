"""Groups the findings of several seats that describe the same issue; ``text.similar`` tells which do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from guildmoot.model.identity import fingerprint
from guildmoot.model.verdict import SEVERITIES, Finding, Issue
from guildmoot.text.note import Note
from guildmoot.text.similar import SOURCE_PENALTY, THRESHOLD, group


def group_findings(
    findings: Iterable[Finding],
    *,
    threshold: float = THRESHOLD,
    seat_penalty: float = SOURCE_PENALTY,
) -> list[Issue]:
    """The issues that the findings describe, the most severe first."""
    # What a note leaves out decides last, so that the order of input cannot matter.
    given = sorted(findings, key=lambda f: (f.fix, f.severity, f.blocking, f.proven))
    groups = group([note_of(f) for f in given], threshold=threshold, penalty=seat_penalty)
    issues = [
        _issue_of([given[number] for number in found.members])._replace(
            representative=given[found.representative], cohesion=found.cohesion
        )
        for found in groups
    ]
    return _with_ids(sorted(issues, key=lambda issue: SEVERITIES.index(issue.severity)))


def apart(issues: Iterable[Issue], opposed: Collection[Finding]) -> list[Issue]:
    """The issues, with findings that are opposed to others split off: alike in words, they disagree."""
    found: list[Issue] = []
    for issue in issues:
        split_off = [member for member in issue.members if member in opposed]
        if len(issue.members) == 1 or not split_off:
            found.append(issue)
            continue
        rest = [member for member in issue.members if member not in opposed]
        found += [_issue_of([member]) for member in split_off]
        found += [_issue_of(rest)] if rest else []
    return _with_ids(found)


def pair_findings(old: Sequence[Finding], new: Sequence[Finding]) -> dict[int, int]:
    """Which new finding says the same as which old one, by their numbers; each is paired once."""
    return pair_notes([note_of(each) for each in old], [note_of(each) for each in new])


def pair_notes(old: Sequence[Note], new: Sequence[Note]) -> dict[int, int]:
    """Which new note says the same as which old one, by their numbers; each is paired once."""
    sources = [*(f"before:{n}" for n in range(len(old))), *(f"now:{n}" for n in range(len(new)))]
    notes = [
        note._replace(source=source, family="")
        for note, source in zip((*old, *new), sources, strict=True)
    ]
    pairs: dict[int, int] = {}
    for found in group(notes):
        olds = sorted(number for number in found.members if number < len(old))
        news = sorted(number - len(old) for number in found.members if number >= len(old))
        pairs |= zip(news, olds, strict=False)
    return pairs


def note_of(finding: Finding) -> Note:
    """What comparing needs of a finding."""
    return Note(
        path=finding.path,
        first=finding.line,
        last=finding.end_line,
        title=finding.title,
        detail=finding.why,
        quote=finding.quote,
        code=finding.code,
        source=finding.seat,
        family=finding.family,
        proven=finding.proven,
    )


def _issue_of(members: Sequence[Finding]) -> Issue:
    """An issue of these members, with the first as its representative."""
    return Issue(
        id="",
        representative=members[0],
        members=tuple(members),
        families=tuple(sorted({member.family or member.seat for member in members})),
        seats=tuple(sorted({member.seat for member in members})),
        severity=min((member.severity for member in members), key=SEVERITIES.index),
        blocking=any(member.blocking for member in members),
    )


def _with_ids(issues: Iterable[Issue]) -> list[Issue]:
    """Short names that survive moved lines; a second issue of the same name is numbered."""
    taken: Counter[str] = Counter()
    named = []
    for issue in issues:
        name = min(fingerprint(member) for member in issue.members)[:12]
        taken[name] += 1
        named.append(issue._replace(id=name if taken[name] == 1 else f"{name}-{taken[name]}"))
    return named
