"""Groups the findings of several seats that describe the same issue; the severest speaks for it.

Findings of tools are one issue where ``subjects`` says so, whatever else the run found. ``text.similar`` tells
which opinions say the same, and which of them say what a tool found; it never joins two facts. What a reader made
of a reply is nobody's words: an issue of its own, beside whatever was found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations, product

from guildmoot.consensus.subjects import OF_READERS, Subject, is_fact, subject_of
from guildmoot.model.identity import fingerprint
from guildmoot.model.verdict import SEVERITIES, Finding, Issue
from guildmoot.text.note import Note
from guildmoot.text.similar import SOURCE_PENALTY, THRESHOLD, apart_all, group

_FACTS = "\0facts"
"""The family that all tools are of when their findings are told apart."""
_COMPARED = 8
"""Wordings of one side with which another is compared."""


def group_findings(
    findings: Iterable[Finding],
    *,
    threshold: float = THRESHOLD,
    seat_penalty: float = SOURCE_PENALTY,
) -> list[Issue]:
    """The issues that the findings describe, the most severe first."""
    given = list(findings)
    raised = [finding for finding in given if finding.code not in OF_READERS]
    made = [finding for finding in given if finding.code in OF_READERS]
    issues = [*_grouped(raised, threshold, seat_penalty), *_grouped(made, threshold, seat_penalty)]
    return _with_ids(sorted(issues, key=lambda issue: SEVERITIES.index(issue.severity)))


def _grouped(findings: Sequence[Finding], threshold: float, penalty: float) -> list[Issue]:
    # What a note leaves out decides last, so that the order of input cannot matter.
    units = _units(sorted(findings, key=lambda f: (f.fix, f.severity, f.blocking, f.proven)))
    notes = [_note_of_unit(unit) for unit in units]
    if all(is_fact(unit[0]) for unit in units):
        groups = apart_all(notes)
    else:
        groups = group(notes, threshold=threshold, penalty=penalty)
    issues = []
    for found in groups:
        members = [member for number in found.members for member in units[number]]
        issue = _issue_of(members, units[found.representative][0])
        issues.append(issue._replace(cohesion=found.cohesion))
    return issues


def worst_first(finding: Finding) -> tuple[bool, int]:
    """Sorts findings by how much is at stake: what blocks, then what is severe."""
    return not finding.blocking, SEVERITIES.index(finding.severity)


def _units(given: Sequence[Finding]) -> list[list[Finding]]:
    """Each opinion for itself; the facts of one subject together, whoever speaks for them first."""
    facts: dict[Subject, list[Finding]] = {}
    opinions = []
    for finding in given:
        if is_fact(finding):
            facts.setdefault(subject_of(finding), []).append(finding)
        else:
            opinions.append([finding])
    same = [sorted(each, key=lambda f: (*worst_first(f), f)) for each in facts.values()]
    return opinions + same


def _note_of_unit(unit: Sequence[Finding]) -> Note:
    """Facts of several subjects are as rules of one tool to each other: never the same."""
    note = note_of(unit[0])
    return (
        note._replace(code=repr(subject_of(unit[0])), family=_FACTS) if is_fact(unit[0]) else note
    )


def apart(issues: Iterable[Issue], opposed: Collection[Finding]) -> list[Issue]:
    """The issues, with findings that claim the opposite of each other told apart, side by side.

    Only what the problems themselves say counts: judges who name one problem and differ in its remedy agree
    on the problem; one who denies it does not raise it. Those on one side stay together, so that one who objects
    takes nothing from the others.
    """
    found: list[Issue] = []
    for issue in issues:
        denied = _denied(issue.members)
        rivals = [
            m
            for m in issue.members
            if m.title in denied or (m in opposed and not m.fix and not m.patch)
        ]
        sides = _sides(issue.members, rivals) if len(rivals) > 1 else []
        found += [_issue_of(side) for side in sides] if len(sides) > 1 else [issue]
    return _with_ids(found)


def _denied(members: Sequence[Finding]) -> set[str]:
    """The titles that deny another one of the same group: "it is checked", "it is not checked"."""
    titles = list(dict.fromkeys(member.title for member in members))
    if len(titles) < 2:
        return set()
    from guildmoot.text.opposed.denial import denies  # few runs need it

    pairs = combinations(titles[:_COMPARED], 2)
    return {title for pair in pairs if denies(*pair) for title in pair}


def _sides(members: Sequence[Finding], rivals: Sequence[Finding]) -> list[list[Finding]]:
    """The members by side; who is opposed to nobody stands with the most."""
    from guildmoot.text.opposed.denial import denies  # few runs need them
    from guildmoot.text.opposed.opposition import opposed

    def against(title: str, side: Sequence[str]) -> bool:
        return any(denies(title, other) or opposed(title, other) for other in side[:_COMPARED])

    sides: list[list[str]] = []
    for title in dict.fromkeys(rival.title for rival in rivals):
        own = (side for side in sides if not against(title, side))
        side = next(own, None)
        if side is None:
            sides.append([title])
        else:
            side.append(title)
    parted = [[r for r in rivals if r.title in side] for side in sides]
    largest = max(parted, key=lambda side: len({f.family or f.seat for f in side}))
    largest += [member for member in members if member not in rivals]
    return [sorted(side, key=members.index) for side in parted]


def pair_findings(old: Sequence[Finding], new: Sequence[Finding]) -> dict[int, int]:
    """Which new finding says the same as which old one, by their numbers; each is paired once."""
    return pair_notes([note_of(each) for each in old], [note_of(each) for each in new])


def pair_notes(old: Sequence[Note], new: Sequence[Note]) -> dict[int, int]:
    """Which new note says the same as which old one, by their numbers; each is paired once."""
    sources = [*(f"before:{n}" for n in range(len(old))), *(f"now:{n}" for n in range(len(new)))]
    # As with a tool's rule, one code at two places is two: what only moved is known by its id.
    notes = [
        note._replace(source=source, family="", proven=True)
        for note, source in zip((*old, *new), sources, strict=True)
    ]
    pairs: dict[int, int] = {}
    for found in group(notes):
        olds = sorted(number for number in found.members if number < len(old))
        news = sorted(number - len(old) for number in found.members if number >= len(old))
        pairs |= zip(news, olds, strict=False)
    return pairs


def may_be_one(one: Issue, other: Issue) -> bool:
    """Whether two opinions of one file say so much the same that only the lines they name keep them apart."""
    if any(member.proven for member in (*one.members, *other.members)):
        return False  # what a program finds by a rule is a thing of its own
    left, right = ([note_of(m)._replace(first=0, last=0) for m in i.members] for i in (one, other))
    pairs = product(left[:_COMPARED], right[:_COMPARED])
    return any(a.path and a.path == b.path and len(group((a, b))) == 1 for a, b in pairs)


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


def _issue_of(members: Sequence[Finding], central: Finding | None = None) -> Issue:
    """An issue of these members; the severest speaks, of several the one closest to what all say.

    One that names a place speaks before one that names none.
    """
    severest = min(map(worst_first, members))
    speakers = [member for member in members if worst_first(member) == severest]
    speakers = [member for member in speakers if member.path] or speakers
    return Issue(
        id="",
        representative=central if central in speakers else speakers[0],
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
