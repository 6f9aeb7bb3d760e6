"""How long it takes to list many runs, with the index and without it.

    python benchmarks/runs_index.py [RUNS]

Makes the records of that many runs (10,000) in a temporary folder, as panels leave them, and lists them
all: first from the records themselves, then from the index that this left. Prints both times, what the
command ``guild runs list`` takes as a whole, and exits with 1 when the index takes 300 ms or more.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from yardstick import slowness

from guildmoot.runs.index import find_run, list_runs
from guildmoot.system.jsonio import dumps

LIMIT = 0.3
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
T = TypeVar("T")


def make_runs(root: Path, number: int) -> None:
    """The parts of each record that listing needs."""
    result = {"verdict": "approved", "seconds": 1.5, "roster": {"seats": [{"usd": 0.01}]}}
    parts = {
        "request": {"schema_version": 1, "kind": "panel", "target": "src", "parent": ""},
        "result": {"schema_version": 1, **result},
        "state": {"schema_version": 1, "state": "complete"},
    }
    for count in range(number):
        moment = BEGIN + timedelta(seconds=30 * count)
        folder = root / ".guild" / "runs" / f"{moment:%Y%m%d-%H%M%S}-{count % 0x1000000:06x}"
        folder.mkdir(parents=True)
        for name, part in parts.items():
            (folder / f"{name}.json").write_text(dumps(part) + "\n")


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """How many seconds the work takes, and what it gives."""
    begin = time.perf_counter()
    done = work()
    return time.perf_counter() - begin, done


def run_command(argv: list[str], root: Path) -> None:
    """The command as people call it."""
    subprocess.run(argv, cwd=root, check=True, stdout=subprocess.DEVNULL)


def main() -> int:
    """Make, list, print."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory(prefix="guildmoot-") as scratch:
        root = Path(scratch)
        make_runs(root, number)
        subprocess.run(["git", "init", "-q", scratch], check=True)
        records, first = timed(lambda: list_runs(root))
        index, again = min(timed(lambda: list_runs(root)) for _ in range(5))
        last, _ = timed(lambda: find_run(root, "last"))
        argv = [sys.executable, "-m", "guildmoot", "runs", "list"]
        command = min(timed(lambda: run_command(argv, root))[0] for _ in range(3))
    assert again == first
    assert len(first) == number
    print(f"{number} runs: {records * 1000:.0f} ms from the records, {index * 1000:.0f} ms from")
    print(
        f"the index ({records / index:.0f} times as fast), {last * 1000:.1f} ms for the last one,"
    )
    print(f"{command * 1000:.0f} ms for 'guild runs list' as a whole")
    return int(index >= LIMIT * slowness())


if __name__ == "__main__":
    raise SystemExit(main())
