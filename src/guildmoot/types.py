"""The words of the flow, as small frozen values; every room speaks in these and nothing else.

They are named tuples rather than dataclasses because commands must start within a few milliseconds
of an empty interpreter. The words of a verdict are in ``guildmoot.words`` and offered here as well.
"""

from __future__ import annotations

from guildmoot.words import SEVERITIES as SEVERITIES
from guildmoot.words import Assertion as Assertion
from guildmoot.words import CliRun as CliRun
from guildmoot.words import Conflict as Conflict
from guildmoot.words import Finding as Finding
from guildmoot.words import Grounding as Grounding
from guildmoot.words import Judgement as Judgement
from guildmoot.words import Outcome as Outcome
from guildmoot.words import PanelResult as PanelResult
from guildmoot.words import PanelVerdict as PanelVerdict
from guildmoot.words import Severity as Severity
from guildmoot.words import Signal as Signal

TYPE_CHECKING = False

if not TYPE_CHECKING:
    from guildmoot.words import Literal, NamedTuple
else:
    from collections.abc import Mapping
    from typing import Literal, NamedTuple

ReplyStatus = Literal[
    "answered",  # the backend returned what the agent said
    "timeout",  # the seat's or the run's deadline passed
    "failed",  # the program crashed or the service refused
    "missing",  # the program or service is not there
    "cancelled",  # the run was interrupted
    "excused",  # it was not called: there was nothing here for it to judge
]


class Seat(NamedTuple):
    """One judge at the table."""

    name: str
    """Unique at this table."""
    agent: str
    backend: str
    family: str
    model: str = ""
    perspective: str = ""
    why: str = ""
    """The reason it was seated, e.g. ``*.py in the packet``."""


class Usage(NamedTuple):
    """What one call consumed."""

    input_tokens: int = 0
    """All input, cached or not."""
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    requests: int = 0
    cost_usd: float | None = None
    """None when no price is known."""


class Reply(NamedTuple):
    """What one seat said, unread."""

    seat: str
    status: ReplyStatus
    text: str = ""
    """Standard output or the model's words, whole."""
    error: str = ""
    """Why there is no answer, or what the program wrote to standard error."""
    exit_code: int | None = None
    seconds: float = 0.0
    usage: Usage | None = None
    model: str = ""
    """The model that really answered, where the backend knows."""
    kept: str = ""
    """The run that had got this reply already, when it was not asked for again."""


class PacketFile(NamedTuple):
    """One file as the judges see it: secrets already masked."""

    path: str
    text: str
    sha256: str
    """Of the text as shown."""


class Omission(NamedTuple):
    """Something that was named but not put before the judges, and why."""

    path: str
    reason: str
    """One of the words in ``packet.reasons.REASONS``."""
    detail: str = ""


class Masking(NamedTuple):
    """A secret that was held back from the judges."""

    path: str
    line: int
    kind: str
    certain: bool
    """The shape belongs to one token family; otherwise it only looks like a secret."""


class Section(NamedTuple):
    """Text beside the files: a diff, a spec, a plan, earlier decisions, empirical results."""

    kind: str
    title: str
    text: str


class Packet(NamedTuple):
    """What is put before every judge. Everything in it has passed the egress filter."""

    root: str
    """Absolute folder that the paths are relative to; never shown to a judge."""
    target: str
    """What the user asked to be judged, in words."""
    files: tuple[PacketFile, ...]
    sections: tuple[Section, ...]
    omitted: tuple[Omission, ...]
    masked: tuple[Masking, ...]
    changed: tuple[tuple[str, tuple[tuple[int, int], ...]], ...]
    """For a diff: path and its changed line ranges (inclusive); empty when whole files are judged."""
    checkout: bool
    """The files are what lies in the working tree now, so tools may run there."""
    hash: str
    """SHA-256 over everything a judge can see."""


class Agent(NamedTuple):
    """Who can be called: one agent file, read and checked."""

    name: str
    description: str
    body: str
    """The agent's own instructions; for a tool, notes for people."""
    source: str
    """The file it came from, for messages."""
    origin: Literal["project", "claude", "user", "package"] = "package"
    role: str = "evaluator"
    backend: str = "command"
    family: str = ""
    """Defaults to the program, vendor or backend."""
    model: str = ""
    tier: str = ""
    perspective: str = ""
    tools: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    """Globs of the files it judges; empty means any file."""
    skip: tuple[str, ...] = ()
    """Globs of files that it must not judge."""
    command: tuple[str, ...] = ()
    """Program and arguments; ``{files}``, ``{root}``, ``{manifest}`` and ``{python}`` are filled in."""
    run_in: Literal["packet", "checkout"] = "packet"
    format: Literal["sarif", "rdjson", "rdjsonl", "lines", "exit"] = "lines"
    pattern: str = ""
    """For ``lines``: a regular expression with groups path, line, end_line, code, severity, message."""
    exit_codes: tuple[tuple[int, Literal["clean", "findings", "error"]], ...] = ()
    """What each exit code means; one that is not listed is an error."""
    severities: tuple[tuple[str, Severity], ...] = ()
    """Rule prefix or tool level to severity; the longest prefix wins, ``*`` is the rest."""
    blocks_at: Severity | Literal["never"] = "high"
    """Findings of this severity or worse block; the rest advise."""
    timeout: float = 0.0
    """Seconds for one call; 0 takes the configured default."""
    replies: str = ""
    """For ``scripted``: the file with its replies, relative to the agent file."""
    capability_scope: tuple[tuple[str, str], ...] = ()
    optional: bool = False
    """Seated by default only where its program is installed."""
    reply: Literal["verdict", "council"] = "verdict"
    """What it answers with: a text around a VERDICT line, or the council's verdict as JSON."""


class Call(NamedTuple):
    """One agent to be run once on one prompt."""

    seat: Seat
    agent: Agent
    prompt: str
    workdir: str = ""
    """Folder that holds the packet's files, for tools; empty when the seat only reads the prompt."""
    manifest: str = ""
    """The packet's manifest as a JSON file, for tools."""
    files: tuple[str, ...] = ()
    """Paths of the packet's files that this agent judges."""
    timeout: float = 120.0
    shared: int = 0
    """How many characters at the start of the prompt are the same for every seat, for prompt caches."""
    schema: Mapping[str, object] | None = None
    """JSON schema that the reply must fit, in the form that the seat's vendor accepts."""
    packet: str = ""
    """Hash of the packet that it is about."""
    round: int = 0
    """Which round of a debate or of a whiteboard; 0 where there are none."""
    attempt: int = 0
    """How often the same was asked before because the reply could not be read."""


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


class Issue(NamedTuple):
    """Findings of one or several seats that say the same."""

    id: str
    """Stays the same when lines move or another judge words it; for dispositions and comparisons."""
    representative: Finding
    members: tuple[Finding, ...]
    """In the order of their places."""
    families: tuple[str, ...]
    """The distinct families that agree; the length of this is the number of votes."""
    seats: tuple[str, ...]
    severity: Severity
    """The worst that a member gives it."""
    blocking: bool
    """A member says that it blocks."""
    cohesion: float = 1.0
    """How alike the members are, 0 to 1."""
