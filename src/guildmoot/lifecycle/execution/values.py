"""What carrying out a plan speaks in: lanes, runs, requests and results. No behaviour beyond reading them."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

from guildmoot.errors import EXIT_FLAGGED, EXIT_INFRASTRUCTURE, EXIT_OK, EXIT_UNDECIDED

LaneStatus = Literal[
    "pending",  # waits for others, for a slot, or for a retry
    "running",  # dispatched; its worker is at work, or was when the scheduler died
    "handed-over",  # its receipt was accepted; not merged yet
    "done",  # merged, and the checks pass
    "failed",
    "blocked",  # it asks a person
    "conflict",  # it cannot be merged; both diffs are told
    "skipped",  # a person's word
]
ENDED = frozenset(("done", "failed", "blocked", "conflict", "skipped"))
"""Nothing more happens to such a lane by itself."""
PERSON = frozenset(("blocked", "conflict"))
MOST_RETURNS = 3
"""A lane is sent back once for each reason, and never more often than this in all."""
RunStatus = Literal["running", "done", "failed", "undecided", "paused", "stopped", "error"]
_EXITS: dict[RunStatus, int] = {
    "done": EXIT_OK,
    "failed": EXIT_FLAGGED,
    "undecided": EXIT_UNDECIDED,
    "paused": EXIT_UNDECIDED,
    "stopped": EXIT_UNDECIDED,
    "running": EXIT_UNDECIDED,
    "error": EXIT_INFRASTRUCTURE,
}


class LaneState(NamedTuple):
    """One lane of a run as it stands."""

    task: str
    owner: str = ""
    tier: str = ""
    depends_on: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    """Lanes of an overlapping scope that come first; they need not succeed."""
    digest: str = ""
    """Of what the plan says of it."""
    status: LaneStatus = "pending"
    attempt: int = 0
    """Dispatches so far; one that was cut short and started again counts once."""
    tries: int = 0
    """Attempts that failed and were tried again by the policy."""
    returned: int = 0
    """How often it was sent back."""
    advised: int = 0
    """How often an advisor answered it."""
    by: str = ""
    """Who sent it back last: ``receipt``, ``merge``, ``review``, ``advisor``; ``person``: they took it over."""
    reason: str = ""
    sent_back: str = ""
    """What the next attempt is told; it outlives an attempt that was cut short."""
    base: str = ""
    """The commit that it started from."""
    on: tuple[str, ...] = ()
    """The lanes' commits that this base holds beside the run's own branch."""
    commit: str = ""
    """What it handed over."""
    receipt: str = ""
    """SHA-256 of the accepted receipt."""
    allowed: tuple[str, ...] = ()
    """What a person lets it change beside its scope."""
    unjoined: bool = False
    """What it builds on cannot be joined as it was handed over: it waits until all of that is merged."""
    commands: tuple[str, ...] = ()
    """Commands of the plan that its receipt says have passed; they are run again after the merge."""
    updated_at: str = ""

    @property
    def ended(self) -> bool:
        """Whether nothing more happens to it by itself."""
        return self.status in ENDED


class BaseChecks(NamedTuple):
    """How the run's checks end on a commit before anything is done there."""

    commit: str
    checks: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()


class RunState(NamedTuple):
    """A run as its journal tells it."""

    run: str
    slug: str
    base: str = ""
    """The user's commit that it began from."""
    branch: str = ""
    tip: str = ""
    """Where the run's branch is."""
    lanes: tuple[LaneState, ...] = ()
    """In the order of the plan."""
    paused: bool = False
    stopped: bool = False
    worker: str = ""
    rung: str = ""
    """How its lanes are run."""
    mode: str = ""
    """The way that was asked for; the next call goes on that way."""
    why: str = ""
    """Why they are run so."""
    notes: tuple[str, ...] = ()
    control: int = 0
    """Rows of ``control.jsonl`` that were followed."""
    clarified: tuple[str, ...] = ()
    """What a person let lanes change beside the plan, and why."""
    baselines: tuple[BaseChecks, ...] = ()
    red: tuple[str, ...] = ()
    """Checks that failed before the first lane and never passed since: no lane is to blame for them."""

    def lane(self, task: str) -> LaneState:
        """The lane of that name; KeyError where there is none."""
        return next(lane for lane in self.lanes if lane.task == task)

    def baseline(self, commit: str, checks: tuple[str, ...]) -> BaseChecks | None:
        """What is on record of these checks at a commit; without checks there is nothing to fail."""
        known = (each for each in self.baselines if each[:2] == (commit, checks))
        return next(known, None if checks else BaseChecks(commit))

    @property
    def untouched(self) -> bool:
        """No lane was ever begun."""
        return not any(lane.attempt or lane.ended for lane in self.lanes)


class ExecuteRequest(NamedTuple):
    """How a plan is to be carried out."""

    slug: str = ""
    worker: str = ""
    """A command; empty: who the settings name."""
    jobs: int = 0
    """Lanes at once; 0 is as the settings say."""
    silence: float = 0.0
    """Seconds without a sign of life before a nudge; 0 goes by the tier."""
    checks: tuple[str, ...] = ()
    """Commands that must pass after each merge, beside those that the receipts name."""
    cwd: Path = Path()
    sure: bool = False
    """Begin also where the checks fail before anything is done."""


class LaneResult(NamedTuple):
    """What became of one lane."""

    task: str
    status: str
    attempts: int
    reason: str


class ExecutionReport(NamedTuple):
    """What became of the run."""

    run: str
    status: RunStatus
    branch: str
    lanes: tuple[LaneResult, ...]
    notes: tuple[str, ...] = ()
    tip: str = ""
    """The commit that the lanes came to."""
    rung: str = ""
    why: str = ""

    @property
    def exit_code(self) -> int:
        """0 all done and merged, 2 a lane failed, 3 a person must decide, 4 infrastructure."""
        return _EXITS[self.status]
