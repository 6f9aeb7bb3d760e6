"""Which of the project's hosts may take a lane now: by their manifests, their workers, and a person's word. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from guildmoot.agents.hosts.folder import Fleet
from guildmoot.agents.hosts.manifest import Host
from guildmoot.agents.hosts.routing import route
from guildmoot.agents.hosts.tasks import HostOption, HostTask, RouteError, RoutingTerms
from guildmoot.model.settings import TIERS
from guildmoot.text.clean import one_line

if TYPE_CHECKING:
    from guildmoot.calls.cluster.lanes import LaneWorker


class LaneRoutes(NamedTuple):
    """Where a lane may go."""

    options: tuple[HostOption, ...]
    """The first choice, then its fallback chain."""
    why: str
    """Why the first is first; or why there is none."""
    asks: tuple[str, ...] = ()
    """Hosts that could take it once a person says so."""


def lane_routes(
    task: HostTask, fleet: Fleet, workers: Sequence[LaneWorker], answers: Mapping[str, str | None],
    terms: RoutingTerms,
) -> LaneRoutes:  # fmt: skip
    """The hosts for a lane in order, each with a worker that is alive; a tier is never changed."""
    alive = {worker.name: worker for worker in workers}
    barred = {host.host_id: _barred(host, alive, answers) for host in fleet.hosts}
    open_to = [
        _as_it_is(host, alive[host.host_id], terms.now)
        for host in fleet.hosts
        if not barred[host.host_id]
    ]
    asks = tuple(name for name, why in barred.items() if why.startswith("it asks"))
    passed = [f"{name}: {why}" for name, why in barred.items() if why]
    passed += [f"{each.host_id}: refused: {each.reasons[0]}" for each in fleet.refused]
    unknown = sorted(set(alive) - {host.host_id for host in fleet.hosts})
    passed += [f"{name}: it has no manifest in .guild/hosts" for name in unknown]
    try:
        found = route(task, open_to, terms)
    except RouteError as wrong:
        passed = [*(f"{each.host}: {each.reason}" for each in wrong.rejected), *passed]
        said = "; ".join(passed) or "no worker that does lanes is alive, and there is no manifest"
        return LaneRoutes((), one_line(said)[:600], asks)
    return LaneRoutes((found.choice, *found.chain), found.reason, asks)


def _barred(host: Host, alive: Mapping[str, LaneWorker], answers: Mapping[str, str | None]) -> str:
    """Why no lane goes to a host, whatever the lane; empty when one may."""
    name, said = host.host_id, answers.get(host.host_id)
    if host.egress == "deny":
        return "its manifest says egress: deny, and a lane's files would leave this machine"
    if said == "denied":
        return "you said no to it"
    if name not in alive:
        return f"no worker of its name does lanes (there: guild worker --lanes 1 --name {name})"
    if host.egress == "always-ask" and said != "approved":
        return f"it asks first: guild hosts approve {name} --yes"
    return ""


def _as_it_is(host: Host, worker: LaneWorker, now: float) -> Host:
    """The manifest, held to the tiers of its worker, whose heartbeat is newer than any file."""
    lacking = set(TIERS) - set(worker.tiers)
    return host._replace(offers=host.offers - lacking, advertised=now)
