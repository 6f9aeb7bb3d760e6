"""Judgements that outlive a request: each is a child process with a folder of its own.

The folder lies in the user's state, not in the repository, and is named after the run, so that one id
serves the tool, the command line and the record. A child holds the lock of its folder for as long as
it lives; whoever wants to know looks at the lock. A client that was cut off and asks the same of the
same work again is given the job that is there: nothing is begun, or paid, twice. What was paid for and came to a
verdict answers for an hour, also who has been given it: an answer may be lost on its way.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from guildmoot.system.files import write_atomic
from guildmoot.system.state import user_state_folder

_KEEP = 7 * 24 * 3600.0
"""Seconds after which the folder of a finished job goes; the run's own record stays."""
_GRACE = 3.0
_HOUR = 3600.0
_VERDICTS = (0, 1, 2, 3)
"""Exit codes of a judgement that came to its end."""


def command_line(argv: list[str]) -> list[str]:
    """Our own program; ``-P`` keeps the folder that is judged out of what Python imports."""
    return [sys.executable, "-P", "-m", "guildmoot", *argv]


class McpJob:
    """One judgement under way, or its end."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.id = folder.name

    @property
    def about(self) -> dict[str, Any]:
        """What was asked; empty where the folder is not whole."""
        try:
            about = json.loads((self.folder / "job.json").read_bytes())
        except (OSError, ValueError):
            return {}
        return about if isinstance(about, dict) else {}

    def running(self) -> bool:
        """Whether its process lives."""
        try:
            handle = os.open(self.folder / "lock", os.O_RDONLY)
        except OSError:
            return False
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(handle)
        return False

    def wait(self, seconds: float) -> bool:
        """Whether it ended within the time."""
        until = time.monotonic() + seconds
        while self.running():
            if time.monotonic() >= until:
                return False
            time.sleep(0.05)
        return True

    def progress(self, after: int = 0) -> tuple[str, ...]:
        """Lines that it told on standard error since the first ``after``."""
        text = (self.folder / "stderr").read_text(errors="replace") if self.folder.exists() else ""
        return tuple(line for line in text.splitlines() if line.strip())[after:]

    def result(self) -> dict[str, Any] | None:
        """The JSON it printed; None where it died before it could."""
        value = self._printed()
        if value is not None:
            (self.folder / "delivered").touch()
        return value

    def _printed(self) -> dict[str, Any] | None:
        try:
            value = json.loads((self.folder / "stdout").read_bytes())
        except (OSError, ValueError):
            return None
        return value if isinstance(value, dict) else None

    def cancelled(self) -> bool:
        """Whether somebody ended it before its verdict; what a run prints when it is stopped is none."""
        if not (self.folder / "cancelled").exists():
            return False
        return (self._printed() or {}).get("exit_code") not in _VERDICTS

    def answers(self, *, paid: bool) -> bool:
        """Whether it is the answer to its question, asked once more."""
        if self.running():
            return True
        if self.cancelled():
            return False
        given = self.folder / "delivered"
        if not given.exists():
            return (self.folder / "stdout").stat().st_size > 0
        fresh = time.time() - given.stat().st_mtime < _HOUR
        return paid and fresh and (self._printed() or {}).get("exit_code") in _VERDICTS

    def cancel(self) -> None:
        """End it and what it started."""
        if self.running():
            (self.folder / "cancelled").touch()
        pid = self.about.get("pid")
        for sent in (signal.SIGTERM, signal.SIGKILL):
            if not isinstance(pid, int) or not self.running():
                return
            with suppress(ProcessLookupError):
                os.killpg(pid, sent)
            self.wait(_GRACE)


class Jobs:
    """All judgements of this user."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or user_state_folder() / "jobs"

    def find(self, run: str) -> McpJob | None:
        """The job of a run, if a server began it."""
        if not run or "/" in run or run.startswith("."):
            return None
        job = McpJob(self.folder / run)
        return job if job.about else None

    def begin(
        self, argv: list[str], cwd: Path, asked: Mapping[str, Any], *, paid: bool = False
    ) -> McpJob:
        """The job for this question about this very work: one that is there, else a new one."""
        key = work_key(cwd, asked)
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self.folder / ".lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return self._open(key, paid=paid) or self._start(argv, cwd, key)

    def _open(self, key: str, *, paid: bool) -> McpJob | None:
        """The newest job of the same key that is still the answer."""
        oldest = time.time() - _KEEP
        for folder in sorted(self.folder.glob("2*"), reverse=True):
            job = McpJob(folder)
            about = job.about
            if about.get("key") == key and job.answers(paid=paid):
                return job
            if folder.stat().st_mtime < oldest and not job.running():
                shutil.rmtree(folder, ignore_errors=True)
        return None

    def _start(self, argv: list[str], cwd: Path, key: str) -> McpJob:
        from datetime import UTC, datetime

        from guildmoot.runs.record import new_run_name

        folder = self.folder / new_run_name(datetime.now(UTC))
        folder.mkdir(mode=0o700)
        lock = os.open(folder / "lock", os.O_RDONLY | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as err:
                child = subprocess.Popen(
                    command_line(argv),
                    cwd=cwd,
                    env={**os.environ, "GUILD_NEW_RUN": folder.name},
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=err,
                    start_new_session=True,
                    pass_fds=(lock,),
                )
        except OSError:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        finally:
            os.close(lock)
        about = {"key": key, "argv": argv, "cwd": str(cwd), "pid": child.pid, "began": time.time()}
        write_atomic(folder / "job.json", json.dumps(about).encode())
        _reap(child)
        return McpJob(folder)


def work_key(cwd: Path, asked: Mapping[str, Any]) -> str:
    """A name for a question about the work as it stands: another commit or edit is another question."""
    from guildmoot.system.git import Git, GitError, project_root

    root = project_root(cwd)
    parts = [str(cwd.resolve()).encode(), json.dumps(asked, sort_keys=True).encode()]
    with suppress(GitError):  # no repository, or no commit yet: the question alone is the name
        git = Git(root)
        others = git.names("ls-files", "-o", "-z", "--exclude-standard")
        parts += [os.fsencode(name) + _stamp(root, name) for name in others]
        parts.append(git.run("rev-parse", "HEAD"))
        parts.append(git.run("diff", "HEAD", "--no-ext-diff", "--no-textconv"))
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def _stamp(root: Path, name: str) -> bytes:
    try:
        found = os.lstat(root / name)
    except OSError:
        return b""
    return f"{found.st_size} {found.st_mtime_ns}".encode()


def _reap(child: subprocess.Popen[bytes]) -> None:
    """Take note of its end, so that no zombie stays."""
    import threading

    threading.Thread(target=child.wait, daemon=True).start()
