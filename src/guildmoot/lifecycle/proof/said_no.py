"""Why a gate behind the work said no, and what a person does next: read from ``review.md`` and ``verify.md``. Pure."""

from __future__ import annotations

from typing import NamedTuple

from guildmoot.lifecycle.documents import SourceDocument
from guildmoot.text.patterns import lazy

_TASK = lazy(r"(T\d+[\w-]*): (.*)")
_LEFT_OPEN = "it left open: "
_CRITERION = lazy(r"\[ \] .*: criterion (\d+) is not proven: ")
_BY_NEW_TESTS = lazy(
    r".*, (?:with the tests as they stood before the run|a test that \S+ wrote in this run)"
)
_OPEN_BY_LANE = lazy(r"(T\d+[\w-]*) left open: (.*)")
_DID = lazy(r"(T\d+[\w-]*) \([^)]*\): (.*)")
_NO_FILE, _WANTED = "no file", "; wanted: "
_FAILED = lazy(r"(?m)^\|.*\| fail \|")
"""A lane that failed, in the table of the review."""
_SHOWN = 300


class GateRefusal(NamedTuple):
    """A gate that said no to the result as it is."""

    gate: str
    why: str
    command: str


def review_refusal(document: SourceDocument, slug: str, tip: str) -> GateRefusal | None:
    """What the review of a result has against it; None where it has nothing, or saw another result."""
    data = document.data
    if data.get("commit", tip) != tip or data.get("overall_verdict") != "fail":
        return None
    section = document.section("Blockers")
    rows = [line.text for line in section.bullets()] if section else []
    how = "FAILED" if _FAILED.search(document.body) else "waits for a person"
    why = f"the review {how}: {rows[0][:_SHOWN] if rows else 'see review.md'}"
    why += f" (and {len(rows) - 1} more)" if len(rows) > 1 else ""
    found = _TASK.match(rows[0]) if rows else None
    if found and found[2].startswith(_LEFT_OPEN):
        return GateRefusal("review", why, f"guild work accept {slug} {found[1]} --why WHY")
    again = f"guild lane retry {found[1]} --run {slug} --why WHAT" if found else ""
    return GateRefusal("review", why, again or f"guild work review {slug}")


def verify_refusal(document: SourceDocument, slug: str, tip: str) -> GateRefusal | None:
    """The first of the five checks that a result does not pass; None where it passes, or another was verified."""
    data = document.data
    if data.get("commit", tip) != tip or str(data.get("status")).upper() != "FAIL":
        return None
    failed = (s for s in document.sections if s.title.endswith((": fail", ": undecided")))
    section = next(failed, None)
    if section is None:
        return GateRefusal("verify", "the verification FAILED", f"guild work verify {slug}")
    rows = [line.text for line in section.bullets()]
    wrong = (
        each
        for each in rows
        if each.startswith("[ ]") or _WANTED in each or _BY_NEW_TESTS.match(each)
    )
    row = next(wrong, rows[0] if rows else "")
    how = "waits for a person" if section.title.endswith("undecided") else "FAILED"
    why = f"the verification {how}: {section.title.rpartition(':')[0]}: {row[:_SHOWN]}"
    command = f"guild work verify {slug}"
    if found := _CRITERION.match(row):
        command = f"guild work accept {slug} 'criterion {found[1]}' --why WHY"
    elif _BY_NEW_TESTS.match(row):
        command = f"guild work accept {slug} tests --why WHY"
    elif found := _OPEN_BY_LANE.match(row):
        command = f"guild work accept {slug} {found[1]} --why WHY"
    elif how == "FAILED" and (task := _lane_of(row, document)):
        command = f"guild lane retry {task} --run {slug} --why WHAT"
    return GateRefusal("verify", why, command)


def _lane_of(row: str, document: SourceDocument) -> str:
    """The lane that a row names, or a file of which it names; else the first that changed something."""
    summary = document.section("Run summary")
    rows = [_DID.match(line.text) for line in summary.bullets()] if summary else []
    did = {found[1]: found[2].split(", ") for found in rows if found}
    named = (task for task in did if task in row)
    touched = (task for task, files in did.items() if any(each in row for each in files))
    busy = (task for task, files in did.items() if files != [_NO_FILE])
    return next((task for tasks in (named, touched, busy, did) for task in tasks), "")
