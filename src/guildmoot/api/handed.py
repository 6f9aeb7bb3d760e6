"""Judging by the agents of whoever runs us: what is handed out, and what is handed in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from guildmoot.api.runs import RunRequest, resume
from guildmoot.backends.host import (
    MOST_BYTES,
    OpenCall,
    close_calls,
    hand_out_folder,
    host_name,
    open_calls,
)
from guildmoot.calls import Watch
from guildmoot.config import Origin
from guildmoot.errors import UsageError, did_you_mean
from guildmoot.guard.trust import check_runs
from guildmoot.runs.index import find_run, list_runs
from guildmoot.runs.practice import Report
from guildmoot.runs.record import read_part
from guildmoot.runs.rows import kind_of
from guildmoot.system.files import write_atomic
from guildmoot.system.git import project_root
from guildmoot.system.threads import off_loop

FLAG = "--hand-out"
_WAVES = {"claude": 10, "codex": 6}
"""Agents that a host runs at once, as far as it is known."""
_WAVE = 4


class HandOut(NamedTuple):
    """The prompts of a run that wait for replies."""

    run_id: str
    kind: str
    host: str
    """Empty when it is not known."""
    calls: tuple[OpenCall, ...]

    @property
    def waves(self) -> tuple[tuple[str, ...], ...]:
        """The names of the calls, as many together as the host runs at once."""
        size, names = _WAVES.get(self.host, _WAVE), [call.id for call in self.calls]
        return tuple(tuple(names[at : at + size]) for at in range(0, len(names), size))


class CollectRequest(NamedTuple):
    """A run that waits, and what was replied."""

    run: str = ""
    """An id, the start of one, or ``last``; empty is the newest that waits."""
    folder: Path | None = None
    """Files ``<id>.md`` or ``<seat>.md``, beside what stands in its place already."""
    replies: Mapping[str, str] | None = None
    """The same as texts, by id or seat."""
    close: bool = False
    """Wait no longer: who has not answered is absent."""
    cwd: Path = Path()


def host_model() -> str:
    """The host as ``--model`` would name it; with its vendor where that is known."""
    name = host_name()
    return f"host:{name}" if name else "host"


def flags(key: str) -> dict[str, Origin]:
    """The setting that seats the host's agents: ``panel.model``, or ``council.vendors``."""
    model = host_model()
    return {key: Origin((model,) if key == "council.vendors" else model, FLAG)}


def waiting(run_id: str, cwd: Path = Path()) -> HandOut | None:
    """What the run waits for; None when it waits for nobody."""
    folder = hand_out_folder(project_root(cwd.absolute()), run_id)
    calls = tuple(open_calls(folder)) if run_id else ()
    kind = kind_of(read_part(folder.parent, "request")) if calls else ""
    return HandOut(run_id, kind, host_name(), calls) if calls else None


def find_waiting(request: CollectRequest) -> RunRequest:
    """The run that is meant; UsageError when it, or any, has handed nothing out."""
    root = project_root(request.cwd.absolute())
    if request.run:
        name = find_run(root, request.run).name
        if hand_out_folder(root, name).is_dir():
            return RunRequest(name, cwd=request.cwd)
        raise UsageError(f"the run {name} has handed nothing out", f"Begin one with {FLAG}.")
    for run in list_runs(root):
        if open_calls(hand_out_folder(root, run.run_id)):
            return RunRequest(run.run_id, cwd=request.cwd)
    raise UsageError("no run waits for replies here", f"'guild validate {FLAG}' begins one.")


async def collect(request: CollectRequest, watch: Watch | None = None) -> Report:
    """Read what was replied and go on: the report, interrupted where more was handed out."""
    run = find_waiting(request)
    await off_loop(_hand_in(request, run.run))
    return await resume(run, watch)


async def _hand_in(request: CollectRequest, run_id: str) -> None:
    root = project_root(request.cwd.absolute())
    check_runs(root)
    folder = hand_out_folder(root, run_id)
    calls = open_calls(folder)
    given = dict(request.replies or {})
    if request.folder:
        given |= dict(_files(request.folder, calls))
    for name, text in given.items():
        write_atomic(folder / f"{_meant(name, calls).id}.reply.md", text.encode("utf-8", "replace"))
    if request.close:
        close_calls(folder)


def read_replies(text: str) -> dict[str, str]:
    """Replies as JSON: ``{"<id or seat>": "..."}``, or rows of ``id`` or ``seat``, and ``reply`` or ``output``."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as wrong:
        raise UsageError(f"the replies are no JSON: {wrong}", '{"SEAT": "its reply"}') from None
    rows = value if isinstance(value, list) else [{"id": k, "reply": v} for k, v in _items(value)]
    found: dict[str, str] = {}
    for row in rows:
        name = _first(row, "id", "seat", "agent", "engineer")
        said = _first(row, "reply", "output", "text", "section")
        if not isinstance(name, str) or not isinstance(said, str | dict | list):
            raise UsageError(
                "a reply lacks its `id` or its `reply`", '{"id": "...", "reply": "..."}'
            )
        found[name] = said if isinstance(said, str) else json.dumps(said)
    return found


def _items(value: object) -> Sequence[tuple[str, object]]:
    if not isinstance(value, dict):
        raise UsageError("replies are an object or a list", '{"SEAT": "its reply"}')
    return list(value.items())


def _first(row: object, *keys: str) -> object:
    found = (row.get(key) for key in keys) if isinstance(row, dict) else iter(())
    return next((value for value in found if value is not None), None)


def _files(folder: Path, calls: Sequence[OpenCall]) -> Iterator[tuple[str, str]]:
    """The files of a folder that are named as a call or a seat is; others are none of ours."""
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}", "--replies takes a folder, or - for JSON.")
    known = {name for call in calls for name in (call.id, call.seat)}
    for path in sorted(folder.iterdir()):
        stem = path.name.removesuffix(path.suffix).removesuffix(".reply")
        if stem in known and path.is_file() and path.stat().st_size < MOST_BYTES:
            yield stem, path.read_text(encoding="utf-8", errors="replace")


def _meant(name: str, calls: Sequence[OpenCall]) -> OpenCall:
    """The open call of that id, or of that seat where the seat has one."""
    found = [call for call in calls if name in (call.id, call.seat)]
    if len(found) == 1:
        return found[0]
    known = [call.id for call in calls]
    hint = did_you_mean(name, known, f"Waited for: {', '.join(known) or 'nobody'}.")
    said = "nobody called" if not found else "several calls of"
    raise UsageError(f"{said} {name!r} is waited for", hint)
