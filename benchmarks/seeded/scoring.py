"""What counts as found, and the numbers made of it. Pure.

A finding is right when it lies in the file of the seeded defect and within some lines of the changed
ones. A defect is found once, however many findings say so; every finding elsewhere is a false alarm,
in a case with a defect as well as in a control.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from benchmarks.seeded.cases import Case, Defect
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


RULE = Matching("within 3 lines", 3)
RULES = (
    Matching("the changed lines", 0),
    Matching("strict: 3 lines and a word", 3, strict=True),
    RULE,
    Matching("within 10 lines", 10),
    Matching("the same file", ANYWHERE),
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


def count(case: Case, findings: Iterable[Finding], matching: Matching = RULE) -> Count:
    """Hold what was said about a case against what is known of it."""
    said = list(findings)
    right = [f for f in said if case.defect and is_right(f, case.defect, matching)]
    return Count(int(case.defect is not None), int(bool(right)), len(said) - len(right))


def is_right(finding: Finding, defect: Defect, matching: Matching = RULE) -> bool:
    """Whether a finding is about the defect; one without a line names no place."""
    place = defect.place
    if finding.path != place.path or not finding.line:
        return False
    last = max(finding.line, finding.end_line)
    near = finding.line - matching.lines <= place.last and place.first <= last + matching.lines
    return near and (not matching.strict or speaks_of(finding, defect.kind))


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
