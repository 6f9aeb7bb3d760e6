"""The sentences of a route: why this host, what it lacks, and what differs from what was asked."""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter

from guildmoot.agents.files import TIERS
from guildmoot.agents.hosts.tasks import AFFINITIES, Rung, Task

_WAYS = {
    "agent_team": "teams of agents",
    "independent_agents": "independent agents",
    "subagent": "subagents",
    "pr": "pull requests",
    "parallel": "parallel work",
    "network": "the network",
}


@lru_cache(maxsize=1024)  # a fleet has many hosts and few different lacks
def lack_of(lacks: tuple[str, ...]) -> str:
    """``it does not offer the tier mid, the tool Bash``."""
    return "it does not offer " + ", ".join(map(_word, lacks))


def reason_of(task: Task, choice: Rung, chain: tuple[Rung, ...], *, again: bool) -> str:
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


def notes_of(task: Task, choice: Rung, chain: tuple[Rung, ...]) -> tuple[str, ...]:
    """Everything in which the route differs from what was asked, or that nobody can vouch for."""
    return tuple(filter(None, (*_substitutions(task, choice), _above(task, choice, chain))))


def _substitutions(task: Task, choice: Rung) -> tuple[str, ...]:
    raised = choice.tier != task.tier
    preferred = not task.prefer or task.prefer in (choice.host, choice.kind)
    return (
        f"tier raised from {task.tier} to {choice.tier}, as 'escalate' allows" if raised else "",
        f"degraded, as 'degrade' allows: {lack_of(choice.lacks)}" if choice.lacks else "",
        "" if preferred else f"{task.prefer} is preferred, but is not to be had",
        "" if choice.model.model else f"no model is named for {choice.tier} on {choice.host}; "
        "its own default is used, whatever tier that is",
    )  # fmt: skip


def _above(task: Task, choice: Rung, chain: tuple[Rung, ...]) -> str:
    higher = set(map(attrgetter("tier"), chain)) - {task.tier}
    if not higher or choice.tier != task.tier:
        return ""
    return f"the chain ends at the tier {higher.pop()}, as 'escalate' allows"


def _word(lack: str) -> str:
    kind, _, name = lack.partition(":")
    if name:
        return f"the {kind} {name}"
    return f"the tier {lack}" if lack in TIERS else _WAYS[lack]
