"""One finding reduced to what comparing needs, and how alike two of them are by words and place."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from guildmoot.model.verdict import Finding

NEAR_LINES = 3
"""Lines between two places that still count as the same place."""
NEAR_FACTOR, FAR_FACTOR = 2.0, 0.5
"""Scale of likeness for near and for far lines of one file."""
LINE_BLOCK = 16
"""Findings of one file this close are candidates even if they share no rare word."""

Place = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Note:
    """A finding reduced to what the comparison uses."""

    seat: str
    family: str
    proven: bool
    path: str
    first: int
    last: int
    text: str
    quote: str
    coded: bool
    rule: str
    """What a tool applies again and again: its code, else this seat's very title."""
    weight: float
    """How much the finding says: the length of its vector before scaling."""

    @property
    def placed(self) -> bool:
        return bool(self.path and self.first)

    @property
    def place(self) -> Place:
        return self.path, self.first, self.last

    def spots(self) -> list[Hashable]:
        """Keys shared by findings that must be compared whatever their words."""
        spots: list[Hashable] = []
        if self.placed:
            block = self.first // LINE_BLOCK
            spots += [(self.path, block), (self.path, block + 1)]
        if self.path and self.quote:
            spots.append((self.text, self.quote))
        return spots


def canonical(finding: Finding) -> tuple[object, ...]:
    """A sort key from content alone, so that the order of input cannot matter."""
    return (
        plain_path(finding.path),
        finding.line,
        finding.end_line,
        finding.title,
        finding.why,
        finding.quote,
        finding.code,
        finding.seat,
        finding.family,
        finding.fix,
        finding.severity,
        finding.blocking,
        finding.proven,
    )


def note_of(finding: Finding, weight: float) -> Note:
    """What comparing needs of a finding; ``weight`` is how much it says."""
    code, first = finding.code.strip(), max(finding.line, 0)
    return Note(
        seat=finding.seat,
        family=finding.family or finding.seat,
        proven=finding.proven,
        path=plain_path(finding.path),
        first=first,
        last=max(finding.end_line, first),
        text=" ".join(f"{finding.title} {finding.why}".split()),
        quote=" ".join(finding.quote.split()),
        coded=bool(code),
        rule=code or f"{finding.seat}\n{finding.title}",
        weight=weight,
    )


def plain_path(path: str) -> str:
    """One spelling for one file."""
    plain = path.strip().replace("\\", "/")
    while plain.startswith("./"):
        plain = plain[2:]
    return plain


def likeness(left: Note, right: Note, words: float) -> float:
    """Likeness of two findings: of their words, scaled by their places; 0 = never the same."""
    if _other_rule(left, right):
        return 0.0
    if not left.path or not right.path:
        return words
    if left.path != right.path:
        return words if _copied(left, right) else 0.0
    if not left.first or not right.first:
        return words
    gap = gap_between(left.place, right.place)
    if gap and left.rule == right.rule:
        return 0.0
    return min(1.0, words * (NEAR_FACTOR if gap <= NEAR_LINES else FAR_FACTOR))


def _other_rule(left: Note, right: Note) -> bool:
    """A tool's rules are distinct by definition, however alike their messages are."""
    facts = left.proven and right.proven and left.family == right.family
    return facts and left.rule != right.rule


def _copied(left: Note, right: Note) -> bool:
    """Whether two seats say the very same about the very same quoted code."""
    same = left.text == right.text and left.quote == right.quote != ""
    return same and not left.coded and not right.coded and left.seat != right.seat


def gap_between(left: Place, right: Place) -> int:
    """Lines between two places of one file, 0 when they overlap."""
    return max(left[1] - right[2], right[1] - left[2], 0)
