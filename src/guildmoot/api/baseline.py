"""The verbs of the baseline: what a whole repository holds is accepted at once, and later runs tell what is new."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from guildmoot.api.judge import validate
from guildmoot.calls import Watch
from guildmoot.errors import InfrastructureError
from guildmoot.memory import baseline
from guildmoot.memory.baseline import Baseline
from guildmoot.packet import PacketRequest
from guildmoot.practices.dispositions import user_name
from guildmoot.practices.ignores import recorded_findings
from guildmoot.practices.panel import PanelRequest
from guildmoot.system.threads import in_project


class DrawnBaseline(NamedTuple):
    """A baseline that was just drawn."""

    file: Path
    blocking: int
    """Findings among them that would block."""
    found: Baseline


async def draw_baseline(
    targets: tuple[str, ...] = (".",), cwd: Path = Path(), watch: Watch | None = None
) -> DrawnBaseline:
    """Judge the whole by the default and keep all that is found as accepted."""
    packet = PacketRequest(targets=targets, cwd=cwd.absolute())
    settings = {"panel.baseline": False, "runs.keep": True}
    report = await validate(PanelRequest(packet, settings=settings), watch)
    if report.outcome in ("infrastructure", "interrupted"):
        raise InfrastructureError(
            "no baseline was drawn: not every judge answered", "; ".join(report.header.reasons)
        )
    now = datetime.now(UTC).isoformat(timespec="seconds")

    def keep(root: Path) -> DrawnBaseline:
        findings = recorded_findings(root, report.run_id)
        found = baseline.write_baseline(root, findings, now, user_name(root))
        grave = sum(finding.blocking for finding in findings)
        return DrawnBaseline(root / baseline.FILE, grave, found)

    return await in_project(cwd, keep)


async def show_baseline(cwd: Path = Path()) -> Baseline:
    """The baseline that counts here."""
    return await in_project(cwd, baseline.read_baseline)


async def clear_baseline(cwd: Path = Path()) -> bool:
    """Take it away; False when there is none."""
    return await in_project(cwd, baseline.clear_baseline)
