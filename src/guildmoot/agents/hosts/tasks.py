"""What a task asks of a host, what a host lacks for it, and what a route says, in types and sentences.

The choice is made in ``routing``.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from guildmoot.agents.fields import nearest, one_of
from guildmoot.agents.hosts.manifest import Host, TierModel
from guildmoot.errors import InfrastructureError, UsageError
from guildmoot.model.settings import TIERS

CLAUDE = "claude"
ENABLED = "GUILD_CROSS_HOST_ENABLED"
_SWITCH = {"": False, "0": False, "false": False, "1": True, "true": True}
MODES = {
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

_WAYS = {
    "agent_team": "teams of agents",
    "independent_agents": "independent agents",
    "subagent": "subagents",
    "pr": "pull requests",
    "parallel": "parallel work",
    "network": "the network",
}


class HostTask(NamedTuple):
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


class RoutingTerms(NamedTuple):
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


class HostOption(NamedTuple):
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
    choice: HostOption
    chain: tuple[HostOption, ...]
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


def with_environment(terms: RoutingTerms) -> RoutingTerms:
    """The terms, with hosts of other kinds allowed where the environment says so."""
    said = os.environ.get(ENABLED, "").strip().lower()
    if said not in _SWITCH:
        raise UsageError(f"${ENABLED} must be 1 or 0, not {said!r}", "Unset it, or mend it.")
    if not 0 < terms.ttl < math.inf:
        raise UsageError(
            f"--ttl must be a number above 0, not {terms.ttl:g}", "Name it in seconds."
        )
    return terms._replace(cross_host=terms.cross_host or _SWITCH[said])


def check_task(task: HostTask) -> None:
    """Refuse a request that no host could be measured by; a tier is never guessed."""
    if not task.tier:
        raise UsageError("the task names no tier", f"Name one: {one_of(TIERS)}.")
    for name, word, known in (
        ("tier", task.tier, TIERS),
        ("mode", task.mode, tuple(MODES)),
        ("affinity", task.affinity or "graph_extraction", tuple(AFFINITIES)),
        *(("need", need, NEEDS) for need in task.needs),
    ):
        if word not in known:
            message = f"{word!r} is no {name}{nearest(word, known)}"
            raise UsageError(message, f"It is one of: {', '.join(known)}.")


def wanted(task: HostTask, tier: str) -> frozenset[str]:
    """What a host must offer for the task at this tier, beside the tools."""
    isolation = task.isolation and f"isolation:{task.isolation}"
    return frozenset(filter(None, (tier, MODES[task.mode], *task.needs, isolation)))


def next_tier(tier: str) -> str:
    """The tier above, or nothing above the highest."""
    return dict(pairwise(TIERS)).get(tier, "")


def gaps_of(
    hosts: list[Host], want: frozenset[str], tools: tuple[str, ...]
) -> list[tuple[str, ...]]:
    """What each host does not offer of what is wanted, in a fixed order; nothing when it fits."""
    gaps: list[tuple[str, ...]] = []
    known: dict[tuple[frozenset[str], frozenset[str] | None], tuple[str, ...]] = {}
    for host in hosts:
        permitted = host.tools if tools else None
        if permitted is None and want <= host.offers:
            gaps.append(())
            continue
        case = want - host.offers, permitted  # many hosts, few cases
        if case not in known:
            known[case] = _gap(*case, tools)
        gaps.append(known[case])
    return gaps


def _gap(
    missing: frozenset[str], permitted: frozenset[str] | None, tools: tuple[str, ...]
) -> tuple[str, ...]:
    closed = [tool for tool in tools if not _allows(permitted, tool)]
    return (*sorted(missing), *(f"tool:{tool}" for tool in closed))


def _allows(permitted: frozenset[str] | None, tool: str) -> bool:
    """Whether an allow-list holds the tool; ``Bash`` in it allows ``Bash(git log)`` too."""
    return permitted is None or tool in permitted or tool.partition("(")[0] in permitted


@lru_cache(maxsize=1024)  # a fleet has many hosts and few different lacks
def lack_of(lacks: tuple[str, ...]) -> str:
    """``it does not offer the tier mid, the tool Bash``."""
    return "it does not offer " + ", ".join(map(_word, lacks))


def reason_of(
    task: HostTask, choice: HostOption, chain: tuple[HostOption, ...], *, again: bool
) -> str:
    """Why this host, in one sentence."""
    alike = 1 + list(map(attrgetter("tier"), chain)).count(choice.tier)
    kind = "can be put up with" if choice.lacks else "qualify" if alike > 1 else "qualifies"
    first = f"first of {alike:,} that {kind}" if alike > 1 else f"the only one that {kind}"
    points = []
    if task.prefer in (choice.host, choice.kind):
        points.append(f"{task.prefer} is preferred")
    if choice.kind in AFFINITIES.get(task.affinity, ()):
        points.append(f"{task.affinity} suits {choice.kind}")
    weight = f": {' and '.join(points)} ({choice.score} points)" if points else ""
    return first + weight + (", after another failed" if again else "")


def notes_of(task: HostTask, choice: HostOption, chain: tuple[HostOption, ...]) -> tuple[str, ...]:
    """Everything in which the route differs from what was asked, or that nobody can vouch for."""
    return tuple(filter(None, (*_substitutions(task, choice), _above(task, choice, chain))))


def _substitutions(task: HostTask, choice: HostOption) -> tuple[str, ...]:
    raised = choice.tier != task.tier
    preferred = not task.prefer or task.prefer in (choice.host, choice.kind)
    return (
        f"tier raised from {task.tier} to {choice.tier}, as 'escalate' allows" if raised else "",
        f"degraded, as 'degrade' allows: {lack_of(choice.lacks)}" if choice.lacks else "",
        "" if preferred else f"{task.prefer} is preferred, but is not to be had",
        "" if choice.model.model else f"no model is named for {choice.tier} on {choice.host}; "
        "its own default is used, whatever tier that is",
    )  # fmt: skip


def _above(task: HostTask, choice: HostOption, chain: tuple[HostOption, ...]) -> str:
    higher = set(map(attrgetter("tier"), chain)) - {task.tier}
    if not higher or choice.tier != task.tier:
        return ""
    return f"the chain ends at the tier {higher.pop()}, as 'escalate' allows"


def _word(lack: str) -> str:
    kind, _, name = lack.partition(":")
    if name:
        return f"the {kind} {name}"
    return f"the tier {lack}" if lack in TIERS else _WAYS[lack]
