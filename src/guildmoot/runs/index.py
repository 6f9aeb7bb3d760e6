"""Which runs there are, newest first, what each came to, and what those of one parent cost together."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import InfrastructureError, UsageError
from guildmoot.runs.practice import PRACTICES, practice
from guildmoot.runs.record import is_running, read_part, runs_folder
from guildmoot.runs.rows import Rows, RunSummary, Summary, kind_of, make_row

_RUN_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}")


class RunsCost(NamedTuple):
    """What several runs cost together."""

    usd: float
    unknown: tuple[str, ...]
    """Runs whose price is not known; they are not in the sum."""


def started(run_id: str) -> datetime:
    """When the run of that name was begun."""
    return datetime.strptime(run_id[:15], "%Y%m%d-%H%M%S").replace(tzinfo=UTC)


def list_runs(root: Path, newest: int | None = None) -> list[RunSummary]:
    """The newest runs, or all; newest first. Only runs without a line in the index are read."""
    runs = runs_folder(root)
    names = _names(runs)
    rows = Rows(runs) if names else None
    found: list[RunSummary] = []
    missing: list[tuple[int, RunSummary]] = []
    for name in names[:newest]:
        try:
            changed = os.stat(f"{runs}/{name}").st_mtime_ns
        except OSError:  # taken away since
            continue
        row = rows.get(name, changed) if rows else None
        if row is None:
            row = _read_row(runs / name)
            if not is_running(runs / name):  # its writer may be about to change it
                missing.append((changed, row))
        found.append(_with_state(row))
    if rows and missing:
        rows.add(missing, names)
    return found


def runs_beneath(runs: Sequence[RunSummary], parent: str) -> list[RunSummary]:
    """Those of ``runs`` that are part of the run ``parent``, also through others, in their order."""
    beneath, size = {parent}, 0
    while len(beneath) > size:
        size = len(beneath)
        beneath |= {run.run_id for run in runs if run.parent in beneath}
    return [run for run in runs if run.run_id in beneath - {parent}]


class RunQuery(NamedTuple):
    """Which recorded runs are wanted."""

    kind: str = ""
    """``panel``, ``council``, ``vibe`` ...; empty is any."""
    parent: str = ""
    """Only those that are part of this run."""
    most: int | None = None


class RunsFound(NamedTuple):
    """The runs of a query, newest first."""

    runs: list[RunSummary]
    parent: str
    """The whole id of the run that they are part of; empty when none was named."""


def select_runs(root: Path, query: RunQuery) -> RunsFound:
    """The recorded runs that a query asks for."""
    if not query.parent and not query.kind:
        return RunsFound(list_runs(root, query.most), "")
    parent = find_run(root, query.parent).name if query.parent else ""
    runs = runs_beneath(list_runs(root), parent) if parent else list_runs(root)
    return RunsFound([run for run in runs if query.kind in ("", run.kind)][: query.most], parent)


def cost_of(runs: Iterable[RunSummary]) -> RunsCost:
    """The sum; a run that came to no result has no price yet."""
    ended = [run for run in runs if run.state in ("complete", "interrupted")]
    unknown = tuple(run.run_id for run in ended if run.usd is None)
    return RunsCost(sum(run.usd for run in ended if run.usd is not None), unknown)


def find_run(root: Path, name: str) -> Path:
    """The folder of the run called ``name``: an id, the start of one, or ``last``."""
    runs = runs_folder(root)
    known = _names(runs)
    if not known:
        raise UsageError("there are no recorded runs here", "'guild validate .' makes one.")
    matching = known[:1] if name == "last" else [run for run in known if run.startswith(name)]
    if len(matching) != 1 or not name:
        problem = "names several runs" if len(matching) > 1 else "is no recorded run"
        shown = ", ".join((matching or known)[:5])
        raise UsageError(f"{name!r} {problem}", f"For example: {shown}")
    return runs / matching[0]


def summarise(folder: Path) -> RunSummary:
    """What ``runs list`` shows of one folder, however far the run got."""
    return _with_state(_read_row(folder))


def _read_row(folder: Path) -> RunSummary:
    """From the record itself; without a state where none was written."""
    request: dict[str, object] = {}
    try:
        request, result = read_part(folder, "request"), read_part(folder, "result")
        state, kind = read_part(folder, "state"), kind_of(request)
    except InfrastructureError:  # one damaged record must not hide all others
        return make_row(folder, request, "damaged", Summary())
    summary = practice(kind).summary(result) if result and kind in PRACTICES else Summary()
    return make_row(folder, request, str(state.get("state", "")), summary)


def _with_state(row: RunSummary) -> RunSummary:
    """A run that wrote no state is at work, or was killed or refused."""
    if row.state:
        return row
    return row._replace(state="running" if is_running(row.folder) else "incomplete")


def _names(runs: Path) -> list[str]:
    """The names of all runs, newest first."""
    if not runs.is_dir():
        return []
    with os.scandir(runs) as entries:  # a file or a link of such a name is no run
        names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    return sorted(filter(_RUN_ID.fullmatch, names), reverse=True)
