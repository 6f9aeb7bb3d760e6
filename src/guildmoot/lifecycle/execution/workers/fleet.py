"""The hosts of a project as a rung of the ladder: whether lanes may go to one, and which rung is below."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.agents.hosts.answers import answer_of
from guildmoot.agents.hosts.folder import load_hosts
from guildmoot.agents.hosts.tasks import HostTask, RoutingTerms, with_environment
from guildmoot.calls.cluster import check_installed
from guildmoot.calls.session import engine_url
from guildmoot.config import Config
from guildmoot.errors import InfrastructureError, UndecidedError, UsageError
from guildmoot.lifecycle.execution.workers.base import LaneJob, LaneWorkers
from guildmoot.lifecycle.execution.workers.link import LaneLink
from guildmoot.lifecycle.execution.workers.remote import RemoteWorkers
from guildmoot.lifecycle.execution.workers.routes import LaneRoutes, lane_routes
from guildmoot.lifecycle.execution.worktrees import RunRepository
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.model.settings import TIERS

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from guildmoot.calls.cluster.lanes import LaneWorker

Local = Callable[[], LaneWorkers]


def is_open(config: Config, asked: str) -> bool:
    """Whether ``auto`` looks at hosts at all: an engine is named, and work may leave this machine."""
    return (
        asked == "auto"
        and bool(engine_url(config))
        and with_environment(RoutingTerms(0.0)).cross_host
    )


def choose_hosts(
    config: Config, root: Path, run_folder: Path, local: Local | None = None
) -> LaneWorkers:
    """The hosts, with whoever works here below them; without ``local`` they are refused where none may take a lane."""
    url = engine_url(config)
    if not url:
        raise UsageError(
            "hosts take lanes through a shared engine, and none is named",
            "Set GUILD_ENGINE_URL, or engine.url in your own settings; docs/cluster.md tells more.",
        )
    check_installed()
    try:
        link = LaneLink(url, config.number("engine.wait"), run_folder)
        fleet = HostFleet(root, link)
        found = [fleet.routes(HostTask("any lane", tier))[0] for tier in TIERS]
    except InfrastructureError as away:
        if local is None:
            raise
        return _below(local, away.message)
    may = {each.host: each.kind for route in found for each in route.options}
    link.rest()
    if not may:
        return _refused(found[0], local)
    below = _tried(local)
    named = ", ".join(f"{name} ({kind})" for name, kind in sorted(may.items()))
    then = f"; where none may take a lane: {below.why}" if below else "; no rung is below them"
    return RemoteWorkers(
        link, RunRepository(WorkFolder(root), run_folder.name), fleet.for_job, below,
        f"lanes go to hosts by guild hosts: {named}{then}",
    )  # fmt: skip


def _refused(found: LaneRoutes, local: Local | None) -> LaneWorkers:
    if local:
        return _below(local, found.why)
    if found.asks:
        raise UndecidedError(
            f"{found.asks[0]} asks before a lane's files leave this machine",
            f"guild hosts approve {found.asks[0]} --yes (or --no), then run it again.",
        )
    raise InfrastructureError(
        f"no host may take a lane: {found.why}",
        "Start guild worker --lanes on one, mend what keeps it out, or leave --mode hosts away.",
    )


def _below(local: Local, why: str) -> LaneWorkers:
    """Whoever works here, and why no host does; nothing is degraded silently."""
    found = local()
    found.why = f"no host may take lanes ({why}); {found.why}"
    return found


def _tried(local: Local | None) -> LaneWorkers | None:
    try:
        return local() if local else None
    except UsageError:  # nobody is named who works here
        return None


class HostFleet:
    """The hosts of a project as they are at this moment."""

    def __init__(self, root: Path, link: LaneLink) -> None:
        self._root, self._link = root, link

    def routes(
        self, task: HostTask, failed: frozenset[str] = frozenset()
    ) -> tuple[LaneRoutes, dict[str, LaneWorker]]:
        """Where a task may go, and the workers of these that have room."""
        fleet = load_hosts(self._root)
        answers = {host.host_id: answer_of(self._root, host) for host in fleet.hosts}
        terms = with_environment(RoutingTerms(time.time(), failed=failed))
        workers, loads = self._link.ask(_present)
        free = {each.name: each for each in workers if loads.get(each.name, 0) < each.slots}
        return lane_routes(task, fleet, workers, answers, terms), free

    def for_job(
        self, job: LaneJob, failed: frozenset[str]
    ) -> tuple[LaneRoutes, dict[str, LaneWorker]]:
        """The same for a lane."""
        return self.routes(HostTask(job.task, job.tier, tools=job.tools), failed)


def _present(connection: Connection) -> tuple[list[LaneWorker], dict[str, int]]:
    from guildmoot.calls.cluster import lanes

    return lanes.lane_workers(connection), lanes.loads_of(connection)
