"""What carrying out a plan costs beside its lanes, and what is lost when it is killed.

    python benchmarks/execution.py overhead [--lanes 40] [--jobs 8] [--seconds 2]
    python benchmarks/execution.py kills [--kills 50] [--seed 1]

``overhead`` compares the time of a run with its critical path: lanes that sleep, so many at once. ``kills`` sends SIGKILL
to the scheduler at random moments and goes on with the same command; a lane is lost when it is not merged in the end, and
done twice when a worker was started on it after its receipt was accepted.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[0] = str(ROOT)  # the folder of the benchmarks hides modules of Python

from tests.lifecycle.executions import SLUG, git, project  # noqa: E402

WORKER = """#!/bin/sh
echo "$GUILD_TASK_ID" >> "$BENCH_STARTS"
file="app/$GUILD_TASK_ID.txt"
echo "done" > "$file"
sleep "$BENCH_SECONDS"
set -- $(sha256sum "$file")
cat > "$GUILD_RECEIPT.part" <<END
---
specialist: $GUILD_SPECIALIST
task_id: $GUILD_TASK_ID
changed_files:
  - {path: $file, change: added, sha256_after: $1}
---
## changed_files
- $file
## opens_for
none
## assumptions
none
## evidence
- \\`true\\` exit code 0
## followups
none

\\`\\`\\`guild.handoff.v2
{"schema_version": "guild.handoff.v2", "task_id": "$GUILD_TASK_ID", "tier": "$GUILD_TIER",
 "status": "done", "summary": "done", "artifacts": [], "issues": []}
\\`\\`\\`
END
mv "$GUILD_RECEIPT.part" "$GUILD_RECEIPT"
"""


def make(folder: Path, lanes: dict[str, tuple[str, ...]], seconds: float) -> tuple[Path, str]:
    """A project with these lanes, and the command of its worker."""
    root = project(folder / "project", lanes)
    worker = folder / "worker.sh"
    worker.write_text(WORKER)
    worker.chmod(0o755)
    os.environ |= {"BENCH_STARTS": str(folder / "starts.txt"), "BENCH_SECONDS": f"{seconds:g}"}
    return root, str(worker)


def start(root: Path, worker: str, jobs: int) -> subprocess.Popen[str]:
    words = ["work", "execute", SLUG, "--worker", worker, "--jobs", str(jobs), "--yes", "--json"]
    return subprocess.Popen(
        [sys.executable, "-m", "guildmoot", *words], cwd=root, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def overhead(lanes: int, jobs: int, seconds: float) -> dict[str, object]:
    """The time of a run beside its critical path, from its first dispatch to its last merge."""
    with tempfile.TemporaryDirectory() as folder:
        plan = {f"T{n}-copywriter": () for n in range(1, lanes + 1)}
        root, worker = make(Path(folder), plan, seconds)
        began = time.monotonic()
        running = start(root, worker, jobs)
        out, errors = running.communicate()
        whole = time.monotonic() - began
        if running.returncode:
            raise SystemExit(errors or out)
        run = json.loads(out)["run"]
        rows = [
            json.loads(row)
            for row in (root / ".guild" / "runs" / run / "execution.jsonl").read_text().splitlines()
        ]
    stamps = [_seconds(row["ts"]) for row in rows if row["event"] in ("dispatched", "merged")]
    path = math.ceil(lanes / jobs) * seconds
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = max(stamps) - min(stamps)
    return {
        "lanes": lanes, "jobs": jobs, "critical_path_s": path, "scheduled_s": round(spent, 3),
        "overhead": round(spent / path - 1, 4), "with_start_and_end_s": round(whole, 3),
        "processor_s": round(used.ru_utime + used.ru_stime, 2), "load": os.getloadavg()[0],
    }  # fmt: skip


def _seconds(stamp: str) -> float:
    from datetime import datetime

    return datetime.fromisoformat(stamp).timestamp()


def kills(count: int, seed: int) -> dict[str, object]:
    """Kill the scheduler at random moments until so many kills were made; what was lost or done twice."""
    pick = random.Random(seed)
    made = lost = twice = runs = 0
    while made < count:
        runs += 1
        plan: dict[str, tuple[str, ...]] = {}
        for n in range(1, 13):
            waits = tuple(name for name in plan if pick.random() < 0.15)
            plan[f"T{n}-copywriter"] = waits
        with tempfile.TemporaryDirectory() as folder:
            root, worker = make(Path(folder), plan, 0.3)
            for _ in range(min(count - made, 12)):
                running = start(root, worker, 4)
                try:
                    running.communicate(timeout=pick.uniform(0.3, 3.0))
                    break  # it came to its end
                except subprocess.TimeoutExpired:
                    os.kill(running.pid, signal.SIGKILL)
                    running.communicate()
                    made += 1
            last = start(root, worker, 4)
            out, _ = last.communicate()
            told = json.loads(out)
            lost += sum(lane["status"] != "done" for lane in told["lanes"])
            names = git(root, "ls-tree", "-r", "--name-only", told["branch"]).split()
            lost += sum(f"app/{task}.txt" not in names for task in plan)
            twice += _after_acceptance(root, told["run"])
    return {"kills": made, "runs": runs, "lanes_lost": lost, "lanes_done_twice": twice}


def _after_acceptance(root: Path, run: str) -> int:
    """Dispatches of a lane behind the row that accepted it."""
    accepted: set[str] = set()
    again = 0
    for row in (root / ".guild" / "runs" / run / "execution.jsonl").read_text().splitlines():
        told = json.loads(row)
        again += told["event"] == "dispatched" and told["task"] in accepted
        accepted |= {told["task"]} if told["event"] == "accepted" else set()
    return again


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("overhead", "kills"))
    for name, kind, value in (
        ("--lanes", int, 40), ("--jobs", int, 8), ("--seconds", float, 2.0),
        ("--kills", int, 50), ("--seed", int, 1),
    ):  # fmt: skip
        parser.add_argument(name, type=kind, default=value)
    options = parser.parse_args()
    found = (
        overhead(options.lanes, options.jobs, options.seconds)
        if options.what == "overhead"
        else kills(options.kills, options.seed)
    )
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
