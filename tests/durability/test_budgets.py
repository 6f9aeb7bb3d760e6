"""Limits hold over real commands: however many run at once, and whatever a killed one had set aside."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from account import spent
from durability.harness import Place
from durability.shops import new_shop
from guildmoot.calls.ledger.budget import GRACE
from guildmoot.calls.ledger.store import Store, ledger_file
from loopback import Rule, serving

JUDGE = ("validate", "a.py", "--agents", "evaluator-tests@openai:gpt-5", "--fresh", "--json")


@pytest.fixture
def provider():
    with serving([Rule()]) as running:
        yield running


@pytest.fixture
def place(yard, provider):
    made = Place(new_shop(yard / "place"))
    made.environment = {**provider.environment(), "NO_PROXY": "127.0.0.1"}
    return made


@pytest.fixture
def most(bench, place):
    """What one such run may cost, in dollars."""
    return bench.run(place, *JUDGE, "--dry-run").json["total"]["usd_at_most"]


def limit_day(place: Place, usd: float) -> None:
    place.environment["GUILD_BUDGET_DAY_USD"] = f"{usd:.6f}"


@pytest.mark.slow
def test_32_runs_at_once_get_what_the_day_holds_and_no_more(bench, place, provider, most):
    """Nobody learns what an unanswered call cost, so each counts in full: five and a half fit."""
    bench.learn(lambda: place, *JUDGE)
    provider.rules = [Rule(hang=True)]
    provider.requests.clear()
    (place.root / ".guild" / "ledger.sqlite3").unlink()
    limit_day(place, most * 5.5)
    ended = bench.crowd(place, *JUDGE, "--timeout", "0.5", times=32)
    assert len(provider.requests) == 5
    assert sum("limit" in each.out for each in ended) == 27
    assert {each.code for each in ended} <= {4, 64}, "refused before its first call, or at it"
    store = Store(ledger_file(place.root))
    assert spent(store, "after").day_usd == pytest.approx(most * 5, abs=1e-5)
    store.close()


@pytest.mark.slow
def test_runs_at_once_whose_calls_are_cheap_spend_less_than_the_limit(bench, place, provider, most):
    bench.learn(lambda: place, *JUDGE)
    (place.root / ".guild" / "ledger.sqlite3").unlink()
    limit_day(place, most * 2.5)
    ended = bench.crowd(place, *JUDGE, times=12)
    approved = [each for each in ended if each.code == 0]
    assert len(approved) >= 2
    paid = sum(each.json["costs"]["total"]["cost_usd"] for each in approved)
    store = Store(ledger_file(place.root))
    assert spent(store, "after").day_usd == pytest.approx(paid, abs=1e-4)
    assert paid <= most * 2.5
    store.close()


@pytest.mark.slow
def test_what_a_killed_run_had_set_aside_is_free_for_itself_at_once_and_for_others_after_its_lease(
    bench, place, provider, most
):
    provider.rules = [Rule(hang=True)]
    limit_day(place, most * 1.5)
    began = time.time()
    _kill_in_mid_call(place, provider)
    store = Store(ledger_file(place.root))
    for moment, left in ((began + 30.0 + GRACE - 1, most), (time.time() + 30.0 + GRACE + 1, 0.0)):
        assert _live(store, moment) == pytest.approx(left, abs=1e-5)
    store.close()
    provider.rules = [Rule()]
    refused = bench.run(place, *JUDGE)
    assert refused.code == 64
    assert "of this day's limit" in refused.json["error"]["message"]
    killed = min(run.name for run in (place.root / ".guild" / "runs").glob("2*"))
    resumed = bench.run(place, "resume", killed, "--json")
    assert resumed.code == 0, resumed.out
    assert bench.run(place, *JUDGE).code == 0, "the resumed run has settled for less"


def _kill_in_mid_call(place: Place, provider: object) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(place.home), **place.environment}
    argv = [sys.executable, "-m", "guildmoot", *JUDGE, "--timeout", "30"]
    run = subprocess.Popen(argv, cwd=place.root, env=environment, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 30
    while not provider.requests and time.monotonic() < deadline:
        time.sleep(0.02)
    run.send_signal(signal.SIGKILL)
    assert run.wait() == -signal.SIGKILL
    assert len(provider.requests) == 1


def _live(store: Store, now: float) -> float:
    """What counts against the day on which the money was set aside."""
    with sqlite3.connect(store.path) as connection:
        (micros,) = connection.execute(
            "SELECT coalesce(sum(micros), 0) FROM spend WHERE state = 'reserved' AND expires > ?",
            (now,),
        ).fetchone()
    connection.close()
    assert spent(store, "another", lambda: now).day_usd in (0.0, pytest.approx(micros / 1e6))
    return micros / 1e6
