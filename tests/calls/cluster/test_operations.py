"""Running the engine: tables, status, draining, roles; and no secret in the database."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from calls.cluster.scene import (
    VERB,
    asked,
    counting,
    environment,
    in_database,
    job,
    perform,
    querying,
    until,
)
from guildmoot.calls.cluster import database
from guildmoot.calls.cluster.status import Queue, Status, Stuck
from guildmoot.cli.guild.engine import _as_rows
from guildmoot.errors import InfrastructureError, UsageError
from guildmoot.model.agent import Agent
from guildmoot.runs.record import shown as recorded
from loopback import Rule, serving

DOCS = Path(__file__).parents[3] / "docs" / "cluster.md"


def test_nothing_but_migrate_makes_tables(empty, guild):
    for verb in (("engine", "status"), ("engine", "drain"), ("worker",)):
        done = guild(*verb, engine=empty)
        assert done.returncode == 64, done
        assert "has no tables yet" in done.stderr
        assert "guild engine migrate" in done.stderr
    with pytest.raises(UsageError, match="has no tables yet"):
        perform(empty, job(Agent("a", "", "", "a.md", command=("true",))))
    done = guild("engine", "migrate", "--json", engine=empty)
    assert json.loads(done.stdout) == {"schema_version": 1, "before": 0, "after": 3}
    assert guild("engine", "status", engine=empty).returncode == 0


def test_migrating_twice_changes_nothing(url, guild, sql):
    assert "is at version 3 already" in guild("engine", "migrate").stdout
    assert sql("SELECT lease FROM guild.control") == [(3.0,)]
    guild("engine", "migrate", "--lease", "20")
    assert sql("SELECT lease FROM guild.control") == [(20.0,)]


def test_tables_of_a_newer_program_are_left_alone(url, guild, sql):
    sql("UPDATE guild.control SET version = 99")
    for verb in (("engine", "status"), ("engine", "migrate"), ("worker",)):
        done = guild(*verb)
        assert done.returncode == 4, done
        assert "version 99, newer than this program's 3" in done.stderr
        assert "Update guildmoot" in done.stderr
    with pytest.raises(InfrastructureError, match="newer"):
        perform(url, job(Agent("a", "", "", "a.md", command=("true",))))


def test_status_tells_queues_workers_money_and_what_is_stuck(url, hire, guild, tmp_path, sql):
    worker = hire("--name", "build-1", "--limit", "command=4")
    perform(url, job(counting(tmp_path), most=0.5, price=lambda reply: 0.25))
    until(lambda: sql("SELECT concurrency FROM guild_dbos.queues") == [(4,)])
    status = json.loads(guild("engine", "status", "--json").stdout)
    assert status["schema_version"] == 1
    assert (status["spent_usd"], status["reserved_usd"], status["answered"]) == (0.25, 0.0, 1)
    [queue], [has] = status["queues"], status["workers"]
    assert (queue["waiting"], queue["running"], queue["concurrency"]) == (0, 0, 4)
    assert queue["workers"] == ["build-1"]
    assert (has["name"], has["alive"], has["serves"]) == ("build-1", True, [queue["name"]])
    assert "command" in has["backends"]
    assert has["heartbeat_age"] < 3
    worker.kill()
    sql(
        "UPDATE guild.calls SET state = 'asked', asked = now() - interval '1 hour', wanted = now() + interval '1 hour'"
    )
    until(lambda: json.loads(guild("engine", "status", "--json").stdout)["stuck"])
    text = guild("engine", "status").stdout
    assert "no worker alive serves its queue" in text
    assert "nobody serves it" in text
    assert "$0.2500 spent" in text
    assert all(len(line) <= 120 for line in text.splitlines())


def test_a_drained_engine_takes_nothing_new_finishes_and_keeps_what_it_has(
    url, hire, guild, tmp_path
):
    worker = hire()
    perform(url, job(counting(tmp_path), "kept"))
    caller = _ask_long(url, tmp_path)
    until(lambda: "long question" in asked(tmp_path))
    done = guild("engine", "drain", "--wait")
    assert "no worker is working" in done.stdout, done
    assert worker.wait(timeout=10) == 0
    assert caller.wait(timeout=10) == 0
    [reply] = perform(url, job(counting(tmp_path), "new"))
    assert (reply.status, reply.error) == (
        "missing",
        "the engine is being drained and takes no new calls",
    )
    assert perform(url, job(counting(tmp_path), "kept"))[0].status == "answered"
    refused = guild("worker")
    assert refused.returncode == 64
    assert "guild engine drain --off" in refused.stderr
    guild("engine", "drain", "--off")
    hire()
    assert perform(url, job(counting(tmp_path), "new"))[0].status == "answered"


def test_no_secret_reaches_the_database(url, hire, guild, tmp_path):
    key = "sk-" + "ant-api03-" + "Zq8vN2xLw7RtY4uJkP3sDfGh9BnM6cVa" * 2
    with serving([Rule(text=f"your key is {key} and OK")]) as provider:
        variables = {**provider.environment(), "ANTHROPIC_API_KEY": key, "OTHER_TOKEN": key[::-1]}
        hire(**variables)
        api = Agent("judge", "", "", "j.md", backend="api", model="anthropic:claude-x")
        leaky = Agent("leaky", "", "", "l.md", backend="command", command=("cat",))
        told = Agent("told", "", "", "t.md", backend="command", command=("echo", f"--key={key}"))
        replies = perform(
            url,
            job(api, f"key {key}"),
            job(leaky, f"use OTHER_TOKEN={key[::-1]} and {key}"),
            job(told),
            run="r",
        )
    assert [reply.status for reply in replies] == ["answered", "answered", "failed"]
    assert "seems to hold a secret" in replies[2].error
    assert not any(part in reply.text for reply in replies for part in (key, key[::-1]))
    dump = dump_of(url)
    assert "your key is" in dump
    assert key not in dump
    assert key[::-1] not in dump


def test_the_role_of_the_documentation_is_enough_for_workers_and_callers(
    url, hire, guild, tmp_path, sql, postgres
):
    [role] = re.findall(r"```sql\n(.*?)```", DOCS.read_text(), re.DOTALL)
    name = f"guild_{os.urandom(4).hex()}"
    statements = role.replace("guild_worker", name).replace(
        "DATABASE guild", f"DATABASE {url.rpartition('/')[2]}"
    )
    sql(statements.replace(":", "\\:"))
    lesser = re.sub("//[^@]+@", f"//{name}:change-me@", url)
    try:
        hire(engine=lesser)
        assert perform(lesser, job(counting(tmp_path)))[0].status == "answered"
        assert guild("engine", "status", engine=lesser).returncode == 0
        refused = guild("engine", "migrate", "--lease", "9", engine=lesser)
        with querying(lesser) as ask, pytest.raises(Exception, match="permission denied"):
            ask("CREATE TABLE guild.more (it integer)")
        with querying(lesser) as ask, pytest.raises(Exception, match="must be owner"):
            ask("DROP TABLE guild.calls")
        with querying(lesser) as ask, pytest.raises(Exception, match="permission denied"):
            ask("DELETE FROM guild.spend")
        assert "change-me" not in refused.stdout + refused.stderr
    finally:
        sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{name}'")
        sql(f"DROP OWNED BY {name}")
        sql(f"DROP ROLE {name}")


@pytest.mark.parametrize(
    ("address", "mode"),
    [
        ("postgresql://u@127.0.0.1:5432/g", None),
        ("postgresql://u@localhost/g", None),
        ("postgresql:///g?host=/run/postgresql", None),
        ("postgresql://u@db.example.org/g", "verify-full"),
        ("postgresql://u@10.0.0.5/g", "verify-full"),
        ("postgresql://u@db.example.org/g?sslmode=require", "require"),
    ],
)  # fmt: skip
def test_the_way_to_another_machine_is_encrypted_unless_said_otherwise(address, mode):
    assert database.parse_url(address).query.get("sslmode") == mode


@pytest.mark.parametrize(
    "address",
    [
        "sqlite:///x",
        "postgresql://host",
        "nonsense",
        "http://x/y",
        "postgresql://u:hush@h:54x2/g",
        "postgresql://u:p@hush@db.example.org/g",
    ],
)
def test_an_address_that_is_none_is_refused_without_repeating_it(address):
    with pytest.raises(UsageError, match="not one of a Postgres database") as refused:
        database.parse_url(address)
    assert address not in str(refused.value)


SECRETIVE = (
    "postgresql://u:hush@db.example.org/g?sslmode=require",
    "postgresql://u:hu/hush@db.example.org/g",
    "postgresql://u:p%40hush@db.example.org/g",
    "postgresql://u@db.example.org/g?password=hush&sslmode=require",
    "postgresql+psycopg://u:hush@db.example.org/g?sslpassword=hush",
)


@pytest.mark.parametrize("address", SECRETIVE)
def test_a_password_is_neither_shown_nor_recorded(address):
    assert "hush" not in database.shown(address)
    assert "hush" not in str(recorded(address))
    assert "db.example.org/g" in str(recorded(address))
    assert "hush" not in str(recorded("postgresql://u:p@hush@db.example.org/g"))


def test_what_the_database_says_against_us_is_told_without_what_we_sent_it(url):
    from sqlalchemy import text

    engine = database.connect(url, 1)
    statement = text("INSERT INTO guild.waiters VALUES (:words, 'me', 'no time at all')")
    with pytest.raises(InfrastructureError) as failed, database.told(url):
        database.transact(engine, lambda c: c.execute(statement, {"words": "hush"}))
    assert "invalid input syntax" in failed.value.message
    assert "INSERT" not in failed.value.message
    with pytest.raises(Exception, match="INSERT") as raw:
        database.transact(engine, lambda c: c.execute(statement, {"words": "hush"}))
    assert "hush" not in str(raw.value)
    engine.dispose()


def test_a_role_that_may_not_look_is_told_so(url, guild, sql):
    name = f"guild_{os.urandom(4).hex()}"
    sql(f"CREATE ROLE {name} LOGIN")
    sql(f"GRANT USAGE ON SCHEMA guild TO {name}")
    sql(f"GRANT SELECT ON guild.control TO {name}")
    try:
        for verb in (("engine", "status"), ("engine", "drain"), ("worker",)):
            done = guild(*verb, engine=re.sub("//[^@]+@", f"//{name}@", url))
            assert done.returncode == 4, done
            assert "permission denied" in done.stderr
            assert "bug" not in done.stderr
    finally:
        sql(f"DROP OWNED BY {name}")
        sql(f"DROP ROLE {name}")


def test_a_migration_that_fails_half_way_does_not_pass_for_done(empty, guild):
    name = f"guild_{os.urandom(4).hex()}"
    with querying(empty) as ask:
        ask(f"CREATE ROLE {name} LOGIN")
        ask(f"GRANT CREATE ON DATABASE {empty.rpartition('/')[2]} TO {name}")
        ask("CREATE SCHEMA guild_dbos")  # not the role's, so DBOS cannot make its tables
        try:
            done = guild("engine", "migrate", engine=re.sub("//[^@]+@", f"//{name}@", empty))
            assert done.returncode == 4, done
            assert "could not be migrated" in done.stderr
            assert ask("SELECT to_regclass('guild.control')") == [(None,)]
            assert guild("engine", "migrate", engine=empty).returncode == 0
        finally:
            ask(f"DROP OWNED BY {name}")
            ask(f"DROP ROLE {name}")


@pytest.mark.parametrize(
    ("verb", "why"),
    [(("engine", "status"), "cannot be used"), (("engine", "migrate"), "could not be migrated"),
     (("worker",), "cannot be used")],
)  # fmt: skip
@pytest.mark.sample(3)
def test_a_server_that_is_not_there_is_told_with_its_address_and_no_password(tmp_path, verb, why):
    address = "postgresql://u:hush@127.0.0.1:1/g"
    done = subprocess.run(
        [sys.executable, "-c", VERB, *verb, "--engine", address],
        env=environment(tmp_path), cwd=tmp_path, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 4
    assert f"postgresql://u:***@127.0.0.1:1/g {why}" in done.stderr
    assert "hush" not in done.stdout + done.stderr


def test_status_reads_well_and_passes_no_control_characters_on():
    odd = Queue("api.\x1b[31manthropic", 0, 0, None, None, None, ())
    stuck = Stuck("k" * 64, "judge", "api.\x1b[31manthropic", 60.0, "nobody waits for it any more")
    text = "\n".join(_as_rows(Status(1, False, 15.0, (odd,), (), 0.5, 0.0, 1, 2, (stuck,))))
    assert "  1 call without a known price\n" in text
    assert "\x1b" not in text


def test_a_database_that_is_not_there_is_told_plainly(url):
    with pytest.raises(InfrastructureError, match="cannot be used"):
        perform(in_database(url, "nowhere"), job(Agent("a", "", "", "a.md", command=("true",))))


def test_a_repository_cannot_choose_the_engine(tmp_path, guild, shop):
    shop.write("guild.toml", '[engine]\nurl = "postgresql://evil@example.org/db"\n')
    shop.commit()
    assert shop.guild("trust", "--yes").code == 0  # and not even then
    code = "import sys; from guildmoot.cli.main import guild; sys.argv = ['guild', 'worker']; sys.exit(guild())"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=shop.root, env=shop.env, capture_output=True, text=True
    )
    assert done.returncode == 64
    assert "only you may do" in done.stderr


def dump_of(url):
    """Everything in the database, as text."""
    [folder] = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1:] or [Path("/usr/bin")]
    done = subprocess.run(
        [folder / "pg_dump", "--inserts", url], capture_output=True, text=True, check=True
    )
    return done.stdout


def _ask_long(url, folder):
    counting(folder, 1.5)
    code = (
        "import sys; from pathlib import Path; from calls.cluster.scene import *\n"
        "agent = counting(Path(sys.argv[2]), 1.5)\n"
        "[reply] = perform(sys.argv[1], job(agent, 'long question'))\n"
        "sys.exit(reply.status != 'answered')"
    )
    env = {"PYTHONPATH": ":".join(sys.path), "PATH": os.environ["PATH"]}
    return subprocess.Popen([sys.executable, "-c", code, url, str(folder)], env=env)
