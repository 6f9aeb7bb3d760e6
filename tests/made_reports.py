"""Made-up reports: fields of the run header are given beside the report's own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TypeVar

from guildmoot.model.council import CouncilReport
from guildmoot.model.report import RunHeader, RunReport

COUNCILS = (
    "debate",
    "brainstorm",
    "research",
    "duel",
    "quick",
    "mixed",
    "vibe",
    "pre-mortem",
    "error",
)
"""The kinds of council that tests/reports/council/conftest.py makes up."""

Report = TypeVar("Report", RunReport, CouncilReport)


def made(kind: type[Report], **fields: Any) -> Report:
    """A report of these fields; what the header needs and is not given is a letter."""
    own, header = _apart(fields)
    return kind(header=RunHeader(**{"run_id": "r", "target": "t", "version": "v", **header}), **own)


def made_council(**fields: Any) -> CouncilReport:
    """A council on the first of March that passed, with nobody in it."""
    plain = {"stem": "s", "date": "2026-03-01", "task": "validate", "modes": (), "judges": ()}
    return made(CouncilReport, **{**plain, "outcome": "PASS", "verdict": "PASS", **fields})


def changed(report: Report, **fields: Any) -> Report:
    """The report with other fields."""
    own, header = _apart(fields)
    return report._replace(header=report.header._replace(**header), **own)


def check_golden(path: Path, text: str) -> None:
    """Compare with a file; GUILD_UPDATE_GOLDEN=1 writes it anew."""
    if os.environ.get("GUILD_UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def _apart(fields: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    header = {name: fields[name] for name in fields if name in RunHeader._fields}
    return {name: fields[name] for name in fields if name not in header}, header
