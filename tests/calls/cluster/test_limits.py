"""Money and limits hold over all machines."""

import subprocess
import sys
import time

import pytest

from calls.cluster.scene import counting, job, perform, until
from guildmoot.calls.cluster.queues import Limit, read_limits
from guildmoot.errors import BudgetError, UsageError

SPENDER = """
import sys
from guildmoot.calls.ledger.base import Terms
from guildmoot.calls.cluster import database, ledger
from guildmoot.errors import BudgetError
engine = database.connect(sys.argv[1], 1)
print("ready", flush=True)
sys.stdin.readline()
bought = 0
for number in range(8):
    key = f"{sys.argv[2]}-{number}".rjust(64, "0")
    wish = ledger.Ask(key, key, "caller", "seat", "queue", "{}", "", 60.0, 0.01, Terms(sys.argv[2], None, 1.0))
    try:
        bought += database.transact(engine, lambda c: ledger.ask(c, wish)).fresh
    except BudgetError:
        pass
print(bought)
"""


@pytest.mark.slow
def test_32_processes_at_once_never_pass_the_day_s_limit(url, sql):
    spenders = [
        subprocess.Popen([sys.executable, "-c", SPENDER, url, f"run-{number}"],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for number in range(32)
    ]  # fmt: skip
    for spender in spenders:
        assert spender.stdout.readline() == "ready\n"
    for spender in spenders:
        spender.stdin.write("go\n")
        spender.stdin.flush()
    bought = [int(spender.communicate(timeout=120)[0]) for spender in spenders]
    # 32 x 8 calls of a cent each against a dollar: exactly a hundred fit.
    assert sum(bought) == 100
    assert sql("SELECT sum(micros), count(*) FROM guild.spend") == [(1_000_000, 100)]


def test_a_call_beyond_the_run_s_limit_is_refused_and_costs_nothing(url, hire, tmp_path, sql):
    hire()
    perform(url, job(counting(tmp_path), "cheap", most=0.4, price=lambda reply: 0.3), run_usd=0.5)
    with pytest.raises(BudgetError, match=r"of this run's limit of \$0.5, \$0.2 is left"):
        perform(url, job(counting(tmp_path), "dear", most=0.4), run_usd=0.5)
    assert sql("SELECT state, micros FROM guild.spend") == [("settled", 300_000)]


def test_without_a_price_no_limit_can_hold(url, hire, tmp_path):
    hire()
    with pytest.raises(BudgetError, match="no price is known for counting#0"):
        perform(url, job(counting(tmp_path), most=None), day_usd=5.0)


def test_the_money_of_a_caller_that_died_before_its_call_began_comes_back(url, sql):
    from guildmoot.calls.cluster import database, ledger
    from guildmoot.calls.ledger.base import Terms

    engine = database.connect(url, 1)
    wish = ledger.Ask(
        "0" * 64, "a", "caller", "seat", "queue", "{}", "", 60.0, 0.9, Terms("r", None, 1.0)
    )
    database.transact(engine, lambda c: ledger.ask(c, wish))
    other = wish._replace(key="1" * 64, asker="b")
    with pytest.raises(BudgetError):
        database.transact(engine, lambda c: ledger.ask(c, other))
    sql("UPDATE guild.spend SET expires = now() - interval '1 second'")
    sql("UPDATE guild.calls SET wanted = now() - interval '1 second'")
    assert database.transact(engine, lambda c: ledger.ask(c, other)).fresh
    # Nor is the dead one's call made after all: its money belongs to somebody else now.
    sql(
        "INSERT INTO guild.workers (name, executor, incarnation, host, pid, state) VALUES ('w', 'w.1', 1, 'h', 1, 'working')"
    )
    sql("UPDATE guild_dbos.workflow_status SET status = 'PENDING', executor_id = 'w.1'")
    assert database.transact(engine, lambda c: ledger.begin(c, "0" * 64, 0, "w.1", "token")) is None
    assert sql("SELECT state FROM guild.calls WHERE key = :key", key="0" * 64) == [("cancelled",)]
    engine.dispose()


def test_a_resumed_run_settles_the_price_that_a_dead_one_left_open(url, hire, tmp_path, sql):
    hire()
    perform(url, job(counting(tmp_path), most=0.4, price=lambda reply: 0.3))
    sql("UPDATE guild.spend SET state = 'made', micros = 400000")
    perform(url, job(counting(tmp_path), most=0.4, price=lambda reply: 0.3))
    assert sql("SELECT state, micros FROM guild.spend") == [("settled", 300_000)]


def test_no_more_calls_run_at_once_than_the_limit_says(url, hire, tmp_path, sql):
    for _ in range(3):
        hire("--limit", "command=4")
    perform(url, job(counting(tmp_path), "first"))
    until(lambda: sql("SELECT concurrency FROM guild_dbos.queues") == [(4,)])
    agent = counting(tmp_path, 0.3)
    perform(url, *(job(agent, f"question {number}") for number in range(24)), patience=30)
    spans = sql("SELECT started, ended FROM guild.calls")
    most = max(sum(start <= other < end for start, end in spans) for other, _ in spans)
    assert 2 <= most <= 4


def test_no_more_calls_start_in_a_span_than_the_rate_says(url, hire, script, sql):
    hire("--rate", "scripted=5/2")
    agent = script()
    perform(url, job(agent, "first"))
    until(lambda: sql("SELECT rate_limit_max FROM guild_dbos.queues") == [(5,)])
    began = time.monotonic()
    perform(url, *(job(agent, f"question {number}") for number in range(12)), patience=30)
    assert time.monotonic() - began >= 3.0


def test_limits_are_read_by_provider():
    limits = read_limits(("anthropic=8", "*=16"), ("anthropic=50/60",))
    assert limits == {"anthropic": Limit(8, (50, 60.0)), "*": Limit(16)}


@pytest.mark.parametrize("words", ["anthropic", "=8", "anthropic=many", "anthropic=-1"])
def test_a_limit_that_is_none_is_refused(words):
    with pytest.raises(UsageError):
        read_limits((words,), ())
