"""Writes findings as rdjsonl: one JSON object a line, so that any file name and message is safe."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import NamedTuple

CLEAN, FINDINGS, NO_JUDGEMENT = 0, 1, 2


class ToolFinding(NamedTuple):
    """One result of a program."""

    message: str
    code: str
    severity: str
    """ERROR, WARNING or INFO."""
    path: str = ""
    line: int = 0
    end_line: int = 0
    quote: str = ""
    url: str = ""


def write(findings: Iterable[ToolFinding]) -> int:
    """Print the findings and return the exit code that goes with them."""
    code = CLEAN
    for finding in findings:
        sys.stdout.write(json.dumps(_diagnostic(finding)) + "\n")
        code = FINDINGS
    sys.stdout.flush()
    return code


def refuse(reason: str) -> int:
    """Say why there is no judgement and return the exit code for that."""
    sys.stderr.write(reason + "\n")
    return NO_JUDGEMENT


def _diagnostic(finding: ToolFinding) -> dict[str, object]:
    location: dict[str, object] = {"path": finding.path}
    if finding.line:
        ends = {"line": finding.end_line or finding.line}
        location["range"] = {"start": {"line": finding.line}, "end": ends}
    found: dict[str, object] = {"message": finding.message, "severity": finding.severity}
    found["code"] = {"value": finding.code} | ({"url": finding.url} if finding.url else {})
    if finding.path:
        found["location"] = location
    if finding.quote:
        found["originalOutput"] = finding.quote
    return found
