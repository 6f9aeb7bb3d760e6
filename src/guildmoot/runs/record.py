"""The record of one run: a folder of small files under ``.guild/runs``, written as the run goes on.

``state.json`` is written last, so a folder without it is a run that was killed: it stays readable and
is listed as incomplete. Nothing here knows what a verdict means.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import secrets
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from guildmoot.errors import InfrastructureError, UsageError
from guildmoot.model.call import Reply
from guildmoot.system.atomic import put_in_place, write_atomic
from guildmoot.system.jsonio import dumps

_LOOKS = (0.01, 0.05, 0.2)
"""Seconds to try again: who lists the runs takes each for a moment, to see whether it is free."""
_RUN_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}")


class RunRecord:
    """Writes one run's folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run_id = folder.name
        self._let_go: Callable[[], object] = lambda: None

    @property
    def root(self) -> Path:
        """The repository that it belongs to."""
        return self.folder.parents[2]

    def hold(self) -> bool:
        """Mark the run as going on, until this process lets go or dies; False when another has it."""
        for wait in (*_LOOKS, None):
            handle = _take(self.folder, fcntl.LOCK_EX)
            if handle is not None:
                self._let_go = weakref.finalize(self, os.close, handle)
                return True
            if wait is not None:
                time.sleep(wait)
        return False

    def let_go(self) -> None:
        """The run is over."""
        self._let_go()

    def put(self, name: str, value: object) -> None:
        """Write one part, e.g. ``request`` or ``result``, as JSON."""
        write_atomic(self.folder / f"{name}.json", (dumps(value) + "\n").encode())

    def put_replies(self, replies: Iterable[Reply]) -> None:
        """Write each raw reply as it was, and an index with status and timing.

        Only the index is forced to the disk: the ledger has every reply already.
        """
        replies = tuple(replies)
        (self.folder / "replies").mkdir(exist_ok=True)
        index = [self._put_reply(number, reply) for number, reply in enumerate(replies, 1)]
        self.put("replies", {"schema_version": 1, "replies": index})

    def _put_reply(self, number: int, reply: Reply) -> dict[str, object]:
        name = f"replies/{number:03d}-{re.sub(r'[^A-Za-z0-9._-]', '_', reply.seat)[:80]}.txt"
        put_in_place(self.folder / name, reply.text.encode("utf-8", "surrogatepass"))
        rest = {**reply._asdict(), "usage": reply.usage._asdict() if reply.usage else None}
        del rest["text"]
        if reply.kept in ("", self.run_id):  # its own, whether it was resumed or not
            del rest["kept"]
        return {**rest, "file": name}


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


def new_run(root: Path, now: datetime) -> RunRecord:
    """Make the folder of a new run; any number of processes may do so at once."""
    runs = root / ".guild" / "runs"
    moment = now.astimezone(UTC)
    # The milliseconds are part of the name, so that the names of one second sort by time as well.
    stamp = f"{moment:%Y%m%d-%H%M%S}-{moment.microsecond // 1000:03x}"
    try:
        runs.mkdir(parents=True, exist_ok=True)
        while True:
            folder = runs / f"{stamp}{secrets.randbelow(0x1000):03x}"
            try:
                folder.mkdir()
                run = RunRecord(folder)
                run.hold()
                return run
            except FileExistsError:
                if not folder.is_dir():
                    raise
    except OSError as error:
        raise InfrastructureError(
            f"the run cannot be recorded under {runs}: {error.strerror}",
            "Make room or fix the permissions, or judge without a record: --no-record.",
        ) from error


def is_running(folder: Path) -> bool:
    """Whether a process is at work on the run now."""
    free = _take(folder, fcntl.LOCK_SH)
    if free is not None:
        os.close(free)
    return free is None


def _take(folder: Path, how: int) -> int | None:
    """The folder, open and locked; None when another process has it. The system frees a dead one's."""
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, how | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def started(run_id: str) -> datetime:
    """When the run of that name was begun."""
    return datetime.strptime(run_id[:15], "%Y%m%d-%H%M%S").replace(tzinfo=UTC)


def list_runs(root: Path) -> list[RunSummary]:
    """All recorded runs, newest first."""
    runs = root / ".guild" / "runs"
    names = sorted(os.listdir(runs), reverse=True) if runs.is_dir() else []
    return [summarise(runs / name) for name in names if _RUN_ID.fullmatch(name)]


def find_run(root: Path, name: str) -> Path:
    """The folder of the run called ``name``: an id, the start of one, or ``last``."""
    known = [run.run_id for run in list_runs(root)]
    if not known:
        raise UsageError("there are no recorded runs here", "'guild validate .' makes one.")
    matching = known[:1] if name == "last" else [run for run in known if run.startswith(name)]
    if len(matching) != 1 or not name:
        problem = "names several runs" if len(matching) > 1 else "is no recorded run"
        shown = ", ".join((matching or known)[:5])
        raise UsageError(f"{name!r} {problem}", f"For example: {shown}")
    return root / ".guild" / "runs" / matching[0]


def read_part(folder: Path, name: str) -> dict[str, object]:
    """One part of a record; empty when the run ended before it was written."""
    file = folder / f"{name}.json"
    if not file.is_file():
        return {}
    try:
        value = json.loads(file.read_bytes())
    except ValueError as error:
        raise InfrastructureError(f"{file} is damaged: {error}") from None
    return value if isinstance(value, dict) else {}


def summarise(folder: Path) -> RunSummary:
    """What ``runs list`` shows of one folder, however far the run got."""
    state, result = read_part(folder, "state"), read_part(folder, "result")
    request = read_part(folder, "request")
    return RunSummary(
        run_id=folder.name,
        state=str(state.get("state") or ("running" if is_running(folder) else "incomplete")),
        verdict=str(
            result.get("outcome" if request.get("practice") == "council" else "verdict") or "-"
        ),
        target=str(request.get("target", "-")),
        blocking=_count(result, "blocking_findings"),
        advisory=_count(result, "advisory_findings"),
        seconds=_number(result.get("seconds")),
        folder=folder,
    )


def read_replies(folder: Path) -> Iterator[tuple[dict[str, object], str]]:
    """Each recorded reply with its raw text."""
    entries = read_part(folder, "replies").get("replies", [])
    for entry in entries if isinstance(entries, list) else []:
        text = (folder / str(entry["file"])).read_bytes().decode("utf-8", "replace")
        yield entry, text


def _count(result: dict[str, object], key: str) -> int:
    found = result.get(key, [])
    return len(found) if isinstance(found, list) else 0


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
