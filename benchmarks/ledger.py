"""What the ledger costs: a call with it against the same call without, and as it grows.

    python benchmarks/ledger.py [--check]

Calls of a scripted judge that takes no time go through a run's open_session, as those of every practice do.
Bounds: 3 ms a call above the same call that is not kept, 2,000 calls in 10 s, and a call that costs the
same with 50,000 calls on record as with 1,000. A commit waits for the disk, so the disk's own time is
measured beside it. Exit code 1 when a bound is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from yardstick import slowness

from guildmoot.calls.ledger.ledger import pack
from guildmoot.calls.ledger.store import Store, ledger_file
from guildmoot.calls.session import open_session
from guildmoot.config import Config
from guildmoot.guard.settings import settings_for
from guildmoot.model.agent import Agent, Seat
from guildmoot.model.call import Call, Reply

CALLS = 2_000
SECONDS = 10.0
OVERHEAD_MS = 3.0
FEW, MANY, GROWTH = 1_000, 50_000, 1.5
BATCH = 250
ROUNDS = 5


def main() -> int:
    """Print what was measured; 1 when a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="print only what misses its bound")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        rows = list(measure(Path(folder).resolve()))
    missed = [text for text, kept in rows if not kept]
    for text in missed if options.check else [text for text, _ in rows]:
        print(text)
    return 1 if missed else 0


def measure(folder: Path) -> Iterator[tuple[str, bool]]:
    """Each finding as a line, and whether its bound is kept."""
    calls = make_calls(folder, CALLS)
    plain = seconds_for(calls, None, "plain")
    kept = seconds_for(calls, folder / "kept", "kept")
    again = seconds_for(calls, folder / "kept", "kept")
    over = overhead_ms(folder)
    sync, slow = sync_ms(folder), slowness()
    most = OVERHEAD_MS * slow + 2 * sync  # a commit waits for the disk, which is none of our doing
    whole = (
        f"{CALLS:,} calls    {kept:6.2f} s kept (bound {SECONDS * slow:.0f}), {plain:.2f} s without,"
        f" {kept / plain:.1f} times; {again:.2f} s when all are answered already"
    )
    one = (
        f"one call       {over:6.2f} ms above one that is not kept (bound {most:.1f});"
        f" the disk alone takes {2 * sync:.2f} ms for its two commits"
    )
    yield whole, kept <= SECONDS * slow + CALLS * 2 * sync / 1000
    yield one, over <= most
    yield from growth(folder)


def overhead_ms(folder: Path) -> float:
    """What keeping adds to one call: the least of several turns, with and without it one by one."""
    with_it, without = [], []
    for turn in range(ROUNDS):
        calls = make_calls(folder, BATCH, f"turn-{turn}")
        without.append(seconds_for(calls, None, "plain"))
        with_it.append(seconds_for(calls, folder / "kept", f"turn-{turn}"))
    return (min(with_it) - min(without)) / BATCH * 1000


def growth(folder: Path) -> Iterator[tuple[str, bool]]:
    """A call's cost with few and with many on record; both are measured in turn, so a busy disk hits both."""
    for name, limits in (
        ("no limits", {}),
        ("limits", {"budget.run_usd": 1e5, "budget.day_usd": 1e6}),
    ):
        few, many = (filled(folder / f"{name}-{count}", count) for count in (FEW, MANY))
        times: dict[Path, list[float]] = {few: [], many: []}
        for turn in range(ROUNDS):
            for root in (few, many):
                calls = make_calls(folder, BATCH, f"turn-{turn}")
                took = seconds_for(calls, root, f"run-{turn}", limits)
                times[root].append(took / BATCH * 1000)
        small, large = min(times[few]), min(times[many])
        text = (
            f"{name:<14} {small:6.2f} ms a call with {FEW:,} on record, {large:.2f} ms with {MANY:,}:"
            f" {large / small:.2f} times (bound {GROWTH:g})"
        )
        yield text, large / small <= GROWTH


def make_calls(folder: Path, count: int, about: str = "") -> list[Call]:
    """Calls that are all different and are all answered at once."""
    script = folder / "replies.json"
    if not script.exists():
        script.write_text(json.dumps({"replies": {"*": {"text": "VERDICT: approved"}}}))
    agent = Agent("judge", "", "", "judge.md", backend="scripted", replies=str(script))
    seats = (Seat(f"judge-{number}", "judge", "scripted", "scripted") for number in range(count))
    return [Call(seat, agent, f"{about} {seat.name}", packet="p" * 64) for seat in seats]


def seconds_for(
    calls: Sequence[Call], root: Path | None, run: str, limits: dict[str, float] | None = None
) -> float:
    """How long one run takes to have all of them answered."""
    if root:
        root.mkdir(exist_ok=True)
    began = time.perf_counter()
    with open_session(root, run, config(limits or {})) as table:
        spawned = asyncio.run(table.ask(calls))
    took = time.perf_counter() - began
    assert {reply.status for reply in spawned.replies} == {"answered"}
    return took


def config(limits: dict[str, float]) -> Config:
    return settings_for(Path("/nowhere"), limits)


def filled(root: Path, count: int) -> Path:
    """A ledger with so many answered and paid calls on record."""
    store = Store(ledger_file(root))
    reply = pack(Reply("judge", "answered", "VERDICT: approved", seconds=1.0))
    today, now = time.strftime("%Y-%m-%d", time.gmtime()), time.time()
    with store.transaction() as connection:
        for number in range(count):
            run = f"old-{number // 10}"
            connection.execute(
                "INSERT INTO spend VALUES (?, ?, 'judge', ?, 'settled', 10, ?)",
                (number + 1, run, today, now),
            )
            row = (
                number + 1,
                f"{number:064x}",
                run,
                f"{number // 10:064x}",
                f"judge-{number % 10}",
            )
            connection.execute(
                "INSERT INTO calls VALUES (?, ?, ?, ?, ?, 'api', 'm', 0, 0, '0', 'answered', 'h',"
                " ?, ?, ?, ?, ?)",
                (*row, now, now, now, number + 1, reply),
            )
            connection.execute("INSERT INTO asked VALUES (?, ?)", (run, row[1]))
        connection.execute("INSERT INTO settled VALUES ('day', ?, ?)", (today, 10 * count))
    store.close()
    return root


def sync_ms(folder: Path) -> float:
    """What the disk takes to make a small write last."""
    times = []
    with open(folder / "sync", "wb") as file:
        for _ in range(100):
            began = time.perf_counter()
            file.write(b"x" * 8192)
            file.flush()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - began)
    return median(times) * 1000


if __name__ == "__main__":
    sys.exit(main())
