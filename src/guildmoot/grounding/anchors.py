"""Is a finding's place real? The file, the line and the quote are looked up in the packet.

A quote is searched exactly, then with white space forgiven; the copy nearest to the claimed line
wins, and the finding is moved there. Line and range alone are accepted when no quote was given.
"""

from __future__ import annotations

from collections.abc import Iterable

from guildmoot.model.packet import PacketFile
from guildmoot.model.verdict import Finding, Grounding


class Texts:
    """The packet's files, split into lines once and only when a finding names them."""

    def __init__(self, files: Iterable[PacketFile]) -> None:
        self._files = {file.path: file.text for file in files}
        self._lines: dict[str, list[str]] = {}

    def lines(self, path: str) -> list[str] | None:
        """The file's lines, or None when the packet does not hold it."""
        if path not in self._files:
            return None
        if path not in self._lines:
            self._lines[path] = self._files[path].removesuffix("\n").split("\n")
        return self._lines[path]


def ground(finding: Finding, texts: Texts) -> Finding:
    """The finding with its grounding; one whose place does not exist can no longer block alone."""
    if not finding.path:
        return finding._replace(grounding="unanchored")
    lines = texts.lines(finding.path)
    if lines is None:
        return _doubt(finding, "no-such-file", "names a file that the judges did not see")
    if finding.quote and not finding.proven:
        checked = _ground_quote(finding, lines)
        if checked.grounding != "quote-not-found" or finding.firm:
            return checked
        finding = finding._replace(quote="")  # code in a sentence that was no quotation
    if not 0 <= finding.line <= len(lines):
        return _doubt(finding, "line-out-of-range", f"the file has {len(lines)} lines")
    quote = finding.quote or _excerpt(lines, finding)
    return finding._replace(grounding="grounded", quote=quote)


def _ground_quote(finding: Finding, lines: list[str]) -> Finding:
    found = _locate(finding.quote, lines, finding.line)
    if not found:
        return _doubt(finding, "quote-not-found", "the quoted text is not in the file")
    if found == finding.line:
        return finding._replace(grounding="grounded")
    note = f"line corrected from {finding.line}" if finding.line else "line found by its quote"
    height = max(finding.end_line - finding.line, 0) if finding.line else 0
    return finding._replace(grounding="moved", line=found, end_line=found + height, note=note)


def _locate(quote: str, lines: list[str], near: int) -> int:
    """The line (from 1) on which the quote begins, nearest to ``near``; 0 when it is nowhere."""
    wanted = [line for line in quote.split("\n") if line.strip()]
    if not wanted:
        return 0
    for normal in (str.rstrip, _squeeze):
        places = _matches([normal(line) for line in wanted], [normal(line) for line in lines])
        if places:
            return min(places, key=lambda place: (abs(place - near), place))
    return 0


def _matches(wanted: list[str], lines: list[str]) -> list[int]:
    """Lines where the quote begins: each quoted line lies within the next non-empty file line."""
    dense = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    last = len(dense) - len(wanted)
    return [
        dense[start][0]
        for start in range(last + 1)
        if all(part in dense[start + offset][1] for offset, part in enumerate(wanted))
    ]


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
