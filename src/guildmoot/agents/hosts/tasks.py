"""What a task asks of a host, what its caller allows, and what a route says; no choice is made here."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from guildmoot.agents.fields import nearest, one_of
from guildmoot.agents.files import TIERS
from guildmoot.agents.hosts.manifest import TierModel
from guildmoot.errors import InfrastructureError, UsageError

CLAUDE = "claude"
BACKENDS = {
    "team": "agent_team",
    "agent": "independent_agents",
    "subagent": "subagent",
    "auto": "",
}
NEEDS = ("pr", "parallel", "network")
AFFINITIES: dict[str, tuple[str, ...]] = {
    "interactive_lifecycle": (CLAUDE,),
    "adversarial_review": ("codex", "gemini"),
    "background_implementation": ("codex",),
    "parallel_local_lanes": (CLAUDE,),
    "graph_extraction": (),
}


class Task(NamedTuple):
    """What one task asks of a host."""

    task_id: str
    tier: str
    mode: str = "auto"
    prefer: str = ""
    """A host's id, or a kind of hosts."""
    affinity: str = ""
    tools: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    isolation: str = ""


class Terms(NamedTuple):
    """What the caller allows. Nothing here is read from the clock or the environment."""

    now: float
    cross_host: bool = False
    ttl: float = 3600.0
    """Seconds that a manifest counts."""
    escalate: bool = False
    """A higher tier may be used when the asked one is not to be had."""
    degrade: bool = False
    """A host that lacks something other than the tier may be used when none qualifies."""
    fallback_to_claude: bool = True
    """Whether a Claude host may stand in for one that failed."""
    failed: frozenset[str] = frozenset()
    """Hosts that were tried for this task and failed; the next of the chain is wanted."""
    models: Mapping[str, Mapping[str, TierModel]] = {}
    """The user's own choice by kind and tier; it goes before a manifest's."""


class Rung(NamedTuple):
    """One host that could take the task, and how it would."""

    host: str
    kind: str
    tier: str
    model: TierModel
    """An empty name is the host's own default."""
    score: int
    lacks: tuple[str, ...] = ()
    """What the task asks for and this host does not offer; empty unless degraded."""


class Rejection(NamedTuple):
    """A host that was passed over, and why."""

    host: str
    reason: str


class Route(NamedTuple):
    """Where a task goes, and where it goes when that fails."""

    task_id: str
    choice: Rung
    chain: tuple[Rung, ...]
    asked_tier: str
    degraded: bool
    independence: str
    """``strong`` when another kind of host does the work than the one that leads; else ``weak``."""
    host_diversity: int
    """Kinds of hosts among the choice and its chain."""
    rejected: tuple[Rejection, ...]
    reason: str
    notes: tuple[str, ...]
    """Every substitution, in words."""


class RouteError(InfrastructureError):
    """No host may take the task."""

    def __init__(self, message: str, hint: str, rejected: tuple[Rejection, ...]) -> None:
        super().__init__(message, hint)
        self.rejected = rejected


def check_task(task: Task) -> None:
    """Refuse a request that no host could be measured by; a tier is never guessed."""
    if not task.tier:
        raise UsageError("the task names no tier", f"Name one: {one_of(TIERS)}.")
    for name, word, known in (
        ("tier", task.tier, TIERS),
        ("mode", task.mode, tuple(BACKENDS)),
        ("affinity", task.affinity or "graph_extraction", tuple(AFFINITIES)),
        *(("need", need, NEEDS) for need in task.needs),
    ):
        if word not in known:
            message = f"{word!r} is no {name}{nearest(word, known)}"
            raise UsageError(message, f"It is one of: {', '.join(known)}.")


def wanted(task: Task, tier: str) -> frozenset[str]:
    """What a host must offer for the task at this tier, beside the tools."""
    isolation = task.isolation and f"isolation:{task.isolation}"
    return frozenset(filter(None, (tier, BACKENDS[task.mode], *task.needs, isolation)))


def next_tier(tier: str) -> str:
    """The tier above, or nothing above the highest."""
    return dict(pairwise(TIERS)).get(tier, "")
