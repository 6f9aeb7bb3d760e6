"""Writes findings as rdjsonl: one JSON object a line, so that any file name and message is safe."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence

from guildmoot.named import NamedTuple

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


class NoJudgementError(Exception):
    """Why a tool could not do its work."""


Find = Callable[[Sequence[str], str], Iterable[ToolFinding]]
"""Finds by its arguments, in a folder; raises NoJudgementError."""


def answer(find: Find, arguments: Sequence[str], folder: str) -> tuple[int, str, str]:
    """Exit code, output and complaint of a tool, as its process would have them."""
    try:
        lines = [json.dumps(_diagnostic(finding)) + "\n" for finding in find(arguments, folder)]
    except NoJudgementError as why:
        return NO_JUDGEMENT, "", f"{why}\n"
    return FINDINGS if lines else CLEAN, "".join(lines), ""


def run(find: Find, arguments: Sequence[str]) -> int:
    """The tool as a program of its own."""
    code, output, complaint = answer(find, arguments, ".")
    sys.stdout.write(output)
    sys.stdout.flush()
    sys.stderr.write(complaint)
    return code


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
