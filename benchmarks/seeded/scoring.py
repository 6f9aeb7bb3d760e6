"""What counts as found, and the numbers made of it. Pure.

A finding is right when the same judge does not say it of the sound code too, when it lies within some lines of a change
that belongs to the defect, and when it uses a word of its kind. A defect is found once, however many findings
say so. Everything else is a false alarm: what is said of the sound code once, there; in the other cases what is new.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from benchmarks.seeded.cases import Case, Defect, sound_of
from benchmarks.seeded.kinds import speaks_of

from guildmoot.model.verdict import Finding

T = TypeVar("T")
ANYWHERE = 10**9
RESAMPLES = 1000
SEED = 7


class Matching(NamedTuple):
    """A rule for what is found."""

    name: str
    lines: int
    """How far a finding may lie from the changed lines."""
    strict: bool = False
    """It must also use a word of the defect's kind."""
    old: bool = False
    """What the judge says of the sound code as well counts, too."""


RULE = Matching("new, 3 lines, of the kind", 3, strict=True)
RULES = (
    Matching("new, the changed lines", 0, strict=True),
    RULE,
    Matching("new, 3 lines, any kind", 3),
    Matching("new, the same file", ANYWHERE),
    Matching("old ones too, 3 lines", 3, old=True),
)


class Count(NamedTuple):
    """What one judge or panel made of one case."""

    seeded: int
    """1 when there is a defect to be found."""
    found: int
    alarms: int
    """Findings about something else."""


class Span(NamedTuple):
    """A value and its 95 % interval; without a value there was nothing to divide by."""

    value: float | None
    low: float | None = None
    high: float | None = None


class Score(NamedTuple):
    """Counts over many cases and what they come to."""

    seeded: int
    found: int
    alarms: int
    precision: Span
    recall: Span
    f1: Span


def counts(
    said: Sequence[tuple[Case, Sequence[Finding]]], matching: Matching = RULE
) -> list[Count]:
    """Each case that one judge spoke about, held against what it said of the sound code."""
    sound = {
        case.repository: (case, list(own)) for case, own in said if case.name == sound_of(case)
    }
    found = []
    for case, own in said:
        before = sound.get(case.repository)
        if before and before[0] is not case and not matching.old:
            own = new_findings(case, own, *before)
        found.append(count(case, own, matching))
    return found


def new_findings(
    case: Case, findings: Iterable[Finding], sound: Case, before: Sequence[Finding]
) -> list[Finding]:
    """What is said of a case and not of the sound code: of each code in a file as many as there are more.

    The line that is reported may have moved, or be the changed one, so its text alone tells nothing.
    """
    left = Counter((f.path, f.code) for f in before)
    lines = Counter((f.path, f.code, _line_of(sound, f)) for f in before)
    new = []
    for finding in findings:
        line = (finding.path, finding.code, _line_of(case, finding))
        if lines[line] > 0:
            lines[line] -= 1
            left[line[:2]] -= 1
        else:
            new.append(finding)
    kept = []
    for finding in new:
        if finding.code and left[finding.path, finding.code] > 0:
            left[finding.path, finding.code] -= 1
        else:
            kept.append(finding)
    return kept


def _line_of(case: Case, finding: Finding) -> str:
    lines = case.files.get(finding.path, "").splitlines()
    return lines[finding.line - 1].strip() if 0 < finding.line <= len(lines) else ""


def count(case: Case, findings: Iterable[Finding], matching: Matching = RULE) -> Count:
    """Hold what was said about a case against what is known of it."""
    said = list(findings)
    right = [f for f in said if case.defect and is_right(f, case.defect, matching)]
    return Count(int(case.defect is not None), int(bool(right)), len(said) - len(right))


def is_right(finding: Finding, defect: Defect, matching: Matching = RULE) -> bool:
    """Whether a finding is about the defect; one without a line names no place."""
    last = max(finding.line, finding.end_line)
    near = finding.line and any(
        finding.path == place.path
        and finding.line - matching.lines <= place.last
        and place.first <= last + matching.lines
        for place in (defect.place, *defect.others)
    )
    return bool(near) and (not matching.strict or speaks_of(finding, defect.kind))


def score(counts: Sequence[Count], resamples: int = RESAMPLES) -> Score:
    """Precision, recall and F1, with intervals from drawing the cases again and again."""
    total = add(counts)
    draws = [add(draw) for draw in _draws(counts, resamples)]
    spans = [
        _span(value, sorted(v for draw in draws if (v := rates(draw)[number]) is not None))
        for number, value in enumerate(rates(total))
    ]
    return Score(*total, *spans)


def gain(ours: Sequence[Count], theirs: Sequence[Count], resamples: int = RESAMPLES) -> Span:
    """How much higher our F1 is over the same cases; both are drawn together."""

    def ahead(pairs: Sequence[tuple[Count, Count]]) -> float:
        return _f1(pair[0] for pair in pairs) - _f1(pair[1] for pair in pairs)

    pairs = list(zip(ours, theirs, strict=True))
    return _span(ahead(pairs), sorted(ahead(draw) for draw in _draws(pairs, resamples)))


def _f1(counts: Iterable[Count]) -> float:
    return rates(add(counts))[2] or 0.0


def rates(total: Count) -> tuple[float | None, float | None, float | None]:
    """Precision, recall and F1 of counts that were added up."""
    said = total.found + total.alarms
    both = total.seeded + said
    return (
        total.found / said if said else None,
        total.found / total.seeded if total.seeded else None,
        2 * total.found / both if both else None,
    )


def add(counts: Iterable[Count]) -> Count:
    """All counts together."""
    seeded = found = alarms = 0
    for each in counts:
        seeded += each.seeded
        found += each.found
        alarms += each.alarms
    return Count(seeded, found, alarms)


def _draws(cases: Sequence[T], resamples: int) -> Iterable[list[T]]:
    dice = random.Random(SEED)
    return (dice.choices(cases, k=len(cases)) for _ in range(resamples if cases else 0))


def _span(value: float | None, drawn: Sequence[float]) -> Span:
    if value is None or not drawn:
        return Span(value)
    least, most = int(0.025 * len(drawn)), int(0.975 * len(drawn))
    return Span(value, drawn[least], drawn[min(most, len(drawn) - 1)])
