"""What came of judging the learnings: kept in the history, as a page, and told to people."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from guildmoot.errors import EXIT_FLAGGED, EXIT_INFRASTRUCTURE, EXIT_OK
from guildmoot.projects.learnings import notes as notebook
from guildmoot.system.files import append_rows, write_atomic

if TYPE_CHECKING:
    from guildmoot.projects.manifest import Record

OPEN = (
    "NO_TASK",
    "NO_CONSENSUS",
    "RUBRIC_TAMPERED",
    "SUBJECT_FAILED",
    "AUTHOR_FAILED",
    "REWRITER_FAILED",
    "STUCK",
)
"""Outcomes that leave a note to a person."""


class CompactReport(NamedTuple):
    """What came of the notes and of the learnings in use."""

    run_id: str
    notes: tuple[Record, ...]
    regression: tuple[Record, ...] = ()
    usd: float | None = 0.0
    interrupted: bool = False

    @property
    def retirements(self) -> list[str]:
        """Learnings whose task is now done right without them."""
        return [row["id"] for row in self.regression if row["outcome"] == "no-longer-needed"]

    @property
    def exit_code(self) -> int:
        if any(row["outcome"] in OPEN for row in self.notes) or self.interrupted:
            return EXIT_INFRASTRUCTURE
        return (
            EXIT_FLAGGED if any(row["outcome"] == "failed" for row in self.regression) else EXIT_OK
        )


def keep_report(folder: str, report: CompactReport) -> None:
    """The run in the history, regressions in their own stream, and a page for people."""
    row = {
        "run": report.run_id, "at": datetime.now(UTC).isoformat(timespec="seconds"), "usd": report.usd,
        "notes": list(report.notes), "regression": list(report.regression),
    }  # fmt: skip
    Path(folder, notebook.NIGHTLY).mkdir(parents=True, exist_ok=True)
    append_rows(os.path.join(folder, "bench-history.jsonl"), [row])
    failed = [
        {**each, "run": report.run_id} for each in report.regression if each["outcome"] == "failed"
    ]
    if failed:
        append_rows(os.path.join(folder, "regressions.jsonl"), failed)
    page = "\n".join(("# Learnings", "", *report_lines(report), ""))
    write_atomic(Path(folder, notebook.NIGHTLY, f"{report.run_id}.md"), page.encode())


def report_lines(report: CompactReport) -> list[str]:
    """What came of it, a line each."""
    lines = []
    for row in report.notes:
        name = f" as {row['promoted_as']}" if row["promoted_as"] else ""
        votes = ", ".join(f"{count} {word}" for word, count in _tally(row["tally"]).items())
        lines.append(f"- {row['note']}: {row['outcome']}{name}{f' ({votes})' if votes else ''}")
    lines += (f"- {row['id']}: {row['outcome']} ({row['why']})" for row in report.regression)
    lines += (
        f"- proposed: griot retire {name} --why 'no longer needed'" for name in report.retirements
    )
    return lines or ["- nothing waits to be judged, and nothing is in use"]


def _tally(tally: Mapping[str, int]) -> dict[str, int]:
    return {word: count for word, count in tally.items() if count}
