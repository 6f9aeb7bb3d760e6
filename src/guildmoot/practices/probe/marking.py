"""Marks an answer to a probe: what it voted, whether that was right, and for which reason."""

from __future__ import annotations

from typing import NamedTuple

from guildmoot.consensus.policies import ballot
from guildmoot.model.verdict import Finding, Judgement
from guildmoot.practices.probe.suites import NEARBY, Expected, GoldCase

_SHOWN = 3


class Mark(NamedTuple):
    """A vote (True: defective), whether it counts as right, and a word on why."""

    vote: bool | None
    right: bool | None
    note: str = ""


def mark(judgement: Judgement, case: GoldCase) -> Mark:
    """Hold a judgement against the known answer; who did not judge is neither right nor wrong."""
    vote = ballot((judgement,))[judgement.seat]
    if vote is None:
        return Mark(None, None, judgement.reason)
    if judgement.outcome == "unreadable":
        # It would count as a vote against the work; but what cannot be read is never right.
        return Mark(vote, False, f"could not be read: {judgement.reason}")
    defective = case.verdict == "flagged"
    if vote != defective:
        return Mark(vote, False, "approved it" if defective else _alarm(judgement))
    if defective and case.findings and not names_any(judgement.findings, case.findings):
        expected = ", ".join(item.place for item in case.findings)
        said = f"{_places(judgement.findings)}, not {expected}"
        return Mark(vote, False, f"right for the wrong reason: it named {said}")
    return Mark(vote, True)


def names_any(findings: tuple[Finding, ...], expected: tuple[Expected, ...]) -> bool:
    """Whether one of the findings is in a place where one is expected."""
    return any(_is_there(finding, item) for finding in findings for item in expected)


def _is_there(finding: Finding, expected: Expected) -> bool:
    if finding.path != expected.path:
        return False
    if not expected.line:
        return True
    last = max(finding.line, finding.end_line)
    return bool(finding.line) and finding.line - NEARBY <= expected.line <= last + NEARBY


def _alarm(judgement: Judgement) -> str:
    return f"flagged sound work: {_places(judgement.findings)}"


def _places(findings: tuple[Finding, ...]) -> str:
    named = [
        f"{item.path}:{item.line} {item.code}".strip(": ") if item.path else item.code
        for item in findings
    ]
    more = f" and {len(named) - _SHOWN} more" if len(named) > _SHOWN else ""
    return ", ".join(named[:_SHOWN]) + more if named else "nothing"
