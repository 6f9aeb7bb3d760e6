"""What the role of docs/cluster.md may do to the shared database: take calls, answer those it holds, ask.

A row of ``REFUSED`` is a statement that the role must not get through, whoever holds its password.
"""

import os
import re
from contextlib import contextmanager
from pathlib import Path

import pytest

from calls.cluster.conftest import POSTGRES, empty, guild, hire, postgres, sql, url  # noqa: F401
from calls.cluster.scene import counting, job, perform, querying

if not POSTGRES and os.environ.get("GUILD_REQUIRE_POSTGRES"):
    raise pytest.UsageError("GUILD_TEST_POSTGRES names no server")
pytestmark = pytest.mark.skipif(
    not POSTGRES, reason='no server: eval "$(scripts/postgres start)" starts one'
)
DOCS = Path(__file__).parents[2] / "docs" / "cluster.md"
OLD = """
GRANT USAGE ON SCHEMA guild, guild_dbos TO guild_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA guild, guild_dbos TO guild_worker;
ALTER DEFAULT PRIVILEGES IN SCHEMA guild, guild_dbos GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO guild_worker;
"""
"""What the documentation of the first releases granted."""

REFUSED = [
    "UPDATE guild.spend SET micros = 0",
    "UPDATE guild.spend SET state = 'released'",
    "INSERT INTO guild.spend VALUES ('x', 'r', 'k', now(), 'settled', 1, now())",
    "DELETE FROM guild.spend",
    "TRUNCATE guild.spend",
    "UPDATE guild.calls SET reply = '{}'",
    "UPDATE guild.calls SET state = 'answered', reply = '{}' WHERE state = 'running'",
    "UPDATE guild.calls SET call = '{}'",
    "INSERT INTO guild.calls SELECT * FROM guild.calls",
    "DELETE FROM guild.calls",
    "SELECT token FROM guild.calls",
    "SELECT * FROM guild.calls FOR UPDATE",
    "UPDATE guild.control SET draining = true",
    "UPDATE guild.control SET lease = 1",
    "DELETE FROM guild.control",
    "DELETE FROM guild.workers",
    "UPDATE guild.workers SET state = 'stopped'",
    "SELECT ticket FROM guild.workers",
    "INSERT INTO guild.queues VALUES ('p', '{}')",
    "UPDATE guild.queues SET needs = '{}'",
    "INSERT INTO guild.chunks VALUES ('0', 0, 'x')",
    "UPDATE guild.chunks SET data = 'x'",
    "SELECT * FROM guild.chunks",
    "SELECT * FROM guild.waiters",
    "INSERT INTO guild.waiters VALUES ('k', 'me', now())",
    "SELECT * FROM guild.lanes",
    "SELECT ticket FROM guild.lanes",
    "SELECT token FROM guild.lanes",
    "UPDATE guild.lanes SET result = '{}'",
    "UPDATE guild.lanes SET host = 'mine'",
    "DELETE FROM guild.lanes",
    "DELETE FROM guild_dbos.workflow_status",
    "DELETE FROM guild_dbos.queues",
    "UPDATE guild_dbos.dbos_migrations SET version = 0",
    "CREATE TABLE guild.more (it integer)",
    "CREATE FUNCTION guild.more() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
    "DROP TABLE guild.calls",
    "ALTER TABLE guild.calls DISABLE TRIGGER ALL",
    "SELECT guild.let('guild_worker', 'work')",
    "SELECT guild.requeue(ARRAY['w1.1'])",
    "SET ROLE guild",
]
CHANGES_NOTHING = [
    "SELECT guild.settle(key, 0, 'me') FROM guild.calls",
    "SELECT guild.finish(key, try, 'guess', 'answered', '{}') FROM guild.calls",
    "SELECT guild.finish(key, try, NULL, 'answered', '{}') FROM guild.calls",
    "SELECT guild.ask(key, 1, 'r', 'a', 'me', 's', 'q', '{}', '', 1, 0, 30, 'guild-1') FROM guild.calls",
    "SELECT guild.ask(key, 0, 'r', 'a', 'me', 's', 'q', '{}', '', 1, 0, 30, 'guild-1') FROM guild.calls",
    "SELECT guild.lapse(key, try) FROM guild.calls",
    "SELECT guild.leave(key, 'me') FROM guild.calls",
    "SELECT guild.renew(ARRAY(SELECT key FROM guild.calls), 'me', 30)",
    "SELECT guild.take(key, try, 'w1.1', 'mine', 1, 1000) FROM guild.calls",
    "SELECT guild.set_state('w1.1', 'guess', 'stopped')",
    "SELECT guild.sweep()",
    "SELECT guild.dismiss_lane(repeat('1', 64), 'guess')",
    "SELECT guild.nudge_lane(repeat('1', 64), 'guess', 'x')",
    "SELECT guild.lose_lane(repeat('1', 64), 'guess', true)",
    "SELECT * FROM guild.look_lane(repeat('1', 64), 'guess', 30, 1000)",
    "SELECT * FROM guild.take_lane('w1.1', 'guess', 'mine', 1, 1000)",
    "SELECT * FROM guild.sign_lane(repeat('1', 64), 'guess', '', 0, '', 0)",
    "SELECT guild.finish_lane(repeat('1', 64), 'guess', 'ended', true, '{}')",
    "SELECT guild.finish_lane(repeat('1', 64), NULL, 'ended', true, '{}')",
]
"""Functions that the role may call, for what is not its own."""


@contextmanager
def role(url, ask, statements):  # noqa: F811 - no fixture here
    """A role with those rights: its name and its address."""
    name = f"guild_{os.urandom(4).hex()}"
    made = statements.replace("guild_worker", name)
    made = made.replace("DATABASE guild ", f"DATABASE {url.rpartition('/')[2]} ")
    try:
        for statement in filter(str.strip, re.sub("--.*", "", made).split(";")):
            ask(statement.replace(":", "\\:"))
        yield name, re.sub("//[^@]+@", f"//{name}:change-me@", url)
    finally:
        ask(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{name}'")
        ask(f"DROP OWNED BY {name}")
        ask(f"DROP ROLE {name}")


def documented():
    [statements] = re.findall(r"```sql\n(.*?)```", DOCS.read_text(), re.DOTALL)
    return statements


def refuses_everything(address, name, ask):
    """Every statement of the table is refused, and what may be called changes nothing of others."""
    tables = ("calls", "lanes", "spend", "control", "chunks", "queues")
    for number, state in enumerate(("asked", "running", "ended"), 1):
        row = "INSERT INTO guild.lanes (id, run_id, task, host, state, ticket, job, worker, token, wanted)"
        ask(
            f"{row} VALUES (repeat('{number}', 64), 'r', 't', 'w1', '{state}', 'x', '{{}}', 'w1.1', 'x', now())"
        )
    before = [
        ask(f"SELECT CAST({table} AS text) FROM guild.{table} ORDER BY 1") for table in tables
    ]
    with querying(address) as try_it:
        for statement in REFUSED:
            with pytest.raises(Exception, match=r"permission denied|must be owner"):
                try_it(statement.replace("guild_worker", name).replace(":", "\\:"))
        for statement in CHANGES_NOTHING:
            try_it(statement)
    assert [
        ask(f"SELECT CAST({table} AS text) FROM guild.{table} ORDER BY 1") for table in tables
    ] == before


def test_the_documented_role_works_and_asks_and_can_do_no_more(url, hire, guild, sql, tmp_path):  # noqa: F811 - fixtures
    with role(url, sql, documented()) as (name, lesser):
        hire(engine=lesser)
        agent = counting(tmp_path)
        one = job(agent, "one", most=0.5, price=lambda reply: 0.25)
        replies = perform(lesser, one, job(agent, "x" * 300_000), patience=30.0)
        assert [reply.status for reply in replies] == ["answered", "answered"], replies
        assert guild("engine", "status", engine=lesser).returncode == 0
        for verb in (("drain",), ("gc",), ("migrate", "--lease", "9")):
            refused = guild("engine", *verb, engine=lesser)
            assert refused.returncode == 4, (verb, refused)
            assert "change-me" not in refused.stdout + refused.stderr
        refuses_everything(lesser, name, sql)


def test_a_role_that_was_let_write_to_the_tables_no_longer_is_after_a_migration(
    url, hire, guild, sql, tmp_path  # noqa: F811 - fixtures
):  # fmt: skip
    first = "CREATE ROLE guild_worker LOGIN PASSWORD 'change-me';" + OLD
    with role(url, sql, first) as (name, lesser):
        with querying(lesser) as ask:
            ask("UPDATE guild.spend SET micros = 0")
        assert guild("engine", "migrate").returncode == 0
        hire(engine=lesser)
        assert perform(lesser, job(counting(tmp_path)), patience=30.0)[0].status == "answered"
        refuses_everything(lesser, name, sql)
