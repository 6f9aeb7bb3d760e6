"""How long 200 scripted seats of 0.5 s take together, and what memory that needs.

    python benchmarks/fanout.py

The bound is the time of one seat plus 10 %; seconds in which others had the processor do not count, and of a few
rounds the least does. Exit code 1 when a bound is
missed.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from pathlib import Path

from yardstick import slowness, waited

from guildmoot.calls import run_foreground, spawn
from guildmoot.model.agent import Agent, Seat
from guildmoot.model.call import Call

SEATS = 200
SECONDS = 0.5
MORE = SECONDS * 0.1
ROUNDS = 5
MEGABYTES = 150


def main() -> int:
    bound = SECONDS + MORE * slowness()
    rounds = []
    with tempfile.TemporaryDirectory() as folder:
        calls = make_calls(Path(folder) / "replies.json")
        while len(rounds) < ROUNDS and min(rounds, default=(9.0, 0))[0] > bound:
            began = time.perf_counter() - waited()
            spawned = run_foreground(spawn(calls))
            took = time.perf_counter() - waited() - began
            rounds.append((took, sum(reply.status == "answered" for reply in spawned.replies)))
    wall, answered = min(rounds)
    peak = peak_megabytes()
    print(f"fan-out   {answered} of {SEATS} seats of {SECONDS} s answered")
    print(f"wall      {wall:.3f} s, bound {bound:.3f} s, {wall / SECONDS:.3f} times one seat")
    print(f"memory    {peak:.1f} MB at most, bound {MEGABYTES} MB")
    return 0 if answered == SEATS and wall <= bound and peak <= MEGABYTES else 1


def make_calls(script: Path) -> list[Call]:
    """One call a seat, all answered from one script."""
    step = {"text": "VERDICT: approved", "delay": SECONDS}
    script.write_text(json.dumps({"replies": {"*": step}}), encoding="utf-8")
    agent = Agent("judge", "", "", "judge.md", backend="scripted", replies=str(script))
    names = (f"judge-{number}" for number in range(SEATS))
    return [Call(Seat(name, "judge", "scripted", "scripted"), agent, "") for name in names]


def peak_megabytes() -> float:
    """The most memory this process has held; Linux counts in kilobytes, macOS in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


if __name__ == "__main__":
    sys.exit(main())
