"""What happened in a run, as functions: list, summary, events, cost, export, and clearing old logs away."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import InfrastructureError, UsageError, did_you_mean
from guildmoot.guard.scrub import write_durable
from guildmoot.guard.telemetry import prune, read_size
from guildmoot.lifecycle.execution.looking import cost_of_runs
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.memory.traces.cost import TraceCost, cost_of_traces
from guildmoot.memory.traces.events import Event, events_of, stamp
from guildmoot.memory.traces.otlp import otlp_document, send_spans
from guildmoot.memory.traces.summary import summary_text
from guildmoot.memory.traces.trace import RunTrace, find_trace, read_trace, trace_folders
from guildmoot.memory.traces.vocabulary import FIELDS
from guildmoot.runs.record import read_part
from guildmoot.system.files import write_atomic
from guildmoot.system.jsonio import dumps
from guildmoot.system.threads import in_project
from guildmoot.text.patterns import lazy

_TIME = lazy(r"\d{4}(?:-\d\d(?:-\d\d(?:[T ]\d\d[\d:.+Z-]*)?)?)?$")


class TraceQuery(NamedTuple):
    """Which events are wanted."""

    run: str = "last"
    events: tuple[str, ...] = ()
    """Names of the vocabulary; none is all."""
    specialist: str = ""
    tool: str = ""
    since: str = ""
    """A time, or the start of one, as the events carry it."""
    most: int | None = None


class TraceSummary(NamedTuple):
    """A run on one page."""

    run_id: str
    text: str
    path: Path


class TraceExport(NamedTuple):
    """What was written or sent."""

    run_id: str
    spans: int
    to: str


class TracePruned(NamedTuple):
    """Old logs that were deleted."""

    deleted: tuple[str, ...]


async def trace_runs(most: int = 20, cwd: Path = Path(), since: str = "") -> list[RunTrace]:
    """The newest runs of every kind, without what their tools and hooks left."""
    return await in_project(cwd, lambda root: list(islice(_begun_since(root, since), most)))


async def trace_query(query: TraceQuery, cwd: Path = Path()) -> list[Event]:
    """The events of a run, in order."""
    unknown = [name for name in query.events if name not in FIELDS]
    if unknown:
        hint = did_you_mean(unknown[0], FIELDS, "docs/traces.md lists them.")
        raise UsageError(f"there is no event {unknown[0]!r}", hint)
    _check_time(query.since)

    def work(root: Path) -> list[Event]:
        found = events_of(read_trace(root, find_trace(root, query.run)))
        return [row for row in found if _fits(row, query)][: query.most]

    return await in_project(cwd, work)


def _fits(row: Event, query: TraceQuery) -> bool:
    return (
        (not query.events or row["event"] in query.events)
        and (not query.specialist or row.get("specialist") == query.specialist)
        and (not query.tool or row.get("tool") == query.tool)
        and str(row["ts"]) >= query.since
    )


async def trace_summary(run: str = "last", cwd: Path = Path()) -> TraceSummary:
    """A run on one page, which is also written to ``summary.md`` in its folder."""

    def work(root: Path) -> TraceSummary:
        trace = read_trace(root, find_trace(root, run))
        text = summary_text(trace, events_of(trace))
        path = trace.folder / "summary.md"
        return TraceSummary(trace.run_id, write_durable(path, text).text, path)

    return await in_project(cwd, work)


async def trace_cost(run: str = "last", cwd: Path = Path(), since: str = "") -> TraceCost:
    """What a run and its parts cost, or all runs ``since`` a time, by tier, model, specialist and phase."""

    def work(root: Path) -> TraceCost:
        if since:
            found = cost_of_traces(list(_begun_since(root, since)))
        else:
            found = cost_of_traces(_with_parts(root, find_trace(root, run), logs=False))
        told = cost_of_runs(WorkFolder(root), found.runs)
        return found._replace(told_tokens=told.told_tokens, told_usd=told.told_usd)

    return await in_project(cwd, work)


async def trace_export(run: str, to: str, cwd: Path = Path()) -> TraceExport:
    """A run and its parts as OTLP JSON: into a file, or to a collector where ``to`` is an address."""

    def work(root: Path) -> TraceExport:
        traces = _with_parts(root, find_trace(root, run), logs=True)
        document = otlp_document([(trace, events_of(trace)) for trace in traces])
        if "://" in to:
            send_spans(to, document)
        else:
            try:
                write_atomic(cwd.absolute() / to, (dumps(document) + "\n").encode())
            except OSError as wrong:
                raise UsageError(f"{to} cannot be written: {wrong.strerror}") from wrong
        return TraceExport(traces[0].run_id, _count(document), to)

    return await in_project(cwd, work)


async def trace_prune(keep: str, run: str = "", cwd: Path = Path()) -> TracePruned:
    """Delete the oldest archives of logs, of one run or of each, until the rest takes at most ``keep``."""
    most = read_size(keep)
    if most is None:
        return TracePruned(())

    def work(root: Path) -> TracePruned:
        folders = [find_trace(root, run)] if run else trace_folders(root)
        gone = [path for folder in folders for path in prune(folder, most)]
        return TracePruned(tuple(path.relative_to(root).as_posix() for path in gone))

    return await in_project(cwd, work)


def _check_time(since: str) -> None:
    if since and not _TIME.match(since):
        raise UsageError(f"{since!r} is no time", "e.g. --since 2026-11-17T18")


def _begun_since(root: Path, since: str) -> Iterator[RunTrace]:
    """Runs from a time on, the newest first."""
    _check_time(since)
    for folder in trace_folders(root):
        trace = read_trace(root, folder, logs=False)
        if stamp(trace.began) >= since:
            yield trace


def _with_parts(root: Path, folder: Path, *, logs: bool) -> list[RunTrace]:
    """The run, then those that are part of it, also through others, in the order of their begin."""
    parents = {f: str(_parent(f)) for f in reversed(trace_folders(root))}
    names, size = {folder.name}, 0
    while len(names) > size:
        size = len(names)
        names |= {each.name for each, parent in parents.items() if parent in names}
    rest = [each for each in parents if each.name in names and each != folder]
    return [read_trace(root, each, logs=logs) for each in (folder, *rest)]


def _parent(folder: Path) -> object:
    try:
        return (read_part(folder, "request") or read_part(folder, "loop")).get("parent", "")
    except InfrastructureError:
        return ""


def _count(document: dict[str, object]) -> int:
    held = document["resourceSpans"]
    assert isinstance(held, list)  # noqa: S101 - we made it
    return len(held[0]["scopeSpans"][0]["spans"])
