"""A finished run as people and machines see it."""

from __future__ import annotations

from guildmoot.model.agent import Seat
from guildmoot.model.call import ReplyStatus, Usage
from guildmoot.model.packet import Masking, Omission, Packet
from guildmoot.model.verdict import CliRun, Conflict, Finding, Outcome, PanelVerdict, Signal
from guildmoot.version import __version__

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


Depth = Literal["checked", "parsed", "scanned", "unread"]
DEPTHS: tuple[Depth, ...] = ("checked", "parsed", "scanned", "unread")
"""By a judge of its language; its syntax alone; secrets and conflicts alone; by nobody who answered."""


class FileCoverage(NamedTuple):
    """What was done with one file."""

    path: str
    depth: Depth
    language: str
    """As people write it; empty when it is not known."""
    kind: str
    """``code``, ``data``, ``prose`` or ``other``."""
    lines: int = 0

    @property
    def is_code(self) -> bool:
        """Whether it takes a judge that knows its language; for the rest it is enough that somebody looked."""
        return self.kind == "code"

    @property
    def is_reviewed(self) -> bool:
        """Whether somebody read it who could."""
        return self.depth == "checked" or (self.depth == "parsed" and not self.is_code)


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


class SeatCost(NamedTuple):
    """What one seat took."""

    seat: str
    usage: Usage | None
    """None when it reported nothing, or runs no model."""
    usd: float | None
    """None when no price is known; 0 for a seat that runs no model."""
    seconds: float
    model: str = ""
    saved_usd: float | None = None
    """How much less than without a prompt cache; below 0 when writing it did not pay."""


class RunOrigin(NamedTuple):
    """Where a run was made, of what and when, so that a report tells it wherever it is read."""

    repository: str = ""
    """As the code host calls it, else the folder's name."""
    branch: str = ""
    commit: str = ""
    base: str = ""
    """The commit that a change is compared with; empty where whole files are judged."""
    date: str = ""
    command: str = ""


class RunHeader(NamedTuple):
    """What every judged run says of itself, whichever practice it belongs to."""

    run_id: str
    target: str
    version: str
    policy: str = ""
    reasons: tuple[str, ...] = ()
    floors: tuple[str, ...] = ()
    """What held the verdict down whatever the votes were, e.g. ``coverage: only 40 % ...``."""
    counts: Counts | None = None
    packet_hash: str = ""
    files_reviewed: int = 0
    lines_reviewed: int = 0
    files_scanned: int = 0
    """Looked through for secrets and conflicts, and for nothing else."""
    omitted: tuple[Omission, ...] = ()
    masked: tuple[Masking, ...] = ()
    seconds: float = 0.0
    exit_code: int = 0
    origin: RunOrigin = RunOrigin()
    reused: tuple[tuple[str, str], ...] = ()
    """Seats that were not asked, each with the earlier run whose answer to the same question stands."""
    judged: str = ""
    """Of a change: which one was really judged, with its commits; empty where whole files were."""


def header_of(packet: Packet, *, run_id: str = "", target: str = "") -> RunHeader:
    """The header as far as it is known before anyone has judged."""
    return RunHeader(
        run_id=run_id,
        target=target or packet.target,
        version=__version__,
        packet_hash=packet.hash,
        files_reviewed=len(packet.files),
        lines_reviewed=sum(file.text.count("\n") for file in packet.files),
        omitted=packet.omitted,
        masked=packet.masked,
        judged=packet.target if packet.base else "",
    )


def with_coverage(header: RunHeader, coverage: tuple[FileCoverage, ...]) -> RunHeader:
    """The header with what was reviewed: by somebody who answered, and who could read it."""
    read = [each for each in coverage if each.is_reviewed]
    return header._replace(
        files_reviewed=len(read),
        lines_reviewed=sum(each.lines for each in read),
        files_scanned=sum(each.depth == "scanned" for each in coverage),
    )


RunOutcome = Literal[
    "approved", "flagged", "conflict", "undecided", "infrastructure", "interrupted", "nothing"
]


IgnoredBy = Literal["inline", "dismissed", "baseline"]


class IgnoredFinding(NamedTuple):
    """A finding that does not count because somebody accepted it: how, why, and who when that is known."""

    finding: Finding
    by: IgnoredBy
    """A comment in the work, ``guild findings dismiss``, or ``guild baseline``."""
    why: str = ""
    who: str = ""
    when: str = ""


class RunReport(NamedTuple):
    """One panel's run as people and machines see it; every report is rendered from this alone."""

    header: RunHeader
    verdict: PanelVerdict | Literal["nothing-to-judge"]
    outcome: RunOutcome
    blocking: tuple[Finding, ...]
    advisory: tuple[Finding, ...]
    conflicts: tuple[Conflict, ...] = ()
    cli_runs: tuple[CliRun, ...] = ()
    signals: tuple[Signal, ...] = ()
    seats: tuple[SeatReport, ...] = ()
    passed_over: tuple[tuple[str, str], ...] = ()
    """Agents that were not seated, and why."""
    outside: int = 0
    """How many facts were there before the change: they are no part of the verdict."""
    coverage: tuple[FileCoverage, ...] = ()
    """What was done with each file."""
    existing: tuple[Finding, ...] = ()
    """Those facts."""
    council: str = ""
    """The council's own word for the outcome, under the policy ``council``."""
    ignored: tuple[IgnoredFinding, ...] = ()
    """Findings that somebody accepted, each with the reason: in no verdict, but in every report."""
    costs: tuple[SeatCost, ...] = ()
    """What every seat took with all that was asked on its behalf, and what a clerk took."""

    @classmethod
    def of_nothing(cls, why: str, *more: str) -> RunReport:
        """The report of a change that holds nothing: nobody was asked."""
        header = RunHeader("", "no change", __version__, reasons=(why, *more))
        return cls(header, "nothing-to-judge", "nothing", (), ())

    @classmethod
    def of_undecided(cls, why: str, *more: str) -> RunReport:
        """The report of a change of which nothing reached a judge: a person must look."""
        header = RunHeader("", "a change", __version__, reasons=(why, *more), exit_code=3)
        return cls(header, "operator-judgment-required", "undecided", (), ())

    @property
    def run_id(self) -> str:
        """Of the run that it reports."""
        return self.header.run_id

    @property
    def exit_code(self) -> int:
        """Of the command that made it."""
        return self.header.exit_code

    @property
    def found(self) -> tuple[int, int]:
        """How many findings block, and how many advise."""
        return len(self.blocking), len(self.advisory)
