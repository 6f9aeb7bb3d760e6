"""Who is to blame is found with few trials, and nobody else is blamed."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from math import ceil, log2

import pytest
from hypothesis import given
from hypothesis import strategies as some

from guildmoot.loops.confidence.inventory import (
    DONE,
    QUARANTINED,
    Inventory,
    InventoryItem,
    read_inventory,
    write_inventory,
)
from guildmoot.loops.confidence.tiers import BatchSize, Signals, TierRule, assign
from guildmoot.loops.isolate import isolate, most_trials


def run(count: int, bad: set[int], groups: tuple[frozenset[int], ...] = ()):
    items = [str(number) for number in range(count)]

    def passes(subset):
        held = {int(item) for item in subset}
        return not held & bad and not any(group <= held for group in groups)

    return isolate(items, passes)


def bound(count: int, bad: int) -> int:
    return bad * (ceil(log2(count)) + 1) + 1


@given(some.integers(1, 5000), some.integers(0, 50))
def test_the_bound_that_the_search_holds_is_the_one_that_was_asked_for(count, bad):
    assert most_trials(count, bad) == bound(count, bad)


@given(
    some.integers(1, 300).flatmap(
        lambda n: some.tuples(some.just(n), some.sets(some.integers(0, n - 1), max_size=8))
    )
)
def test_exactly_the_bad_ones_are_found_within_the_bound(case):
    count, bad = case
    done = run(count, bad)
    assert {int(item) for group in done.bad for item in group} == bad
    assert set(done.good) == {str(number) for number in range(count)} - {
        str(number) for number in bad
    }
    assert done.trials <= bound(count, len(bad))
    assert done.alone <= len(bad)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 9, 12])
def test_every_one_two_and_three_of_a_few_are_found_within_the_bound(count):
    for k in (1, 2, 3):
        for bad in combinations(range(count), k):
            assert run(count, set(bad)).trials <= bound(count, k)


@pytest.mark.parametrize(
    "bad", [{3, 77, 130, 200}, {0, 1, 2, 3}, {252, 253, 254, 255}, {0, 85, 170, 255}]
)
def test_four_of_256_are_found_in_few_trials(bad):
    assert run(256, bad).trials <= 37


@given(
    some.integers(2, 60).flatmap(
        lambda n: some.tuples(
            some.just(n),
            some.sets(some.integers(0, n - 1), max_size=3),
            some.lists(
                some.frozensets(some.integers(0, n - 1), min_size=2, max_size=2), max_size=2
            ),
        )
    )
)
def test_with_pairs_among_them_what_is_good_passes_and_what_is_blamed_does_not(case):
    count, bad, pairs = case
    alone = [pair for pair in pairs if not pair & bad]
    done = run(count, bad, tuple(alone))
    good = {int(item) for item in done.good}
    assert not good & bad
    assert not any(pair <= good for pair in alone)
    for group in done.bad:
        held = {int(item) for item in group}
        assert held <= bad if len(group) == 1 else frozenset(held) in alone
    paid = len(bad) + 3 * len(
        alone
    )  # each of a pair is searched for, and first nobody alone is found
    assert done.trials <= bound(count, paid)


def test_no_order_of_trials_finds_one_of_four_within_the_bound_and_blames_nobody_who_passes_alone():
    """All strategies, played out: one bad item, or a pair that fails only together; the good ones must pass."""
    items = range(4)
    causes = [frozenset(each) for size in (1, 2) for each in combinations(items, size)]
    trials = [frozenset(each) for size in (1, 2, 3) for each in combinations(items, size)]

    @cache
    def finds(
        open_causes: frozenset[frozenset[int]], made: frozenset[frozenset[int]], left: int
    ) -> bool:
        if len(open_causes) == 1:
            (cause,) = open_causes
            return len(cause) > 1 or frozenset(items) - cause in made or left > 0
        for trial in trials if left else ():
            fails = frozenset(cause for cause in open_causes if cause <= trial)
            passes = open_causes - fails
            if (
                fails
                and passes
                and all(finds(each, made | {trial}, left - 1) for each in (fails, passes))
            ):
                return True
        return all(
            len(cause) > 1 for cause in open_causes
        )  # only single ones are held to the bound

    most = bound(4, 1) - 1  # the whole batch has been tried
    assert not finds(frozenset(causes), frozenset(), most)
    assert finds(frozenset(causes), frozenset(), most + 1)
    done = [run(4, {bad}) for bad in items]
    assert max(each.trials for each in done) == most + 1
    assert max(each.trials + each.alone for each in done) == most + 2


@pytest.mark.parametrize("pair", list(combinations(range(6), 2)))
def test_two_that_fail_only_together_come_out_as_one_group(pair):
    done = run(6, set(), (frozenset(pair),))
    assert [sorted(map(int, group)) for group in done.bad] == [list(pair)]
    assert len(done.good) == 4


@given(
    some.sets(some.integers(0, 19), max_size=3),
    some.sets(some.integers(0, 19), min_size=2, max_size=3),
)
def test_what_is_called_good_passes_and_nobody_is_blamed_for_nothing(bad, group):
    done = run(20, bad, (frozenset(group),))
    held = {int(item) for item in done.good}
    assert not held & bad
    assert not group <= held
    blamed = {int(item) for each in done.bad for item in each}
    assert blamed <= bad | group


@pytest.mark.parametrize("red", [{0}, {0, 1}, {0, 6}, {0, 3, 4}])
def test_a_check_that_flips_blames_nobody_who_passes_alone(red):
    """It fails on some trials whatever they hold, that of the whole batch first."""
    tried = []

    def passes(subset):
        tried.append(tuple(subset))
        return len(tried) - 1 not in red or (len(subset) == 1 and len(tried) > 1)

    done = isolate([str(number) for number in range(8)], passes)
    assert done.flips or not done.bad
    assert not done.bad


# Tiers and the inventory.


@pytest.mark.parametrize(
    ("path", "signals", "tier"),
    [
        ("src/a.py", Signals(10), 1), ("src/a.py", Signals(400, 6), 2), ("src/auth/login.py", Signals(400, 6), 3),
        ("src/payment.py", Signals(2000, 25, 30, False, 40), 4),
    ],
)  # fmt: skip
def test_the_riskier_an_item_the_higher_its_tier(path, signals, tier):
    found = assign(path, signals)
    assert found.tier == tier
    assert found.why


def test_a_declared_tier_wins():
    assert assign("src/auth.py", Signals(9999, 99, 99, False, 99), [TierRule("src/*", 1)]).tier == 1


@given(some.lists(some.booleans(), max_size=30), some.integers(1, 4))
def test_a_batch_stays_within_the_bounds_of_its_tier(outcomes, tier):
    size = BatchSize(tier)
    most = {1: 30, 2: 15, 3: 5}.get(tier, 1)
    for good in outcomes:
        size.passed(slow=False) if good else size.failed()
        assert 1 <= size.size <= most


@given(
    some.lists(
        some.tuples(
            some.from_regex(r"[a-z/ .()-]{1,20}[a-z]", fullmatch=True),
            some.integers(1, 5),
            some.sampled_from(" x!"),
        ),
        max_size=8,
        unique_by=lambda row: row[0],
    )
)
def test_an_inventory_reads_back(rows):
    items = tuple(
        InventoryItem(path.strip(), tier, mark, "why so")
        for path, tier, mark in rows
        if path.strip()
    )
    inventory = Inventory(2, "Replace", "grep:x", items, "2026-01-05 10:00")
    assert read_inventory(write_inventory(inventory)) == inventory


def test_marks_are_kept_with_the_reason():
    inventory = Inventory(
        1, "n", "p", (InventoryItem("a", 1), InventoryItem("b", 1), InventoryItem("c", 2))
    )
    marked = inventory.marked(["a"], DONE).marked(["b"], QUARANTINED, "it fails")
    assert [(item.mark, item.note) for item in marked.items] == [
        ("x", ""),
        ("!", "it fails"),
        (" ", ""),
    ]
    assert [item.path for item in marked.of_tier(2)] == ["c"]
