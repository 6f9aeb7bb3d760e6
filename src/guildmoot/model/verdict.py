"""The words of a verdict: the few types that the compatible verbs need, and cheap to import.

They are made without ``typing`` because those verbs must start within a few
milliseconds of an empty interpreter. Everything else imports them from ``guildmoot.model.types``.
"""

from __future__ import annotations

from guildmoot.named import NamedTuple

TYPE_CHECKING = False

if not TYPE_CHECKING:

    class _Choice:
        """Stands in for a Literal; the codec reads its words."""

        def __init__(self, words: tuple[object, ...]) -> None:
            self.words = words

        def __class_getitem__(cls, words: object) -> _Choice:
            return cls(words if isinstance(words, tuple) else (words,))

        def __or__(self, other: object) -> _Choice:
            return _Choice((*self.words, *getattr(other, "words", (other,))))

    Literal = _Choice
else:
    from typing import Literal

    from guildmoot.model.council_verdict import CouncilReading

Severity = Literal["critical", "high", "medium", "low"]
SEVERITIES: tuple[Severity, ...] = ("critical", "high", "medium", "low")

Grounding = Literal[
    "unchecked",  # nobody looked yet
    "grounded",  # file, line and quote are really there
    "moved",  # the quote is there, the line was corrected
    "unanchored",  # it names no place, so there was nothing to check
    "no-such-file",
    "line-out-of-range",
    "quote-not-found",
]
UNREAL: tuple[Grounding, ...] = ("no-such-file", "line-out-of-range", "quote-not-found")
"""What a finding names was looked up and is not there."""

Outcome = Literal[
    "approved",
    "flagged",
    "recused",
    "operator-judgment",
    "unreadable",  # it answered, but what it said is no judgement
    "absent",  # it did not answer: infrastructure, never a vote
]
VOTED: tuple[Outcome, ...] = ("approved", "flagged", "unreadable")
"""Outcomes that count as a vote, for whichever side."""

PanelVerdict = Literal["approved", "flagged", "flagged-conflict", "operator-judgment-required"]


class Assertion(NamedTuple):
    """A command that would show whether a finding is true, and what it should print."""

    command: str
    expected: str = ""
    """Text that its output must hold; empty when exit code 0 says it all."""
    description: str = ""
    verifies_by: str = ""
    """stat, grep, test or the like."""


class Finding(NamedTuple):
    """One claim about the work: what is wrong, where, why it matters and how to mend it."""

    seat: str
    code: str
    """Flag code or tool rule, e.g. ``criterion-unmet`` or ``F821``."""
    title: str
    """What is wrong, in the judge's own words; the seeds call it evidence."""
    severity: Severity = "high"
    blocking: bool = True
    path: str = ""
    """Relative to the packet's root, forward slashes; empty when no place is named."""
    line: int = 0
    """First line, counted from 1; 0 when unknown."""
    end_line: int = 0
    quote: str = ""
    why: str = ""
    fix: str = ""
    """The smallest concrete remedy; the seeds call it remedy."""
    patch: str = ""
    """A unified diff that mends it, when the judge gave one."""
    url: str = ""
    """Where the rule is documented."""
    family: str = ""
    """Whose judgement it is: one vendor or tool is one family, however many seats it has."""
    proven: bool = False
    """A program computed it: a fact rather than an opinion."""
    grounding: Grounding = "unchecked"
    note: str = ""
    """Why the finding was demoted, moved or doubted, for the reader."""
    id: str = ""
    """Of its issue, once grouped: the same when lines move, for dispositions and comparisons."""
    also: tuple[str, ...] = ()
    """Other seats that say the same, once grouped."""
    echoes: tuple[tuple[str, str], ...] = ()
    """What those seats said, word for word: seat and title."""
    firm: bool = False
    """The quote was given as one; other code in a sentence may be a wish or an example."""
    assertions: tuple[Assertion, ...] = ()
    """Commands that the judge says would show it."""
    subject: str = ""
    """All lines of a grave fact as one, where there are more than one: they tell it from another."""


class CliRun(NamedTuple):
    """A command that a judge says it ran."""

    evaluator: str
    command: str
    passed: bool


class Judgement(NamedTuple):
    """A reply that was read."""

    seat: str
    outcome: Outcome
    findings: tuple[Finding, ...] = ()
    confidence: Literal["high", "medium", "low"] | None = None
    reason: str = ""
    """Why it recused, escalated, could not be read or did not answer."""
    family: str = ""
    cli_runs: tuple[CliRun, ...] = ()
    computed: bool = False
    """A program's judgement: it looks for its own rules only, so its silence takes no side."""
    gap: str = ""
    """Why its flag blocks nothing although nobody refuted it, which somebody must look at."""
    council: CouncilReading | None = None
    """The whole of a council verdict, when the reply was read as one."""


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


class Conflict(NamedTuple):
    """Two remedies that cannot both be applied."""

    scope: str
    seats: tuple[str, ...]
    findings: tuple[Finding, ...]


class Signal(NamedTuple):
    """How one seat took part, in the seeds' words."""

    agent: str
    confidence: Literal["high", "medium", "low"] | None
    outcome: Literal["gated", "recused", "operator-judgment"]
    reason: str | None


class PanelResult(NamedTuple):
    """What a rule makes of the judgements."""

    verdict: PanelVerdict
    blocking: tuple[Finding, ...] = ()
    advisory: tuple[Finding, ...] = ()
    cli_runs: tuple[CliRun, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    signals: tuple[Signal, ...] = ()
    reasons: tuple[str, ...] = ()
    """Why the verdict is what it is, when findings alone do not say so."""
