"""Is a finding's place real? The file, the line and the quote are looked up in the packet.

A quote is searched exactly, then with white space forgiven, then as judges copy: with diff signs and line
numbers before it, lines joined, and dots for what was left out. The copy nearest to the claimed line wins, and
the finding is moved there. Line and range alone are accepted when no quote was given; a line that the file does
not have leaves the finding with its file.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import accumulate

from guildmoot.model.packet import PacketFile
from guildmoot.model.verdict import Finding, Grounding
from guildmoot.text.patterns import lazy

_LONGEST = 20_000
"""Characters of a quote that are looked up."""
_SPAN = 2_000
"""Characters that three dots may stand for."""
_COPIES = 200
"""Copies of a quote's beginning that are looked at."""
_FEW = 8
"""Letters that must be left of a quote without its signs, so that it is no accident; 3 with them."""
_DOTS = lazy(r"\s*[\[(<]?(?:…|\.{3,})[\])>]?\s*")
_MARGIN = lazy(r"^[ \t]*(?:\d{1,6}[ \t]*[|:][ \t]?)?(?:[-+>](?=[ \t\w]))?", re.MULTILINE)
_SIGNS = lazy(r"(?:⟦U\+[0-9A-F]{4,6}⟧|[\W_])+")


class _Form:
    """A file in a form in which quotes are searched: its lines that are not empty, as one text."""

    def __init__(self, lines: Sequence[str], normal: Callable[[str], str]) -> None:
        dense = [(number, said) for number, line in enumerate(lines, 1) if (said := normal(line))]
        gap = "" if normal is _letters else "\n"
        self.text = gap.join(said for _, said in dense)
        self._numbers = [number for number, _ in dense]
        self._begins = list(accumulate((len(said) + len(gap) for _, said in dense), initial=0))
        self._gap = len(gap)

    def index(self, at: int) -> int:
        """Which of the lines stands at that character."""
        return bisect_right(self._begins, at) - 1

    def line(self, index: int) -> str:
        """That line; empty beyond the last one."""
        ends = self._begins[index + 1 : index + 2]
        return self.text[self._begins[index] : ends[0] - self._gap] if ends else ""

    def nearest(self, first: str, near: int, fits: Callable[[int], bool]) -> int:
        """The number of the line nearest to ``near`` on which ``first`` stands and all fits; else 0."""
        pivot = self._begins[bisect_left(self._numbers, near)]
        after, before = pivot, pivot + len(first) - 1
        found = []
        for _ in range(_COPIES):
            after = self.text.find(first, after)
            if after < 0 or fits(after):
                break
            after += 1
        for _ in range(_COPIES):
            before = self.text.rfind(first, 0, max(before, 0))
            if before < 0 or fits(before):
                break
            before += len(first) - 1
        found = [self._numbers[self.index(at)] for at in (before, after) if at >= 0 and fits(at)]
        return min(found, key=lambda number: (abs(number - near), number), default=0)


class Texts:
    """The packet's files, split into lines once and only when a finding names them."""

    def __init__(self, files: Iterable[PacketFile], unshown: Collection[str] = ()) -> None:
        self._files = {file.path: file.text for file in files}
        self._lines: dict[str, list[str]] = {}
        self._forms: dict[tuple[str, str], _Form] = {}
        self.unshown = frozenset(unshown)
        """What is there without lines that could be looked up: a deleted file, a plan beside the files."""

    def text(self, path: str) -> str:
        """The whole file; empty when the packet does not hold it."""
        return self._files.get(path, "")

    def lines(self, path: str) -> list[str] | None:
        """The file's lines, or None when the packet does not hold it."""
        if path not in self._files:
            return None
        if path not in self._lines:
            self._lines[path] = self._files[path].removesuffix("\n").split("\n")
        return self._lines[path]

    def form(self, path: str, normal: Callable[[str], str]) -> _Form:
        """The file in a form for searching, made once."""
        key = path, normal.__name__
        if key not in self._forms:
            self._forms[key] = _Form(self.lines(path) or (), normal)
        return self._forms[key]


_OF_OTHERS = frozenset(("file-gone", "type-gone", "name-gone", "name-is-gone", "undefined-name"))
"""What a tool tells of files that a change leaves alone, which it looked up itself."""


def ground(finding: Finding, texts: Texts) -> Finding:
    """The finding with its grounding; one whose place does not exist can no longer block alone."""
    if not finding.path or finding.path in texts.unshown:
        return finding._replace(grounding="unanchored")
    lines = texts.lines(finding.path)
    if lines is None and finding.code in _OF_OTHERS and finding.proven:
        return finding._replace(grounding="unanchored")
    if lines is None:
        return _doubt(finding, "no-such-file", "names a file that the judges did not see")
    if finding.quote and not finding.proven:
        checked = _ground_quote(finding, texts)
        if checked.grounding != "quote-not-found" or finding.firm:
            return checked
        finding = finding._replace(quote="")  # code in a sentence that was no quotation
    if not 0 <= finding.line <= len(lines):
        why = f"line {finding.line} is not in the file, which has {len(lines)}"
        return finding._replace(grounding="line-out-of-range", note=why)
    quote = finding.quote or _excerpt(lines, finding)
    return finding._replace(grounding="grounded", quote=quote)


def _ground_quote(finding: Finding, texts: Texts) -> Finding:
    found = _locate(finding, texts)
    if not found:
        return _doubt(finding, "quote-not-found", "the quoted text is not in the file")
    if found == finding.line:
        return finding._replace(grounding="grounded")
    note = f"line corrected from {finding.line}" if finding.line else "line found by its quote"
    height = max(finding.end_line - finding.line, 0) if finding.line else 0
    return finding._replace(grounding="moved", line=found, end_line=found + height, note=note)


def _locate(finding: Finding, texts: Texts) -> int:
    """The line (from 1) on which the quote begins, nearest to the claimed one; 0 when it is nowhere."""
    quote, path, near = finding.quote[:_LONGEST], finding.path, finding.line
    for normal in (str.rstrip, _squeeze):
        wanted = [normal(line) for line in quote.split("\n") if line.strip()]
        form = texts.form(path, normal)
        if wanted and (found := form.nearest(wanted[0], near, _each_within(form, wanted))):
            return found
    return _locate_pieces(quote, path, near, texts)


def _locate_pieces(quote: str, path: str, near: int, texts: Texts) -> int:
    """The same for a quote that was not copied line by line."""
    for normal, least in ((_squeeze, 3), (_letters, _FEW)):
        pieces = [normal(piece) for piece in _DOTS.split(_MARGIN.sub("", quote))]
        first, *rest = [piece for piece in pieces if piece] or [""]
        form = texts.form(path, normal)
        enough = len(first) + sum(map(len, rest)) >= least
        fits = _one_after_another(form.text, first, rest)
        if enough and (found := form.nearest(first, near, fits)):
            return found
    return 0


def _each_within(form: _Form, wanted: list[str]) -> Callable[[int], bool]:
    """Each quoted line lies within the next line of the file that is not empty."""

    def fits(at: int) -> bool:
        begin = form.index(at)
        return all(part in form.line(begin + more) for more, part in enumerate(wanted))

    return fits


def _one_after_another(text: str, first: str, rest: list[str]) -> Callable[[int], bool]:
    """The pieces, which dots divide, follow one another."""

    def fits(at: int) -> bool:
        end = at + len(first)
        for piece in rest:
            found = text.find(piece, end, end + _SPAN + len(piece))
            if found < 0:
                return False
            end = found + len(piece)
        return True

    return fits


def _letters(text: str) -> str:
    return _SIGNS.sub("", text).casefold()


def _squeeze(line: str) -> str:
    return " ".join(line.split())


def _excerpt(lines: list[str], finding: Finding) -> str:
    """The lines a finding points at, at most three, for the reader."""
    if not finding.line:
        return ""
    end = min(max(finding.end_line, finding.line), finding.line + 2)
    return "\n".join(lines[finding.line - 1 : end]).rstrip()


def _doubt(finding: Finding, grounding: Grounding, why: str) -> Finding:
    """Unreal places are marked; an opinion loses its power to block, a computed fact keeps it."""
    note = why if finding.proven else f"{why}, so it cannot block alone"
    return finding._replace(
        grounding=grounding, note=note, blocking=finding.blocking and finding.proven
    )
