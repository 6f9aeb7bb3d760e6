"""One run as it really went: its record, its calls in the ledger, its gates and its logs, read once."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import InfrastructureError, UsageError
from guildmoot.guard.scrub import Scrubber
from guildmoot.guard.telemetry import CALLS, PENDING, read_log
from guildmoot.memory.traces.calls import TraceCall, read_calls
from guildmoot.runs.practice import PRACTICES, practice, rows
from guildmoot.runs.record import is_running, read_part, runs_folder
from guildmoot.runs.rows import Summary, kind_of
from guildmoot.system.files import read_own, read_rows

_PHASE_OF = {
    "whiteboard": "brainstorm",
    "pre-mortem": "plan",
    "probe": "verify",
    "work": "context",
    "session": "execute",
    "loop": "execute",
}
_NAME = re.compile(r"(?!\.)[\w.-]{1,128}")
_STAMP = re.compile(r"(?:run-|loop-)?(\d{8}-\d{6})(?:-([0-9a-f]{3})[0-9a-f]{3}\b)?")
_ASSUMED = re.compile(r"(?m)^- \[([\dTZ:.+-]{10,35})\] ([^:\n]{1,200}): (.{1,4000})$")
_MOST_ASSUMPTIONS = 1_000_000
_ESCALATED = ("operator-judgment-required", "flagged-conflict", "DISAGREE", "undecided")
_FORGOTTEN = 300.0
"""Seconds after which a call of a tool that never ended counts as failed."""


class TraceGate(NamedTuple):
    """One decision at a gate."""

    when: float
    gate: str
    decision: str
    source: str


class TraceReceipt(NamedTuple):
    """What a lane of a piece of work handed over."""

    when: float
    lane: str
    path: str


class TraceAssumption(NamedTuple):
    """What was decided without asking anyone (``guild decide --run``)."""

    when: float
    by: str
    text: str


class RunTrace(NamedTuple):
    """All that is known of one run."""

    run_id: str
    folder: Path
    kind: str
    """``panel``, ``council`` ..., ``work`` for a piece of work, ``loop``, ``session`` for a coding agent's."""
    phase: str
    parent: str
    target: str
    state: str
    began: float
    ended: float | None
    """None while it goes on, and when it was killed."""
    status: str
    """ok, error or escalated."""
    calls: tuple[TraceCall, ...]
    gates: tuple[TraceGate, ...]
    receipts: tuple[TraceReceipt, ...]
    assumptions: tuple[TraceAssumption, ...]
    logged: tuple[dict[str, object], ...]
    """The lines of its log of tool calls and hooks, in the order of writing."""
    damaged: int
    """Lines of the log that cannot be read."""


def trace_folders(root: Path) -> list[Path]:
    """Every run, the newest first."""
    runs = runs_folder(root)
    if not runs.is_dir():
        return []
    with os.scandir(runs) as entries:
        found = [each.name for each in entries if each.is_dir(follow_symlinks=False)]
    names = [name for name in found if _NAME.fullmatch(name)]
    return [runs / name for name in sorted(names, key=lambda n: (_stamp(n), n), reverse=True)]


def find_trace(root: Path, name: str) -> Path:
    """The folder of a run by its id, the start of one, or ``last``."""
    folders = trace_folders(root)
    if not folders:
        raise UsageError("there are no recorded runs here", "'guild validate .' makes one.")
    exact = [folder for folder in folders if folder.name == name]
    fitting = folders[:1] if name == "last" else [f for f in folders if f.name.startswith(name)]
    found = exact or (fitting if name else [])
    if len(found) != 1:
        problem = "names several runs" if found else "is no recorded run"
        shown = ", ".join(folder.name for folder in (found or folders)[:5])
        raise UsageError(f"{name!r} {problem}", f"For example: {shown}")
    return found[0]


def read_trace(root: Path, folder: Path, *, logs: bool = True) -> RunTrace:
    """All that is known of the run in ``folder``; without ``logs`` what tools and hooks left is not read."""
    request, work = _part(folder, "request"), _part(folder, "work")
    loop = _part(folder, "loop")
    result, state = _part(folder, "result"), _part(folder, "state")
    kind = kind_of(request) if request else "work" if work else "loop" if loop else "session"
    calls = _calls(root, folder, result)
    lines = [*read_log(folder, CALLS)] if logs else []
    logged = [row for row in lines if row]
    if logs:
        logged += _never_ended(folder, logged)
    began = _began(folder, work, calls, logged)
    ended = _ended(began, result, state, calls)
    if kind == "work":
        bundles = _times(root / ".guild" / "context" / folder.name)
        ended = max(bundles) if bundles else None
    elif kind in ("session", "loop") and logged:
        ended = max(map(_moment_of, logged))
    verdict = _verdict(kind, result)
    gates = _gates(root, str(work.get("slug", ""))) if work else ()
    if verdict not in ("", "-") and ended is not None:  # a debate decides nothing
        gates = (TraceGate(ended, kind, verdict, str(result.get("policy") or "computed")),)
    return RunTrace(
        run_id=folder.name,
        folder=folder,
        kind=kind,
        phase=_PHASE_OF.get(kind, "review"),
        parent=str((request or loop).get("parent", "")),
        target=Scrubber().text(str((request or loop).get("target", work.get("slug", "-")))).text,
        state=_state(folder, state) if request else kind,
        began=began,
        ended=ended,
        status=_status(result, verdict),
        calls=tuple(calls),
        gates=gates,
        receipts=_receipts(root, folder) if work else (),
        assumptions=_assumptions(folder),
        logged=tuple(logged),
        damaged=sum(row is None for row in lines),
    )


def _state(folder: Path, state: Mapping[str, object]) -> str:
    return str(state.get("state") or ("running" if is_running(folder) else "incomplete"))


def moment(text: object) -> float:
    """Seconds since 1970 of a time as the logs write it; 0 for what is none."""
    try:
        found = datetime.fromisoformat(str(text))
    except ValueError:
        return 0.0
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def _part(folder: Path, name: str) -> dict[str, object]:
    """A damaged part is as good as none: what else there is can still be told."""
    try:
        return read_part(folder, name)
    except InfrastructureError:
        return {}


def _calls(root: Path, folder: Path, result: Mapping[str, object]) -> list[TraceCall]:
    held = result.get("roster")
    both = (held.get("seats"), held.get("judges")) if isinstance(held, dict) else ()
    seats = [seat for part in both for seat in rows(part)]
    known = {str(seat.get("name")): _number(seat.get("usd")) for seat in seats}
    roster = _part(folder, "roster")
    agents = roster.get("agents")
    tiers = {
        str(seat.get("name")): str(_held(agents, str(seat.get("agent"))).get("tier") or "")
        for seat in rows(roster.get("asked"))
    }
    found = read_calls(root, folder.name, known)
    return [call._replace(tier=tiers.get(call.specialist, "")) for call in found]


def _held(value: object, name: str) -> Mapping[str, object]:
    inner = value.get(name) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else {}


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _stamp(name: str) -> str:
    found = _STAMP.match(name)
    return found[1] + (found[2] or "") if found else ""


def _began(
    folder: Path,
    work: Mapping[str, object],
    calls: list[TraceCall],
    logged: list[dict[str, object]],
) -> float:
    """A run's name tells it, to the millisecond where it has them."""
    if work.get("started_at"):
        return moment(work["started_at"])
    found = _STAMP.match(folder.name)
    if found:
        second = datetime.strptime(found[1], "%Y%m%d-%H%M%S").replace(tzinfo=UTC).timestamp()
        return second + min(int(found[2] or "0", 16), 999) / 1000
    times = [call.began for call in calls] + [_moment_of(row) for row in logged]
    return min(filter(None, times), default=0.0)


def _ended(
    began: float,
    result: Mapping[str, object],
    state: Mapping[str, object],
    calls: list[TraceCall],
) -> float | None:
    if state.get("state") not in ("complete", "interrupted"):
        return None
    own = [call.ended for call in calls if call.ended is not None and not call.kept]
    return max([began + (_number(result.get("seconds")) or 0.0), *own])


def _verdict(kind: str, result: Mapping[str, object]) -> str:
    if not result or kind not in PRACTICES:
        return ""
    summary: Summary = practice(kind).summary(dict(result))
    return summary.verdict


def _status(result: Mapping[str, object], verdict: str) -> str:
    code = result.get("exit_code")
    if code == 4:
        return "error"
    return "escalated" if code == 3 or verdict in _ESCALATED else "ok"


def _gates(root: Path, slug: str) -> tuple[TraceGate, ...]:
    """What people answered at the gates of a piece of work."""
    if not re.fullmatch(r"[a-z0-9-]{1,60}", slug):
        return ()
    kept = [row for row in read_rows(root / ".guild" / "gates" / f"{slug}.jsonl") if row]
    return tuple(
        TraceGate(
            moment(row.get("when")), str(row.get("gate")), str(row.get("decision")), str(row.get("source"))
        )
        for row in kept
    )  # fmt: skip


def _receipts(root: Path, folder: Path) -> tuple[TraceReceipt, ...]:
    found = sorted((folder / "handoffs").glob("*.md")) if (folder / "handoffs").is_dir() else []
    return tuple(
        TraceReceipt(file.lstat().st_mtime, file.stem, file.relative_to(root).as_posix())
        for file in found
    )


def _assumptions(folder: Path) -> tuple[TraceAssumption, ...]:
    text = read_own(folder / "assumptions.md", _MOST_ASSUMPTIONS).decode("utf-8", "replace")
    return tuple(TraceAssumption(moment(hit[1]), hit[2], hit[3]) for hit in _ASSUMED.finditer(text))


def _times(folder: Path) -> list[float]:
    return [file.lstat().st_mtime for file in folder.glob("*.md")] if folder.is_dir() else []


def _moment_of(row: Mapping[str, object]) -> float:
    return moment(row.get("ts"))


def _never_ended(folder: Path, logged: list[dict[str, object]]) -> list[dict[str, object]]:
    """Calls of tools that began and never ended: failed, once they are old enough."""
    ended = {str(row.get("tool_use_id")) for row in logged if row.get("tool_use_id")}
    now = datetime.now(UTC).timestamp()
    return [
        {
            "ts": str(row.get("ts_pre")), "event": "tool_call", "run_id": folder.name,
            **({"lane_id": row["lane_id"]} if row.get("lane_id") else {}),
            "tool": str(row.get("tool")), "tool_use_id": str(row["tool_use_id"]),
            "command_redacted": str(row.get("command_redacted", "")), "status": "err", "latency_ms": 0,
            "result_excerpt_redacted": "it never ended",
        }
        for row in read_log(folder, PENDING)
        if row and row.get("tool_use_id") and str(row["tool_use_id"]) not in ended
        and now - moment(row.get("ts_pre")) > _FORGOTTEN
    ]  # fmt: skip
