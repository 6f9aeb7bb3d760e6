"""Chooses the host and the model for one task: a pure function over mode, tier and host.

1. Policy first: a host that is stale, failed before, or of another kind while cross-host work is off
   is out, and no consent brings it back.
2. A host qualifies when it offers the tier, the way of running agents, the tools and the rest.
3. Rank: 100 for the preferred host or kind, 10 for the affinity; then the kinds' order, then the id.
4. The chain, for when the chosen host fails: others at the same tier, and with ``escalate`` the
   chosen host one tier up and others one tier up. Other Claude hosts come last in it.
5. When none qualifies, ``degrade`` takes those that offer the tier, the fewest lacks first.

A tier is never lowered. It is raised only with ``escalate``, and a lack is put up with only with
``degrade``; the route says so each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise, repeat
from operator import attrgetter

from guildmoot.agents.hosts.manifest import KINDS, NEVER, Host, TierModel
from guildmoot.agents.hosts.tasks import (
    AFFINITIES,
    CLAUDE,
    HostOption,
    HostTask,
    Rejection,
    Route,
    RouteError,
    RoutingTerms,
    check_task,
    gaps_of,
    lack_of,
    next_tier,
    notes_of,
    reason_of,
    wanted,
)
from guildmoot.errors import UsageError
from guildmoot.model.settings import TIER_TABLE

BUILT_IN: dict[str, dict[str, TierModel]] = {
    CLAUDE: {tier.name: TierModel(tier.claude) for tier in TIER_TABLE}
}
PREFERRED, AFFINE = 100, 10
_NO_FALLBACK = "Claude is no fallback here"
SKEW = 300.0  # seconds that another machine's clock may be ahead of ours
_NO_MODEL = TierModel()
# What HostOption._make does, without a call into Python for each of a thousand hosts.
_make_option: Callable[[tuple[object, ...]], HostOption] = partial(tuple.__new__, HostOption)


def route(task: HostTask, hosts: Sequence[Host], terms: RoutingTerms) -> Route:
    """The best host for the task and its fallback chain; RouteError when there is none.

    The order of ``hosts`` does not matter. ``failed`` with the chosen host gives the next in line.
    """
    check_task(task)
    eligible, barred = _by_policy(_by_id(hosts), terms)
    ranked = _ranked(eligible, task)
    gaps = gaps_of(ranked, wanted(task, task.tier), task.tools)
    same = _options(_fitting(ranked, gaps), task, task.tier, terms)
    raised = _raised(ranked, task, terms) if terms.escalate else []
    if terms.degrade and not same and not raised:
        same = _degraded(ranked, gaps, task, terms)
    choice = _first_of(same, raised, again=bool(terms.failed))
    rejected = _rejected(barred, ranked, gaps, [*same, *raised])
    if choice is None:
        raise _no_host(task, ranked, terms, rejected)
    chain = _chain_of(choice, same, raised)
    if not terms.fallback_to_claude:
        chain, left = _without_claude(choice, chain)
        rejected = tuple(sorted((*rejected, *left)))
    return _route(task, terms, choice, chain, rejected)


def is_fresh(host: Host, now: float, ttl: float) -> bool:
    """Whether a manifest still counts."""
    return now - ttl < host.advertised <= now + SKEW


def _by_id(hosts: Iterable[Host]) -> list[Host]:
    ordered = sorted(hosts, key=attrgetter("host_id"))
    if len({host.host_id for host in ordered}) < len(ordered):
        names = [host.host_id for host in ordered]
        twice = next(name for name, after in pairwise(names) if name == after)
        raise UsageError(
            f"two manifests are called {twice!r}, and nobody can tell which is meant",
            "Give each host an id of its own.",
        )
    return ordered


def _by_policy(hosts: list[Host], terms: RoutingTerms) -> tuple[list[Host], list[Rejection]]:
    oldest, newest = terms.now - terms.ttl, terms.now + SKEW
    kinds = set(KINDS if terms.cross_host else (CLAUDE,))
    if terms.failed and not terms.fallback_to_claude:
        kinds.discard(CLAUDE)
    eligible = [
        host
        for host in hosts
        if oldest < host.advertised <= newest
        and host.kind in kinds
        and host.host_id not in terms.failed
    ]
    if len(eligible) == len(hosts):
        return hosts, []
    kept = {host.host_id for host in eligible}
    out = [host for host in hosts if host.host_id not in kept]
    return eligible, [Rejection(host.host_id, _barred(host, terms)) for host in out]


def _barred(host: Host, terms: RoutingTerms) -> str:
    if host.host_id in terms.failed:
        return "it failed before"
    if host.kind != CLAUDE and not terms.cross_host:
        return f"cross-host work is off, and it is a {host.kind} host"
    if host.advertised == NEVER:
        return "stale: its manifest has no time that can be read, with a zone"
    if host.advertised > terms.now + SKEW:
        return "stale: its manifest is dated in the future"
    if host.advertised <= terms.now - terms.ttl:
        return f"stale: its manifest is older than {terms.ttl:g} s"
    return _NO_FALLBACK


def _ranked(hosts: list[Host], task: HostTask) -> list[Host]:
    """Best first; the hosts come by id, and sorting keeps that order among equals."""
    place = {kind: at - len(KINDS) * _score(kind, task) for at, kind in enumerate(KINDS)}
    if task.prefer in KINDS or not task.prefer:
        return sorted(hosts, key=lambda host: place[host.kind])
    return sorted(hosts, key=lambda host: (host.host_id != task.prefer, place[host.kind]))


def _score(kind: str, task: HostTask) -> int:
    affine = kind in AFFINITIES.get(task.affinity, ())
    return PREFERRED * (task.prefer == kind) + AFFINE * affine


def _fitting(hosts: list[Host], gaps: list[tuple[str, ...]]) -> list[Host]:
    return [host for host, gap in zip(hosts, gaps, strict=True) if not gap] if any(gaps) else hosts


def _raised(hosts: list[Host], task: HostTask, terms: RoutingTerms) -> list[HostOption]:
    tier = next_tier(task.tier)
    if not tier:
        return []
    gaps = gaps_of(hosts, wanted(task, tier), task.tools)
    return _options(_fitting(hosts, gaps), task, tier, terms)


def _degraded(
    hosts: list[Host], gaps: list[tuple[str, ...]], task: HostTask, terms: RoutingTerms
) -> list[HostOption]:
    """Those with the fewest lacks first; one without the tier is not among them."""
    able = [pair for pair in zip(hosts, gaps, strict=True) if task.tier in pair[0].offers]
    options = _options([host for host, _ in able], task, task.tier, terms, [gap for _, gap in able])
    return sorted(options, key=lambda option: len(option.lacks))


def _options(
    hosts: list[Host],
    task: HostTask,
    tier: str,
    terms: RoutingTerms,
    gaps: Iterable[tuple[str, ...]] = repeat(()),
) -> list[HostOption]:
    """The hosts as options, in the same order."""
    kinds = [host.kind for host in hosts]
    ours = {kind: terms.models.get(kind, {}).get(tier) for kind in KINDS}
    built_in = {kind: BUILT_IN.get(kind, {}).get(tier, _NO_MODEL) for kind in KINDS}
    scores = {kind: _score(kind, task) for kind in KINDS}
    models = [ours[host.kind] or host.models.get(tier) or built_in[host.kind] for host in hosts]
    ids = map(attrgetter("host_id"), hosts)
    points = map(scores.__getitem__, kinds)
    columns = zip(ids, kinds, repeat(tier), models, points, gaps, strict=False)
    found = list(map(_make_option, columns))
    if found and found[0].host == task.prefer != found[0].kind:
        found[0] = found[0]._replace(score=found[0].score + PREFERRED)
    return found


def _rejected(
    barred: list[Rejection],
    hosts: list[Host],
    gaps: list[tuple[str, ...]],
    options: list[HostOption],
) -> tuple[Rejection, ...]:
    """By id; a host that is an option after all, at another tier or degraded, is not among them."""
    if not any(gaps):
        return tuple(barred)
    taken = {option.host for option in options}
    lacking = [
        Rejection(host.host_id, lack_of(gap))
        for host, gap in zip(hosts, gaps, strict=True)
        if gap and host.host_id not in taken
    ]
    return tuple(sorted((*barred, *lacking)))


def _route(
    task: HostTask,
    terms: RoutingTerms,
    choice: HostOption,
    chain: tuple[HostOption, ...],
    rejected: tuple[Rejection, ...],
) -> Route:
    return Route(
        task_id=task.task_id,
        choice=choice,
        chain=chain,
        asked_tier=task.tier,
        degraded=bool(choice.lacks),
        independence="weak" if choice.kind == CLAUDE else "strong",
        host_diversity=len({choice.kind, *map(attrgetter("kind"), chain)}),
        rejected=rejected,
        reason=reason_of(task, choice, chain, again=bool(terms.failed)),
        notes=notes_of(task, choice, chain),
    )


def _no_host(
    task: HostTask, ranked: list[Host], terms: RoutingTerms, rejected: tuple[Rejection, ...]
) -> RouteError:
    looked = f"{len(rejected):,} {'was' if len(rejected) == 1 else 'were'} looked at"
    return RouteError(
        f"no host may take {task.task_id} at the tier {task.tier}; {looked}",
        _way_out(task, ranked, terms),
        rejected,
    )


def _way_out(task: HostTask, ranked: list[Host], terms: RoutingTerms) -> str:
    """Which consent would have helped."""
    raised = _raised(ranked, task, terms)
    if raised:
        return f"With 'escalate' {raised[0].host} could take it at the tier {raised[0].tier}."
    gaps = gaps_of(ranked, wanted(task, task.tier), task.tools)
    lesser = _degraded(ranked, gaps, task, terms)
    if lesser:
        return f"With 'degrade' {lesser[0].host} could take it, though {lack_of(lesser[0].lacks)}."
    return "Mend what keeps one of them out, or let it advertise itself again."


def _first_of(
    same: list[HostOption], raised: list[HostOption], *, again: bool
) -> HostOption | None:
    """After a failure the chain's order counts, in which Claude is last."""
    line = [*same, *raised]
    if again:
        line.sort(key=lambda option: option.kind == CLAUDE)
    return line[0] if line else None


def _chain_of(
    choice: HostOption, same: list[HostOption], raised: list[HostOption]
) -> tuple[HostOption, ...]:
    """Same tier elsewhere, the chosen host one tier up, one tier up elsewhere, then Claude."""
    others, higher = (
        [each for each in line if each.host != choice.host] for line in (same, raised)
    )
    own = [option for option in raised if option.host == choice.host and option != choice]
    chain = [*others, *own, *higher]
    chain.sort(key=lambda option: option.kind == CLAUDE and option.host != choice.host)
    return tuple(chain)


def _without_claude(
    choice: HostOption, chain: tuple[HostOption, ...]
) -> tuple[tuple[HostOption, ...], set[Rejection]]:
    """The chain for a caller who does not want Claude to stand in, and who is left out by that."""
    kept = tuple(option for option in chain if option.kind != CLAUDE or option.host == choice.host)
    left = {option.host for option in chain} - {option.host for option in kept}
    return kept, {Rejection(host, _NO_FALLBACK) for host in left}
