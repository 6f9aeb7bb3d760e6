"""The verbs that ask agents without a panel's verdict: spawn, a whiteboard's rounds, probes."""

from __future__ import annotations

from guildmoot.api.judge import relay
from guildmoot.calls import Watch
from guildmoot.config import process_config
from guildmoot.practices.probe.run import PROBE, ProbeReport, ProbeRequest
from guildmoot.practices.spawn import SpawnRequest, SpawnResult, run_agents
from guildmoot.practices.whiteboard.request import WhiteboardRequest
from guildmoot.practices.whiteboard.run import WHITEBOARD_RUN
from guildmoot.reports.whiteboard import BoardReport
from guildmoot.runs.practice import Practice, R
from guildmoot.system.git import project_root
from guildmoot.system.threads import off_loop


async def spawn(request: SpawnRequest) -> SpawnResult:
    """Run any number of agents at once on one brief; what each said, in the order asked."""

    async def work() -> SpawnResult:
        return await run_agents(request._replace(root=project_root(request.root.absolute())))

    return await off_loop(work())


async def whiteboard(request: WhiteboardRequest, watch: Watch | None = None) -> BoardReport:
    """Have several engineers design on one board, round after round."""
    return await _run(WHITEBOARD_RUN, request, watch)


async def probe(request: ProbeRequest, watch: Watch | None = None) -> ProbeReport:
    """Put every probe and the canaries before every seat, and record how far each can be trusted."""
    return await _run(PROBE, request, watch)


async def _run(
    practice: Practice[R], request: WhiteboardRequest | ProbeRequest, watch: Watch | None
) -> R:
    told = relay(watch)

    async def work() -> R:
        root = project_root(request.root.absolute())
        config = process_config(root, request.settings)
        return await practice.run(request._replace(root=root), config, told)

    return await off_loop(work())
