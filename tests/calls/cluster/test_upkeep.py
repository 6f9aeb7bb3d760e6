"""A shared engine over months: old rows are cleared, releases differ, containers share names, databases restart."""

import json
import os
import socket
import subprocess
import sys
import threading
import time

import pytest

from calls.cluster.scene import VERB, asked, counting, environment, job, perform, querying, until
from guildmoot.calls.cluster import database, register
from guildmoot.calls.cluster.needs import capabilities
from guildmoot.errors import InfrastructureError
from guildmoot.system.place import place

OLD = "interval '40 days'"


def test_gc_clears_what_ended_long_ago_and_nothing_else(url, hire, guild, sql, tmp_path):
    hire()
    agent = counting(tmp_path)
    paid = {"most": 0.5, "price": lambda reply: 0.25}
    perform(url, job(agent, "old" * 100_000, **paid), job(agent, "older", **paid), run="old")
    sql(f"UPDATE guild.calls SET asked = asked - {OLD}, ended = ended - {OLD}")
    sql(f"UPDATE guild.spend SET day = day - 40; UPDATE guild.chunks SET kept = kept - {OLD}")
    sql("UPDATE guild_dbos.workflow_status SET updated_at = 0")
    sql(
        "INSERT INTO guild.workers (name, executor, incarnation, host, pid, state, heartbeat)"
        f" VALUES ('x', 'x.1', 1, 'h', 1, 'stopped', now() - {OLD})"
    )
    perform(url, job(agent, "new", **paid), run="new")
    sums = "SELECT run_id, day, sum(micros) FROM guild.spend GROUP BY 1, 2 ORDER BY 1"
    before, rows = sql(sums), sql("SELECT count(*) FROM guild.calls")
    counts = json.loads(guild("engine", "gc", "--dry-run", "--json").stdout)
    assert (counts["calls"], counts["workers"], counts["prices"]) == (2, 1, 2), counts
    assert sql("SELECT count(*) FROM guild.calls") == rows
    assert "cleared 2 calls" in guild("engine", "gc").stdout
    assert sql(sums) == before
    assert sql("SELECT count(*) FROM guild.calls") == [(1,)]
    assert sql("SELECT count(*) FROM guild.chunks") == [(0,)]
    for table in ("workflow_status", "workflow_input"):
        assert sql(f"SELECT count(*) FROM guild_dbos.{table}") == [(1,)]
    assert json.loads(guild("engine", "gc", "--json").stdout)["calls"] == 0
    assert perform(url, job(agent, "older", **paid))[0].status == "answered"
    assert asked(tmp_path).count("older") == 2


def test_gc_leaves_what_waits_and_what_today_counts(url, guild, sql):
    sql(
        "INSERT INTO guild.calls (key, try, state, run_id, asker, seat, queue, call, packet, timeout, wanted, asked)"
        " SELECT repeat(n, 64), 0, s, '', '', '', '', '', '', 1, now() + interval '1 hour', '2000-01-01'"
        " FROM (VALUES ('1', 'asked'), ('2', 'running')) AS it (n, s)"
    )
    sql(
        "INSERT INTO guild.spend VALUES ('a', 'r', 'k', (now() AT TIME ZONE 'UTC')\\:\\:date, 'settled', 7, now())"
    )
    assert guild("engine", "gc", "--keep", "0").returncode == 0
    assert sql("SELECT count(*) FROM guild.calls") == [(2,)]
    assert sql("SELECT micros FROM guild.spend") == [(7,)]
    assert guild("engine", "gc", "--keep", "-1").returncode == 64


def test_a_name_is_taken_over_at_once_only_where_its_process_can_be_asked_for(url):
    engine = database.connect(url, 1)

    def sign_in(here):
        return database.transact(
            engine, lambda c: register.sign_in(c, "w", capabilities(), "t", here)
        )

    assert sign_in("here").executor == "w.1"
    with querying(url) as ask:
        ask(
            "UPDATE guild.workers SET pid = 4194304"
        )  # a process that is no more, or of another namespace
    for elsewhere in ("there", ""):
        assert sign_in(elsewhere).executor == ""
    assert sign_in("here").executor == "w.2"
    engine.dispose()
    assert place().startswith(socket.gethostname() + "/")


def test_two_containers_of_one_host_name_work_side_by_side(url, sql, tmp_path):
    probe = ["unshare", "--pid", "--fork", "--mount-proc"]
    if subprocess.run([*probe, "true"], capture_output=True, check=False).returncode:
        pytest.fail("pid namespaces are needed here: run as root")
    started = [
        subprocess.Popen(
            [*probe, "--kill-child", sys.executable, "-c", VERB, "worker", "--engine", url],
            env=environment(tmp_path), cwd=tmp_path, stderr=subprocess.DEVNULL,
        )
        for _ in range(2)
    ]  # fmt: skip
    try:
        until(
            lambda: sql("SELECT count(*) FROM guild.workers WHERE state = 'working'") == [(2,)], 60
        )
        agent = counting(tmp_path, 1.0)
        replies = perform(url, *(job(agent, str(number)) for number in range(4)), patience=30.0)
        assert {reply.status for reply in replies} == {"answered"}
        assert sorted(asked(tmp_path)) == ["0", "1", "2", "3"]
    finally:
        for process in started:
            process.kill()
            process.wait()


def test_a_caller_that_no_worker_understands_is_told_so(url, hire, sql, tmp_path):
    worker = hire()
    agent = counting(tmp_path)
    perform(url, job(agent, "first"))
    os.kill(worker.pid, 19)
    sql(
        "UPDATE guild.workers SET capabilities = replace(capabilities, 'guild-1', 'guild-9'), heartbeat = now()"
    )
    [reply] = perform(url, job(agent, "second"), patience=0.5)
    assert reply.status == "missing"
    assert "of a release that speaks guild-1, which w1 (" in reply.error


def test_a_worker_that_meets_newer_tables_stops_and_says_so(url, hire, sql):
    worker = hire()
    sql("UPDATE guild.control SET version = 99")
    assert worker.wait(timeout=60) == 0
    assert "newer than this program" in worker.log.read_text()


@pytest.mark.parametrize(
    "address", ["postgresql://guild@127.0.0.1:{port}/nowhere", "postgresql://nobody@127.0.0.1:{port}/guild",
                "postgresql://guild@no.such.host.invalid/guild"],
)  # fmt: skip
def test_what_waiting_cannot_mend_is_told_at_once(url, address):
    engine = database.connect(address.format(port=url.rpartition(":")[2].partition("/")[0]), 1)
    began = time.monotonic()
    with pytest.raises(InfrastructureError, match="cannot be used"):
        database.check_reachable(engine, url, 60.0)
    assert time.monotonic() - began < 15
    engine.dispose()


def test_a_database_that_starts_is_waited_for_and_then_given_up(url, caplog):
    """A server that only ever says that it starts, and then one that is there."""
    message = b"SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0"
    reply = b"E" + (len(message) + 4).to_bytes(4, "big") + message
    with socket.create_server(("127.0.0.1", 0)) as server:
        ending = threading.Event()

        def serve():
            while not ending.is_set():
                connection, _ = server.accept()
                with connection:
                    if not ending.is_set():
                        connection.recv(1024)
                        connection.sendall(reply)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        address = f"postgresql://guild:hush@127.0.0.1:{server.getsockname()[1]}/g?sslmode=disable"
        engine = database.connect(address, 1)
        with pytest.raises(InfrastructureError, match="after 1.5 s.*starting up") as failed:
            database.check_reachable(engine, address, 1.5)
        ending.set()
        engine.dispose()
        socket.create_connection(server.getsockname()).close()
        thread.join()
    assert failed.value.exit_code == 4
    [line] = [each.getMessage() for each in caplog.records if "is away" in each.getMessage()]
    assert "trying again for another" in line
    assert "hush" not in line + str(failed.value)
