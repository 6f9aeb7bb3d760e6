"""The journal of a run: every step as one row, and the state that follows from all of them.

One process writes at a time, under a lock that the system frees when that process dies. ``fold`` is pure.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from guildmoot.errors import InfrastructureError, UsageError
from guildmoot.guard.scrub import Scrubber, operator_scrubber
from guildmoot.lifecycle.execution.values import BaseChecks, Dispute, LaneState, RunState
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.work_runs import is_work_run
from guildmoot.system.files import append_rows, lock, put_in_place, read_own, read_rows
from guildmoot.text.clean import clean

JOURNAL, STATE, LOCK = "execution.jsonl", "run-state.json", "execution.lock"
Row = Mapping[str, object]
_KEPT_NOTES = 50
_OURS = frozenset(
    (
        "ts",
        "event",
        "task",
        "base",
        "on",
        "tier",
        "commit",
        "receipt",
        "tip",
        "control",
        "ticket",
        "clash",
    )
)
"""What nobody else wrote: hashes and names of the plan hold no secret, and a search of each row for one costs time."""
_OFTEN = frozenset(("note", "dispatched", "accepted", "merged"))
_TELL = 0.5
"""Seconds between two writes of what is only made from the journal."""


class _Change(NamedTuple):
    """What a row makes of a lane."""

    status: str
    counts: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()


_CHANGES: dict[str, _Change] = {
    "dispatched": _Change("running", ("attempt",), ("base", "tier")),
    "interrupted": _Change(
        "pending"
    ),  # the attempt did not count: killed, stopped, or no worker to be had
    "unjoined": _Change("pending"),
    "outdated": _Change("pending"),  # what it was built on was done anew
    "accepted": _Change("handed-over", (), ("commit", "receipt")),
    "returned": _Change("pending", ("returned",), ("by",)),
    "advised": _Change("pending", ("advised",), ("by",)),
    "retried": _Change("pending", ("tries",)),
    "merged": _Change("done"),
    "failed": _Change("failed"),
    "blocked": _Change("blocked", (), ("by",)),
    "handed-in": _Change("running", (), ("by",)),  # a person did it; it is judged as any other
    "conflict": _Change("conflict"),
    "skipped": _Change("skipped"),
    "reset": _Change("pending"),  # a person asked for it once more
    "reopened": _Change("pending", (), ("by",)),  # the same for one that was merged
}


def fold(run: str, rows: Iterable[Row | None]) -> RunState:
    """The state that a journal tells; a row that cannot be read changes nothing. Pure."""
    state = RunState(run, "")
    for row in rows:
        if row is not None:
            state = step(state, row)
    return state


def step(state: RunState, row: Row) -> RunState:
    """One row further. Pure."""
    event, task = _text(row, "event"), _text(row, "task")
    if event == "begun":
        return _begun(state, row)
    number = row.get("control")
    if isinstance(number, int):
        state = state._replace(control=number)
    if event == "note":
        said = f"{task}: {_text(row, 'reason')}" if task else _text(row, "reason")
        return state._replace(notes=(*state.notes, said)[-_KEPT_NOTES:])
    if event == "replanned":
        return state._replace(clarified=(*state.clarified, _text(row, "reason")))
    if event == "settled":
        said = f"{task}: {_text(row, 'reason')}"
        return state._replace(settled=tuple(dict.fromkeys((*state.settled, said))))
    if event == "baseline":
        return _baseline(state, row)
    if event in ("paused", "resumed", "stopped"):
        state = state._replace(
            paused=event == "paused",
            stopped=event == "stopped",
            halt="" if event == "resumed" else _text(row, "reason"),
        )
    if event == "let-stand":
        item = _text(row, "item")
        said = f"{item} stands as it is: {_text(row, 'reason')}"
        state = state._replace(
            let_stand=(*state.let_stand, item), clarified=(*state.clarified, said),
            disputes=tuple(each for each in state.disputes if each.text != item),
        )  # fmt: skip
    if event == "disputed":
        made = Dispute(_text(row, "item"), state.tip)
        state = state._replace(disputes=tuple(dict.fromkeys((*state.disputes, made))))
    if event == "spent" or "tokens" in row:
        state = _spent(state, row)
    change = _CHANGES.get(event)
    lanes = tuple(
        _changed(lane, row, change) if change and lane.task == task else lane
        for lane in state.lanes
    )
    if event == "allowed":
        places = _texts(row, "places")
        lanes = tuple(lane.allow(places) if lane.task == task else lane for lane in lanes)
        said = f"{task} may also change {', '.join(places)}: {_text(row, 'reason')}"
        state = state._replace(clarified=(*state.clarified, said))
    if event == "merged":
        passed = _texts(row, "passed")
        state = state._replace(
            tip=_text(row, "tip") or state.tip,
            red=tuple(each for each in state.red if each not in passed),
        )
    return state._replace(lanes=lanes)


def _baseline(state: RunState, row: Row) -> RunState:
    """The last word on a commit counts; that on the run's base says what no lane is to blame for."""
    found = BaseChecks(_text(row, "commit"), _texts(row, "checks"), _texts(row, "failing"))
    others = tuple(each for each in state.baselines if each[:2] != found[:2])
    red = found.failing if found.commit == state.base else state.red
    return state._replace(baselines=(*others, found), red=red)


def _spent(state: RunState, row: Row) -> RunState:
    """What an attempt took, as it told; what was set aside for it is free again."""
    task = _text(row, "task")
    tokens, usd = int(_amount(row, "tokens")), _amount(row, "usd")
    told = row.get("told") is True
    lanes = tuple(
        lane._replace(
            tokens=lane.tokens + tokens, usd=lane.usd + usd, held_tokens=0, held_usd=0.0,
            told_tokens=lane.told_tokens + told * tokens, told_usd=lane.told_usd + told * usd,
        )
        if lane.task == task else lane
        for lane in state.lanes
    )  # fmt: skip
    return state._replace(lanes=lanes)


def _begun(state: RunState, row: Row) -> RunState:
    """The first row names the lanes; later ones who does the work, and the base while no lane was begun."""
    told = row.get("lanes")
    if _text(row, "base") and state.untouched:
        state = state._replace(base="", tip="")
    lanes = state.lanes or tuple(
        LaneState(
            _text(each, "task"), _text(each, "owner"), _text(each, "tier"),
            _texts(each, "depends_on"), _texts(each, "after"), _text(each, "digest"),
        )
        for each in (told if isinstance(told, list) else [])
        if isinstance(each, dict)
    )  # fmt: skip
    return state._replace(
        slug=_text(row, "slug") or state.slug,
        base=state.base or _text(row, "base"),
        branch=state.branch or _text(row, "branch"),
        tip=state.tip or _text(row, "base"),
        lanes=lanes,
        worker=_text(row, "worker"),
        clients=row.get("clients") is True or _text(row, "rung") == "client",
        rung=_text(row, "rung"),
        mode=_text(row, "mode"),
        why=_text(row, "why"),
        checks=_texts(row, "checks") or state.checks,
        ticket=_text(row, "ticket") or state.ticket,
        stopped=False,
    )


def _changed(lane: LaneState, row: Row, change: _Change) -> LaneState:
    values: dict[str, object] = {name: getattr(lane, name) + 1 for name in change.counts}
    values |= {name: _text(row, name) for name in change.takes if _text(row, name)}
    values |= {"status": change.status, "updated_at": _text(row, "ts")}
    values["reason"] = _text(row, "reason")
    values |= {"asks": _texts(row, "asks"), "again": False}
    if _text(row, "event") == "reset":
        kept = lane.by == "person"  # what they did stays in the worktree
        by = "person" if kept else _text(row, "by")
        values |= {"returned": 0, "tries": 0, "advised": 0, "commit": "", "receipt": "", "by": by}
    if _text(row, "event") == "reopened":
        values |= {"returned": 0, "tries": 0, "advised": 0}
    if _text(row, "event") == "interrupted":
        values |= {"attempt": max(lane.attempt - 1, 0), "reason": lane.sent_back}
    if _text(row, "event") == "dispatched" and lane.by == "person":
        values["by"] = "given back"
    if _text(row, "event") == "unjoined":
        values |= {"unjoined": True, "reason": lane.sent_back}
    held = (int(_amount(row, "held_tokens")), _amount(row, "held_usd"))
    values |= {"held_tokens": held[0], "held_usd": held[1]}  # of the attempt that is at work
    if _text(row, "event") == "dispatched":
        values["on"] = _texts(row, "on")
    if _text(row, "event") == "outdated":
        values |= {"commit": "", "receipt": "", "by": ""}
    if _text(row, "event") in ("reset", "merged", "reopened"):
        values["clash"] = ()
    elif _texts(row, "clash"):
        values["clash"] = _texts(row, "clash")
    if _text(row, "event") == "accepted":
        values["commands"] = _texts(row, "commands")
    values["sent_back"] = values["reason"] if change.status == "pending" else lane.sent_back
    return lane._replace(**values)  # type: ignore[arg-type] # by the table above


class Journal:
    """The journal that this process writes; the lock is held until it is closed."""

    def __init__(self, folder: WorkFolder, run: str) -> None:
        self._place = folder.run(run)
        handle = lock(self._place / LOCK, wait=False)
        if handle is None:
            owner = read_own(self._place / LOCK, 100).decode("ascii", "replace").strip()
            raise InfrastructureError(
                f"{run} is being carried out already{f' by process {owner}' if owner else ''}",
                "Look at it: guild status. Two at once would do the same lanes.",
            )
        self._handle = handle
        os.ftruncate(handle, 0)
        os.write(handle, f"{os.getpid()}\n".encode())
        self.scrubber: Scrubber = operator_scrubber()
        rows = list(read_rows(self._place / JOURNAL))
        self.state = fold(run, rows)
        self._noted = {_noted(row) for row in rows if row and row.get("event") == "note"}
        self._told = 0.0
        self.said: list[str] = []
        """The notes of this process."""

    def close(self) -> None:
        """Let somebody else go on."""
        try:
            if self.state.lanes:
                self.force()
                self._tell()
        except OSError:
            pass  # it is only made from the journal, and the disk may be full
        finally:
            os.close(self._handle)

    def add(self, event: str, task: str = "", **fields: object) -> RunState:
        """Write a row, which outlives this process; the state is the one after it.

        Of the steps that come in numbers it is forced to the disk by the next ``force``, and before anything is taken
        away because of it.
        """
        if isinstance(
            reason := fields.get("reason"), str
        ):  # it may name a lane's files and say its words
            fields["reason"] = clean(reason)
        row = {"ts": now(), "event": event, **({"task": task} if task else {}), **fields}
        told = {name: value for name, value in row.items() if name not in _OURS}
        masked = self.scrubber.value(told).value if told else {}
        kept = masked if isinstance(masked, dict) else {}
        append_rows(self._place / JOURNAL, [{**row, **kept}], sync=event not in _OFTEN)
        told_reason = {"reason": kept["reason"]} if "reason" in kept else {}
        self.state = step(self.state, {**row, **told_reason})  # as whoever goes on will read it
        if event == "note":
            self.said.append(self.state.notes[-1])
        if time.monotonic() - self._told > _TELL:
            self._tell()
        return self.state

    def note_once(self, reason: str, task: str = "") -> None:
        """A note that stays true: whoever goes on with the run is not told it again."""
        reason = self.scrubber.text(clean(reason)).text
        if (task, reason) not in self._noted:
            self._noted.add((task, reason))
            self.add("note", task, reason=reason)

    def force(self) -> None:
        """All that was written is on the disk when this returns."""
        handle = os.open(self._place / JOURNAL, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def _tell(self) -> None:
        self._told = time.monotonic()
        put_in_place(self._place / STATE, _plain_state(self.state).encode())


def _noted(row: Row) -> tuple[str, str]:
    return _text(row, "task"), _text(row, "reason")


def now() -> str:
    """This moment, as rows have it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def read_run(folder: WorkFolder, run: str) -> RunState:
    """A run as it is on record; UsageError where there is none of that name."""
    if "/" in run or run in ("", ".", "..") or not is_work_run(folder, run):
        raise UsageError(f"there is no run {run!r} of a piece of work", "guild status names it.")
    return fold(run, read_rows(folder.run(run) / JOURNAL))


def is_at_work(folder: WorkFolder, run: str) -> bool:
    """Whether a process carries it out now."""
    place = folder.run(run) / LOCK
    if not place.is_file():
        return False
    handle = lock(place, wait=False)
    if handle is not None:
        os.close(handle)
    return handle is None


def carried_by(folder: WorkFolder, run: str) -> int:
    """The process that carries it out now; 0 where none does."""
    said = read_own(folder.run(run) / LOCK, 100).strip() if is_at_work(folder, run) else b""
    return int(said) if said.isdigit() else 0


def _plain_state(state: RunState) -> str:
    """``guild.run_state.v1``."""
    lanes = {
        lane.task: {
            "status": lane.status, "tier": lane.tier, "attempt": lane.attempt,
            "depends_on": list(lane.depends_on), "reason": lane.reason,
            "receipt_ref": f"handoffs/{lane.owner}-{lane.task}.md" if lane.receipt else None,
            "commit": lane.commit or None, "updated_at": lane.updated_at,
            "tokens": lane.tokens, "usd": round(lane.usd, 6),
        }
        for lane in state.lanes
    }  # fmt: skip
    plain = {
        "schema_version": "guild.run_state.v1", "run_id": state.run, "plan_slug": state.slug,
        "program_id": None, "wave_index": 0, "branch": state.branch, "tip": state.tip,
        "paused": state.paused, "stopped": state.stopped, "lanes": lanes, "last_checkpoint_at": now(),
    }  # fmt: skip
    rows = ",\n".join(f"  {json.dumps(name)}: {_rows(value)}" for name, value in plain.items())
    return f"{{\n{rows}\n}}\n"


def _rows(value: object) -> str:
    """A value in JSON, a table with a line for each entry: an indented text is made ten times as slowly."""
    if not isinstance(value, dict) or not value:
        return json.dumps(value)
    rows = ",\n".join(f"    {json.dumps(key)}: {json.dumps(each)}" for key, each in value.items())
    return f"{{\n{rows}\n  }}"


def _text(row: Row, key: str) -> str:
    value = row.get(key)
    return value if isinstance(value, str) else ""


def _amount(row: Row, key: str) -> float:
    value = row.get(key)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def _texts(row: Row, key: str) -> tuple[str, ...]:
    value = row.get(key)
    return tuple(map(str, value)) if isinstance(value, list) else ()
