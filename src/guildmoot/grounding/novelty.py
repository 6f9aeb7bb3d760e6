"""Which facts about a change are new: those that the same tool did not find before it.

Lines move, so places do not count. Facts are matched one to one: first those with the same fingerprint, then
those with the same rule and words whose line was only edited, such as reformatted or given a comment. Where something
is handed to a shell, an interpreter or a database, the edit must lie around that call (``handed``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from guildmoot.grounding.handed import hands_the_same
from guildmoot.model.identity import fingerprint
from guildmoot.model.verdict import Finding
from guildmoot.text.patterns import lazy
from guildmoot.text.pragmas import without_pragmas

UNPARSABLE = frozenset(
    ("invalid-syntax", "does-not-parse", "may-not-parse", "syntax-error", "parse-error", "E999")
)
"""Codes that say that a file cannot be read as what it is; then little else is found in it."""
BY_GRAMMAR = frozenset(("does-not-parse", "may-not-parse"))
"""Those of them that a grammar may be wrong about."""
UNREAD_LINE = "unread-line"
"""Code of each line where a grammar gave up; it counts where the change broke a line of a file that was not read."""
SWITCHED_OFF = "judge-switched-off"
"""Code of a comment that asks a judge to look away from a whole file; where it stood, somebody accepted it."""
STOPPED_PARSING = "stopped-parsing"
"""Code of what only a grammar refuses, and did not before: nobody can say what is right, so it is undecided."""
NOT_READ = "not-read"
"""Code of a file that took its judge too long or lay too deep: nothing of it is known, before or after."""
BY_NAME = frozenset(("undefined-name",))
"""Codes that name a thing of the file, once each: such a thing is old on whatever line it stands."""
WHEN_NEW = frozenset(("sql-by-string", "shell-by-string", "likely-secret"))
"""Codes that advise where they are in place and block in a change that brings them."""
RISKS = r"S\d+|ASYNC\d+|B(?:3|5|6|7)\d\d"
"""What may be meant: a call that opens a way in, or makes others wait."""
_RISKS = lazy(RISKS)
_HANDED = lazy(
    rf"{RISKS}|.+-(?:from|of)-input|.+-by-string|script-injection|unbounded-copy|(?:.+-)?secret"
)
"""Facts about what is handed to something powerful: who edits that hands over something else."""
_CALLS = lazy(rf"{RISKS}|.+-(?:from|of)-input|.+-by-string")
"""Those of them that are about a call."""
_COMMENT = lazy(r"""\s(?:#|//)(?:[^"'`()\[\]{}]|(?<=\w)'(?=\w))*$""")
"""At the end of a line, and for certain no part of its code."""
_FURTHEST = 20
"""Lines of a call that are looked at."""
_SIGNS = lazy(r"[\W_]+")
_LONGEST = 4_000
"""Letters of a subject."""


def unparsed(before: Sequence[Finding], renamed: Mapping[str, str]) -> set[str]:
    """The files, by their names of now, that could not be read before."""
    return {renamed.get(f.path, f.path) for f in before if f.code in UNPARSABLE}


def whole(finding: Finding, text: str) -> Finding:
    """With all of its lines as its subject: what is handed over tells one grave call from another."""
    if not (finding.proven and _is_grave(finding) and finding.line):
        return finding
    last = max(finding.line, finding.end_line)
    if _RISKS.fullmatch(finding.code):
        last = max(last, _call_ends(text).get(finding.line, 0))
    if _HANDED.fullmatch(finding.code):
        last = max(last, _closed(_rows(text), finding.line))
    if last == finding.line:
        return finding
    lines = _rows(text)[finding.line - 1 : last]
    subject = " ".join(without_pragmas(line).strip() for line in lines)
    return finding._replace(subject=subject[:_LONGEST])


@lru_cache(maxsize=8)
def _rows(text: str) -> list[str]:
    return text.split("\n")


def _closed(rows: Sequence[str], line: int) -> int:
    """Where as many brackets are closed as were opened from the line on."""
    depth = 0
    for number, row in enumerate(rows[line - 1 : line - 1 + _FURTHEST], line):
        depth += sum(map(row.count, "([{")) - sum(map(row.count, ")]}"))
        if depth <= 0:
            return number
    return line + _FURTHEST - 1


@lru_cache(maxsize=8)
def _call_ends(text: str) -> dict[int, int]:
    """For each line of a Python file on which calls begin, where the longest of them ends."""
    import ast  # few files need it

    try:
        calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    calls.sort(key=lambda node: node.end_lineno or 0)
    return {node.lineno: node.end_lineno or 0 for node in calls}


def old_among(
    after: Sequence[Finding], before: Sequence[Finding], renamed: Mapping[str, str]
) -> list[bool]:
    """For each finding of now whether it was there before; ``renamed`` maps old names to new ones.

    Both sides are grounded in their own texts, so that each carries its line as its quote.
    """
    moved = [f._replace(path=renamed.get(f.path, f.path)) for f in before]
    held = Counter(map(fingerprint, moved))
    old = []
    for finding in after:
        name = fingerprint(finding)
        old.append(held[name] > 0)
        held[name] -= old[-1]
    rest: dict[str, list[Finding]] = {}
    for finding in moved:
        if _left(held, fingerprint(finding)):
            rest.setdefault(_bare(finding), []).append(finding)
    return [known or _edited(finding, rest) for finding, known in zip(after, old, strict=True)]


def _left(held: Counter[str], name: str) -> bool:
    held[name] -= 1
    return held[name] >= 0


def _edited(finding: Finding, rest: Mapping[str, list[Finding]]) -> bool:
    """Whether one of the rest says the same of a line that holds this one or is held by it; it is used up."""
    alike = rest.get(_bare(finding), []) if rest else []
    line = _letters(finding) if alike else ""
    for at, other in enumerate(alike):
        there = _letters(other)
        if _is_handed(finding):
            parts = line == there or _hands_the_same(other, finding)
        else:
            parts = line in there or there in line
        if finding.code in BY_NAME or parts:
            del alike[at]
            return True
    return False


def _bare(finding: Finding) -> str:
    """What names it whatever its lines say."""
    return fingerprint(finding._replace(quote="", subject=""))


def _is_grave(finding: Finding) -> bool:
    return finding.blocking or finding.code in WHEN_NEW


def _is_handed(finding: Finding) -> bool:
    return _is_grave(finding) and _HANDED.fullmatch(finding.code) is not None


def _hands_the_same(before: Finding, after: Finding) -> bool:
    if not _CALLS.fullmatch(after.code):
        return False
    return hands_the_same(
        _said(before), _said(after), values_only=after.code.endswith("-by-string")
    )


def _letters(finding: Finding) -> str:
    return _letters_of(_said(finding))


@lru_cache(maxsize=64)
def _letters_of(line: str) -> str:
    return _SIGNS.sub("", line)


def _said(finding: Finding) -> str:
    first = finding.quote.strip().partition("\n")[0]
    said = finding.subject or without_pragmas(first)
    return _COMMENT.sub("", said) if _is_handed(finding) else said
