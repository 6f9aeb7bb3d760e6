"""The seam between the scheduler and whoever does the work of a lane."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from guildmoot.model.call import Usage

WorkerStatus = Literal["starting", "running", "ended", "lost"]
"""``lost``: it is not there any more, and nobody saw how it ended."""


class LaneJob(NamedTuple):
    """One attempt at a lane, as a worker is given it."""

    run: str
    task: str
    owner: str
    attempt: int
    folder: Path
    """The worktree."""
    bundle: Path
    receipt: Path
    heartbeat: Path
    nudge: Path
    """What the scheduler writes when the lane was silent for too long."""
    environment: Mapping[str, str]
    """The dispatch variables, beside what the worker inherits."""
    tier: str = ""
    model: str = ""
    tools: tuple[str, ...] = ()
    """The capability scope of its specialist."""
    seconds: float = 0.0
    """The most that it may take in all."""
    max_usd: float | None = None
    live: Path = Path()
    """Where its output is followed while it works."""
    root: str = ""
    """The user's checkout, which a worker may not change; empty where no fence can be put around it."""
    open_places: tuple[str, ...] = ()
    """Places inside that it may write to: its worktree, its inbox, the run's own repository and logs."""
    max_tokens: int = 0
    """The most that it may take, read and written; one that tells of more is ended. 0 is no limit."""
    base: str = ""
    """The commit that it starts from."""

    @property
    def inner_receipt(self) -> Path:
        """Where one that may only write to its worktree puts the receipt, below it."""
        return Path(".guild") / "runs" / self.run / "handoffs" / f"{self.owner}-{self.task}.md"

    @property
    def inner_brief(self) -> Path:
        """Where one that may only read its worktree finds its brief again, below it."""
        return Path(".guild") / "runs" / self.run / "brief.md"


class WorkerState(NamedTuple):
    """What is known of a worker now."""

    status: WorkerStatus
    exit_code: int | None = None
    last_sign: float = 0.0
    """When it last wrote something, in seconds since the epoch; 0 when never."""
    output: str = ""
    """What was kept of its output, once it ended."""
    problem: str = ""
    """Why it could not be started, or was ended."""
    infrastructure: bool = False
    """The problem is this machine's or a service's, and not the lane's."""
    notes: tuple[str, ...] = ()
    """What a person should know of how it was done, e.g. that another model took over."""
    usage: Usage | None = None
    """What it took, where it is known."""
    over: bool = False
    """It was ended because it took more tokens or money than it may."""
    unpaid: bool = False
    """It was not asked: a limit leaves no money for it."""


class WorkerHandle(Protocol):
    """A worker that was spawned."""

    async def ended(self) -> None:
        """Return when it has ended."""


class LaneWorkers(Protocol):
    """Runs lanes: a command, a client of a vendor, a pane, a host session."""

    name: str
    why: str
    """Why lanes are run this way, in words."""
    nudged: str
    """How a worker learns of a nudge that cannot be sent to it, in words."""

    def unavailable(self) -> str:
        """Why no lane can be run this way here; empty when one can."""

    async def spawn(self, job: LaneJob) -> WorkerHandle:
        """Start a worker on a job; it has picked it up once ``read_state`` says running."""

    async def send_task(self, handle: WorkerHandle, text: str) -> bool:
        """Tell a worker something more; whether there is a way to."""

    def read_state(self, handle: WorkerHandle) -> WorkerState:
        """What is known of it now."""

    async def dismiss(self, handle: WorkerHandle) -> bool:
        """End it and all that it started; whether that is confirmed."""

    async def teardown(self) -> None:
        """End all that this backend started."""
