"""How long 200 seats take whose model answers after 1 s, what that needs, and what a call adds.

    python benchmarks/api_fanout.py

A scripted provider on loopback answers, in a process of its own. Bounds: 1 s + 25 % for all seats,
300 MB, 15 ms on top of the provider's time for one warm call. Beside them, where it is installed,
the same through pydantic-ai. Exit code 1 when a bound is missed.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import NamedTuple

from guildmoot.backends.api import ApiBackend
from guildmoot.calls import spawn
from guildmoot.model.agent import Agent, Seat
from guildmoot.model.call import Call

SEATS = 200
SECONDS = 1.0
WALL_BOUND = SECONDS * 1.25
MEGABYTES = 300
CALL_BOUND = 0.015
WARM_CALLS = 30
TESTS = Path(__file__).parent.parent / "tests"
PROMPT = "def f(x):\n    return x\n" * 300
OURS, THEIRS = "anthropic", "heroku"
"""A provider that is spoken to directly, and one that only pydantic-ai knows."""


class Figures(NamedTuple):
    """What one wire took."""

    answered: int
    wall: float
    call: float
    """Seconds of one warm call to a provider that answers at once."""
    megabytes: float


def main() -> int:
    with provider():
        ours = asyncio.run(measure(OURS))
        show("guildmoot", ours)
        if find_spec("pydantic_ai"):
            theirs = asyncio.run(measure(THEIRS))
            show("pydantic-ai", theirs)
            print(
                f"ratio        {theirs.wall / ours.wall:.2f} times the wall, "
                f"{theirs.call / ours.call:.1f} times the call"
            )
    print(f"bounds       {WALL_BOUND:.2f} s, {CALL_BOUND * 1000:.0f} ms a call, {MEGABYTES} MB")
    kept = ours.wall <= WALL_BOUND and ours.call <= CALL_BOUND and ours.megabytes <= MEGABYTES
    return 0 if kept and ours.answered == SEATS else 1


async def measure(provider: str) -> Figures:
    """A warm call many times over, then all seats at once."""
    backend = ApiBackend()
    times = []
    for _ in range(WARM_CALLS):
        began = time.perf_counter()
        await backend.call(call_of(f"{provider}:quick", 0))
        times.append(time.perf_counter() - began)
    calls = [call_of(f"{provider}:slow", number) for number in range(SEATS)]
    began = time.perf_counter()
    spawned = await spawn(calls, backend.call)
    wall = time.perf_counter() - began
    answered = sum(reply.status == "answered" for reply in spawned.replies)
    return Figures(answered, wall, median(times), peak_megabytes())


def call_of(model: str, number: int) -> Call:
    agent = Agent("judge", "", "", "judge.md", backend="api", model=model)
    seat = Seat(f"judge-{number}", "judge", "api", "anthropic")
    return Call(seat, agent, f"{PROMPT}You are judge {number}.", shared=len(PROMPT))


def show(name: str, figures: Figures) -> None:
    print(
        f"{name:<12} {figures.answered} of {SEATS} seats of {SECONDS:g} s in {figures.wall:.3f} s "
        f"({figures.wall / SECONDS:.2f} times one), {figures.call * 1000:.1f} ms a warm call, "
        f"{figures.megabytes:.0f} MB"
    )


@contextmanager
def provider() -> Iterator[None]:
    """The scripted provider, and an environment that leads to it alone."""
    rules = [{"model": "slow", "delay": SECONDS}, {"model": "quick"}]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(json.dumps(rules))
        file.flush()
        argv = [sys.executable, "-m", "loopback", file.name]
        with subprocess.Popen(argv, cwd=TESTS, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            os.environ.update(json.loads(process.stdout.readline()))
            os.environ["HEROKU_INFERENCE_URL"] = os.environ["ANTHROPIC_BASE_URL"]
            os.environ["HEROKU_INFERENCE_KEY"] = "dummy-heroku-key-0005"
            yield
            process.terminate()


def peak_megabytes() -> float:
    """The most memory this process has held; Linux counts in kilobytes, macOS in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


if __name__ == "__main__":
    sys.exit(main())
