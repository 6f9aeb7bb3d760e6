"""The record of one run: a folder of small files under ``.guild/runs``, written as the run goes on.

``RunRecord`` writes the folder; ``PracticeRecord`` is what a practice writes through, stage by stage,
or nothing at all. ``state.json`` is written last, so a folder without it is a run that was killed: it
stays readable and is listed as incomplete. Nothing here knows what a verdict means.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Self

from guildmoot.codec import to_plain
from guildmoot.errors import GuildmootError, InfrastructureError, UsageError
from guildmoot.guard.secrets import mask
from guildmoot.model.agent import Agent, Roster
from guildmoot.model.call import Reply
from guildmoot.runs.rows import Summary, append_row, make_row
from guildmoot.system.files import (
    check_own_folder,
    keep_out_of_git,
    lock_folder,
    place_inside,
    put_in_place,
    read_own,
    write_atomic,
)
from guildmoot.system.jsonio import dumps
from guildmoot.text.patterns import lazy

if TYPE_CHECKING:
    from guildmoot.config import Config, Value

COMMITTED = (*("agents/", "presets/", "hosts/"), *("panel.toml", "baseline.json"))
"""What of ``.guild`` is the project's own work, and may be committed."""
_WEEK = timedelta(days=7)
_AT_ONCE = 20
"""Runs that wait to be cleared away, so that not every run pays for it."""
_LOOKS = (0.01, 0.05, 0.2)
"""Seconds to try again: who lists the runs takes each for a moment, to see whether it is free."""
_PASSWORD = lazy(
    r"((?<=postgresql)://[^/@:\s]*:)\S+(?=@)"  # any sign may stand in one, as the engine reads it
    r"|(://[^/@:\s]*:)[^/@\s]+(?=@)"
    r"|([?&](?:ssl)?password=)[^&\s]*",
    re.IGNORECASE,
)
_RUN_NAME = lazy(r"\d{8}-\d{6}-[0-9a-f]{6}")


class RunRecord:
    """Writes one run's folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run_id = folder.name
        self._release: Callable[[], object] = lambda: None

    @property
    def root(self) -> Path:
        """The repository that it belongs to."""
        return self.folder.parents[2]

    def acquire(self) -> bool:
        """Lock the run until this process releases it or dies; False when another has it.

        May sleep for a moment: on an event loop, call it in a thread.
        """
        for wait in (*_LOOKS, None):
            handle = lock_folder(self.folder)
            if handle is not None:
                self._release = weakref.finalize(self, os.close, handle)
                return True
            if wait is not None:
                time.sleep(wait)
        return False

    def release(self) -> None:
        """The run is over."""
        self._release()

    def put(self, name: str, value: object, *, more: bool = False) -> None:
        """Write one part, e.g. ``request`` or ``result``, as JSON; ``more`` when others follow at once."""
        write_atomic(self.folder / f"{name}.json", (dumps(value) + "\n").encode(), more=more)

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
        rest: dict[str, object] = to_plain(reply)
        del rest["text"]
        if reply.kept in ("", self.run_id):  # its own, whether it was resumed or not
            del rest["kept"]
        return {**rest, "file": name}


class PracticeRecord:
    """Writes one run stage by stage; without a folder it keeps nothing."""

    def __init__(self, run: RunRecord | None, read_from: RunRecord | None = None) -> None:
        self._run = run
        self._problem = ""
        self._retention = 0
        about = run or read_from
        self.run_id = about.run_id if about else ""
        self.folder = about.folder if about else None
        self.root = about.root if about else None
        """The repository that keeps the run; None when nothing is kept."""

    @classmethod
    def begin(cls, root: Path | None, now: datetime) -> Self:
        """Open a record under ``root``, or none at all."""
        return cls(new_run(root, now) if root else None)

    @classmethod
    def reopen(cls, folder: Path) -> Self:
        """Go on with a run's own record; UsageError when another process is at work on it."""
        run = RunRecord(folder)
        if not run.acquire():
            raise UsageError(
                f"the run {run.run_id} is still going on", "Wait for it, or stop its process first."
            )
        return cls(run)

    @classmethod
    def read_only(cls, folder: Path) -> Self:
        """A run that is only read: nothing is written to its record."""
        return cls(None, RunRecord(folder))

    def asked(
        self,
        request: Mapping[str, object],
        config: Config,
        manifest: Mapping[str, object],
        roster: Roster,
        *,
        kind: str,
        parent: str = "",
    ) -> None:
        """What was asked of whom, before anyone answers; ``parent`` is the run that this is part of."""
        if not self._run:
            return
        sources = {
            key: {"value": shown(origin.value), "source": origin.source}
            for key, origin in config.values.items()
        }
        self._retention = int(config.number("runs.keep_last"))
        settings = {"settings": sources, "notices": list(config.notices)}
        self._run.put("config", {"schema_version": 1, **settings}, more=True)
        self._run.put("packet", {"schema_version": 1, **manifest}, more=True)
        seats = [seat._asdict() for seat in roster.seats]
        who = {name: plain_agent(agent) for name, agent in roster.agents.items()}
        seated = {"asked": seats, "passed_over": list(roster.passed_over), "agents": who}
        self._run.put("roster", {"schema_version": 1, **seated}, more=True)
        # Last: a run with a request is whole enough to be gone on with.
        related = {"kind": kind, "parent": parent or request.get("parent", "")}
        self._run.put("request", {"schema_version": 1, **request, **related})

    def answered(self, replies: Sequence[Reply]) -> None:
        """Each raw reply, and who really answered."""
        self._keep(lambda run: run.put_replies(replies))

    def put(self, name: str, value: Mapping[str, object], *, more: bool = False) -> None:
        """Write one part; ``more`` when others follow at once."""
        self._keep(lambda run: run.put(name, value, more=more))

    def part(self, name: str) -> dict[str, object]:
        """One part as it stands in the folder; empty when there is none."""
        return read_part(self.folder, name) if self.folder else {}

    def finish(
        self,
        parts: Mapping[str, Mapping[str, object]],
        summary: Summary,
        *,
        interrupted: bool,
        whole: bool = True,
    ) -> None:
        """Write the last parts; the state comes last. One that is not ``whole`` can be gone on with."""
        state = "interrupted" if interrupted else "complete" if whole else "incomplete"
        for name, value in parts.items():
            self.put(name, value, more=True)
        self.put("state", {"schema_version": 1, "state": state})
        if self._run:
            if not self._problem:
                append_row(make_row(self._run.folder, self.part("request"), state, summary))
            self._run.release()
            tidy(self._run.root, datetime.now(UTC), self._retention)

    @property
    def keeps(self) -> bool:
        """Whether anything is written at all."""
        return self._run is not None

    @property
    def problem(self) -> str:
        """What could not be kept, and why; empty when the record is whole."""
        return self._problem

    def _keep(self, write: Callable[[RunRecord], None]) -> None:
        """The judges have answered by now, so a full disk must not lose the verdict."""
        if not self._run or self._problem:
            return
        try:
            write(self._run)
        except OSError as error:
            self._problem = f"the record of this run is incomplete: {error.strerror}"


def tidy(root: Path, now: datetime, keep: int) -> None:
    """Clear away what is older than a week and not among the last ``keep`` runs, many at once."""
    before = f"{now - _WEEK:%Y%m%d}"
    try:
        names = sorted(os.listdir(runs_folder(root))) if keep > 0 else []
        if sum(name[:8] < before for name in names[:-keep]) < _AT_ONCE:
            return
        from guildmoot.runs.gc import clear_runs

        clear_runs(root, now, keep=keep, older_than=_WEEK, dry_run=False)
    except (OSError, GuildmootError):
        return  # the run itself is whole; the next one tries again


def runs_folder(root: Path) -> Path:
    """Where the runs of a repository are kept; UsageError when a link lies there."""
    return place_inside(root, ".guild/runs")


def new_run(root: Path, now: datetime) -> RunRecord:
    """Make the folder of a new run; any number of processes may do so at once."""
    check_own_folder(root, ".guild")
    runs = runs_folder(root)
    # Whoever started this process may have told others its run already; a second run is its own.
    given = os.environ.pop("GUILD_NEW_RUN", "")
    name = given if _RUN_NAME.fullmatch(given) else new_run_name(now)
    try:
        runs.mkdir(parents=True, exist_ok=True)
        keep_out_of_git(runs.parent, COMMITTED)
        while True:
            folder = runs / name
            try:
                folder.mkdir()
                run = RunRecord(folder)
                run.acquire()
                return run
            except FileExistsError:
                if not folder.is_dir():
                    raise
                name = new_run_name(now)
    except OSError as error:
        raise InfrastructureError(
            f"the run cannot be recorded under {runs}: {error.strerror}",
            "Make room or fix the permissions, or judge without a record: --no-record.",
        ) from error


def new_run_name(now: datetime) -> str:
    """A name for a run that sorts by time; the milliseconds tell those of one second apart."""
    moment = now.astimezone(UTC)
    stamp = f"{moment:%Y%m%d-%H%M%S}-{moment.microsecond // 1000:03x}"
    return f"{stamp}{secrets.randbelow(0x1000):03x}"


def is_running(folder: Path) -> bool:
    """Whether a process is at work on the run now."""
    try:
        handle = lock_folder(folder, shared=True)
    except OSError:  # taken away since
        return False
    if handle is not None:
        os.close(handle)
    return handle is None


def read_part(folder: Path, name: str) -> dict[str, object]:
    """One part of a record; empty when the run ended before it was written."""
    file = folder / f"{name}.json"
    data = read_own(file)
    if not data and not file.is_file():
        return {}
    try:
        value = json.loads(data)
    except ValueError as error:
        raise InfrastructureError(f"{file} is damaged: {error}") from None
    return value if isinstance(value, dict) else {}


def read_replies(folder: Path) -> Iterator[tuple[dict[str, object], str]]:
    """Each recorded reply with its raw text."""
    entries = read_part(folder, "replies").get("replies", [])
    for entry in entries if isinstance(entries, list) else []:
        text = read_own(folder / str(entry["file"])).decode("utf-8", "replace")
        yield entry, text


def shown(value: Value) -> Value:
    """A setting as it may be kept: a command line or an address may hold a secret."""
    if not isinstance(value, str):
        return value
    return _PASSWORD.sub(r"\1\2\3***", mask(value, "setting")[0])


def plain_agent(agent: Agent) -> dict[str, object]:
    """An agent as a record keeps it; ``masked`` tells when what it runs is not whole."""
    if agent.origin == "package" and agent.format != "exit":  # our own text holds nobody's secret
        return {**agent._asdict(), "command": list(agent.command), "masked": False}
    command = [mask(word, "command")[0] for word in agent.command]
    said = {name: mask(getattr(agent, name), "agent")[0] for name in ("description", "body")}
    masked = command != list(agent.command) or said["body"] != agent.body
    return {**agent._asdict(), **said, "command": command, "masked": masked}
