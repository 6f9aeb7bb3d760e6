"""Whether a comment in the work asks to look away from a finding, and whether it may.

Whoever wrote a change does not choose its court: what a change brings is not taken back by a comment, be it
one of the base. What stood in the base under its comment was accepted there.
"""

from __future__ import annotations

from collections.abc import Sequence

from guildmoot.model.verdict import Finding
from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy
from guildmoot.text.pragmas import Pragma, is_comment, may_hold, pragmas

_TRIPLE = lazy(r'"""|' + "'''")
_IMPORT = lazy(r"\s*(?:from\b.*\bimport|import)\b[^)]*\(")
_FAR = 200
"""Lines of one statement over which a comment at its end is looked for."""
_NEAREST = 10
"""Comments that are looked at: a file may be full of them."""

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


def in_ranges(ignore: InlineIgnore, finding: Finding, ranges: Ranges) -> bool:
    """Whether a change touched the comment, or what is under it."""
    spans = [(ignore.line, ignore.line), (finding.line, max(finding.line, finding.end_line))]
    return any(first <= end and begin <= last for begin, end in spans for first, last in ranges)
