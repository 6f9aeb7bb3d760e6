"""Whether two findings speak about the same place: near lines of one file, or one symbol."""

from __future__ import annotations

from collections import defaultdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from guildmoot.model.verdict import Finding

NEAR = 3
"""Judges often point a few lines apart at the same statement."""


def span(finding: Finding) -> tuple[int, int]:
    """First and last line; (0, 0) when no line is named."""
    return finding.line, max(finding.line, finding.end_line)


def lines_meet(a: Finding, b: Finding) -> bool:
    """Same path, and lines that overlap or nearly do; two findings on a whole file meet as well."""
    if not a.path or a.path != b.path or bool(a.line) != bool(b.line):
        return False
    (a_first, a_last), (b_first, b_last) = span(a), span(b)
    return a_first <= b_last + NEAR and b_first <= a_last + NEAR


def is_distinctive(name: str) -> bool:
    """Long and compound enough that two files hardly mean different things by it."""
    return len(name) >= 6 and any(mark in name for mark in "_.(-") and not name[0].isdigit()


def shared_symbol(a: Finding, b: Finding, names: Iterable[str]) -> str:
    """The name under which the two findings meet, or ""; across files only a distinctive one."""
    fits = [n for n in names if (a.path and a.path == b.path) or is_distinctive(n)]
    return min(fits, default="")


def scope_name(findings: Iterable[Finding], symbol: str = "") -> str:
    """Where the findings meet, for people: ``src/a.py:10-12``, ``src/a.py#name`` or ``name``."""
    found = list(findings)
    paths = sorted({f.path for f in found if f.path})
    if len(paths) != 1:
        return symbol or ", ".join(paths)
    if symbol or not all(f.line for f in found):
        return f"{paths[0]}#{symbol}" if symbol else paths[0]
    first, last = min(f.line for f in found), max(span(f)[1] for f in found)
    return f"{paths[0]}:{first}" if first == last else f"{paths[0]}:{first}-{last}"


def in_company(findings: Sequence[Finding], texts: Sequence[str]) -> list[int]:
    """Those that share a place, or a name in backticks, with another seat; cheap, and never short.

    Most findings of a large panel stand alone, and reading their words would be wasted.
    """
    found: set[int] = set()
    by_path: dict[str, list[int]] = defaultdict(list)
    by_name: dict[str, list[int]] = defaultdict(list)
    for i, (finding, text) in enumerate(zip(findings, texts, strict=True)):
        if finding.path:
            by_path[finding.path].append(i)
        for name in text.split("`")[1::2]:
            by_name[name.removesuffix("()").lower()].append(i)
    for members in by_path.values():
        found.update(_neighbours(findings, members))
    for members in by_name.values():
        if len({findings[i].seat for i in members}) > 1:
            found.update(members)
    return sorted(found)


def _neighbours(findings: Sequence[Finding], members: list[int]) -> Iterator[int]:
    """Members whose lines meet those of another seat before them, from either end of the file."""
    ordered = sorted(members, key=lambda i: span(findings[i]))
    reach: dict[str, int] = {}
    for i in ordered:
        first, last = span(findings[i])
        seat = findings[i].seat
        if any(end + NEAR >= first for other, end in reach.items() if other != seat):
            yield i
        reach[seat] = max(reach.get(seat, -NEAR), last)
    ahead: dict[str, int] = {}
    for i in reversed(ordered):
        first, last = span(findings[i])
        seat = findings[i].seat
        if any(start <= last + NEAR for other, start in ahead.items() if other != seat):
            yield i
        ahead[seat] = first
