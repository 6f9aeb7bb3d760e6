"""Routing: one task over 1,000 hosts, when all of them qualify and when most are turned away.

The ratio is against doing nothing but sorting the same hosts by id.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from operator import attrgetter

from yardstick import slowness

from guildmoot.agents.hosts.manifest import Host, TierModel
from guildmoot.agents.hosts.routing import route
from guildmoot.agents.hosts.tasks import HostTask, RoutingTerms

BOUND_MS = 5.0
HOSTS = 1_000
ROUNDS = 200
NOW = 1_800_000_000.0
KINDS = ("claude", "codex", "gemini")
ALL = frozenset({"cheap", "mid", "powerful", "agent_team", "independent_agents", "parallel"})


def able(number: int) -> Host:
    """A host that can do everything."""
    models = {"mid": TierModel(f"model-{number % 5}")}
    return Host(f"host-{number * 7919 % HOSTS:04}", KINDS[number % 3], NOW, ALL, models=models)


def mixed(number: int) -> Host:
    """One in ten is stale, others lack a tier, a backend or a tool; a third can do everything."""
    host = able(number)
    if number % 10 == 0:
        return host._replace(advertised=NOW - 7200)
    gaps = (ALL, ALL - {"mid"}, ALL - {"independent_agents"}, ALL, ALL - {"parallel"})
    return host._replace(
        offers=gaps[number % 5], tools=frozenset({"Read"} if number % 4 else {"Read", "Bash"})
    )


def milliseconds(work: Callable[[], object]) -> float:
    """The least time of many runs."""
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times) * 1000


def main() -> int:
    """Print the times; 1 when the bound is missed."""
    task = HostTask("T1", "mid", "agent", "codex", "adversarial_review", ("Bash",), ("parallel",))
    terms = RoutingTerms(NOW, cross_host=True)
    missed, bound = 0, BOUND_MS * slowness()
    for name, make, asked in (
        ("all qualify", able, terms),
        ("all qualify, escalate", able, terms._replace(escalate=True)),
        ("most turned away", mixed, terms),
        ("nobody qualifies, degrade", able, terms._replace(degrade=True)),
    ):
        hosts = [make(number) for number in range(HOSTS)]
        wants = task._replace(needs=("pr",)) if asked.degrade else task
        sorting = milliseconds(lambda hosts=hosts: sorted(hosts, key=attrgetter("host_id")))
        took = milliseconds(lambda a=wants, hosts=hosts, b=asked: route(a, hosts, b))
        missed += took > bound
        print(
            f"route, {HOSTS:,} hosts, {name}: {took:.2f} ms "
            f"(bound {bound:.1f}, aim 1), {took / sorting:.1f} times sorting them"
        )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
