"""What carrying out a plan speaks in: lanes, runs, requests and results. No behaviour beyond reading them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from guildmoot.errors import EXIT_FLAGGED, EXIT_INFRASTRUCTURE, EXIT_OK, EXIT_UNDECIDED
from guildmoot.lifecycle.named_places import is_inside

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
    """Who sent it back last: ``receipt``, ``merge``, ``review``, ``advisor``; ``person``: they took it over; ``asked``:
    they had it tried again."""
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
    asks: tuple[str, ...] = ()
    """Places of which a person's word alone keeps what it handed over from being accepted."""
    again: bool = False
    """A person gave that word: what it handed over is judged once more, and no worker is started for it."""
    unjoined: bool = False
    """What it builds on cannot be joined as it was handed over: it waits until all of that is merged."""
    clash: tuple[str, ...] = ()
    """Its base, the run's tip and its commit when they could not be joined; until it is merged or a person speaks."""
    commands: tuple[str, ...] = ()
    """Commands of the plan that its receipt says have passed; they are run again after the merge."""
    updated_at: str = ""
    held_tokens: int = 0
    held_usd: float = 0.0
    """What is set aside for the attempt that is at work."""
    tokens: int = 0
    usd: float = 0.0
    """What all its attempts took, as far as it was told."""
    told_tokens: int = 0
    told_usd: float = 0.0
    """The part of it that receipts told: no call of ours is behind it."""

    @property
    def ended(self) -> bool:
        """Whether nothing more happens to it by itself."""
        return self.status in ENDED

    def allow(self, places: Sequence[str]) -> LaneState:
        """It may change these as well; once that is all it asked for, what it handed over is judged again."""
        left = tuple(each for each in self.asks if not any(is_inside(each, p) for p in places))
        lane = self._replace(allowed=tuple(dict.fromkeys((*self.allowed, *places))), asks=left)
        return lane._replace(status="pending", again=True) if self.asks and not left else lane

    @property
    def done_again(self) -> str:
        """Why a lane that was begun is due once more, and by whose word; empty where it is not."""
        if self.again:
            return f"{self.task} is judged once more, as it handed over: a person allowed what it asked for"
        if self.status != "pending" or self.by not in ("review", "asked", "person"):
            return ""
        if self.by == "review" and self.returned:
            return f"{self.task} was sent back by the review: {self.sent_back}"
        why = f": {self.sent_back}" if self.sent_back else ""
        return f"{self.task} is due once more, as a person asked{why}"

    @property
    def answer(self) -> str:
        """The command by which a person answers it: what it asks for is allowed, who has it in hand hands it in, others
        have it tried again."""
        if self.status not in (*PERSON, "failed"):
            return ""
        if self.asks:
            places = " ".join(shlex.quote(f"./{p}" if p.startswith("-") else p) for p in self.asks)
            return f"guild lane allow {self.task} {places} --why WHY"
        in_hand = self.status == "blocked" and self.by == "person"
        how = f"hand-in {self.task}" if in_hand else f"retry {self.task} --why ANSWER"
        return f"guild lane {how}"


class BaseChecks(NamedTuple):
    """How the run's checks end on a commit before anything is done there."""

    commit: str
    checks: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()


class Dispute(NamedTuple):
    """What a person holds to be wrong, and of which commit."""

    text: str
    commit: str


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
    clients: bool = False
    """The models of the tiers do its lanes; the next call goes on that way."""
    rung: str = ""
    """How its lanes are run."""
    mode: str = ""
    """The way that was asked for; the next call goes on that way."""
    why: str = ""
    """Why they are run so."""
    checks: tuple[str, ...] = ()
    """Commands that were given with ``--check``; every later call runs them as well."""
    notes: tuple[str, ...] = ()
    control: int = 0
    """Rows of ``control.jsonl`` that were followed."""
    clarified: tuple[str, ...] = ()
    """What a person let lanes change beside the plan, and why."""
    settled: tuple[str, ...] = ()
    """Conflicts of lanes, and how each ended."""
    halt: str = ""
    """Why it is paused or was stopped, and by whom."""
    let_stand: tuple[str, ...] = ()
    """What lanes left open, or nobody showed, and a person let stand; ``clarified`` says who and why."""
    disputes: tuple[Dispute, ...] = ()
    baselines: tuple[BaseChecks, ...] = ()
    red: tuple[str, ...] = ()
    """Checks that failed before the first lane and never passed since: no lane is to blame for them."""
    ticket: str = ""
    """What is kept of the secret by which hosts know its lanes."""

    def lane(self, task: str) -> LaneState:
        """The lane of that name; KeyError where there is none."""
        return next(lane for lane in self.lanes if lane.task == task)

    @property
    def disputed(self) -> tuple[str, ...]:
        """What a person holds to be wrong of the result as it is now, and did not take back."""
        return tuple(each.text for each in self.disputes if each.commit == self.tip)

    def baseline(self, commit: str, checks: tuple[str, ...]) -> BaseChecks | None:
        """What is on record of these checks at a commit; without checks there is nothing to fail."""
        known = (each for each in self.baselines if each[:2] == (commit, checks))
        return next(known, None if checks else BaseChecks(commit))

    @property
    def at_end(self) -> bool:
        """Every lane is merged, or a person skipped it."""
        return bool(self.lanes) and all(lane.status in ("done", "skipped") for lane in self.lanes)

    @property
    def goes_on(self) -> str:
        """The command that goes on with it; one that was halted needs a person's word."""
        halted = self.paused or self.stopped
        return f"guild resume {self.slug}" if halted else f"guild run --slug {self.slug}"

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
    answer: str = ""
    """The command by which a person answers a lane that waits for them."""


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
    error: str = ""
    """Why the machine could not go on."""

    @property
    def exit_code(self) -> int:
        """0 all done and merged, 2 a lane failed, 3 a person must decide, 4 infrastructure."""
        return _EXITS[self.status]
