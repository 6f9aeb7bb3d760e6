"""Speed as users feel it: a one-file change, and a repository of thousands of files beside ruff alone.

    python benchmarks/speed.py [--files 7000] [--rounds 5]

Both repositories are made of the standard library's own files. Prints seconds and ratios; it ends with 1 when a
goal is missed: 0.35 s for the change, 4 times ruff for the repository.
"""

from __future__ import annotations

import argparse
import itertools
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from statistics import median

BIN = Path(sys.executable).parent
MOST_SECONDS, MOST_TIMES = 0.35, 4.0
LARGEST = 20_000
"""Bytes of one file; on average they then have the size of those of a large web framework."""


def seconds(argv: list[str], folder: Path) -> float:
    """How long a program takes, whatever it says."""
    began = time.perf_counter()
    subprocess.run(argv, cwd=folder, capture_output=True, check=False)
    return time.perf_counter() - began


def git(folder: Path, *words: str) -> None:
    """Run git there under a made-up name."""
    who = ("-c", "user.name=b", "-c", "user.email=b@example.com")
    subprocess.run(("git", *who, *words), cwd=folder, capture_output=True, check=True)


def make(folder: Path, files: int) -> None:
    """A repository of so many Python files, all committed."""
    library = Path(sysconfig.get_paths()["stdlib"])
    found = sorted(library.glob("*.py")) + sorted(library.glob("*/*.py"))
    small = [path for path in found if 0 < path.stat().st_size < LARGEST]
    for number, path in enumerate(itertools.islice(itertools.cycle(small), files)):
        place = folder / f"package{number % 50}" / f"module{number}.py"
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "files")


def main() -> int:
    """Measure both and say whether the goals are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=7000)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    guild, ruff = str(BIN / "guild"), str(BIN / "ruff")
    with tempfile.TemporaryDirectory() as scratch:
        small, large = Path(scratch, "small"), Path(scratch, "large")
        make(small, 20)
        changed = small / "package0/module0.py"
        changed.write_text(changed.read_text("utf-8") + "\n\nADDED = 1\n", encoding="utf-8")
        rounds = range(asked.rounds)
        change = median(seconds([guild, "validate", "--diff"], small) for _ in rounds)
        file = str(changed.relative_to(small))
        alone = median(seconds([ruff, "check", "--no-cache", file], small) for _ in rounds)
        print(f"one-file change: {change:.2f} s, {change / alone:.0f} times ruff ({alone:.3f} s)")
        make(large, asked.files)
        whole = seconds([guild, "validate", "."], large)
        beside = seconds([ruff, "check", "--no-cache", "."], large)
        times = whole / beside
        print(f"{asked.files} files: {whole:.1f} s, {times:.1f} times ruff ({beside:.2f} s)")
    return int(change > MOST_SECONDS or times > MOST_TIMES)


if __name__ == "__main__":
    sys.exit(main())
