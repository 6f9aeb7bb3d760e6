"""loom and griot against a bare interpreter, a plan of 500 phases, and what history costs: one run, all ratios.

    .venv/bin/python benchmarks/records.py

Times are the best of several runs, interleaved, of processor time: a busy machine hits all of them alike.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BOUND = 3.0
ROUNDS = 15
BIN = Path(sys.executable).parent
SLUG = "2026-01-05-ledger"


def seconds(argv: list[str], folder: Path) -> float:
    """Processor time of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(argv, cwd=folder, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def plan(count: int) -> str:
    return "# Ledger\n" + "".join(
        f"\n## Phase {n} — Part {n}\n\n**Goal**: g\n**Exit**:\n- a\n- b\n**Depends on**: {'nothing' if n == 1 else f'Phase {n - 1}'}\n"
        for n in range(1, count + 1)
    )


def make(folder: Path, count: int) -> None:
    (folder / "p.md").write_text(plan(count))
    (folder / "i.md").write_text("# Talk\n")
    subprocess.run(
        [BIN / "loom", "plan", SLUG, "--plan-file=p.md", "--interview-file=i.md", "--no-commit"],
        cwd=folder, capture_output=True, check=True,
    )  # fmt: skip


def verbs(folder: Path) -> int:
    """Every kind of verb beside ``python -c pass``; 1 when one is over the bound."""
    loom, griot = str(BIN / "loom"), str(BIN / "griot")
    commands = {
        "loom project read": [loom, "project", "read", SLUG],
        "loom phase ready": [loom, "phase", "ready", SLUG],
        "loom events append": [loom, "events", "append", SLUG, "--event=tick"],
        "loom events latest": [loom, "events", "latest", SLUG],
        "loom parse-plan": [loom, "parse-plan", SLUG],
        "loom doctor": [loom, "doctor", SLUG],
        "loom show": [loom, "show", SLUG],
        "loom check": [loom, "check"],
        "griot use": [griot, "use"],
        "griot search": [griot, "search", "unit"],
    }
    times: dict[str, list[float]] = {"bare": [], **{name: [] for name in commands}}
    for _ in range(ROUNDS):
        times["bare"].append(seconds([sys.executable, "-c", "pass"], folder))
        for name, argv in commands.items():
            times[name].append(seconds(argv, folder))
    base = min(times["bare"])
    print(f"bare python -c pass: {base * 1000:.1f} ms of processor time")
    missed = 0
    for name in commands:
        ratio = min(times[name]) / base
        missed |= ratio > BOUND
        print(
            f"  {name:20} {min(times[name]) * 1000:6.1f} ms  {ratio:.2f} times bare (bound {BOUND})"
        )
    return missed


def history(folder: Path) -> None:
    """One event more with 100 on record, and with 10,000."""
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    from guildmoot.projects.events import append_event
    from guildmoot.projects.store import Project

    record = Project(str(folder / "projects" / SLUG))

    def cost(count: int = 20) -> float:
        times = []
        for _ in range(count):
            start = time.perf_counter()
            append_event(record, "tick", {"mark": os.urandom(4).hex()})
            times.append(time.perf_counter() - start)
        return min(times)

    for number in range(100):
        append_event(record, "fill", {"number": number})
    early = cost()
    blocks = "".join(
        f'\n[[events]]\nat = "2026-01-05T00:00:00.000Z"\nevent = "fill"\ndetail = {{ number = {number} }}\n'
        for number in range(100, 10_000)
    )
    file = Path(record.path)
    file.write_text(file.read_text() + blocks)
    start = time.process_time()
    cost(1)
    print(
        f"a manifest of 10,000 events, written by others, is read once: {time.process_time() - start:.2f} s"
    )
    late = cost()
    argv = [str(BIN / "loom"), "events", "append", SLUG, "--event=tock"]
    whole = min(seconds([*argv, f"--detail={json.dumps({'n': n})}"], folder) for n in range(5))
    print(
        f"one event more: {early * 1000:.1f} ms with 100, {late * 1000:.1f} ms with 10,000 on record"
        f" ({late / early:.1f} times); the command {whole * 1000:.0f} ms"
    )


def main() -> int:
    """Print all; 1 when a bound is missed."""
    source = Path(__file__).parents[1] / "src"
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    subprocess.run(
        [sys.executable, "-m", "compileall", "-q", str(source)], env=environment, check=False
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, 8)
        missed = verbs(folder)
        history(folder)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, 500)
        argv = [str(BIN / "loom"), "parse-plan", SLUG]
        took = min(seconds(argv, folder) for _ in range(ROUNDS)) * 1000
        print(f"parse-plan of 500 phases: {took:.0f} ms (bound 150)")
    return missed or int(took > 150)


if __name__ == "__main__":
    sys.exit(main())
