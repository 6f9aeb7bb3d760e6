"""What a finding brings along to prove itself: its patch is tried, its assertions are run if allowed."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from guildmoot.grounding.assertions import check_assertion
from guildmoot.grounding.patches import Bench
from guildmoot.model.verdict import Finding


def check_patch(finding: Finding, bench: Bench) -> Finding:
    """A patch that does not apply, or breaks the file it mends, is taken off and said so."""
    if not finding.patch:
        return finding
    applies, reason = bench.applies(finding.patch)
    if applies:
        applies, reason = bench.still_parses(finding.patch)
    return (
        finding
        if applies
        else _noted(finding._replace(patch=""), f"its patch was refused: {reason}")
    )


def check_assertions(
    finding: Finding, folder: Path, allowed: Collection[str], timeout: float
) -> Finding:
    """A finding whose own assertion fails cannot block alone; one whose assertions hold is proven."""
    if not finding.assertions or not allowed:
        return finding
    checked = [check_assertion(a, folder, allowed, timeout) for a in finding.assertions]
    failed = [c.detail for c in checked if c.status in ("failed", "timeout")]
    if failed:
        doubted = finding._replace(blocking=finding.blocking and finding.proven)
        return _noted(doubted, f"its own assertion does not hold: {failed[0]}")
    held = sum(c.status == "held" for c in checked)
    if held == len(checked):
        return _noted(finding._replace(proven=True), f"{held} assertions hold")
    return _noted(finding, f"{len(checked) - held} of {len(checked)} assertions were refused")


def _noted(finding: Finding, note: str) -> Finding:
    return finding._replace(note="; ".join(filter(None, (finding.note, note))))
