"""How risky it is to change one item, by declared rules and measured signals; explained for each. Pure."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from typing import NamedTuple

BATCHES = {1: (10, 30), 2: (5, 15), 3: (1, 5)}
"""Smallest and largest batch by tier; tier 4 and up go one at a time, to a person."""
HIGHEST = 4
_COVERED = 60.0
_CRITICAL = ("*auth*", "*security*", "*payment*", "*billing*", "*crypt*", "*migration*", "*secret*")


class Signals(NamedTuple):
    """What was measured of one item."""

    lines: int = 0
    hits: int = 1
    """How often the pattern is in it."""
    dependents: int = 0
    """Other files that import it."""
    has_test: bool = True
    churn: int = 0
    """Commits of the last half year that touched it."""
    coverage: float | None = None
    """Per cent of its lines that tests ran; None where no report says so."""


class TierRule(NamedTuple):
    """What the user declared: paths of this form are of this tier."""

    glob: str
    tier: int


class Assigned(NamedTuple):
    """A tier, and why."""

    tier: int
    why: str


def assign(path: str, signals: Signals, rules: Sequence[TierRule] = ()) -> Assigned:
    """The first declared rule that fits, else what the signals add up to."""
    for rule in rules:
        if fnmatch.fnmatchcase(path, rule.glob):
            return Assigned(rule.tier, f"declared: {rule.glob}")
    reasons = []
    points = 0
    for limit, weight, name, value in (
        (300, 1, "lines", signals.lines), (1500, 1, "lines", signals.lines),
        (5, 1, "hits", signals.hits), (20, 1, "hits", signals.hits),
        (5, 1, "dependents", signals.dependents), (25, 1, "dependents", signals.dependents),
        (20, 1, "recent commits", signals.churn),
    ):  # fmt: skip
        if value > limit:
            points += weight
            reasons.append(f"{value} {name}")
    if signals.coverage is not None and signals.coverage < _COVERED:
        points += 1
        reasons.append(f"{signals.coverage:.0f} % covered by tests")
    elif signals.coverage is None and not signals.has_test:
        points += 1
        reasons.append("no test of it")
    if any(fnmatch.fnmatchcase(path.lower(), glob) for glob in _CRITICAL):
        points += 2
        reasons.append("a critical path")
    tier = 1 if points <= 1 else 2 if points <= 3 else 3 if points <= 5 else HIGHEST
    measured = f"{signals.lines} lines, {signals.hits} hits, {signals.dependents} dependents"
    return Assigned(tier, "; ".join(dict.fromkeys(reasons)) or f"low risk: {measured}")


class BatchSize:
    """How many items the next unit of a tier takes: fewer after a failure, more when all goes well."""

    def __init__(self, tier: int, largest: int = 0) -> None:
        self._least, self._most = BATCHES.get(tier, (1, 1))
        if largest:
            self._most = largest
            self._least = min(self._least, largest)
        self.size = self._least

    def passed(self, slow: bool) -> None:
        """After a unit landed; a slow verification does not let it grow."""
        if not slow:
            self.size = min(self._most, self.size * 2)
        else:
            self.size = max(1, self.size // 2)

    def failed(self) -> None:
        """After a unit was flagged or failed."""
        self.size = max(1, self.size // 2)

    def cut(self, paths: Sequence[str], jobs: int = 1) -> list[list[str]]:
        """The next batches, at most as many as may be proven at once."""
        starts = range(0, min(len(paths), self.size * max(1, jobs)), self.size)
        return [list(paths[start : start + self.size]) for start in starts]
