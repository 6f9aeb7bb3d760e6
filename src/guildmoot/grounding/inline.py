"""Whether a comment in the work asks to look away from a finding, and whether it may.

Whoever wrote a change does not choose its court: a comment that the change itself brings does not take a
finding back that blocks. One that stood in the base was accepted there, and counts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cached_property
from typing import NamedTuple

from guildmoot.model.verdict import Finding
from guildmoot.text.pragmas import Pragma, is_comment, may_hold, pragmas

_TRIPLE = re.compile(r'"""|' + "'''")
_IMPORT = re.compile(r"\s*(?:from\b.*\bimport|import)\b[^)]*\(")
_FAR = 200
"""Lines of one statement over which a comment at its end is looked for."""
_NEAREST = 10
"""Comments that are looked at: a file may be full of them."""
_MOST_PAIRS = 4_000_000
"""Lines before times lines after that are compared; beyond that a comment is the change's."""

Ranges = Sequence[tuple[int, int]]


class InlineIgnore(NamedTuple):
    """A comment about a finding, and the line it stands on."""

    pragma: Pragma
    line: int


class PragmaLines:
    """The comments of one file that ask to look away, by line; found once."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self._at = {
            number: found
            for number, line in enumerate(lines, 1)
            if may_hold(line) and (found := pragmas(line))
        }
        self._of_file = [
            InlineIgnore(each, number)
            for number, found in self._at.items()
            for each in found
            if each.file
        ][:_NEAREST]

    def ignore_of(self, finding: Finding) -> InlineIgnore | None:
        """The comment that concerns the finding; one that can count before one that cannot."""
        if not self._at or not finding.line:
            return None
        about = [
            each
            for each in (*self._around(finding), *self._of_file)
            if each.pragma.concerns(finding.code, finding.family)
        ]
        return min(about, key=lambda each: bool(each.pragma.problem), default=None)

    def _around(self, finding: Finding) -> list[InlineIgnore]:
        at = finding.line
        own = {at, max(at, finding.end_line)}
        found = [
            InlineIgnore(each, number)
            for number in sorted(own)
            for each in self._at.get(number, ())
            if not each.file and not each.next_line
        ]
        above = at - 1
        alone = above in self._at and is_comment(self.lines[above - 1])
        found += [
            InlineIgnore(each, above)
            for each in self._at.get(above, ())
            if each.next_line or (each.kind == "guild" and alone)
        ]
        return found + [
            InlineIgnore(each, number)
            for number in self._of_statement(finding)
            for each in self._at[number]
            if each.kind == "noqa" and not each.file
        ]

    def _of_statement(self, finding: Finding) -> list[int]:
        """Where ruff takes a comment for this line's, too: at the end of a long text, at an import's begin."""
        at, lines = finding.line, self.lines
        after = [n for n in range(at + 1, at + _FAR) if n in self._at][:_NEAREST]
        before = [n for n in range(at - 1, max(at - _FAR, 0), -1) if n in self._at][:_NEAREST]
        return [n for n in after if _continues(lines[at - 1 : n])] + [
            n
            for n in before
            if _IMPORT.match(lines[n - 1]) and not any(")" in each for each in lines[n : at - 1])
        ]


def _continues(lines: Sequence[str]) -> bool:
    """Whether the lines are one: joined by backslashes, or the last one ends a long text."""
    if all(line.rstrip().endswith("\\") for line in lines[:-1]):
        return True
    between = any(_TRIPLE.search(line) for line in lines[1:-1])
    return not between and _TRIPLE.search(lines[-1]) is not None


class LineHistory:
    """What a change did to the lines of one file; compared once, and only when a comment asks."""

    def __init__(self, before: str | None, after: Sequence[str], ranges: Ranges) -> None:
        self._before, self._after, self._ranges = before, after, ranges

    def brought(self, ignore: InlineIgnore, finding: Finding) -> bool:
        """Whether the change brought the comment, or put the finding under one that stood there.

        A line that was edited and had the same comment before keeps it. Without the text of the base
        whatever was touched is the change's.
        """
        about = {ignore.line} if ignore.pragma.file else {ignore.line, finding.line}
        if not any(first <= line <= last for line in about for first, last in self._ranges):
            return False
        if self._edits is None:
            return True
        inserted, replaced = self._edits
        if not about.isdisjoint(inserted):
            return True
        had = replaced.get(ignore.line)
        return had is not None and had[0][ignore.pragma.text] < had[1][ignore.pragma.text]

    @cached_property
    def _edits(self) -> tuple[set[int], dict[int, tuple[Counter[str], Counter[str]]]] | None:
        """Lines that were inserted, and for edited ones the comments before and after; None if unknown."""
        if self._before is None:
            return None
        old, new = self._before.removesuffix("\n").split("\n"), self._after
        skip = _alike(old, new)
        tail = min(_alike(old[::-1], new[::-1]), min(len(old), len(new)) - skip)
        had, has = old[skip : len(old) - tail], new[skip : len(new) - tail]
        if len(had) * len(has) > _MOST_PAIRS:
            return None
        inserted: set[int] = set()
        replaced: dict[int, tuple[Counter[str], Counter[str]]] = {}
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, had, has, autojunk=False).get_opcodes():
            lines = range(skip + j1 + 1, skip + j2 + 1)
            if tag == "insert":
                inserted |= {*lines}
            elif tag == "replace":
                replaced |= dict.fromkeys(lines, (_texts(had[i1:i2]), _texts(has[j1:j2])))
        return inserted, replaced


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines both begin with."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _texts(lines: Sequence[str]) -> Counter[str]:
    return Counter(each.text for line in lines for each in pragmas(line))
