"""``.agents/vibe-suppressions.jsonl``: findings that a project has looked at and lives with, and why.

One line is ``{"pattern": ..., "reason": ..., "action": "suppress" or "downgrade"}``. A pattern is plain
text to be found in a finding's words, rule or place, whatever its case; ``*`` stands for anything. It
is no regular expression, because the file may be text of the repository, which counts when it is trusted.
A line without a reason does not count: what is hidden must be explained.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from guildmoot.codec import CodecError, from_plain
from guildmoot.errors import UsageError
from guildmoot.guard.records import is_tracked, own_rows
from guildmoot.guard.trust import brought_files
from guildmoot.model.verdict import Finding
from guildmoot.system.files import Locked, append_rows, folder_inside, parse_rows

FOLDER = Path(".agents")
FILE = FOLDER / "vibe-suppressions.jsonl"
Action = Literal["suppress", "downgrade"]


class Suppression(NamedTuple):
    """One line of the file."""

    pattern: str
    reason: str
    action: Action = "suppress"


class Suppressions(NamedTuple):
    """What is on file."""

    rules: tuple[Suppression, ...] = ()
    broken: int = 0
    """Lines that do not count."""
    notice: str = ""
    """Why the repository's own are not used."""


def read_suppressions(root: Path, base: str = "") -> Suppressions:
    """The file's rules; a missing file has none.

    One that git tracks counts when it is trusted; in a change, as it was in ``base`` before it.
    """
    rows, notice = list(own_rows(root, FILE)), ""
    if not rows and is_tracked(root, FILE):
        brought = brought_files(root, (FILE.as_posix(),), base)
        rows, notice = list(parse_rows(b"".join(brought.trusted.values()))), brought.notice
    rules = tuple(rule for row in rows if row and (rule := _rule(row)))
    return Suppressions(rules, len(rows) - len(rules), notice)


def add_suppression(root: Path, rule: Suppression) -> bool:
    """Append a rule; False when the same pattern is on file already."""
    if not rule.pattern.replace("*", "").strip() or not rule.reason.strip():
        raise UsageError("a suppression needs a pattern and a reason")
    with Locked(folder_inside(root, FOLDER) / ".suppressions.lock"):
        if any(rule.pattern == known.pattern for known in read_suppressions(root).rules):
            return False
        append_rows(root / FILE, [rule._asdict()])
    return True


def suppression_of(finding: Finding, rules: Sequence[Suppression]) -> Suppression | None:
    """The first rule that the finding falls under."""
    place = f"{finding.path}:{finding.line}" if finding.line else finding.path
    texts = [" ".join(text.split()) for text in (finding.title, finding.code, place)]
    return next((rule for rule in rules if any(_is_in(rule.pattern, t) for t in texts)), None)


def _is_in(pattern: str, text: str) -> bool:
    """Whether the parts between the stars stand in the text, one after the other."""
    at, text = 0, text.casefold()
    for part in pattern.casefold().split("*"):
        plain = " ".join(part.split())
        found = text.find(plain, at)
        if found < 0:
            return False
        at = found + len(plain)
    return True


def _rule(row: dict[str, object]) -> Suppression | None:
    try:
        rule = from_plain(Suppression, row)
    except CodecError:
        return None
    return rule if rule.pattern.replace("*", "").strip() and rule.reason.strip() else None
