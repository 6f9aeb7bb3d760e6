"""The rules of the armed posture: terms, budgets, progress, silence, and when a panel has come to one thing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.errors import UsageError
from guildmoot.loops.armed import (
    ArmedTerms,
    Arming,
    BudgetOut,
    DecisionBudget,
    StallClock,
    TermStatus,
    WorkProgress,
    broken_term,
    make_terms,
    read_span,
)
from guildmoot.loops.stack import stack_order

NOW = datetime(2026, 1, 5, tzinfo=UTC)
TERMS = ArmedTerms(("src/**",), 5.0, 3600.0, 7200.0)
ARMING = Arming(TERMS, NOW, "abc")
FINE = TermStatus(NOW + timedelta(minutes=5), 1.0, (), ("src/a.py",), True)


def test_everything_holds():
    assert broken_term(ARMING, FINE) == ""


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"now": NOW + timedelta(hours=3)}, "expired"),
        ({"now": NOW + timedelta(minutes=61)}, "time limit"),
        ({"usd": 5.01}, "spent"),
        ({"usd": 5.0}, "spent"),
        ({"dirty": ("x",)}, "not clean"),
        ({"can_undo": False}, "undoes"),
        ({"green": False}, "red"),
        ({"changed": ("src/a.py", "setup.py")}, "outside the scope"),
    ],
)
def test_each_term_that_no_longer_holds_is_told(change, told):
    assert told in broken_term(ARMING, FINE._replace(**change))


@pytest.mark.parametrize(
    "given",
    [
        ((), 1.0, "1h", "1h"),
        (("a",), None, "1h", "1h"),
        (("a",), 1.0, "", "1h"),
        (("a",), 1.0, "1h", ""),
        (("a",), 1.0, "1h", "25h"),
        (("a",), 1.0, "soon", "1h"),
        (("a",), -1.0, "1h", "1h"),
    ],
)
def test_nothing_is_armed_without_every_limit(given):
    with pytest.raises(UsageError):
        make_terms(*given)


def test_spans():
    assert [read_span(word, "-x") for word in ("45", "45s", "90m", "1.5h")] == [
        45,
        45,
        5400,
        5400,
    ]
    with pytest.raises(UsageError):
        read_span("0", "-x")


@given(st.lists(st.booleans(), max_size=60), st.integers(1, 6), st.integers(1, 4))
def test_no_order_of_calls_gets_more_out_of_a_budget(calls, decisions, rounds):
    budget, used = DecisionBudget(decisions, rounds), []
    for is_round in calls:
        try:
            budget.round() if is_round and used else budget.decide()
        except BudgetOut:
            continue
        used.append(is_round and bool(used))
    assert used.count(False) <= decisions
    assert used.count(True) <= decisions * rounds


def test_work_that_grows_is_progress_and_three_rounds_without_are_a_stall():
    progress = WorkProgress()
    done = frozenset({"a"})
    assert not progress.round(done, frozenset())
    assert not progress.round(done | {"b"}, frozenset({"x"}))
    assert [progress.round(done | {"b"}, frozenset({"x"})) for _ in range(3)] == [
        False,
        False,
        True,
    ]
    assert not progress.round(done | {"b"}, frozenset())  # less fails: that is progress too
    assert progress.idle == 0


def test_commits_count_though_nothing_is_uncommitted_and_more_failures_do_not():
    progress = WorkProgress()
    assert [progress.round(frozenset({str(n) for n in range(k)}), frozenset()) for k in range(1, 9)] == (
        [False] * 8
    )  # fmt: skip
    failing = [
        progress.round(frozenset({str(n) for n in range(8)}), frozenset({str(k)}))
        for k in range(20, 23)
    ]
    assert failing == [False, False, True]


def test_a_backend_that_is_silent_for_minutes_survives_and_one_that_hangs_does_not():
    clock = StallClock(0.0, 900.0)
    assert not clock.stalled(205.0)
    assert clock.stalled(900.0)
    clock.event(900.0, "reply")
    assert not clock.stalled(1500.0)
    clock.event(1500.0, "compacting the conversation")
    assert not clock.stalled(10_000.0)
    clock.event(10_000.0)
    assert clock.stalled(10_900.0)


def phase(number, status="not-started"):
    return {"number": number, "status": status}


def test_a_stack_holds_what_rests_on_what_is_below_it():
    depends = {"2": ["1"], "3": ["2"], "4": ["9"], "5": ["1"]}
    phases = [phase(1), phase(2), phase(3, "blocked"), phase(4), phase(5)]
    assert stack_order(phases, depends, 1) == [1, 2, 5]
    assert stack_order(phases, depends, 2) == []
    assert stack_order([phase(1, "completed"), *phases[1:]], depends, 2) == [2, 5]


@given(st.dictionaries(st.integers(1, 8), st.sets(st.integers(1, 8)), max_size=8))
def test_nothing_is_stacked_before_what_it_needs(graph):
    phases = [phase(n) for n in graph]
    order = stack_order(phases, {str(n): [str(m) for m in needs] for n, needs in graph.items()}, 1)
    for at, number in enumerate(order):
        assert graph[number] <= set(order[:at])
