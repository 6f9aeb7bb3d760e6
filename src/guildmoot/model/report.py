"""A finished run as people and machines see it."""

from __future__ import annotations

from guildmoot.model.agent import Seat
from guildmoot.model.call import ReplyStatus, Usage
from guildmoot.model.packet import Masking, Omission
from guildmoot.model.verdict import CliRun, Conflict, Finding, Outcome, PanelVerdict, Signal

TYPE_CHECKING = False

if not TYPE_CHECKING:
    from guildmoot.model.verdict import Literal, NamedTuple
else:
    from typing import Literal, NamedTuple


class Counts(NamedTuple):
    """How much agreement there was, counted so that numbers cannot be bought with seats."""

    asked: int
    """Seats at the table."""
    voted: int
    """Seats that judged; the others stay in the denominator."""
    families: int
    """Distinct families among those that judged: agreement inside a family is coverage, not votes."""
    effective: float
    """Independent votes that the panel is worth, from the errors seen on probes; else the families."""
    flagged: float
    """Share of the asked seats that flagged."""
    missing: float
    """Share of the asked seats without a vote."""
    alpha: float | None
    """Krippendorff's alpha over the issues: 1 agreement, 0 chance; None when there is too little."""


class SeatReport(NamedTuple):
    """How one seat fared, for people."""

    seat: Seat
    status: ReplyStatus
    outcome: Outcome
    seconds: float
    findings: int
    blocking: int
    reason: str = ""
    usage: Usage | None = None
    usd: float | None = None
    """What the seat cost; None when no price is known."""
    saved_usd: float | None = None
    """How much the prompt cache saved."""
    kept: str = ""
    """The earlier run whose answer to the same question stands here; it cost nothing again."""


class RunReport(NamedTuple):
    """One run as people and machines see it; every report is rendered from this alone."""

    run_id: str
    target: str
    verdict: PanelVerdict
    outcome: Literal[
        "approved", "flagged", "conflict", "undecided", "infrastructure", "interrupted"
    ]
    reasons: tuple[str, ...]
    blocking: tuple[Finding, ...]
    advisory: tuple[Finding, ...]
    conflicts: tuple[Conflict, ...]
    cli_runs: tuple[CliRun, ...]
    signals: tuple[Signal, ...]
    seats: tuple[SeatReport, ...]
    passed_over: tuple[tuple[str, str], ...]
    """Agents that were not seated, and why."""
    packet_hash: str
    files_reviewed: int
    lines_reviewed: int
    omitted: tuple[Omission, ...]
    masked: tuple[Masking, ...]
    suppressed: int
    """Findings outside the changed lines of a diff: in the record, not in the verdict."""
    policy: str
    seconds: float
    exit_code: int
    version: str
    floors: tuple[str, ...] = ()
    """What held the verdict down whatever the votes were, e.g. ``coverage: only 40 % ...``."""
    counts: Counts | None = None
    council: str = ""
    """The council's own word for the outcome, under the policy ``council``."""
