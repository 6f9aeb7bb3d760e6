"""Speed as users feel it: a change of one file, a large repository, a first sign of life, Ctrl-C; beside ruff alone.

    python benchmarks/speed.py [--files 7000] [--rounds 7] [--goals]

The repositories are made of the standard library's own files. Seconds are the least of several rounds, taken in
turns with ruff's, so a busy moment hits both; processor seconds count all processes. It ends with 1 when a bound
is missed that holds on a busy machine too; with ``--goals``, when one is missed that we set for a quiet machine.
On a busy Linux machine ``chrt -r 10 python benchmarks/speed.py`` measures about what a quiet one would take.
"""

from __future__ import annotations

import argparse
import ctypes
import itertools
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from yardstick import slowness

BIN = Path(sys.executable).parent
GUILD, RUFF = str(BIN / "guild"), str(BIN / "ruff")
_SUBREAPER = 36
LARGEST = 8_000
"""Bytes of one file: 7,000 such files are what one packet holds, so that both read all of them."""
SCRIPTS = {
    "go": ("main.go", 'package main\n\nfunc main() {\n\tprintln("a")\n}\n', "\nfunc b() {}\n"),
    "js": ("main.js", "export function f(a) {\n  return a + 1;\n}\n", "\nexport const b = 1;\n"),
}


class Took(NamedTuple):
    """What one run of a program took."""

    wall: float
    cpu: float


class Row(NamedTuple):
    """One figure: the goal is for a quiet machine, the bound for any."""

    name: str
    value: float
    unit: str
    goal: float
    bound: float
    more: str = ""


def run(argv: list[str], folder: Path, home: Path) -> Took:
    """How long a program takes, whatever it says."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(argv, cwd=folder, env=environment(home), capture_output=True, check=False)
    wall = time.perf_counter() - began
    with suppress(ChildProcessError):
        while True:  # whoever outlived it by a moment counts too
            os.waitpid(-1, 0)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Took(wall, cpu)


def environment(home: Path) -> dict[str, str]:
    """Ours, with nobody's settings and a cache of its own, and modules compiled once as for every user."""
    left_out = ("XDG_", "PYTHONDONTWRITE")
    own = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    return own | {"HOME": str(home)}


def least(took: list[Took]) -> Took:
    """The least of each; others were at work in the rest."""
    return Took(min(each.wall for each in took), min(each.cpu for each in took))


def git(folder: Path, *words: str) -> None:
    """Run git there under a made-up name."""
    who = ("-c", "user.name=b", "-c", "user.email=b@example.com")
    subprocess.run(("git", *who, *words), cwd=folder, capture_output=True, check=True)


def make(folder: Path, files: int) -> None:
    """A repository of so many Python files, and one of Go and JavaScript, all committed."""
    library = Path(sysconfig.get_paths()["stdlib"])
    found = sorted(library.glob("*.py")) + sorted(library.glob("*/*.py"))
    small = [path for path in found if 0 < path.stat().st_size < LARGEST]
    for number, path in enumerate(itertools.islice(itertools.cycle(small), files)):
        place = folder / f"package{number % 50}" / f"module{number}.py"
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
    for name, text, _ in SCRIPTS.values():
        (folder / name).write_text(text, encoding="utf-8")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "files")


@contextmanager
def changed(folder: Path, name: str, more: str) -> Iterator[None]:
    """The repository with one changed file."""
    file = folder / name
    before = file.read_text("utf-8")
    file.write_text(before + more, encoding="utf-8")
    try:
        yield
    finally:
        file.write_text(before, encoding="utf-8")


def one_file(small: Path, home: Path, rounds: int) -> Iterator[Row]:
    """A change of one file in a small repository."""
    python = "package0/module0.py"
    for kind, name, more in (
        ("Python", python, "\n\nADDED = 1\n"),
        *((kind, name, more) for kind, (name, _, more) in SCRIPTS.items()),
    ):
        with changed(small, name, more):
            mine, alone, bare = [], [], []
            for _ in range(rounds):
                mine.append(run([GUILD, "validate"], small, home))
                alone.append(run([RUFF, "check", "--no-cache", python], small, home))
                bare.append(run([sys.executable, "-c", "pass"], small, home))
        took, ruff = least(mine), least(alone)
        beside = f"{took.wall / ruff.wall:.0f} times ruff, which takes {ruff.wall:.3f} s"
        yield Row(f"one-file change ({kind})", took.wall, "s", 0.35, 5.0, beside)
        times, told = took.cpu / least(bare).cpu, f"{took.cpu:.2f} s"
        yield Row("  its processor time", times, "times a bare python", 30, 60, told)


def large_repository(large: Path, home: Path, rounds: int) -> Iterator[Row]:
    """A whole repository, the first time and again."""
    first = run([GUILD, "validate", ".", "-q"], large, home)
    again, alone = [], []
    for _ in range(rounds):
        alone.append(run([RUFF, "check", "--no-cache", "-q", "."], large, home))
        again.append(run([GUILD, "validate", ".", "-q"], large, home))
    ruff, rest = least(alone), least(again)
    for name, took, bound in (("first", first, 12.0), ("repeated", rest, 8.0)):
        more = (
            f"{took.wall:.1f} s beside {ruff.wall:.2f} s; processor {took.cpu / ruff.cpu:.1f} times"
        )
        yield Row(
            f"whole repository, {name}", took.wall / ruff.wall, "times ruff", 4.0, bound, more
        )


def sign_and_stop(large: Path, home: Path) -> Iterator[Row]:
    """The first sign of life, and how long Ctrl-C takes at several moments of a run."""
    signs, stops = [], []
    for at, later in (
        (rb"reading", 0.0),
        (rb"reading", 0.3),
        (rb"reading", 1.0),
        (rb"\[1/", 0.0),
        (rb"\[(\d+)/\1\]", 0.0),
    ):
        began = time.perf_counter()
        with subprocess.Popen(
            [GUILD, "validate", "."],
            cwd=large,
            env=environment(home),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        ) as process:
            if process.stderr is None:
                raise SystemExit("no pipe")
            seen = os.read(process.stderr.fileno(), 4096)
            signs.append(time.perf_counter() - began)
            while not re.search(at, seen) and (more := os.read(process.stderr.fileno(), 4096)):
                seen += more
            time.sleep(later)
            asked = time.perf_counter()
            process.send_signal(signal.SIGINT)
            process.stderr.read()
            process.wait()
            stops.append(time.perf_counter() - asked)
    yield Row("first sign of life", min(signs), "s", 0.3, 1.0)
    shown = ", ".join(f"{stop:.2f}" for stop in stops)
    yield Row("Ctrl-C, the slowest of five moments", max(stops), "s", 0.5, 4.0, shown)


def main() -> int:
    """Measure and say which bounds are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=7000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--goals", action="store_true", help="fail when a goal is missed")
    asked = parser.parse_args()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    missed, slow = 0, slowness()
    with tempfile.TemporaryDirectory() as scratch:
        small, large, home = (Path(scratch, name) for name in ("small", "large", "home"))
        home.mkdir()
        make(small, 20)
        make(large, asked.files)
        print(f"{asked.files} files, load {os.getloadavg()[0]:.1f}")
        for row in itertools.chain(
            one_file(small, home, asked.rounds),
            large_repository(large, home, max(1, asked.rounds // 3)),
            sign_and_stop(large, home),
        ):
            limit = row.goal if asked.goals else row.bound * (slow if row.unit == "s" else 1)
            missed += row.value > limit
            told = f" ({row.more})" if row.more else ""
            print(
                f"{row.name}: {row.value:.2f} {row.unit}, goal {row.goal}, bound {row.bound}{told}"
            )
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
