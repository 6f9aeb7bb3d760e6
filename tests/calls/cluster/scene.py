"""What the tests of the cluster have in common: calls, judges that count, and patience."""

import asyncio
import hashlib
import os
import time
from contextlib import contextmanager

VERB = "import sys; from guildmoot.cli.main import guild; sys.exit(guild())"
LEASE = 3.0
"""Seconds of silence after which a worker is dead, in these tests."""


def in_database(url, name):
    return url.rpartition("/")[0] + f"/{name}"


@contextmanager
def querying(url):
    from guildmoot.calls.cluster import database

    engine = database.connect(url, 2)

    def ask(statement, **values):
        from sqlalchemy import text

        with engine.begin() as connection:
            result = connection.execute(text(statement), values)
            return [tuple(row) for row in result] if result.returns_rows else []

    try:
        yield ask
    finally:
        engine.dispose()


def environment(home, **variables):
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    return {**kept, "HOME": str(home), "LANG": "C.UTF-8", "COLUMNS": "80", **variables}


def until(condition, seconds=30.0):
    """Wait for something that another process does."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)
    return found


def job(agent, prompt="Is it right?", *, most=0.0, price=lambda reply: 0.0, **fields):
    """One call of that agent, named by what it says."""
    from guildmoot.calls.ledger.base import Job
    from guildmoot.model.agent import Seat
    from guildmoot.model.call import Call

    seat = Seat(f"{agent.name}#0", agent.name, agent.backend, "family", agent.model)
    call = Call(seat, agent, prompt, **fields)
    key = hashlib.sha256(f"{agent}{prompt}".encode("utf-8", "surrogatepass")).hexdigest()
    return Job(key, call._replace(most_usd=most), price)


def perform(url, *jobs, run="run-1", patience=10.0, run_usd=None, day_usd=None):
    """The replies to all of them, asked for at once by one caller."""
    from guildmoot.calls.cluster.caller import ClusterEngine
    from guildmoot.calls.ledger.base import Terms

    async def ask():
        engine = ClusterEngine(url, Terms(run, run_usd, day_usd), patience)
        try:
            return await asyncio.gather(*map(engine.perform, jobs))
        finally:
            engine.close()

    return asyncio.run(ask())


def counting(folder, seconds=0.0, answer="VERDICT: approved"):
    """A judge that is a program: it leaves a line for every time it was asked, then answers."""
    from guildmoot.model.agent import Agent

    program = folder / "counting"
    program.write_text(
        "#!/bin/sh\n"
        "prompt=$(cat)\n"
        f'echo "$prompt" >>"{folder}/asked"\n'
        f"sleep {seconds}\n"
        f'echo "{answer}"\n'
    )
    program.chmod(0o755)
    return Agent("counting", "", "", "counting.md", backend="command", command=(str(program),))


def asked(folder):
    """What the counting judge was asked, in order."""
    file = folder / "asked"
    return file.read_text().splitlines() if file.exists() else []
