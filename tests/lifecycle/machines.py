"""Machines that share a Postgres and nothing else: each has a home and a folder of its own, and a real worker."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.lifecycle.executions import script, starts

from calls.cluster.conftest import POSTGRES
from calls.cluster.scene import VERB, environment, querying, until

NEEDS_POSTGRES = pytest.mark.skipif(
    not POSTGRES, reason='no server: eval "$(scripts/postgres start)" starts one'
)
TIERS = ["cheap", "mid", "powerful"]
Sql = Callable[..., list[tuple[object, ...]]]


class Machine:
    """A worker on a machine of its own."""

    def __init__(self, place: Path, name: str, url: str) -> None:
        self.place, self.name, self._url = place / name, name, url
        (self.place / "home").mkdir(parents=True, exist_ok=True)
        self.process: subprocess.Popen[bytes] | None = None

    def work(self, *more: str, lanes: int = 1, command: str = "", **acts: object) -> Machine:
        """Start its worker, and wait until it is in the register."""
        command = command or script(self.place / "work", **acts)
        log = (self.place / "log").open("ab")
        by = () if "--clients" in more else ("--worker", command)
        words = ["worker", "--lanes", str(lanes), *by, "--name", self.name, *more]
        self.process = subprocess.Popen(
            [sys.executable, "-c", VERB, *words, "--engine", self._url],
            env=environment(self.place / "home"), cwd=self.place, stdout=log, stderr=log,
        )  # fmt: skip
        log.close()
        pid = self.process.pid
        there = "SELECT 1 FROM guild.workers WHERE name = :name AND pid = :pid AND capabilities LIKE '%slots%'"
        with querying(self._url) as ask:
            until(lambda: ask(there, name=self.name, pid=pid) or self.process.poll() is not None)
        assert self.process.poll() is None, self.log
        return self

    @property
    def log(self) -> str:
        return (self.place / "log").read_text()

    @property
    def starts(self) -> list[str]:
        return starts(self.place / "work")

    def kill(self) -> None:
        """As a power cut would."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


@contextmanager
def machines(place: Path, url: str) -> Iterator[Callable[[str], Machine]]:
    """Make machines by name; all end with the test."""
    made: list[Machine] = []

    def make(name: str) -> Machine:
        made.append(Machine(place, name, url))
        return made[-1]

    try:
        yield make
    finally:
        for each in made:
            each.kill()


def ended(engine: subprocess.Popen[str], seconds: float = 120) -> dict[str, object]:
    """What a ``guild work execute`` of its own process printed."""
    out, told = engine.communicate(timeout=seconds)
    assert out, told
    return json.loads(out)


def waits(away: Machine) -> dict[str, object]:
    """A specialist that works until the file ``go`` of its machine is there; it leaves its process number."""
    go, pid = away.place / "go", away.place / "pid"
    return {"sh": f"echo $$ > {pid}; while [ ! -e {go} ]; do sleep 0.05; done"}


def is_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def pid_of(away: Machine) -> int:
    file = away.place / "pid"
    return int(until(lambda: file.is_file() and file.read_text().strip()))


def host(root: Path, name: str, egress: str = "allow", **more: object) -> Path:
    """A manifest of the project's, as ``guild hosts`` reads it; it may be old, for its worker is heard."""
    file = root / ".guild" / "hosts" / name / "capability.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    told = {"schema_version": "guild.host_capability.v1", "host_id": name, "host_kind": "claude",
            "advertised_at": "2026-01-01T00:00:00Z", "supported_tiers": TIERS, "egress": egress}  # fmt: skip
    file.write_text(json.dumps(told | more))
    return file
