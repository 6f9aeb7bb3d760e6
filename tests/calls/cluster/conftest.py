"""A database of its own for every test, on the Postgres that GUILD_TEST_POSTGRES names; real workers."""

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from calls.cluster.scene import LEASE, VERB, environment, in_database, querying, until

POSTGRES = os.environ.get("GUILD_TEST_POSTGRES", "")


def pytest_collection_modifyitems(items):
    """Without a server these tests say why they did not run; where one is required that is a failure."""
    if POSTGRES:
        return
    why = 'GUILD_TEST_POSTGRES names no server: eval "$(scripts/postgres start)" starts one'
    if os.environ.get("GUILD_REQUIRE_POSTGRES"):
        raise pytest.UsageError(why)
    for item in items:
        if "cluster" in Path(str(item.fspath)).parts and "postgres" in getattr(
            item, "fixturenames", ()
        ):
            item.add_marker(pytest.mark.skip(reason=why))


@pytest.fixture(scope="session")
def postgres():
    """The server, and a migrated database to copy."""
    from sqlalchemy import create_engine

    from guildmoot.calls.cluster import database, schema

    admin = create_engine(database.parse_url(POSTGRES), isolation_level="AUTOCOMMIT")
    template = f"template_{uuid4().hex[:12]}"
    with admin.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {template}")
    engine = database.connect(in_database(POSTGRES, template), 2)
    schema.migrate(engine, in_database(POSTGRES, template), LEASE)
    engine.dispose()
    yield admin, template
    with admin.connect() as connection:
        connection.exec_driver_sql(f"DROP DATABASE {template} WITH (FORCE)")
    admin.dispose()


@pytest.fixture
def empty(postgres):
    """The address of a database without tables."""
    with _database(postgres[0], "") as url:
        yield url


@pytest.fixture
def url(postgres):
    """The address of a database that is up to date."""
    with _database(*postgres) as url:
        yield url


@contextmanager
def _database(admin, template):
    name = f"test_{uuid4().hex[:12]}"
    with admin.connect() as connection:
        connection.exec_driver_sql(
            f"CREATE DATABASE {name}" + (f" TEMPLATE {template}" if template else "")
        )
    try:
        yield in_database(POSTGRES, name)
    finally:
        with admin.connect() as connection:
            connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def sql(url):
    """Asks the database: a function from a statement to its rows."""
    with querying(url) as ask:
        yield ask


@pytest.fixture
def guild(url, tmp_path):
    """Runs a verb of guild against the database, to its end."""

    def run(*argv, engine=url, **variables):
        return subprocess.run(
            [sys.executable, "-c", VERB, *argv, "--engine", engine],
            env=environment(tmp_path, **variables), cwd=tmp_path, capture_output=True, text=True, timeout=60,
        )  # fmt: skip

    return run


@pytest.fixture
def hire(url, tmp_path):
    """Starts workers; a function that returns the process once it has signed in."""
    started = []

    def start(*argv, engine=url, prefix=(), wait=True, **variables):
        name = f"w{len(started) + 1}" if "--name" not in argv else argv[argv.index("--name") + 1]
        named = argv if "--name" in argv else (*argv, "--name", name)
        log = open(tmp_path / f"{name}.log", "ab")  # noqa: SIM115 - the worker writes to it
        process = subprocess.Popen(
            [*prefix, sys.executable, "-c", VERB, "worker", *named, "--engine", engine],
            env=environment(tmp_path, **variables), cwd=tmp_path, stderr=log, stdout=log,
        )  # fmt: skip
        log.close()
        process.name, process.log = name, tmp_path / f"{name}.log"
        started.append(process)
        if wait:
            with querying(url) as ask:
                alive = "SELECT 1 FROM guild.workers WHERE name = :name AND pid = :pid"
                until(lambda: process.poll() is not None or ask(alive, name=name, pid=process.pid))
            assert process.poll() is None, process.log.read_text()
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.wait()


@pytest.fixture
def script(tmp_path):
    """Writes a scripted judge's replies; a function that returns the agent."""

    def write(name="judge", **step):
        from guildmoot.model.agent import Agent

        file = tmp_path / f"{name}-{uuid4().hex[:6]}.json"
        file.write_text(json.dumps({"replies": {"*": {"text": "VERDICT: approved", **step}}}))
        return Agent(name, "", "", f"{name}.md", backend="scripted", replies=str(file))

    return write
