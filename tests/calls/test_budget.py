"""Money: set aside before a call, settled after it, and never past a limit, whoever asks at once."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from account import NOON, Account, Clock
from guildmoot.calls.ledger.budget import GRACE, Reservation, to_micros
from guildmoot.calls.ledger.store import MIGRATIONS
from guildmoot.errors import BudgetError, InfrastructureError, UsageError

DAY = 86_400.0


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / ".guild" / "ledger.sqlite3"


def test_a_call_that_would_pass_the_runs_limit_is_refused_and_told_what_is_left(file):
    with Account(file, "run", max_run_usd=1.0) as budget:
        budget.set_aside("first", 0.7)
        with pytest.raises(BudgetError, match=r"second may cost \$0.4;.*run's limit of \$1, \$0.3"):
            budget.set_aside("second", 0.4)
        budget.set_aside("third", 0.3)


def test_what_was_not_used_is_free_again(file):
    with Account(file, "run", max_run_usd=1.0) as budget:
        budget.settle(budget.set_aside("first", 0.9), 0.1)
        budget.set_aside("third", 0.9)
        assert budget.spent() == (1.0, 1.0)


def test_a_call_that_cost_more_than_was_set_aside_counts_in_full(file):
    with Account(file, "run", max_run_usd=1.0) as budget:
        budget.settle(budget.set_aside("first", 0.1), 1.5)
        with pytest.raises(BudgetError, match=r"\$0 is left"):
            budget.set_aside("second", 0.01)


def test_the_first_settlement_stands_and_releasing_after_it_changes_nothing(file):
    with Account(file, "run") as budget:
        reservation = budget.set_aside("call", 0.5)
        budget.settle(reservation, 0.2)
        budget.settle(reservation, 0.4)
        assert budget.spent().run_usd == 0.2


def test_money_spent_is_counted_even_after_its_reservation_was_given_back(file):
    with Account(file, "run") as budget:
        reservation = budget.set_aside("call", 0.5)
        budget.release(reservation)
        budget.settle(reservation, 0.2)
        assert budget.spent().run_usd == 0.2


def test_a_cost_that_nobody_learnt_is_taken_as_what_was_set_aside(file):
    with Account(file, "run", max_run_usd=1.0) as budget:
        budget.settle(budget.set_aside("call", 0.5), None)
        assert budget.spent().run_usd == 0.5


@pytest.mark.parametrize("limits", [(1.0, None), (None, 1.0), (1.0, 1.0), (0.0, None)])
def test_an_unknown_price_is_refused_under_any_limit(file, limits):
    with (
        Account(file, "run", *limits) as budget,
        pytest.raises(BudgetError, match="no price is known for seat 2") as refused,
    ):
        budget.set_aside("seat 2", None)
    assert "[prices]" in refused.value.hint


def test_an_unknown_price_is_no_obstacle_without_a_limit(file):
    with Account(file, "run") as budget:
        reservation = budget.set_aside("call", None)
        budget.settle(reservation, None)
        assert reservation.usd is None
        assert budget.spent() == (0.0, 0.0)


def test_a_limit_of_nothing_lets_only_free_calls_through(file):
    with Account(file, "run", max_run_usd=0.0) as budget:
        budget.set_aside("local", 0.0)
        with pytest.raises(BudgetError):
            budget.set_aside("paid", 0.000001)


def test_runs_have_their_own_limit_and_share_the_days(file):
    with (
        Account(file, "one", 1.0, 1.5, Clock()) as one,
        Account(file, "two", 1.0, 1.5, Clock()) as two,
    ):
        one.set_aside("call", 1.0)
        with pytest.raises(BudgetError, match="this day's limit"):
            two.set_aside("call", 0.6)
        two.set_aside("call", 0.5)
        assert two.spent() == (0.5, 1.5)


def test_a_new_day_begins_at_midnight_utc_and_the_run_goes_on(file):
    clock = Clock(NOON + DAY / 2 - 1)
    with Account(file, "run", max_run_usd=3.0, max_day_usd=1.0, clock=clock) as budget:
        budget.settle(budget.set_aside("late", 1.0), 1.0)
        with pytest.raises(BudgetError):
            budget.set_aside("too much today", 0.5)
        clock.now += 1
        budget.set_aside("tomorrow", 0.5)
        assert budget.spent() == (1.5, 0.5)


def test_a_dead_runs_reservations_run_out_after_the_calls_time_and_a_grace(file):
    program = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from guildmoot.calls.ledger.base import Terms\n"
        "from guildmoot.calls.ledger.budget import Budget\n"
        "from guildmoot.calls.ledger.store import Store\n"
        "terms = Terms('dead', day_usd=1.0)\n"
        "store = Store(Path(sys.argv[1]))\n"
        f"budget = Budget(store, terms, clock=lambda: {NOON})\n"
        "with store.transaction() as connection:\n"
        "    budget.reserve(connection, 'call', 1.0, 30)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-c", program, file], check=False)
    assert killed.returncode == -9
    clock = Clock(NOON + 30 + GRACE - 1)
    with Account(file, "next", max_day_usd=1.0, clock=clock) as budget:
        with pytest.raises(BudgetError):
            budget.set_aside("call", 1.0)
        clock.now += 1
        budget.set_aside("call", 1.0)


@pytest.mark.slow  # 32 interpreters
def test_32_processes_at_once_take_the_limit_whole_and_no_more(file):
    """Each asks 8 times for 3 cents of 2 dollars: 66 of the 256 fit, whoever gets them."""
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from guildmoot.calls.ledger.base import Terms\n"
        "from guildmoot.calls.ledger.budget import Budget, settle\n"
        "from guildmoot.calls.ledger.store import Store\n"
        "from guildmoot.errors import BudgetError\n"
        "granted = 0\n"
        "print('ready', flush=True)\n"
        "sys.stdin.readline()\n"
        "terms = Terms(sys.argv[2], day_usd=2.0)\n"
        "store = Store(Path(sys.argv[1]))\n"
        f"budget = Budget(store, terms, clock=lambda: {NOON})\n"
        "for number in range(8):\n"
        "    try:\n"
        "        with store.transaction() as connection:\n"
        "            reservation = budget.reserve(connection, str(number), 0.03, 120)\n"
        "    except BudgetError:\n"
        "        continue\n"
        "    granted += 1\n"
        "    if number % 2:\n"
        "        with store.transaction() as connection:\n"
        "            settle(connection, reservation.id, 0.03)\n"
        "print(granted)\n"
    )
    argv = [sys.executable, "-c", program, str(file)]
    workers = [
        subprocess.Popen([*argv, f"run-{n}"], stdin=-1, stdout=-1, text=True) for n in range(32)
    ]
    for worker in workers:
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        worker.stdin.write("go\n")
        worker.stdin.flush()
    granted = [int(worker.communicate(timeout=60)[0]) for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * 32
    assert sum(granted) == 66
    with Account(file, "after", clock=Clock()) as budget:
        assert budget.spent().day_usd == 1.98


def test_threads_share_one_purse(file):
    with Account(file, "run", max_run_usd=0.5) as budget:
        granted = []

        def ask() -> None:
            for number in range(10):
                try:
                    granted.append(budget.set_aside(str(number), 0.01))
                except BudgetError:
                    return

        threads = [threading.Thread(target=ask) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(granted) == 50


def test_what_was_settled_is_still_there_when_the_file_is_opened_again(file):
    with Account(file, "run", clock=Clock()) as budget:
        budget.settle(budget.set_aside("call", 0.5), 0.25)
    with Account(file, "run", clock=Clock()) as budget:
        assert budget.spent() == (0.25, 0.25)


def test_a_file_of_a_newer_version_is_left_alone(file):
    Account(file, "run").close()
    with sqlite3.connect(file) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    with pytest.raises(InfrastructureError, match="newer guildmoot"):
        Account(file, "run")


def test_a_damaged_file_is_named(file):
    file.parent.mkdir()
    file.write_bytes(b"this is no database, whatever its name says" * 100)
    with pytest.raises(InfrastructureError, match=r"ledger\.sqlite3: file is not a database"):
        Account(file, "run")


@pytest.mark.parametrize("limit", [-1.0, float("nan"), float("inf")])
def test_a_limit_that_is_no_amount_is_refused(file, limit):
    with pytest.raises(UsageError, match="the limit for a run must be dollars"):
        Account(file, "run", max_run_usd=limit)


@pytest.mark.parametrize(
    ("usd", "micros"), [(0.1, 100_000), (0.29, 290_000), (1e-7, 1), (0.0, 0), (3, 3_000_000)]
)
def test_amounts_are_whole_micro_dollars_rounded_up(usd, micros):
    assert to_micros(usd) == micros


@given(st.integers(0, 10**12))
def test_every_amount_with_six_decimals_is_exact(micros):
    assert to_micros(micros / 1e6) == micros


class Accounts(RuleBasedStateMachine):
    """Two runs on one file in any order of events, against a ledger kept by hand."""

    RUN, DAILY = 1000, 1500  # micro-dollars

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.mkdtemp()
        self.clock = Clock()
        file = Path(self.folder, "ledger.sqlite3")
        self.accounts = {
            run: Account(file, run, self.RUN / 1e6, self.DAILY / 1e6, self.clock) for run in "ab"
        }
        self.ledger: dict[int, dict] = {}
        self.live: list[tuple[str, Reservation]] = []

    def teardown(self) -> None:
        for purse in self.accounts.values():
            purse.close()
        shutil.rmtree(self.folder)

    def counted(self, **where: object) -> int:
        return sum(
            row["micros"]
            for row in self.ledger.values()
            if all(row[key] == value for key, value in where.items())
            and (row["settled"] or row["expires"] > self.clock.now)
        )

    @property
    def today(self) -> int:
        return int(self.clock.now // DAY)

    @rule(run=st.sampled_from("ab"), micros=st.integers(0, 700), timeout=st.integers(1, 300))
    def reserve(self, run: str, micros: int, timeout: int) -> None:
        fits = (
            self.counted(run=run) + micros <= self.RUN
            and self.counted(day=self.today) + micros <= self.DAILY
        )
        try:
            reservation = self.accounts[run].set_aside("call", micros / 1e6, timeout)
        except BudgetError:
            assert not fits
            return
        assert fits
        self.live.append((run, reservation))
        expires = self.clock.now + timeout + GRACE
        row = {"run": run, "day": self.today, "micros": micros, "settled": False}
        self.ledger[reservation.id] = {**row, "expires": expires}
        assert self.counted(run=run) <= self.RUN
        assert self.counted(day=self.today) <= self.DAILY

    @precondition(lambda self: self.live)
    @rule(data=st.data(), share=st.floats(0, 1))
    def settle_for_no_more_than_reserved(self, data: st.DataObject, share: float) -> None:
        run, reservation = self.live.pop(data.draw(st.integers(0, len(self.live) - 1)))
        row = self.ledger[reservation.id]
        row["micros"], row["settled"] = int(row["micros"] * share), True
        self.accounts[run].settle(reservation, row["micros"] / 1e6)

    @precondition(lambda self: self.live)
    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        run, reservation = self.live.pop(data.draw(st.integers(0, len(self.live) - 1)))
        self.accounts[run].release(reservation)
        del self.ledger[reservation.id]

    @rule(seconds=st.sampled_from([1.0, 61.0, 400.0, DAY / 3]))
    def time_passes(self, seconds: float) -> None:
        self.clock.now += seconds

    @rule(run=st.sampled_from("ab"))
    def both_ledgers_say_the_same(self, run: str) -> None:
        spent = self.accounts[run].spent()
        assert to_micros(spent.run_usd) == self.counted(run=run)
        assert to_micros(spent.day_usd) == self.counted(day=self.today)


TestAccountsInAnyOrder = Accounts.TestCase
TestAccountsInAnyOrder.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
