"""The verbs for recorded runs, whatever practice made them."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from guildmoot.api.judge import check_texts, relay
from guildmoot.calls import Watch
from guildmoot.config import Value
from guildmoot.errors import UsageError
from guildmoot.guard.settings import settings_for
from guildmoot.runs import resume as again
from guildmoot.runs.index import RunQuery, RunsFound, find_run, select_runs
from guildmoot.runs.practice import Practice, Report, practice_of
from guildmoot.system.git import project_root
from guildmoot.system.threads import in_project, off_loop

if TYPE_CHECKING:
    from guildmoot.model.council import CouncilReport
    from guildmoot.practices.recheck import Recheck
    from guildmoot.practices.run_diff import RunDiff
    from guildmoot.runs.gc import ClearedRuns


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
    return await _again(request, lambda root, run: again.resume(root, run, request.settings, told))


async def replay(request: RunRequest) -> Report:
    """Weigh a run's recorded replies again; nothing is called, spent or written."""
    return await _again(request, lambda root, run: again.replay(root, run, request.settings))


async def rerun(request: RunRequest, watch: Watch | None = None) -> Report:
    """A new run in which ``seats`` are asked again and the others keep what they said."""
    check_texts(seats=request.seats)
    told = relay(watch)
    return await _again(
        request, lambda root, run: again.rerun(root, run, request.seats, request.settings, told)
    )


async def _again(
    request: RunRequest, action: Callable[[Path, Path], Coroutine[Any, Any, Report]]
) -> Report:
    async def work() -> Report:
        return await action(*_find(request))

    return await off_loop(work())


class ClearRequest(NamedTuple):
    """Which recorded runs are cleared away, with what only they have in the ledger."""

    keep: int = 20
    """So many of the newest stay."""
    older_than: float | None = None
    """Only runs older than so many days."""
    dry_run: bool = False
    cwd: Path = Path()


async def list_runs(query: RunQuery = RunQuery(), cwd: Path = Path()) -> RunsFound:  # noqa: B008 - a frozen value
    """The recorded runs, newest first."""
    return await in_project(cwd, lambda root: select_runs(root, query))


async def clear_runs(request: ClearRequest) -> ClearedRuns:
    """Clear old runs away; one under way always stays."""
    return await in_project(request.cwd, lambda root: clear(root, request))


async def compare(before: str, now: str, cwd: Path = Path()) -> RunDiff:
    """What changed between two runs: verdicts, who changed sides, which issues are fixed or new."""
    return await in_project(cwd, lambda root: compare_recorded(root, before, now))


async def recheck(run: str = "last", *, head: bool = False, cwd: Path = Path()) -> Recheck:
    """Whether a run's findings still hold, in the working tree or in the last commit."""
    return await in_project(cwd, lambda root: recheck_recorded(root, run, head=head))


async def show_council(run: str = "last", cwd: Path = Path()) -> CouncilReport:
    """The report of a recorded council; nothing is called or written."""
    from guildmoot.model.council import CouncilReport

    report = await replay(RunRequest(run, cwd=cwd))
    if not isinstance(report, CouncilReport):
        raise UsageError("this run is no council", "'guild runs show' tells what it is.")
    return report


def clear(root: Path, request: ClearRequest) -> ClearedRuns:
    """What ``clear_runs`` awaits."""
    from guildmoot.runs import gc

    age = timedelta(days=request.older_than) if request.older_than is not None else None
    return gc.clear_runs(
        root, datetime.now(UTC), keep=request.keep, older_than=age, dry_run=request.dry_run
    )


def compare_recorded(root: Path, before: str, now: str) -> RunDiff:
    """What ``compare`` awaits."""
    from guildmoot.practices.run_diff import compare_runs, load_past_run

    return compare_runs(load_past_run(root, before), load_past_run(root, now))


def recheck_recorded(root: Path, run: str, *, head: bool = False) -> Recheck:
    """What ``recheck`` awaits."""
    from guildmoot.practices import recheck as practice
    from guildmoot.practices.run_diff import load_past_run

    return practice.recheck(root, load_past_run(root, run), settings_for(root), head=head)


def practice_for(request: RunRequest) -> Practice[Any]:
    """The practice that made the run: how its report is shown."""
    return practice_of(_find(request)[1])


def _find(request: RunRequest) -> tuple[Path, Path]:
    root = project_root(request.cwd.absolute())
    return root, find_run(root, request.run) if request.run else again.unfinished(root)
