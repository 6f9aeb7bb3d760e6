"""Who takes which call, and what becomes of calls whose worker dies."""

import asyncio
import json
import os
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from sqlalchemy import text

from calls.cluster.scene import LEASE, asked, counting, job, perform, querying, until
from guildmoot.calls.cluster import budget, caller, database, ledger
from guildmoot.calls.cluster import codec as wire
from guildmoot.calls.cluster.batch import Batch
from guildmoot.calls.cluster.call_runner import Offer
from guildmoot.calls.cluster.needs import (
    Needs,
    Repository,
    capabilities,
    lacking,
    needs_of,
    withheld,
)
from guildmoot.calls.cluster.worker import Worker
from guildmoot.calls.ledger.base import Terms
from guildmoot.model.agent import Agent
from loopback import Rule, serving


def test_a_call_that_nobody_can_serve_says_what_it_needs_and_who_is_there(url, hire, tmp_path):
    hire("--backends", "command", "--name", "only-programs")
    agent = Agent("judge", "", "", "j.md", backend="api", model="anthropic:claude-x")
    [reply] = perform(url, job(agent), patience=2.0)
    assert reply.status == "missing"
    for word in ("within 2 s", "anthropic", "ANTHROPIC_API_KEY", "only-programs (command)"):
        assert word in reply.error


def test_with_no_worker_at_all_the_reply_says_how_to_start_one(url, tmp_path):
    [reply] = perform(url, job(counting(tmp_path)), patience=0.5)
    assert "none; start one with guild worker" in reply.error


def test_a_call_goes_to_the_worker_that_has_the_program(url, hire, tmp_path):
    tools = tmp_path / "tools"
    tools.mkdir()
    rare = tools / "rare-tool"
    rare.write_text("#!/bin/sh\necho found\n")
    rare.chmod(0o755)
    agent = Agent("rare", "", "", "r.md", backend="command", command=("rare-tool",))
    hire("--name", "without")
    [reply] = perform(url, job(agent), patience=2.0)
    assert reply.status == "missing"
    assert "the program rare-tool" in reply.error
    hire("--name", "with", PATH=f"{tools}:{os.environ['PATH']}")
    assert perform(url, *(job(agent, str(number)) for number in range(5)))[4].text == "found\n"


def test_a_model_is_asked_with_the_key_of_the_worker(url, hire):
    with serving([Rule(text="VERDICT: approved")]) as provider:
        hire("--name", "keyed", **provider.environment())
        agent = Agent("judge", "", "", "j.md", backend="api", model="anthropic:claude-x")
        [reply] = perform(url, job(agent))
        assert (reply.status, reply.text) == ("answered", "VERDICT: approved")


def test_a_check_of_the_project_runs_only_where_its_checkout_is_in_the_same_state(url, hire, shop):
    shop.write("app.py", "x = 1\n")
    shop.git("add", "-A")
    shop.git("commit", "-qm", "first")
    clone = shop.root.parent / "clone"
    shop.git("clone", "-q", str(shop.root), str(clone))
    agent = Agent("check", "", "", "c.md", backend="tool", command=("pwd",), run_in="checkout")
    hire("--repo", str(clone))
    [reply] = perform(url, job(agent, "one", workdir=str(shop.root)))
    assert reply.text == f"{clone}\n"
    shop.write("app.py", "x = 2\n")
    [reply] = perform(url, job(agent, "two", workdir=str(shop.root)), patience=2.0)
    assert reply.status == "missing"
    assert "checkout" in reply.error


def test_a_call_whose_worker_is_killed_is_made_by_another(url, hire, tmp_path, sql):
    doomed = hire("--name", "doomed")
    perform(url, job(counting(tmp_path), "so that the queue is served"))
    caller = _asking(url, tmp_path, counting(tmp_path, 1.0))
    until(lambda: "long question" in asked(tmp_path))
    doomed.kill()
    hire("--name", "heir")
    assert caller.wait(timeout=60) == 0
    assert asked(tmp_path).count("long question") == 2
    [(worker,)] = sql("SELECT worker FROM guild.calls WHERE call LIKE '%long question%'")
    assert worker == "heir.1"
    assert sql("SELECT state FROM guild.workers WHERE name = 'doomed'") == [("gone",)]


def test_a_worker_that_comes_back_late_does_not_overwrite_what_another_wrote(
    url, hire, tmp_path, sql
):
    frozen = hire("--name", "frozen")
    perform(url, job(counting(tmp_path), "so that the queue is served"))
    caller = _asking(url, tmp_path, counting(tmp_path, 1.0, answer="by $PPID"))
    until(lambda: "long question" in asked(tmp_path))
    frozen.send_signal(signal.SIGSTOP)
    hire("--name", "heir")
    assert caller.wait(timeout=60) == 0
    before = sql("SELECT reply, ended FROM guild.calls WHERE call LIKE '%long question%'")
    frozen.send_signal(signal.SIGCONT)
    until(lambda: sql("SELECT 1 FROM guild.workers WHERE name = 'frozen' AND state = 'working'"))
    perform(url, *(job(counting(tmp_path), f"later {number}") for number in range(4)))
    assert sql("SELECT reply, ended FROM guild.calls WHERE call LIKE '%long question%'") == before


def test_a_worker_that_was_taken_for_dead_begins_nothing_that_was_given_to_it_before(url, sql):
    engine = database.connect(url, 1)
    key = "0" * 64

    def begin(worker):
        return database.transact(engine, lambda c: ledger.begin(c, key, 0, worker, worker))

    wish = ledger.Ask(key, "a", "caller", "seat", "queue", "{}", "", 60.0, None, Terms("run-1"))
    database.transact(engine, lambda c: ledger.ask(c, wish))
    for name in ("late", "heir"):
        sql(
            "INSERT INTO guild.workers (name, executor, incarnation, host, pid, state)"
            " VALUES (:name, :executor, 1, 'here', 1, 'working')", name=name, executor=f"{name}.1",
        )  # fmt: skip
    sql("UPDATE guild_dbos.workflow_status SET status = 'PENDING', executor_id = 'late.1'")
    assert begin("heir.1") is None
    sql("UPDATE guild.workers SET state = 'gone' WHERE name = 'late'")
    assert begin("late.1") == "later"
    sql(
        "UPDATE guild.workers SET state = 'working', heartbeat = now() - interval '2 seconds' WHERE name = 'late'"
    )
    assert begin("late.1") == "later"
    sql("UPDATE guild_dbos.workflow_status SET executor_id = 'heir.1'")
    sql("UPDATE guild.workers SET heartbeat = now()")
    assert begin("late.1") is None
    assert begin("heir.1").token == "heir.1"
    engine.dispose()


def test_a_worker_that_ends_gives_its_calls_time_to_end(url, hire, tmp_path, sql):
    worker = hire()
    perform(url, job(counting(tmp_path), "so that the queue is served"))
    caller = _asking(url, tmp_path, counting(tmp_path, 1.5))
    until(lambda: "long question" in asked(tmp_path))
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(timeout=30) == 0
    assert caller.wait(timeout=30) == 0
    assert asked(tmp_path).count("long question") == 1
    assert sql("SELECT state FROM guild.workers") == [("stopped",)]


def test_a_worker_started_where_ctrl_c_is_ignored_goes_on_ignoring_it(hire, tmp_path):
    worker = hire("--name", "nightly", prefix=("env", "--ignore-signal=INT"))
    worker.send_signal(signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        worker.wait(timeout=1.5)
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(timeout=30) == 0
    assert "'kill " in (tmp_path / "nightly.log").read_text()


def test_a_name_is_given_to_one_worker_at_a_time_and_at_once_to_the_next(url, hire):
    began = time.monotonic()
    first = hire("--name", "build-1")
    usual = time.monotonic() - began
    second = hire("--name", "build-1", wait=False)
    assert second.wait(timeout=30) == 64
    assert "already runs here" in second.log.read_text()
    first.kill()
    first.wait()
    began = time.monotonic()
    hire("--name", "build-1")
    assert time.monotonic() - began < LEASE + 3 + 2 * usual
    with querying(url) as ask:
        assert ask("SELECT executor FROM guild.workers") == [("build-1.2",)]


def test_the_fence_falls_before_others_take_a_silent_worker_for_dead():
    from guildmoot.calls.cluster.fence import Fence

    async def silence():
        now = [0.0]
        fence = Fence(10.0, lambda: now[0])
        work = asyncio.create_task(fence.guarded(asyncio.sleep(3600)))
        await asyncio.sleep(0)
        now[0] = 5.9
        fence.check()
        assert fence._up.is_set()
        now[0] = 6.0
        fence.check()
        assert not fence._up.is_set()
        assert await work is None
        fence.written(sent=6.0)
        assert fence._up.is_set()
        assert await fence.guarded(asyncio.sleep(0, "done")) == "done"

    asyncio.run(silence())


@pytest.mark.parametrize(
    ("needs", "lack"),
    [
        (Needs("api", "anthropic"), ""),
        (Needs("api", "openai"), "a key for openai"),
        (Needs("api", "ollama", "qwen3:8b"), ""),
        (Needs("api", "ollama", "llama"), "the model ollama:llama"),
        (Needs("tool", command=("sh",)), ""),
        (Needs("tool", command=("no-such-tool",)), "no-such-tool is not installed"),
        (Needs("tool", command=("sh",), repository="abc"), ""),
        (Needs("tool", command=("sh",), repository="def"), "a checkout of the repository def"),
    ],
)  # fmt: skip
def test_needs_are_met_or_what_is_missing_is_named(needs, lack, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "set")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    has = capabilities(models=("ollama:qwen3:8b",), repositories=(Repository("abc", "1", "/x"),))
    found = lacking(needs, has)
    assert found.startswith(lack)
    assert bool(found) == bool(lack)


def test_a_worker_makes_no_call_that_its_owner_did_not_offer_whatever_queue_it_lies_in(
    url, hire, tmp_path, sql
):
    with serving([Rule(text="VERDICT: approved")]) as provider:
        hire("--backends", "api", **provider.environment())
        honest = job(Agent("judge", "", "", "j.md", backend="api", model="anthropic:claude-x"))
        assert perform(url, honest)[0].status == "answered"
        smuggled = job(counting(tmp_path), "run me")
        wish = _wish(smuggled, queue="api.anthropic")
        engine = database.connect(url, 1)
        database.transact(engine, lambda c: ledger.ask(c, wish))
        engine.dispose()
        [(state, reply)] = until(
            lambda: sql(
                "SELECT state, reply FROM guild.calls WHERE key = :key AND reply IS NOT NULL",
                key=smuggled.key,
            )
        )
    assert state == "failed"
    assert "does not offer the backend command" in reply
    assert asked(tmp_path) == []


@pytest.mark.parametrize(
    ("needs", "backends", "providers", "models", "lack"),
    [
        (Needs("command", command=("sh",)), (), (), (), ""),
        (Needs("command", command=("sh",)), ("api",), (), (), "the backend command"),
        (Needs("api", "openai"), ("api",), (), (), ""),
        (Needs("api", "openai"), (), ("anthropic",), (), "the provider openai"),
        (Needs("api", "openai"), (), ("anthropic", "openai"), (), ""),
        (Needs("api", "ollama", "qwen3:8b"), (), (), (), "the model ollama:qwen3:8b"),
        (Needs("api", "ollama", "qwen3:8b"), (), ("ollama",), (), ""),
        (Needs("api", "ollama", "qwen3:8b"), (), ("openai",), ("ollama:qwen3:8b",), ""),
    ],
)  # fmt: skip
def test_what_an_owner_did_not_name_is_withheld(needs, backends, providers, models, lack):
    assert withheld(needs, backends, providers, models) == lack


def test_folders_that_a_call_names_mean_nothing_on_another_machine(tmp_path):
    call = job(counting(tmp_path)).call
    told = wire.dumps(json.loads(wire.call_to_text(call)) | {"workdir": "/etc", "manifest": "/x"})
    assert (wire.call_from_text(told).workdir, wire.call_from_text(told).manifest) == ("", "")


def test_who_renews_calls_holds_no_money_while_it_waits_for_one(url, sql, tmp_path):
    wish = _wish(job(counting(tmp_path), most=1.0), queue="command")
    engine = database.connect(url, 3)
    database.transact(engine, lambda c: ledger.ask(c, wish))
    renew = partial(ledger.still_wanted, keys=[wish.key], caller=wish.caller)
    waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    with ThreadPoolExecutor(1) as threads:
        with engine.begin() as connection:
            connection.execute(text("UPDATE guild.calls SET timeout = 1"))
            renewed = threads.submit(database.transact, engine, renew)
            until(lambda: sql(waits))
            connection.execute(text("SET LOCAL lock_timeout = '200ms'"))
            connection.execute(text("UPDATE guild.spend SET expires = 'infinity'"))
        renewed.result(timeout=10)
    engine.dispose()


def test_the_price_of_a_second_try_is_not_put_on_the_first(url, sql, tmp_path):
    wish = _wish(job(counting(tmp_path), most=1.0), queue="command")
    engine = database.connect(url, 1)
    with engine.begin() as connection:
        ledger.ask(connection, wish)
        connection.execute(text("UPDATE guild.calls SET state = 'failed', reply = '{}'"))
        connection.execute(text("UPDATE guild.spend SET state = 'made'"))  # its caller was killed
        assert ledger.ask(connection, wish._replace(asker="b")).attempt == 1
        connection.execute(text("UPDATE guild.spend SET state = 'made' WHERE state = 'reserved'"))
        budget.settle(connection, {wish.key: 0.25}, wish.caller)
    engine.dispose()
    assert sql("SELECT micros FROM guild.spend ORDER BY id") == [(1_000_000,), (250_000,)]


def test_a_caller_that_gives_up_does_not_wait_for_a_database_that_is_away(url, monkeypatch):
    monkeypatch.setattr(caller, "_LEAVE_SECONDS", 0.2)

    async def give_up():
        engine = caller.ClusterEngine(url, Terms("run-1"))
        hangs = Batch(lambda work: asyncio.Event().wait())
        engine._asks = hangs
        asking = asyncio.create_task(hangs.do("key", lambda connection: None))
        await asyncio.sleep(0)
        async with asyncio.timeout(5):
            await engine._leave("key")
        asking.cancel()
        engine.close()

    asyncio.run(give_up())


def test_a_worker_whose_heart_stands_still_ends():
    async def live():
        worker = Worker("postgresql://127.0.0.1:1/none", Offer("w"), [].append)
        await worker._until_stopped(asyncio.create_task(_fail()))

    async def _fail():
        raise ValueError("the heart")

    with pytest.raises(ValueError, match="the heart"):
        asyncio.run(live())


def test_a_worker_that_ends_while_the_database_is_away_says_so_and_goes_on_to_its_end():
    said = []

    async def end():
        worker = Worker("postgresql://127.0.0.1:1/none", Offer("w"), said.append)
        await worker._tried(
            database.transact, worker._heartbeat_engine, lambda connection: None, 0.0
        )

    asyncio.run(end())
    assert "the database is away" in said[0]


def test_calls_of_one_provider_share_a_queue_and_programs_have_their_own():
    def queue(**fields):
        return needs_of(job(Agent("a", "", "", "a.md", **fields)).call).queue

    assert queue(backend="api", model="claude:opus") == "api.anthropic"
    assert queue(backend="api", model="anthropic:sonnet") == "api.anthropic"
    assert queue(backend="claude") == "claude"
    ruff = queue(backend="tool", command=("ruff", "check", "a"))
    assert ruff == queue(backend="tool", command=("ruff", "format"))
    assert ruff != queue(backend="tool", command=("mypy",))


def _wish(one, queue):
    """The ask of a job, as its caller would put it into that queue."""
    call = wire.call_to_text(one.call)
    return ledger.Ask(
        one.key, "a", "caller", "seat", queue, call, "", 60.0, one.call.most_usd, Terms("run-1")
    )


def _asking(url, folder, agent):
    """Another process that asks the counting judge, and fails unless it is answered."""
    import pickle
    import sys

    code = (
        "import pickle, sys; from calls.cluster.scene import *\n"
        "[reply] = perform(sys.argv[1], job(pickle.load(open(sys.argv[2], 'rb')), 'long question'))\n"
        "sys.exit(reply.status != 'answered')"
    )
    file = folder / "agent.pickle"
    file.write_bytes(pickle.dumps(agent))
    env = {"PYTHONPATH": ":".join(sys.path), "PATH": os.environ["PATH"]}
    return subprocess.Popen([sys.executable, "-c", code, url, str(file)], env=env)
