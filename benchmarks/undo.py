"""How long a snapshot before a loss takes: 10,000 files, 50 changed, 200 untracked.

python benchmarks/undo.py
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from guildmoot.guard.undo.restore import restore
from guildmoot.guard.undo.snapshot import take_snapshot

BOUND = 0.5


def main() -> int:
    """Print the figures; 1 when the bound is missed."""
    with tempfile.TemporaryDirectory() as place:
        top = Path(place)
        _make(top)
        times = []
        for turn in range(7):
            _work(top, turn)
            began = time.perf_counter()
            taken = take_snapshot(top, "benchmark")
            times.append(time.perf_counter() - began)
        subprocess.run(["git", "reset", "-q", "--hard"], cwd=top, check=True)
        subprocess.run(["git", "clean", "-qfd"], cwd=top, check=True)
        began = time.perf_counter()
        done = restore(top, taken.id)
        back = time.perf_counter() - began
    print(f"snapshot of 10,000 files, 50 changed, 200 untracked: median {median(times) * 1000:.0f} ms,"
          f" longest {max(times) * 1000:.0f} ms (bound {BOUND * 1000:.0f})")  # fmt: skip
    print(f"restore of {len(done.written)} files: {back * 1000:.0f} ms")
    return 1 if median(times) > BOUND else 0


def _make(top: Path) -> None:
    for folder in range(100):
        (top / f"d{folder}").mkdir()
        for number in range(100):
            (top / f"d{folder}/f{number}.txt").write_text(f"{folder} {number}\n" * 40)
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "all"], ["repack", "-adq"]):
        subprocess.run(["git", *words], cwd=top, check=True)


def _work(top: Path, turn: int) -> None:
    for number in range(50):
        (top / f"d{number}/f{number}.txt").write_bytes(os.urandom(2000))
    for number in range(200):
        (top / f"d{number % 100}/new-{turn}-{number}").write_bytes(os.urandom(2000))


if __name__ == "__main__":
    sys.exit(main())
