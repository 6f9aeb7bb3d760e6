"""What the paired loop is asked for, what it remembers, and how it ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from guildmoot.errors import EXIT_INFRASTRUCTURE, EXIT_OK, EXIT_UNDECIDED
from guildmoot.loops.paired.signals import WorkContract
from guildmoot.loops.values import LoopTools
from guildmoot.system.files import read_own, write_atomic

if TYPE_CHECKING:
    from guildmoot.loops.forks import ForkPanel, Hold
    from guildmoot.projects.manifest import Record


class InteractiveRequest(NamedTuple):
    """One phase that a person and the loop do together; every field answers a question beforehand."""

    root: Path
    slug: str
    phase: int
    deliverables: tuple[str, ...] = ()
    """Without any, the phase's exit criteria."""
    inputs: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    disqualifiers: tuple[str, ...] = ()
    verify: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    """What git ignores and the verification needs: copied into the clone."""
    implementer: str = ""
    """A command that does the work in a clone; without one a person does it in the checkout."""
    fixer: str = ""
    agents: tuple[str, ...] = ()
    comment: str = ""
    """What the user says of the plan."""
    notes: tuple[str, ...] = ()
    """For the pull request; one with ``[adr-candidate]`` becomes a decision record when agreed."""
    decision: str = ""
    """The answer to a fork that an implementer asked about."""
    yes: bool = False
    new_contract: bool = False
    """Another verification than the agreed one is agreed to."""
    done: bool = False
    """The work of the unit is there to be judged."""
    scope_shift: str = ""
    """accept or decline."""
    adr: str = ""
    """yes or no."""
    pull: bool = True
    draft: bool = False
    stacked_on: str = ""
    timeout: float = 600.0
    command: str = "guild loop interactive"


class PairTools(NamedTuple):
    """What the loop needs from outside."""

    loop: LoopTools
    ask_text: Callable[[str], str | None] = lambda question: None
    """A line from whoever sits at the terminal; None where nobody does."""
    hold: Hold | None = None
    approve: Callable[[str], bool] | None = None
    """Who agrees in place of a person, when the loop works alone."""
    fork: ForkPanel | None = None


class InteractiveReport(NamedTuple):
    """How the paired loop ended."""

    status: str
    """completed, gated, escalated or aborted."""
    phase: Record
    branch: str
    deliverables: tuple[Record, ...] = ()
    last_checkin: str = ""
    pull: Record | None = None
    signals: tuple[str, ...] = ()
    """Hints that the plan is stale."""
    findings: tuple[Record, ...] = ()
    """What the panel flagged last."""
    reason: str = ""
    next_action: str = ""
    proof: tuple[Record, ...] = ()
    """Each deliverable that landed in this run: its commit, its check-in, the commands, who judged."""

    @property
    def exit_code(self) -> int:
        if self.status == "infrastructure":
            return EXIT_INFRASTRUCTURE
        return EXIT_OK if self.status == "completed" else EXIT_UNDECIDED


class PairState:
    """Where the pair is: the deliverables that were agreed, and the unit that is under way."""

    def __init__(self, root: Path, key: str) -> None:
        self._file = root / ".guild" / "loops" / f"{key}.paired.json"
        self.deliverables: list[str] = []
        self.unit = ""
        self.contract: WorkContract | None = None
        self.rounds = 0
        self.verify: list[str] = []
        """The verification that was agreed to; only compared, never run from here."""
        self.corrections: list[str] = []
        """What was wrong in the rounds of the unit so far."""
        self._load()

    def _load(self) -> None:
        try:
            held = json.loads(read_own(self._file) or b"{}")
            self.deliverables = [str(each) for each in held.get("deliverables", [])]
            self.unit, self.rounds = str(held.get("unit", "")), int(held.get("rounds", 0))
            self.verify = [str(each) for each in held.get("verify", [])]
            self.corrections = [str(each) for each in held.get("corrections", [])]
            if held.get("contract"):
                fields = {
                    key: tuple(map(str, rows))
                    for key, rows in held["contract"].items()
                    if key != "goal"
                }
                self.contract = WorkContract(str(held["contract"]["goal"]), **fields)
        except (OSError, ValueError, TypeError, AttributeError, KeyError):
            self.deliverables, self.unit, self.contract, self.rounds = [], "", None, 0
            self.verify, self.corrections = [], []

    def save(self) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        held = {
            "schema_version": 1, "deliverables": self.deliverables, "unit": self.unit, "rounds": self.rounds,
            "contract": self.contract._asdict() if self.contract else None, "verify": self.verify,
            "corrections": self.corrections,
        }  # fmt: skip
        write_atomic(self._file, json.dumps(held, ensure_ascii=False).encode())

    def begin(self, unit: str, contract: WorkContract) -> None:
        """A unit whose contract is agreed."""
        self.unit, self.contract, self.rounds, self.corrections = unit, contract, 0, []
        self.save()

    def end(self) -> None:
        self.unit, self.contract, self.rounds, self.corrections = "", None, 0, []
        self.save()
