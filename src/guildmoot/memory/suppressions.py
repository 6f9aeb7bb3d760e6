"""``.agents/vibe-suppressions.jsonl``: findings that a project has looked at and lives with, and why.

One line is ``{"pattern": ..., "reason": ..., "action": "suppress" or "downgrade"}``. A pattern is plain
text to be found in a finding's words, rule or place, whatever its case; ``*`` stands for anything. It
is no regular expression, because the file is text of the repository. A line without a reason does not
count: what is hidden must be explained.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from guildmoot.codec import CodecError, from_plain
from guildmoot.errors import UsageError
from guildmoot.guard.records import own_rows
from guildmoot.model.verdict import Finding
from guildmoot.system.files import Locked, append_rows, folder_inside

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


def read_suppressions(root: Path) -> Suppressions:
    """The file's rules; a missing file has none."""
    rows = list(own_rows(root, FILE))
    rules = tuple(rule for row in rows if row and (rule := _rule(row)))
    return Suppressions(rules, len(rows) - len(rules))


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
