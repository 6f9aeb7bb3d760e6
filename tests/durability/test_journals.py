"""What earlier versions wrote can be gone on with: calls that are finished stand, money spent counts."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing

import pytest

from account import Account, spent
from durability.harness import Place
from durability.journals import HOME, read_ledger
from durability.shops import add_judge, add_mumbler, new_shop
from guildmoot.calls.ledger.store import MIGRATIONS, ledger_file
from guildmoot.errors import BudgetError

WITH_CALLS = range(2, len(MIGRATIONS) + 1)
JAN_2 = 1_767_355_200.0  # 2026-01-02, 12:00 UTC


@pytest.fixture
def shop(tmp_path):
    """A new repository with the agents that every journal's run had seated."""
    folder = new_shop(tmp_path / "place")
    add_judge(
        folder, "calm", "VERDICT: flagged\n\nReasons:\n- changed: a.py:1 says other things now\n"
    )
    add_mumbler(folder, "mumbler")
    return Place(folder)


def restore(place: Place, version: int) -> str:
    """Put a journal into the shop; the name of its newest run."""
    journal = HOME / f"v{version}"
    read_ledger(journal / "ledger.sql", ledger_file(place.root))
    shutil.copytree(journal / "runs", place.root / ".guild" / "runs")
    return max(run.name for run in (journal / "runs").iterdir())


def grow_old(place: Place) -> None:
    """As if another version had asked, in other words: the names of its calls are not ours."""
    with closing(sqlite3.connect(ledger_file(place.root))) as connection, connection:
        connection.execute("UPDATE calls SET version = '0.0.1', key = 'old-' || key")
        connection.execute("UPDATE asked SET key = 'old-' || key")


def test_there_is_a_journal_of_every_schema():
    """make_journal.py writes the newest one."""
    assert [(HOME / f"v{n}").is_dir() for n in range(1, len(MIGRATIONS) + 1)] == [True] * len(
        MIGRATIONS
    )


@pytest.mark.parametrize("version", WITH_CALLS)
def test_a_half_finished_run_of_an_old_version_goes_on_and_asks_only_what_is_missing(
    bench, shop, version
):
    run = restore(shop, version)
    grow_old(shop)
    ended = bench.run(shop, "resume", "--json")
    assert ended.code == 2, ended.err
    assert ended.json["run_id"] == run
    expected = json.loads((HOME / f"v{version}" / "expected.json").read_text())
    assert {key: ended.json[key] for key in expected} == expected
    # the recorded agent waits for the words by which older versions asked again, so it stays unread:
    # it is asked, asked again, and asked as the clerk of its own reply
    assert shop.calls() == {"mumbler": "111"}


@pytest.mark.parametrize("version", WITH_CALLS)
def test_what_an_old_version_was_answered_can_be_weighed_again(bench, shop, version):
    run = restore(shop, version)
    grow_old(shop)
    before = ledger_file(shop.root).read_bytes()
    ended = bench.run(shop, "replay", run, "--json")
    seats = {seat["name"]: seat["status"] for seat in ended.json["roster"]["seats"]}
    assert seats == {"calm": "answered", "critic": "answered", "mumbler": "missing"}
    assert shop.calls() == {}
    assert ledger_file(shop.root).read_bytes() == before


def test_money_that_the_first_version_spent_and_set_aside_still_counts(shop):
    restore(shop, 1)
    during, after = (lambda: JAN_2 + 3600), (lambda: JAN_2 + 7200)
    run = "20260102-130000-000def"
    with Account(ledger_file(shop.root), run, max_day_usd=2.0, clock=during) as budget:
        assert budget.spent() == (1.0, 1.375)
        with pytest.raises(BudgetError, match=r"\$0.625 is left"):
            budget.set_aside("next", 0.7)
        assert spent(budget.store, "new", after) == (0.0, 0.875)


def test_a_run_from_before_calls_were_kept_is_told_to_be_made_anew(bench, shop):
    run = restore(shop, 1)
    ended = bench.run(shop, "resume")
    assert ended.code == 64
    assert f"what the run {run} was about is not kept" in ended.err
    assert "Judge it anew" in ended.err
    assert bench.run(shop, "validate", "a.py", "--agents", "mumbler").code == 0
