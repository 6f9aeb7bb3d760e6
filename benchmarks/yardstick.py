"""How much slower than ours this machine is at this moment, so that a bound in seconds holds on it too.

    python benchmarks/yardstick.py

A fixed piece of work is timed in processor time; the least of several rounds counts. A machine that is as fast as
ours or faster has a factor of 1: it is held to the bound as it stands.
"""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

REFERENCE = 0.017
"""Processor seconds of the work on the machine that the bounds were set on, with Python 3.11."""
ROUNDS = 9
_WORD = re.compile(r"[a-z]+(\d+)")


def work() -> int:
    """What our own programs do most: make texts, look things up, match and sort."""
    found: dict[str, int] = {}
    for number in range(60_000):
        name = f"name{number * 7919 % 4001}"
        found[name] = found.get(name, 0) + len(name)
    text = " ".join(found)
    matched = sum(int(each[1]) for each in _WORD.finditer(text))
    return matched + len(sorted(found.items(), key=lambda item: (item[1], item[0])))


def slowness() -> float:
    """The factor by which a bound in seconds is stretched here; 1 at the least."""
    least = 9.0
    for _ in range(ROUNDS):
        began = time.process_time()
        work()
        least = min(least, time.process_time() - began)
    return max(1.0, least / REFERENCE)


def waited() -> float:
    """Seconds so far in which this thread could have run and others had the processor (Linux)."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


if __name__ == "__main__":
    print(f"{slowness():.2f} times as slow as the machine that the bounds were set on")
    sys.exit(0)
