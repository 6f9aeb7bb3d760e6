"""Floors: what no vote can lift a verdict above. Applied after the policy, and named in the result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from guildmoot.model.packet import Omission
from guildmoot.model.verdict import Finding

UNSEEN = frozenset(("too-large", "over-budget", "unreadable", "not-utf8"))
"""Reasons for which a file that should have been judged was not."""

Level = Literal["warn", "undecided", "flagged"]


class Floor(NamedTuple):
    """The verdict may not be better than ``at_least``."""

    name: str
    at_least: Level
    why: str


def verification_floor(findings: Sequence[Finding]) -> list[Floor]:
    """The project's own check failed: whatever the judges say, the work is flagged."""
    failed = [finding for finding in findings if finding.code == "verification-failed"]
    return [Floor("verification", "flagged", finding.title) for finding in failed[:1]]


def coverage_floor(reviewed: int, omitted: Sequence[Omission], least: float) -> list[Floor]:
    """Too little of what should have been judged was; silence about the rest is no consent."""
    unseen = sum(omission.reason in UNSEEN for omission in omitted)
    share = reviewed / (reviewed + unseen) if reviewed + unseen else 0.0
    if share >= least:
        return []
    why = f"only {share:.0%} of the files were judged ({unseen} were not), {least:.0%} are needed"
    return [Floor("coverage", "undecided", why)]


def evidence_floor(assertions: Sequence[tuple[str, int]], least: int = 2) -> list[Floor]:
    """In evidence mode each finding carries checks of its own; those that do not are named."""
    short = [name for name, count in assertions if count < least]
    if not short:
        return []
    return [Floor("evidence", "warn", f"fewer than {least} assertions: {', '.join(short)}")]


def rigor_floor(missing: Sequence[str], uncheckable: Sequence[str] = ()) -> list[Floor]:
    """A plan whose invariants are missing warns; one whose critical invariant cannot be checked fails."""
    floors = [Floor("rigor", "flagged", f"cannot be checked: {', '.join(uncheckable)}")]
    floors = floors if uncheckable else []
    if missing:
        floors.append(Floor("rigor", "warn", f"missing or contradictory: {', '.join(missing)}"))
    return floors
