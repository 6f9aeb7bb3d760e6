"""Command lines that are struck at the k-th change they make on disk, each in a shop of its own."""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

HERE = Path(__file__).parent
COUNT, KILL_BEFORE, KILL_AFTER, FAIL_ONCE, FAIL_FROM, SHOW = range(6)

T = TypeVar("T")
R = TypeVar("R")


class Fault(NamedTuple):
    """What happens at which change."""

    mode: int = COUNT
    at: int = 0
    errno: int = 0


UNDISTURBED = Fault()


class Change(NamedTuple):
    """One change on disk, as the log of an undisturbed run has it."""

    number: int
    what: str
    path: str

    @property
    def in_ledger(self) -> bool:
        return "ledger.sqlite3" in self.path


class Ended(NamedTuple):
    """How a command line ended."""

    code: int
    """Negative for the signal that killed it."""
    out: str
    err: str

    @property
    def json(self) -> dict:
        return json.loads(self.out)


class Place:
    """One copy of a shop, with a home of its own, where a command line is run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "shop"
        self.home = folder / "home"
        self.environment: dict[str, str] = {}

    @classmethod
    def copy(cls, template: Path, folder: Path) -> Place:
        shutil.copytree(template, folder, symlinks=True)
        return cls(folder)

    @property
    def watched(self) -> list[str]:
        """The records; the work under review and git's own files are not ours to write."""
        return [str(self.root / name) for name in (".guild", ".agents", "board.md", ".board.md")]

    @property
    def kept(self) -> list[str]:
        """What a copy of a moment holds: the records, and who was asked."""
        return [*self.watched, str(self.home / "calls")]

    @property
    def copies(self) -> Path:
        return self.folder / "copies"

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def changes(self) -> list[Change]:
        """What the last command line changed on disk, up to where it was struck."""
        lines = self.out.with_suffix(".changes").read_text().splitlines()
        rows = (line.split(" ", 2) for line in lines)
        return [Change(int(number), what, path) for number, what, path in rows]

    def calls(self) -> dict[str, str]:
        """What each agent was asked: a letter a call, in the order that they came."""
        return {file.name: file.read_text() for file in sorted((self.home / "calls").iterdir())}


class Bench:
    """Servers that run command lines, one at a time each, under the fault library."""

    def __init__(self, library: Path, servers: int = 2) -> None:
        self._idle: queue.Queue[_Server] = queue.Queue()
        self._servers = [_Server(library) for _ in range(servers)]
        for server in self._servers:
            self._idle.put(server)

    def close(self) -> None:
        for server in self._servers:
            server.close()

    def learn(self, make: Callable[[], Place], *argv: str) -> None:
        """Have every server import what a command line needs, by running it once."""
        for server in self._servers:
            server.run(make(), argv, Fault(), learn=True)

    def run(self, place: Place, *argv: str, fault: Fault = UNDISTURBED) -> Ended:
        """Run ``guild ARGV`` in the place; all its children have ended when it returns."""
        with self._server() as server:
            return server.run(place, argv, fault)

    def crowd(self, place: Place, *argv: str, times: int) -> list[Ended]:
        """Run it many times at once in the same place."""
        with self._server() as server:
            return server.crowd(place, argv, times)

    @contextmanager
    def _server(self) -> Iterator[_Server]:
        server = self._idle.get()
        try:
            yield server
        finally:
            self._idle.put(server)

    def changes(self, place: Place, *argv: str, copies: bool = False) -> tuple[Ended, list[Change]]:
        """Run it undisturbed, and tell what it changed on disk.

        With ``copies``, ``place.copies/K`` is what lay there before the K-th change.
        """
        ended = self.run(place, *argv, fault=Fault(SHOW if copies else COUNT))
        return ended, place.changes()

    def each(self, work: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """Do the work for every item, as many at once as there are servers."""
        with ThreadPoolExecutor(len(self._servers)) as pool:
            return list(pool.map(work, items))


class _Server:
    def __init__(self, library: Path) -> None:
        environment = {**os.environ, "LD_PRELOAD": str(library), "PYTHONDONTWRITEBYTECODE": "1"}
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "server.py")],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, place: Place, argv: Iterable[str], fault: Fault, *, learn: bool = False) -> Ended:
        [code] = self._do(place, argv, fault, learn=learn)
        return _ended(place.out, code)

    def crowd(self, place: Place, argv: Iterable[str], times: int) -> list[Ended]:
        codes = self._do(place, argv, Fault(), crowd=times)
        return [_ended(Path(f"{place.out}-{number}"), code) for number, code in enumerate(codes)]

    def _do(
        self,
        place: Place,
        argv: Iterable[str],
        fault: Fault,
        *,
        learn: bool = False,
        crowd: int = 0,
    ) -> list[int]:
        job = {
            "argv": list(argv),
            "cwd": str(place.root),
            "env": {
                "PATH": os.environ["PATH"],
                "HOME": str(place.home),
                "LANG": "C.UTF-8",
                **place.environment,
            },
            **fault._asdict(),
            "watch": place.watched,
            "base": str(place.folder),
            "keep": place.kept,
            "copies": str(place.copies) if fault.mode == SHOW else "",
            "out": str(place.out),
            "learn": learn,
            "crowd": crowd,
        }
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        codes: list[int] = json.loads(self._process.stdout.readline())
        return codes

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait(timeout=30)
        self._process.stdout.close()


def _ended(out: Path, code: int) -> Ended:
    return Ended(code, *(Path(f"{out}.{name}").read_text() for name in ("stdout", "stderr")))


def build(folder: Path) -> Path:
    """The fault library, compiled; a machine without a C compiler cannot run these tests."""
    library = folder / "fault.so"
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise RuntimeError("these tests need a C compiler: install gcc (Debian: apt install gcc)")
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-o", library, HERE / "fault.c", "-ldl"], check=True
    )
    return library
