"""What a recorded run found, read back from its result: for looking again and for comparing.

Records of other versions, and of panels, are read as far as they go; nothing is made up.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from guildmoot.errors import UsageError
from guildmoot.model.verdict import SEVERITIES, Assertion, Finding, Issue, Severity
from guildmoot.runs.index import find_run
from guildmoot.runs.record import read_part

_PANEL = ("blocking_findings", "advisory_findings")


class Recalled(NamedTuple):
    """One run as its record tells it."""

    run_id: str
    target: str
    outcome: str
    """``PASS`` ... ``ERROR``; a panel's own word."""
    issues: tuple[Issue, ...]
    words: tuple[tuple[str, str], ...] = ()
    """Each judge and its vote; empty for one that gave none."""
    files: tuple[tuple[str, str], ...] = ()
    """Path and SHA-256 of what the judges saw."""


def recall_run(root: Path, name: str) -> Recalled:
    """The run called ``name``; UsageError when it came to no result."""
    folder = find_run(root, name)
    result = read_part(folder, "result")
    if not result:
        raise UsageError(
            f"the run {folder.name} came to no result", "'guild resume' may finish it."
        )
    files = _list(read_part(folder, "packet").get("files"))
    seen = tuple((str(file.get("path", "")), str(file.get("sha256", ""))) for file in files)
    return recalled(result, folder.name)._replace(files=seen)


def recalled(result: Mapping[str, Any], run_id: str = "") -> Recalled:
    """A result, as ``reports`` writes it, in our own types."""
    judges = _list((result.get("roster") or {}).get("judges"))
    return Recalled(
        run_id or str(result.get("run_id", "")),
        str(result.get("target", "")),
        str(result.get("outcome") or result.get("verdict") or "none"),
        tuple(_issues(result)),
        tuple((str(judge.get("label", "")), str(judge.get("word") or "")) for judge in judges),
    )


def _issues(result: Mapping[str, Any]) -> list[Issue]:
    if "issues" in result:
        return [_issue(row) for row in _list(result["issues"])]
    rows = [row for key in _PANEL for row in _list(result.get(key))]
    return [_issue({"id": row.get("id", ""), "representative": row}) for row in rows]


def _issue(row: Mapping[str, Any]) -> Issue:
    shown = _finding(row.get("representative") or {})
    members = tuple(map(_finding, _list(row.get("members")))) or (shown,)
    return Issue(
        id=str(row.get("id", "")),
        representative=shown,
        members=members,
        families=tuple(map(str, row.get("families") or ())),
        seats=tuple(map(str, row.get("seats") or (shown.seat,))),
        severity=_severity(row.get("severity") or shown.severity),
        blocking=bool(row.get("blocking", shown.blocking)),
    )


def _finding(row: Mapping[str, Any]) -> Finding:
    def text(name: str) -> str:
        return str(row.get(name) or "")

    return Finding(
        seat=text("evaluator"),
        code=text("code"),
        title=text("evidence"),
        severity=_severity(row.get("severity")),
        blocking=bool(row.get("blocking", False)),
        path=text("path"),
        line=_number(row.get("line")),
        end_line=_number(row.get("end_line")),
        quote=text("quote"),
        why=text("why"),
        fix=text("remedy"),
        family=text("family"),
        proven=bool(row.get("proven")),
        grounding=row.get("grounding", "unchecked"),
        id=text("id"),
        assertions=tuple(
            Assertion(str(a.get("command", "")), str(a.get("expected", "")))
            for a in _list(row.get("assertions"))
        ),
    )


def _severity(said: object) -> Severity:
    return next((each for each in SEVERITIES if each == said), "high")


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _list(value: object) -> list[Any]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
