"""The values that loops speak in: what is asked for, what came of it, and how a loop stops."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from guildmoot.errors import (
    EXIT_INFRASTRUCTURE,
    EXIT_INTERRUPTED,
    EXIT_OK,
    EXIT_UNDECIDED,
    Interrupted,
)
from guildmoot.memory.traces.rounds import LoopTrace
from guildmoot.text.clean import one_line

if TYPE_CHECKING:
    from guildmoot.calls import Watch
    from guildmoot.loops.confidence.tiers import TierRule
    from guildmoot.loops.throttle import PullLimits
    from guildmoot.model.call import Call, Reply
    from guildmoot.model.report import RunReport
    from guildmoot.practices.panel import PanelRequest
    from guildmoot.projects.manifest import Record

    Judge = Callable[[PanelRequest, Watch], RunReport]
    """Puts a unit before a panel."""
    Employ = Callable[[Call], Reply]
    """Has an agent do a piece of work."""


class LoopRequest(NamedTuple):
    """What is changed, how, and what proves it."""

    root: Path
    slug: str = ""
    phase: int = 1
    pattern: str = ""
    """A glob; or ``grep:REGEX``, ``ast:PATTERN``, ``cmd:COMMAND``."""
    transform: str = ""
    """A command; ``{files}`` are the batch."""
    implementer: str = ""
    """An agent that makes the change in place of a command: ``NAME[@BACKEND:MODEL]``."""
    task: str = ""
    """What an implementer is told to do; empty is the phase's goal."""
    fixer: str = ""
    """A command that is given the panel's findings as JSON in the file ``GUILD_FINDINGS`` names."""
    fixer_agent: str = ""
    """An agent that mends what the panel flags, in place of a command."""
    verify: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    """What git ignores and the verification needs: copied into every clone."""
    rules: tuple[TierRule, ...] = ()
    batch: int = 0
    jobs: int = 1
    """Batches of a tier that are proven at once, each in a clone of its own."""
    timeout: float = 600.0
    agents: tuple[str, ...] = ()
    max_usd: float | None = None
    """The most that an agent may spend on one unit."""
    dry_run: bool = False
    plan: str = ""
    """The preview that is applied: its id, as ``dry_run`` told it."""
    here: bool = False
    """Make a small project where there is none."""
    yes: bool = False
    """Everything that would be asked before the work starts is agreed to."""
    resume: bool = False
    """Go on although a gate was closed."""
    flagged: str = ""
    """What becomes of items that the panel still flags: ``stop``, ``quarantine``, or empty to ask."""
    pull: bool = True
    """Open or refresh the pull request at the close."""
    draft: bool = False
    stacked_on: str = ""
    """The branch of the phase before, where drafts are stacked."""
    limits: PullLimits | None = None
    command: str = "guild loop confidence"
    """What the user typed, for messages that say what to type next."""


class Question(NamedTuple):
    """One thing that a person decides."""

    text: str
    flag: str
    """The flag that says yes."""
    refused: str = "nothing was changed; change the command, or run it again and agree"
    """What a no means, in the report."""


Ask = Callable[[Question], bool | None]
"""The answer of whoever sits at the terminal; None where nobody does."""


def nobody(question: Question) -> bool | None:
    """Where there is no terminal."""
    return None


class Quarantine(NamedTuple):
    """An item that was not changed, and what showed that it cannot be."""

    item: str
    reason: str
    evidence: str

    def line(self) -> str:
        """For the pull request's text."""
        seen = f" ({self.first_line()})" if self.evidence else ""
        return f"`{self.item}`: {self.reason}{seen}"

    def first_line(self) -> str:
        """The evidence in short."""
        return one_line(self.evidence.strip().partition("\n")[0])[:300]


class CommandResult(NamedTuple):
    """How a command of the user's ended."""

    command: str
    code: int | None
    """None when its time was up."""
    seconds: float
    output: str
    """The last of what it printed."""
    full: str = ""
    """All of it, up to a limit."""

    @property
    def passed(self) -> bool:
        return self.code == 0

    @property
    def cannot_run(self) -> bool:
        """Whether the shell could not start it: that is no word on the work."""
        return self.code in (126, 127)


class HeldFile(NamedTuple):
    """What a path holds."""

    data: bytes
    executable: bool = False


Held = dict[str, HeldFile | None]
"""Contents by path; None for one that is gone."""


class Remedy(NamedTuple):
    """One time that the panel flagged a unit, and what was done about it."""

    run: str
    reasons: tuple[str, ...]
    files: tuple[str, ...]
    action: str


class UnitResult(NamedTuple):
    """What is proven of a batch, and what is not."""

    batch: list[str]
    good: list[str]
    changed: list[str]
    """Those of the good ones that the transform changed."""
    held: Held
    """What the changed ones hold."""
    bad: list[Quarantine]
    flagged: list[Quarantine]
    """Items that the panel still flags: they keep the gate closed until somebody decides."""
    results: list[CommandResult]
    report: RunReport | None
    remedies: list[Remedy]
    usd: float = 0.0
    last: bool = True
    """The branch moves to it; otherwise it does so together with the next one."""


class LoopPosition(NamedTuple):
    """Where a loop is, for whoever shows it."""

    tier: int = 0
    unit: int = 0
    units: int = 0
    done: int = 0
    items: int = 0
    step: str = ""
    """transform, verify, panel, or land."""
    seat: str = ""
    seconds_left: float | None = None

    def line(self) -> str:
        """In one line."""
        if not self.tier:
            return self.step
        left = "" if self.seconds_left is None else f", about {spoken(self.seconds_left)} left"
        step = f", {self.step}" if self.step else ""
        seat = f" {self.seat}" if self.seat else ""
        unit = f"tier {self.tier}, unit {self.unit} of about {self.units}"
        return f"{unit}, {self.done} of {self.items} items{step}{seat}{left}"


class Watcher(NamedTuple):
    """What a face is told while a loop runs."""

    tell: Callable[[str], None] = lambda line: None
    """One line for people."""
    show: Callable[[LoopPosition], None] = lambda position: None


class LoopReport(NamedTuple):
    """How the loop ended."""

    status: str
    """completed, gated, escalated, aborted, infrastructure or stopped; planned after a dry run."""
    phase: Record
    branch: str
    tiers: tuple[Record, ...] = ()
    landed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    """Items that the transform left as they were."""
    still: tuple[str, ...] = ()
    """Items that the pattern finds still, where it looks at contents."""
    fresh: tuple[str, ...] = ()
    """Files that the pattern finds now and that are not in the inventory: they came later."""
    by_hand: tuple[str, ...] = ()
    """Items that were ticked by hand and that nothing proves: not believed."""
    quarantined: tuple[Quarantine, ...] = ()
    flagged: tuple[Quarantine, ...] = ()
    routed: tuple[str, ...] = ()
    """Items of tier 4 and up, which are left to a person."""
    last_checkin: str = ""
    reason: str = ""
    next_action: str = ""
    trials: tuple[int, int] = (0, 0)
    """Runs of the verification that looked for who is to blame, and those of one item by itself."""
    proof: tuple[Record, ...] = ()
    """Each unit that landed: its commit, its check-in, the run that judged it, the commands that passed."""
    pull: Record | None = None
    """The pull request, or why there is none."""
    estimate: Record | None = None
    plan: str = ""
    again: Record | None = None
    """What a second application of the transform would change."""
    attempts: Record | None = None
    """How many units took how many tries."""
    infrastructure: int = 0
    """Failures of the machine or a service; they count against nobody."""
    usd: float = 0.0

    @property
    def exit_code(self) -> int:
        if self.status == "infrastructure":
            return EXIT_INFRASTRUCTURE
        if self.status == "stopped":
            return EXIT_INTERRUPTED
        return EXIT_OK if self.status in ("completed", "planned") else EXIT_UNDECIDED


class LoopStop(Exception):
    """The loop ends here, and says why."""

    def __init__(self, status: str, reason: str, next_action: str, *, gate: bool = False) -> None:
        super().__init__(reason)
        self.status, self.reason, self.next_action = status, reason, next_action
        self.gate = gate
        """Whether only a person's word lets the loop go on."""


class LoopInterrupted(Interrupted):
    """The user stopped the loop; what it came to is in the report."""

    def __init__(self, report: LoopReport) -> None:
        super().__init__(report.reason, report.next_action)
        self.report = report


class Boundary(NamedTuple):
    """A place at which a loop may be held: after a unit, or between tiers."""

    kind: str
    """``unit`` or ``tier``."""
    verified: frozenset[str] = frozenset()
    failing: frozenset[str] = frozenset()
    """What is in quarantine or flagged."""


class LoopTools(NamedTuple):
    """What a loop needs from outside: judges, workers, somebody to ask, somebody who watches."""

    judge: Judge
    employ: Employ
    ask: Ask = nobody
    watcher: Watcher = Watcher()
    stopped: threading.Event = threading.Event()
    boundary: Callable[[Boundary], None] = lambda at: None
    """Told at every boundary; what it raises stops the loop there."""
    admit: Callable[[Sequence[str]], None] = lambda paths: None
    """Told which paths would change, before they do; what it raises stops the loop there."""
    trace: LoopTrace = LoopTrace()
    """Told of every round."""


def spoken(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
