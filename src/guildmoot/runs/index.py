"""Which runs there are, newest first, and what each came to."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import UsageError
from guildmoot.runs.practice import PRACTICES, Summary, kind_of, practice
from guildmoot.runs.record import is_running, read_part

_RUN_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}")


class RunSummary(NamedTuple):
    """One line of ``guild runs list``."""

    run_id: str
    state: str
    """``complete``, ``interrupted``, ``running`` or ``incomplete`` (killed, or refused)."""
    verdict: str
    target: str
    blocking: int
    advisory: int
    seconds: float
    folder: Path
    kind: str = "panel"
    parent: str = ""
    """The run that this one is part of."""
    counts: str = ""
    """What its practice counts in place of findings."""
    usd: float | None = None


def started(run_id: str) -> datetime:
    """When the run of that name was begun."""
    return datetime.strptime(run_id[:15], "%Y%m%d-%H%M%S").replace(tzinfo=UTC)


def list_runs(root: Path) -> list[RunSummary]:
    """All recorded runs, newest first."""
    runs = root / ".guild" / "runs"
    return [summarise(runs / name) for name in _names(runs)]


def find_run(root: Path, name: str) -> Path:
    """The folder of the run called ``name``: an id, the start of one, or ``last``."""
    known = _names(root / ".guild" / "runs")
    if not known:
        raise UsageError("there are no recorded runs here", "'guild validate .' makes one.")
    matching = known[:1] if name == "last" else [run for run in known if run.startswith(name)]
    if len(matching) != 1 or not name:
        problem = "names several runs" if len(matching) > 1 else "is no recorded run"
        shown = ", ".join((matching or known)[:5])
        raise UsageError(f"{name!r} {problem}", f"For example: {shown}")
    return root / ".guild" / "runs" / matching[0]


def summarise(folder: Path) -> RunSummary:
    """What ``runs list`` shows of one folder, however far the run got."""
    state, result = read_part(folder, "state"), read_part(folder, "result")
    request = read_part(folder, "request")
    kind = kind_of(request)
    summary = practice(kind).summary(result) if result and kind in PRACTICES else Summary()
    return RunSummary(
        run_id=folder.name,
        state=str(state.get("state") or ("running" if is_running(folder) else "incomplete")),
        target=str(request.get("target", "-")),
        folder=folder,
        kind=kind,
        parent=str(request.get("parent", "")),
        **summary._asdict(),
    )


def _names(runs: Path) -> list[str]:
    """The names of all runs, newest first."""
    names = os.listdir(runs) if runs.is_dir() else []
    return sorted(filter(_RUN_ID.fullmatch, names), reverse=True)
