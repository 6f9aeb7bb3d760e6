"""What a loop is held to when nobody watches it: terms, budgets, progress, and a clock for silence. No I/O.

Armed, a loop asks no person anything. It may do so only within terms that were given beforehand and that are
checked again at every boundary; every budget is a counter here, not a sentence in a prompt.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from guildmoot.errors import UsageError
from guildmoot.loops.values import LoopStop
from guildmoot.text.globs import matches

ROUNDS = 3
"""Rounds that one decision may take."""
DECISIONS = {"confidence": 5, "interactive": 5, "router": 3}
"""Decisions that one run may take without a person."""
FORKS = 5
"""Whiteboard panels that one phase may hold."""
APPROVER = "evaluator-contract-fit"
"""Says whether a contract fits the plan, and whether work does what its contract says."""
GIVE_MODEL = (
    f"Give {APPROVER} a model: panel.model in guild.toml, or GUILD_PANEL_MODEL=claude (codex,"
    " anthropic:MODEL, ollama:MODEL ...)."
)
LONGEST = timedelta(hours=24)
STALLED_AFTER = 3
"""Rounds without progress."""
SILENCE = 900.0
"""Seconds without any event after which a run counts as hung; a client that compacts is silent for minutes."""
_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*([smh]?)\Z")
_UNITS = {"s": 1.0, "": 1.0, "m": 60.0, "h": 3600.0}


class ArmedTerms(NamedTuple):
    """Within what a loop may work alone."""

    scope: tuple[str, ...]
    """Globs of the paths that it may change."""
    max_usd: float
    max_seconds: float
    expires_after: float
    """Seconds from the arming on."""


class Arming(NamedTuple):
    """Terms that hold since a moment, and the commit that undoes everything."""

    terms: ArmedTerms
    since: datetime
    undo: str

    @property
    def until(self) -> datetime:
        return self.since + timedelta(seconds=self.terms.expires_after)


def read_span(word: str, flag: str) -> float:
    """Seconds out of ``90m``, ``8h`` or ``45``."""
    found = _SPAN.match(word.strip())
    if not found or not float(found.group(1)):
        raise UsageError(f"{flag} {word}: write a time such as 90m or 8h")
    return float(found.group(1)) * _UNITS[found.group(2)]


def make_terms(
    scope: Sequence[str], max_usd: float | None, time_limit: str, expires: str
) -> ArmedTerms:
    """The terms of an armed run; UsageError that names every flag that is missing."""
    given = {
        "--scope GLOB": bool(scope), "--budget-usd USD": max_usd is not None,
        "--time-limit TIME": bool(time_limit), "--expires TIME": bool(expires),
    }  # fmt: skip
    missing = [flag for flag, there in given.items() if not there]
    if missing or max_usd is None:
        raise UsageError(
            f"--mode=auto works alone, and needs its limits first: {', '.join(missing)}",
            "e.g. --scope 'src/**' --budget-usd 5 --time-limit 2h --expires 8h",
        )
    lasts = read_span(expires, "--expires")
    if lasts > LONGEST.total_seconds():
        raise UsageError(f"--expires {expires}: at most 24h", "Arm it again tomorrow.")
    if not 0 <= max_usd < math.inf:
        raise UsageError(f"--budget-usd {max_usd}: at least 0")
    return ArmedTerms(tuple(scope), max_usd, read_span(time_limit, "--time-limit"), lasts)


class TermStatus(NamedTuple):
    """How things are at a boundary."""

    now: datetime
    usd: float
    dirty: tuple[str, ...]
    changed: tuple[str, ...]
    """Paths that differ from the undo commit, the project's own records apart."""
    can_undo: bool
    green: bool = True


def broken_term(arming: Arming, at: TermStatus) -> str:
    """Why the loop may not go on; empty when every term still holds."""
    terms = arming.terms
    if at.now >= arming.until:
        return f"the arming expired at {arming.until:%Y-%m-%d %H:%M} UTC"
    if (at.now - arming.since).total_seconds() >= terms.max_seconds:
        return f"the time limit of {terms.max_seconds:.0f} s is used up"
    if at.usd > terms.max_usd or (at.usd == terms.max_usd and at.usd > 0):
        return f"${at.usd:.2f} of ${terms.max_usd:.2f} are spent"
    if at.dirty:
        return f"the working tree is not clean: {', '.join(at.dirty[:5])}"
    if not at.can_undo:
        return "the commit that undoes the work is gone or no longer an ancestor"
    if not at.green:
        return "the verification is red"
    outside = outside_scope(terms, at.changed)
    return f"paths outside the scope changed: {outside}" if outside else ""


def outside_scope(terms: ArmedTerms, paths: Sequence[str]) -> str:
    """The first paths that may not be changed; empty when all may."""
    outside = [path for path in paths if not matches(path, terms.scope)]
    more = f" and {len(outside) - 5} more" if len(outside) > 5 else ""
    return ", ".join(outside[:5]) + more


class DecisionBudget:
    """Counts rounds and decisions; nothing lifts it while the run lasts."""

    def __init__(self, decisions: int, rounds: int = ROUNDS) -> None:
        self._most_decisions, self._most_rounds = decisions, rounds
        self.decisions = self.rounds = 0

    def decide(self) -> None:
        """One more decision begins; LoopStop when there is none left."""
        if self.decisions >= self._most_decisions:
            raise BudgetOut(f"all {self._most_decisions} decisions are used up", "decision-budget")
        self.decisions += 1
        self.rounds = 0

    def round(self) -> None:
        """One more round of the decision; LoopStop when there is none left."""
        if self.rounds >= self._most_rounds:
            raise BudgetOut(f"undecided after {self._most_rounds} rounds", "round-budget")
        self.rounds += 1


class BudgetOut(LoopStop):
    """A budget is used up, or nobody is there who could decide: the run leaves what it has for a person."""

    def __init__(self, reason: str, kind: str) -> None:
        super().__init__("escalated", reason, "read UNRESOLVED.md, then decide")
        self.kind = kind


class WorkProgress:
    """Whether the work moves: more is verified, or less fails. What anybody says of it has no part in this."""

    def __init__(self) -> None:
        self._verified: frozenset[str] | None = None
        self._failing: frozenset[str] = frozenset()
        self.idle = 0
        """Rounds in a row without progress."""

    def round(self, verified: frozenset[str], failing: frozenset[str]) -> bool:
        """Take one round's result; True when the work is stalled."""
        before, self._verified = self._verified, verified
        fell, self._failing = failing < self._failing, failing
        grew = (before is None and bool(verified)) or (before is not None and verified > before)
        self.idle = 0 if grew or fell else self.idle + 1
        return self.idle >= STALLED_AFTER


class StallClock:
    """Tells whether a run hangs. Any event starts it anew; while a client compacts it stands still."""

    def __init__(self, now: float, limit: float = SILENCE) -> None:
        self._limit, self._last, self._paused = limit, now, False

    def event(self, now: float, what: str = "") -> None:
        """Something happened."""
        self._last = now
        self._paused = "compact" in what.lower()

    def stalled(self, now: float) -> bool:
        return not self._paused and now - self._last >= self._limit
