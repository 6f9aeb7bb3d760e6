"""A repository cannot bring verdicts, or programs to start, along in a ledger and runs of its own."""

import pytest

from guildmoot.errors import UsageError
from guildmoot.practices.belonging import check_ledger, check_runs
from guildmoot.practices.resuming import restore_roster


def test_a_ledger_of_ones_own_is_used(shop):
    shop.write(".guild/ledger.sqlite3", "")
    shop.write(".guild/agents/mine.md", "")
    shop.git("add", "-f", ".guild/agents")
    check_ledger(shop.root)
    check_runs(shop.root)


@pytest.mark.parametrize("name", [".guild/ledger.sqlite3", ".guild/ledger.sqlite3-wal"])
def test_a_ledger_that_the_repository_brought_is_refused(shop, name):
    shop.write(".guild/ledger.sqlite3", "")
    shop.write(name, "")
    shop.git("add", "-f", name)
    with pytest.raises(UsageError, match="git tracks .guild/ledger"):
        check_ledger(shop.root)


def test_a_link_in_place_of_the_folder_is_refused(shop):
    shop.write("docs/ledger.sqlite3", "")
    (shop.root / ".guild").symlink_to("docs")
    shop.git("add", "-f", ".guild")
    with pytest.raises(UsageError, match="git tracks .guild,"):
        check_ledger(shop.root)


def test_a_run_that_the_repository_brought_is_not_gone_on_with(shop):
    shop.write(".guild/runs/20261116-030727-1ff88e/roster.json", "{}")
    shop.git("add", "-f", ".guild")
    with pytest.raises(UsageError, match="git tracks .guild/runs"):
        restore_roster({"agents": {}, "asked": [], "passed_over": []}, shop.root)
