"""Rows of the shared database that make no sense: each harms itself only.

A row of ``ROWS`` is a name, the statement that writes it, and a word by which ``guild engine status`` and
the worker's log name it (empty where nothing has to be said). A row of ``CALLS`` is a name, what the
call's text is replaced by, and a word of the reason that its caller reads. ``REPLIES`` likewise.
"""

import hashlib
import json
import os
import signal
import threading
import time

import pytest

from calls.cluster.conftest import POSTGRES, guild, hire, postgres, sql, url  # noqa: F401
from calls.cluster.scene import counting, job, perform, until
from guildmoot.api.engine import read_engine

if not POSTGRES and os.environ.get("GUILD_REQUIRE_POSTGRES"):
    raise pytest.UsageError("GUILD_TEST_POSTGRES names no server")
pytestmark = pytest.mark.skipif(
    not POSTGRES, reason='no server: eval "$(scripts/postgres start)" starts one'
)

DEEP = "[" * 100_000 + "]" * 100_000
HUGE = "repeat('a', 200000000)"
LONG = "repeat('a', 2000000)"
WORKER = (
    "INSERT INTO guild.workers (name, executor, incarnation, host, pid, state, heartbeat, serves,"
    " capabilities) VALUES ('{0}', '{0}.1', {1}, {2}, {3}, 'working', {4}, {5}, {6})"
)
HAS = """'{"backends": ["command"], "providers": [], "repositories": []}'"""


def queue(name, needs, concurrency="NULL"):
    return f"INSERT INTO guild.queues (name, needs, concurrency) VALUES ({name}, {needs}, {concurrency})"


def worker(name, incarnation=1, host="'h'", pid=1, heartbeat="now()", serves="'{}'", has=HAS):
    return WORKER.format(name, incarnation, host, pid, heartbeat, serves, has)


ROWS = [
    ("a queue without needs", queue("'q1'", "'{}'"), "q1"),
    ("a queue of no JSON", queue("'q2'", "'nonsense'"), "q2"),
    ("a queue of nothing", queue("'q3'", "''"), "q3"),
    ("a queue of a list", queue("'q4'", "'[1, 2]'"), "q4"),
    ("a queue of null", queue("'q5'", "'null'"), "q5"),
    ("a queue of wrong types", queue("'q6'", """'{"backend": 7, "command": "x"}'"""), "q6"),
    ("a queue nested deeply", queue("'q7'", f"'{DEEP}'"), "q7"),
    ("a queue of 2 MB", queue("'q8'", LONG), "q8"),
    ("a queue of NaN", queue("'q9'", """'{"backend": NaN}'"""), "q9"),
    ("a queue of an unknown backend", queue("'q10'", """'{"backend": "teleport"}'"""), ""),
    ("a queue of a program with NUL", queue("'q11'", r"""'{"backend": "command", "command": ["a\u0000b"]}'"""), ""),
    ("a queue of replies with NUL", queue("'q12'", r"""'{"backend": "scripted", "replies": "a\u0000b"}'"""), ""),
    ("a queue of a lone surrogate", queue("'q13'", r"""'{"backend": "command", "command": ["\udcff"]}'"""), ""),
    ("a queue that names SQL", queue("'''; DROP TABLE guild.calls; --'", "'{}'"), "DROP TABLE"),
    ("a queue named by escapes", queue(r"E'\x1b[2J\x01'", "'{}'"), ""),
    ("a queue of no name", queue("''", "'{}'"), "queue"),
    ("a queue of negative limit", queue("'q14'", """'{"backend": "command"}'""", "-5"), "q14"),
    ("a queue of limit zero", queue("'q15'", """'{"backend": "command"}'""", "0"), "q15"),
    ("DBOS's queue of odd limits", ("INSERT INTO guild_dbos.queues (name, concurrency, worker_concurrency,"
     " rate_limit_max, rate_limit_period_sec, polling_interval_sec, application_name) VALUES"
     " ('q10', -1, -1, -1, 'NaN', 'NaN', 'guildmoot')"), "q10"),
    ("a worker of no JSON", worker("p1", has="'nonsense'"), "p1"),
    ("a worker of nothing", worker("p2", has="'{}'"), "p2"),
    ("a worker nested deeply", worker("p3", has=f"'{DEEP}'"), "p3"),
    ("a worker of 200 MB", worker("p4", has=HUGE), "p4"),
    ("a worker that serves nulls", worker("p5", serves="ARRAY[NULL]"), "p5"),
    ("a worker that serves tables", worker("p6", serves="ARRAY[ARRAY['a'], ARRAY['b']]"), "p6"),
    ("a worker that serves 200 MB", worker("p7", serves=f"ARRAY[{HUGE}]"), "p7"),
    ("a worker of the year 294276", worker("p8", heartbeat="'294276-12-31'"), ""),
    ("a worker of the end of time", worker("p9", heartbeat="'infinity'"), ""),
    ("a worker before time", worker("p10", heartbeat="'-infinity'"), ""),
    ("a worker of odd numbers", worker("p11", incarnation=-(2**31), pid=-1), ""),
    ("a worker of a huge host", worker("p12", host=LONG), ""),
    ("a worker that has our next name", worker("w2", incarnation=2**31 - 1, heartbeat="'-infinity'"), ""),
    ("a worker that has our next executor", "UPDATE guild.workers SET executor = 'w3.1' WHERE name = 'p1'", ""),
    ("a lease that is no number", "UPDATE guild.control SET lease = 'NaN'", "lease"),
    ("a lease without end", "UPDATE guild.control SET lease = 'infinity'", "lease"),
    ("a lease below nothing", "UPDATE guild.control SET lease = -3", "lease"),
    ("a sane lease again", "UPDATE guild.control SET lease = 3", ""),
    ("a call that says it runs", ("INSERT INTO guild.calls (key, try, state, run_id, asker, seat, queue, call,"
     " packet, timeout, worker, wanted, started) VALUES (repeat('0', 64), 2147483647, 'running', 'r', 'a',"
     " repeat('s', 1000), 'q1', '', '', 'NaN', 'nobody.1', '294276-12-31', 'infinity')"), ""),
    ("calls of odd times", ("INSERT INTO guild.calls (key, try, state, run_id, asker, seat, queue, call, packet,"
     " timeout, wanted, asked, started) SELECT repeat(n::text, 64), -n, 'asked', '', '', E'\\x1b', '', '@', '@',"
     " -1e300, 'infinity', '-infinity', '4713-01-01 BC' FROM generate_series(1, 3) n"), ""),
]  # fmt: skip


def test_no_row_stops_a_worker_a_starting_worker_the_status_or_a_caller(
    url, hire, guild, sql, tmp_path  # noqa: F811 - fixtures
):  # fmt: skip
    agent, running = counting(tmp_path), hire()
    for name, statement, word in ROWS:
        sql(statement.replace(":", "\\:"))
        [reply] = perform(url, job(agent, name))
        assert reply.status == "answered", (name, reply)
        told = read_engine(url).unreadable
        assert any(word in line for line in told) if word else True, (name, told)
    assert running.poll() is None
    status = guild("engine", "status")
    assert (status.returncode, "\x1b" in status.stdout) == (0, False), status
    assert guild("engine", "status", "--json").returncode == 0
    log = running.log.read_text()
    named = {word for _, _, word in ROWS if word and not word.startswith("p")}
    until(lambda: all(word in running.log.read_text() for word in named - {"q10"}), 5)
    assert "\x1b" not in log
    assert len(log) < 50_000
    running.kill()
    hire(), hire()  # starting workers meet them all
    assert perform(url, job(agent, "the last"), patience=20.0)[0].status == "answered"


CALLS = [
    ("no JSON", "nonsense", "no JSON"),
    ("nothing", "", "no JSON"),
    ("null", "null", "not an object"),
    ("a list", "[]", "not an object"),
    ("an empty object", "{}", "missing"),
    ("nested deeply", DEEP, "nested too deeply"),
    ("a field nested deeply", '{"seat": ' + DEEP + "}", "nested too deeply"),
    ("NaN", {"timeout": float("nan")}, "no number"),
    ("an endless time", {"timeout": float("inf")}, "no number"),
    ("a time past all numbers", '{"timeout": 1e999}', "no number"),
    ("a negative time", {"timeout": -1}, "make no sense"),
    ("more shared than there is", {"shared": 10**9}, "make no sense"),
    ("a prompt that is a list", {"prompt": [1]}, "not a text"),
    ("no seat", {"seat": None}, "not an object"),
    ("an unknown backend", {"seat": {"name": "s", "agent": "a", "backend": "teleport", "family": "f"}}, "teleport"),
    ("a number of 10,000 digits", '{"timeout": ' + "9" * 10_000 + "}", "no JSON"),
    ("a lost text", "@" + "0" * 64, "lost or changed"),
    ("a text by a name that is SQL", "@'; DELETE FROM guild.calls; --", "lost or changed"),
    ("a program with NUL", {"agent": {"command": ["/bin/echo", "a\0b"]}}, "NUL"),
    ("a program that is no list", {"agent": {"command": "rm"}}, "not a list"),
]  # fmt: skip


def test_a_call_that_cannot_be_read_fails_at_once_with_a_reason_and_holds_no_place(
    url, hire, sql, tmp_path  # noqa: F811 - fixtures
):  # fmt: skip
    worker = hire("--limit", "command=2")
    agent = counting(tmp_path)
    assert perform(url, job(agent, "first"))[0].status == "answered"
    jobs = [job(agent, name) for name, _, _ in CALLS]
    replies = []
    os.kill(worker.pid, signal.SIGSTOP)
    caller = threading.Thread(target=lambda: replies.extend(perform(url, *jobs, patience=30)))
    caller.start()
    until(lambda: sql("SELECT count(*) FROM guild.calls WHERE state = 'asked'") == [(len(jobs),)])
    for each, (_, change, _) in zip(jobs, CALLS, strict=True):
        [(text,)] = sql("SELECT call FROM guild.calls WHERE key = :key", key=each.key)
        if isinstance(change, dict):
            call = json.loads(text)
            change = {"agent": call["agent"] | change["agent"]} if "agent" in change else change
            change = json.dumps(call | change)
        sql("UPDATE guild.calls SET call = :it WHERE key = :key", it=change, key=each.key)
    began = time.monotonic()
    os.kill(worker.pid, signal.SIGCONT)
    caller.join(30)
    assert time.monotonic() - began < 20
    for (name, _, word), reply in zip(CALLS, replies, strict=True):
        assert (reply.status, word in reply.error) == ("failed", True), (name, reply)
        assert len(reply.error) < 1500
    assert perform(url, job(agent, "the last"))[0].status == "answered"
    assert worker.poll() is None


REPLIES = [
    ("no JSON", "nonsense", "no JSON"),
    ("an empty object", "{}", "missing"),
    ("a verdict of another kind", '{"seat": "s", "status": "approved"}', "none of"),
    ("nested deeply", DEEP, "nested too deeply"),
    ("nothing", None, "missing or too long"),
    ("a lost text", "@" + "0" * 64, "lost or changed"),
    ("a text that was changed", "@changed", "lost or changed"),
    ("a text of 300 MB", "@huge", "too long"),
]


def test_a_reply_that_cannot_be_read_is_no_answer_and_harms_no_other(
    url, hire, sql, tmp_path  # noqa: F811 - fixtures
):  # fmt: skip
    hire()
    agent = counting(tmp_path)
    jobs = [job(agent, name) for name, _, _ in REPLIES]
    assert {reply.status for reply in perform(url, *jobs)} == {"answered"}
    digest = hashlib.sha256(b"true").hexdigest()
    sql("INSERT INTO guild.chunks VALUES (:it, 0, 'false')", it=digest)
    sql(
        "INSERT INTO guild.chunks SELECT 'huge', n, repeat('a', 100000000) FROM generate_series(0, 2) n"
    )
    for each, (_, text, _) in zip(jobs, REPLIES, strict=True):
        text = f"@{digest}" if text == "@changed" else text
        sql("UPDATE guild.calls SET reply = :it WHERE key = :key", it=text, key=each.key)
    *bad, good = perform(url, *jobs, job(agent, "another"))
    for (name, _, word), reply in zip(REPLIES, bad, strict=True):
        assert (reply.status, word in reply.error) == ("failed", True), (name, reply)
    assert good.status == "answered"


PICKLE = """cposix
system
(S'touch PWNED'
tR."""


def test_a_pickle_in_the_database_is_not_loaded(url, hire, sql, tmp_path):  # noqa: F811 - fixtures
    """DBOS would load it, whatever the worker's owner lets it do."""
    import base64

    worker = hire("--backends", "command")
    agent = counting(tmp_path)
    perform(url, job(agent, "first"))
    [(queue,)] = sql("SELECT name FROM guild.queues")
    sql(
        "INSERT INTO guild_dbos.workflow_status (workflow_uuid, status, name, queue_name, application_version,"
        " application_name, serialization, priority, created_at, updated_at, recovery_attempts) VALUES"
        " ('evil', 'ENQUEUED', 'guild.call', :queue, 'guild-1', 'guildmoot', 'py_pickle', 0, 0, 0, 0)", queue=queue,
    )  # fmt: skip
    sql(
        "INSERT INTO guild_dbos.workflow_input (workflow_uuid, inputs, retention_timestamp) VALUES ('evil', :it, 0)",
        it=base64.b64encode(PICKLE.encode()).decode(),
    )
    until(
        lambda: (
            sql("SELECT status FROM guild_dbos.workflow_status WHERE workflow_uuid = 'evil'")
            != [("ENQUEUED",)]
        )
    )
    assert perform(url, job(agent, "the last"))[0].status == "answered"
    assert worker.poll() is None
    assert not (tmp_path / "PWNED").exists()
