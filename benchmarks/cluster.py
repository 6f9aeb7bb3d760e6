"""Calls a second through a shared Postgres, with scripted judges that take no time.

    scripts/postgres start must work here, or GUILD_TEST_POSTGRES name a server.
    python benchmarks/cluster.py [--calls N] [--workers N]

Everything runs on this machine at once: the database, the caller, the workers. The same calls on this
machine's own ledger are measured in the same run, because the ratio says more than either number.
Fails when fewer than 100 calls a second come through with four workers.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from guildmoot.calls.cluster import open_cluster
from guildmoot.calls.ledger.base import Engine, Job, Terms
from guildmoot.calls.ledger.local import LocalEngine
from guildmoot.model.agent import Agent, Seat
from guildmoot.model.call import Call

HERE = Path(__file__).resolve().parent.parent
GOAL = 100.0
WORKER = "import sys; from guildmoot.cli.guild.engine import worker; sys.exit(worker(sys.argv[1:]))"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=1500)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--limit", type=int, default=0, help="calls at once over all workers")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, database() as url:
        replies = Path(folder, "replies.json")
        replies.write_text(json.dumps({"replies": {"*": {"text": "VERDICT: approved"}}}))
        own = asyncio.run(
            measure(LocalEngine(Path(folder, "l.sqlite3"), Terms("own")), options.calls, replies)
        )
        print(f"own ledger, one process              {own:8.0f} calls/s")
        shared = 0.0
        for count in sorted({1, options.workers}):
            with workers(url, count, options.limit, replies):
                shared = asyncio.run(
                    measure(open_cluster(url, Terms(f"run-{count}"), 120.0), options.calls, replies)
                )
            print(
                f"Postgres, {count} worker{'s' if count > 1 else ' '}                  {shared:8.0f} calls/s  {shared / own:.2f} x own ledger"
            )
    ok = shared >= GOAL
    print(f"{'ok' if ok else 'MISSED'}: {shared:.0f} calls/s, goal {GOAL:.0f}")
    return 0 if ok else 1


async def measure(engine: Engine, count: int, replies: Path) -> float:
    await engine.perform(job(engine, -1, replies))  # the queue is made and everybody has seen it
    await asyncio.sleep(2.5 if not isinstance(engine, LocalEngine) else 0)
    began = time.perf_counter()
    answers = await asyncio.gather(
        *(engine.perform(job(engine, number, replies)) for number in range(count))
    )
    seconds = time.perf_counter() - began
    engine.close()
    assert {answer.status for answer in answers} == {"answered"}, answers[0]
    return count / seconds


def job(engine: Engine, number: int, replies: Path) -> Job:
    agent = Agent("judge", "", "", "judge.md", backend="scripted", replies=str(replies))
    call = Call(Seat(f"judge-{number}", "judge", "scripted", "x"), agent, f"Is {number} right?")
    key = hashlib.sha256(f"{id(engine)} {time.time()} {number}".encode()).hexdigest()
    return Job(key, call, lambda reply: 0.0)


@contextmanager
def database():
    url = os.environ.get("GUILD_TEST_POSTGRES", "")
    data = tempfile.mkdtemp(prefix="guildmoot-bench-")
    env = {**os.environ, "GUILD_POSTGRES_DATA": f"{data}/db"}
    os.chmod(data, 0o755)
    if not url:
        started = subprocess.run(
            [HERE / "scripts/postgres", "start"],
            env=env,
            check=True,
            capture_output=True,
            text=True,
        )
        url = started.stdout.strip().partition("=")[2]
    from sqlalchemy import create_engine

    from guildmoot.calls.cluster import database as db
    from guildmoot.calls.cluster import schema

    name = f"bench_{os.getpid()}"
    admin = create_engine(db.parse_url(url), isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    fresh = url.rpartition("/")[0] + f"/{name}"
    engine = db.connect(fresh, 2)
    schema.migrate(engine, fresh)
    engine.dispose()
    try:
        yield fresh
    finally:
        with admin.connect() as connection:
            connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
        admin.dispose()
        if not os.environ.get("GUILD_TEST_POSTGRES"):
            subprocess.run([HERE / "scripts/postgres", "stop"], env=env, check=True)


@contextmanager
def workers(url: str, count: int, limit: int, replies: Path):
    more = ["--limit", f"scripted={limit}"] if limit else []
    started = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, "--engine", url, "--name", f"w{count}-{number}", *more],
            stderr=subprocess.DEVNULL,
        )
        for number in range(count)
    ]
    try:
        yield
    finally:
        for each in started:
            each.kill()
            each.wait()


if __name__ == "__main__":
    sys.exit(main())
