"""What a council of 12 agents costs beside its models' own time: cold as a command, warm in one process.

    python benchmarks/council.py

A scripted provider on loopback, in a process of its own, answers at once, so all that is measured is
ours: start, packet, prompts, calls, ledger, reading, grouping, votes, reports, records. Bounds: 1.5 s
for the whole command in a fresh repository, 150 ms for a second council in one process, in which
every judge is asked again. The ratios are against twelve bare calls to the same provider. Exit code
1 when a bound is missed.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

from guildmoot.api.council import council
from guildmoot.backends.api import ApiBackend
from guildmoot.calls import spawn
from guildmoot.cli.guild.council import council_request
from guildmoot.cli.guild.council_arguments import parse_options
from guildmoot.model.agent import Agent, Seat
from guildmoot.model.call import Call

COLD_BOUND = 1.5
WARM_BOUND = 0.150
COLD_ROUNDS = 3
WARM_ROUNDS = 9
AGENTS = 12
TESTS = Path(__file__).parent.parent / "tests"
MODELS = "--model=anthropic:claude-sonnet-4-5,openai:gpt-5"
SHAPES = {
    "12 judges": ("--mixed", "--count=6", MODELS, "validate", "src/"),
    "3 judges, 9 explorers": (
        "--deep", "--debate=off", "--explorers=3", MODELS.partition(",")[0], "validate", "src/"
    ),
}  # fmt: skip
GAPS = ("no limit on the page size", "the total is halved", "an empty list divides by zero")


class Figures(NamedTuple):
    """Seconds of one shape of council."""

    cold: float
    warm: float
    own: float
    """Of the warm seconds, those that this process computed; the rest is waiting for disk and others."""


def main() -> int:
    """Print the times; 1 when a bound is missed."""
    with tempfile.TemporaryDirectory() as folder, provider(Path(folder)):
        os.environ |= {"HOME": folder, "NO_PROXY": "127.0.0.1"}
        bare = asyncio.run(bare_calls())
        print(f"{AGENTS} bare calls at once: {bare * 1000:.0f} ms")
        missed = 0
        for name, argv in SHAPES.items():
            found = measure(Path(folder), argv)
            missed += found.cold > COLD_BOUND or found.warm > WARM_BOUND
            print(
                f"{name}: cold {found.cold:.2f} s (bound {COLD_BOUND}), "
                f"warm {found.warm * 1000:.0f} ms (bound {WARM_BOUND * 1000:.0f}, "
                f"{found.own * 1000:.0f} of them computing), "
                f"{found.warm / bare:.1f} times the bare calls"
            )
    return 1 if missed else 0


def measure(folder: Path, argv: tuple[str, ...]) -> Figures:
    """One shape, cold and warm, each run in a repository that is alike."""
    cold = [once_cold(make_repository(folder), argv) for _ in range(COLD_ROUNDS)]
    os.chdir(make_repository(folder))
    warm, own = zip(*asyncio.run(councils(argv))[1:], strict=True)
    return Figures(median(cold), median(warm), median(own))


def once_cold(root: Path, argv: tuple[str, ...]) -> float:
    """The whole command, as a user waits for it."""
    command = [str(Path(sys.executable).parent / "guild"), "council", *argv, "--json", "--fresh"]
    began = time.perf_counter()
    done = subprocess.run(command, cwd=root, capture_output=True, check=False)
    took = time.perf_counter() - began
    assert json.loads(done.stdout)["roster"]["missing"] == [], done.stderr
    return took


async def councils(argv: tuple[str, ...]) -> list[tuple[float, float]]:
    """The same council again and again in this process; nothing comes from the ledger.

    For each the seconds that it took, and those of them that were spent computing.
    """
    times = []
    for _ in range(1 + WARM_ROUNDS):
        began, computing = time.perf_counter(), time.process_time()
        request = council_request(parse_options(argv))
        report = await council(request._replace(fresh=True))
        times.append((time.perf_counter() - began, time.process_time() - computing))
        assert report.outcome in ("WARN", "FAIL"), report.header.reasons
    return times


async def bare_calls() -> float:
    """What the provider and the wire alone take for as many calls; median of several rounds."""
    backend, times = ApiBackend(), []
    agent = Agent("judge", "", "", "judge.md", backend="api", model="anthropic:claude-sonnet-4-5")
    for _ in range(WARM_ROUNDS):
        seats = [Seat(f"judge-{number}", "judge", "api", "anthropic") for number in range(AGENTS)]
        calls = [Call(seat, agent, f"You are {seat.name}: judge it.") for seat in seats]
        began = time.perf_counter()
        await spawn(calls, backend.call)
        times.append(time.perf_counter() - began)
    return median(times)


def make_repository(folder: Path) -> Path:
    """Forty small files under version control."""
    root = Path(tempfile.mkdtemp(dir=folder))
    (root / "src").mkdir()
    for number in range(40):
        lines = [f"def part_{line}(items):\n    return sum(items) / {line}\n" for line in range(60)]
        (root / "src" / f"part_{number}.py").write_text("\n".join(lines))
    git = ("git", "-C", str(root), "-c", "user.name=b", "-c", "user.email=b@example.org")
    subprocess.run((*git, "init", "-q"), check=True)
    subprocess.run((*git, "add", "."), check=True)
    subprocess.run((*git, "commit", "-q", "-m", "all"), check=True)
    return root


def rules() -> list[dict[str, str]]:
    """Explorers get questions and answers; every judge finds three things, partly the same ones."""
    questions = json.dumps(
        {"questions": [f"Where is part {number} called?" for number in (1, 2, 3)]}
    )
    return [
        {"match": "explorers can look into", "text": questions},
        *({"match": f"judge {n} of", "text": verdict(n)} for n in range(1, AGENTS + 1)),
        {"text": verdict(1)},
    ]


def verdict(number: int) -> str:
    """What one judge says."""
    findings = [
        {
            "severity": "significant",
            "category": "correctness",
            "description": f"part {(number + at) % 7}: {gap}, so callers get a wrong number",
            "location": f"src/part_{(number + at) % 7}.py:{3 * at + 2}",
            "recommendation": "guard it",
            "fix": "return sum(items)",
            "why": "every invoice is wrong",
            "ref": f"src/part_{(number + at) % 7}.py:{3 * at + 2}",
        }
        for at, gap in enumerate(GAPS)
    ]
    said = {"verdict": "WARN", "confidence": "HIGH", "key_insight": "numbers are not guarded"}
    rest = {"recommendation": "guard the numbers", "schema_version": 4}
    return json.dumps({**said, "findings": findings, **rest})


@contextmanager
def provider(folder: Path) -> Iterator[None]:
    """The scripted provider, and an environment that leads to it alone."""
    file = folder / "rules.json"
    file.write_text(json.dumps(rules()))
    argv = [sys.executable, "-m", "loopback", str(file)]
    with subprocess.Popen(argv, cwd=TESTS, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        os.environ |= json.loads(process.stdout.readline())
        try:
            yield
        finally:
            process.terminate()


if __name__ == "__main__":
    sys.exit(main())
