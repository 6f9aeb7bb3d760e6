"""Groups the findings of several seats that describe the same issue.

    terms     words as weights, rare ones count more
    notes     one finding reduced; how alike two are by words and place
    index     the pairs worth comparing
    linkage   average linkage from the most alike pair downwards

The result depends on the set of findings only, never on the order they came in. How well it does, and
what it costs, is measured by ``benchmarks/judgement.py``.
"""

from __future__ import annotations

import gc
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby

from guildmoot.consensus.grouping.index import likeness_graph
from guildmoot.consensus.grouping.linkage import Linkage
from guildmoot.consensus.grouping.notes import Note, canonical, note_of
from guildmoot.consensus.grouping.terms import Vector, dot, total_of, weigh
from guildmoot.model.identity import fingerprint
from guildmoot.model.verdict import SEVERITIES, Finding, Issue

__all__ = ["SEAT_PENALTY", "THRESHOLD", "apart", "group_findings"]

THRESHOLD = 0.04
"""Least average likeness at which two groups are still joined; leaving one repository out of the data
chooses 0.037 three times, and accuracy falls off a cliff below 0.033."""
SMALL_SETS = 0.2
"""Among few findings every shared word looks rare, so fewer must be more alike: at least this over
the root of their number. Pairs in panels of two seats: precision .96 instead of .89, F1 the same."""
SEAT_PENALTY = 0.10
"""Taken off the likeness of two findings by the same seat."""


def group_findings(
    findings: Iterable[Finding],
    *,
    threshold: float = THRESHOLD,
    seat_penalty: float = SEAT_PENALTY,
) -> list[Issue]:
    """The issues that the findings describe, the most severe first."""
    with _uncollected():
        given = sorted(findings, key=canonical)
        least = max(threshold, SMALL_SETS / math.sqrt(len(given) or 1))
        return _group(given, least, seat_penalty)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Nothing made here is part of a cycle, and looking for one costs a sixth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _group(given: Sequence[Finding], threshold: float, seat_penalty: float) -> list[Issue]:
    vectors, weights = weigh(given)
    notes = [note_of(finding, weight) for finding, weight in zip(given, weights, strict=True)]
    twins = _twins(notes)
    firsts = [group[0] for group in twins]
    edges = likeness_graph([notes[n] for n in firsts], [vectors[n] for n in firsts])
    groups = Linkage(notes, twins, edges, threshold, seat_penalty).run()
    issues = [(min(group), _issue(group, given, notes, vectors)) for group in groups]
    issues.sort(key=lambda pair: (SEVERITIES.index(pair[1].severity), pair[0]))
    return _with_ids(issue for _, issue in issues)


def apart(issues: Iterable[Issue], opposed: Collection[Finding]) -> list[Issue]:
    """The issues with opposed findings taken out of company: alike in words, they say the opposite."""
    found: list[Issue] = []
    for issue in issues:
        loners = [member for member in issue.members if member in opposed]
        if len(issue.members) == 1 or not loners:
            found.append(issue)
            continue
        rest = [member for member in issue.members if member not in opposed]
        found += [_of([member]) for member in loners] + ([_of(rest)] if rest else [])
    return _with_ids(found)


def _of(members: Sequence[Finding]) -> Issue:
    """An issue of these members, the first of them speaking."""
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


def _twins(notes: Sequence[Note]) -> list[list[int]]:
    """Findings with the same words at the same place, which sorting has put side by side."""

    def identity(number: int) -> tuple[object, ...]:
        note = notes[number]
        return note.place, note.text or number, note.quote, note.coded and note.rule

    return [list(group) for _, group in groupby(range(len(notes)), key=identity)]


def _issue(
    group: Sequence[int],
    given: Sequence[Finding],
    notes: Sequence[Note],
    vectors: Sequence[Vector],
) -> Issue:
    return _of([given[number] for number in sorted(group)])._replace(
        representative=given[_representative(group, notes, vectors)],
        cohesion=_cohesion([vectors[number] for number in group]),
    )


def _representative(group: Sequence[int], notes: Sequence[Note], vectors: Sequence[Vector]) -> int:
    """The member closest to what the *other* seats say, favouring those that say more.

    A seat's own repetitions do not speak for its wording; the square root of the
    weight of its words keeps a bare headline from winning over the full account.
    """
    if len(group) <= 2:  # two are equally close to one another
        return max(group, key=lambda number: (notes[number].weight, -number))
    total = total_of([vectors[number] for number in group])
    by_seat: defaultdict[str, list[Vector]] = defaultdict(list)
    for number in group:
        by_seat[notes[number].seat].append(vectors[number])
    seat_total = {seat: total_of(own) for seat, own in by_seat.items()}

    def merit(number: int) -> tuple[float, float, int]:
        vector, note = vectors[number], notes[number]
        others = len(group) - len(by_seat[note.seat])
        shared = dot(vector, total) - dot(vector, seat_total[note.seat])
        central = shared / others if others else 0.0
        return central * math.sqrt(note.weight), note.weight, -number

    return max(group, key=merit)


def _cohesion(vectors: Sequence[Vector]) -> float:
    count = len(vectors)
    if count == 1:
        return 1.0
    if count == 2:
        return min(1.0, dot(vectors[0], vectors[1]))
    alike = sum(value * value for value in total_of(vectors).values()) - count
    return min(1.0, max(0.0, alike / (count * (count - 1))))
