"""Maps a council verdict to a judgement in the words of the flow.

    PASS, WARN   approved; a critical finding blocks all the same, the others advise
    FAIL         flagged; critical and significant findings block, minor ones advise

A FAIL that names nothing worse than minor still blocks, and so does a reply that was not read.
"""

from __future__ import annotations

import re
from typing import Literal

from guildmoot.model.council_verdict import (
    Confidence,
    CouncilFinding,
    CouncilReading,
    CouncilVerdict,
    FindingSeverity,
)
from guildmoot.model.verdict import Finding, Judgement, Severity
from guildmoot.reading.grammar import PARSE_FAILURE, WITHOUT_REASONS
from guildmoot.reading.places import find_anchor
from guildmoot.reading.reply_json import says_nothing

DEFAULT_CODE = "council-finding"
_SEVERITIES: dict[FindingSeverity, Severity] = {
    "critical": "critical",
    "significant": "high",
    "minor": "low",
}
_CONFIDENCES: dict[Confidence, Literal["high", "medium", "low"]] = {
    "HIGH": "high",
    "MEDIUM": "medium",
    "LOW": "low",
}
_PLACE = re.compile(
    r"(?P<path>[^:,;\n]+?):L?(?P<line>\d{1,7})(?:\s?[-–]\s?L?(?P<end>\d{1,7}))?(?::\d+(?:-\d+)?)?"
)
_PATH = re.compile(r"[\w.@+\-/\\]*(?:[/\\][\w.@+-]+|\.[A-Za-z]\w{0,9}|Dockerfile|Makefile)")


def read_judgement(reading: CouncilReading, seat: str, family: str = "") -> Judgement:
    """The judgement in what was read; what could not be read blocks as a parse failure."""
    if reading.verdict:
        return to_judgement(reading.verdict, seat, family)._replace(council=reading)
    reason = "; ".join(reading.reasons)
    failure = Finding(seat, PARSE_FAILURE, reason, family=family)
    return Judgement(seat, "unreadable", (failure,), reason=reason, family=family, council=reading)


def to_judgement(verdict: CouncilVerdict, seat: str, family: str = "") -> Judgement:
    """The verdict as the panel's rules read it."""
    failed = verdict.verdict == "FAIL"
    findings = [_finding(finding, failed, seat, family) for finding in verdict.findings]
    if failed and not any(finding.blocking for finding in findings):
        findings.insert(0, _without_reasons(verdict, seat, family))
    return Judgement(
        seat,
        outcome="flagged" if failed else "approved",
        findings=tuple(findings),
        confidence=_CONFIDENCES[verdict.confidence] if verdict.confidence else None,
        family=family,
    )


def _without_reasons(verdict: CouncilVerdict, seat: str, family: str) -> Finding:
    given = "every finding is minor" if verdict.findings else "no finding was given"
    title = f"the verdict is FAIL, but {given}"
    return Finding(
        seat, WITHOUT_REASONS, title, why=verdict.key_insight, fix=verdict.recommendation
    )._replace(family=family)


def _finding(finding: CouncilFinding, failed: bool, seat: str, family: str) -> Finding:
    path, line, end_line = read_location(finding.location)
    ref = finding.ref or ""
    return Finding(
        seat=seat,
        code=_code(finding.category),
        title=finding.description or finding.recommendation or "a finding without a description",
        severity=_SEVERITIES[finding.severity],
        blocking=finding.severity == "critical" or (failed and finding.severity == "significant"),
        path=path,
        line=line,
        end_line=end_line,
        why=finding.why or "",
        fix=finding.fix or finding.recommendation,
        url=ref if ref.startswith(("https://", "http://")) else "",
        family=family,
        assertions=tuple(check for check in finding.test_assertions if check.command),
    )


def _code(category: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", category.lower()).strip("-") or DEFAULT_CODE


def read_location(location: str) -> tuple[str, int, int]:
    """Path, first and last line of ``file:line``, ``file:3-9`` and the like; empty for no place."""
    said = location.strip().strip("`'\"()[]").strip()
    place = _PLACE.fullmatch(said)
    if place and _PATH.fullmatch(place["path"].replace(" ", "_")):
        line = int(place["line"])
        return _tidy(place["path"]), line, max(line, int(place["end"] or 0))
    found = find_anchor(location)
    if found[0] or says_nothing(said) or not _PATH.fullmatch(said):
        return found
    return _tidy(said), 0, 0


def _tidy(path: str) -> str:
    return path.strip().replace("\\", "/").removeprefix("./")
