"""The verbs for recorded runs, whatever practice made them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from guildmoot.api.judge import relay
from guildmoot.calls import Watch
from guildmoot.config import Value
from guildmoot.runs.index import find_run
from guildmoot.runs.practice import Practice, Report, practice_of
from guildmoot.runs.resume import replay as replay_run
from guildmoot.runs.resume import rerun as rerun_run
from guildmoot.runs.resume import resume as resume_run
from guildmoot.runs.resume import unfinished
from guildmoot.system.git import project_root
from guildmoot.system.threads import off_loop


class RunRequest(NamedTuple):
    """A recorded run, and what is to be different this time."""

    run: str = ""
    """An id, the start of one, or ``last``; empty is the newest unfinished run."""
    settings: Mapping[str, Value] = MappingProxyType({})
    """Settings over the recorded ones."""
    seats: tuple[str, ...] = ()
    """For ``rerun``: who is asked again."""
    cwd: Path = Path()


async def resume(request: RunRequest, watch: Watch | None = None) -> Report:
    """Go on with a run that was stopped or killed; what was answered stands and costs nothing."""
    told = relay(watch)

    async def work() -> Report:
        root, folder = _find(request)
        return await resume_run(root, folder, request.settings, told)

    return await off_loop(work())


async def replay(request: RunRequest) -> Report:
    """Weigh a run's recorded replies again; nothing is called, spent or written."""

    async def work() -> Report:
        root, folder = _find(request)
        return await replay_run(root, folder, request.settings)

    return await off_loop(work())


async def rerun(request: RunRequest, watch: Watch | None = None) -> Report:
    """A new run in which ``seats`` are asked again and the others keep what they said."""
    told = relay(watch)

    async def work() -> Report:
        root, folder = _find(request)
        return await rerun_run(root, folder, request.seats, request.settings, told)

    return await off_loop(work())


def practice_for(request: RunRequest) -> Practice[Any]:
    """The practice that made the run: how its report is shown."""
    return practice_of(_find(request)[1])


def _find(request: RunRequest) -> tuple[Path, Path]:
    root = project_root(request.cwd.absolute())
    return root, find_run(root, request.run) if request.run else unfinished(root)
