"""A repository cannot bring verdicts, or programs to start, along in a ledger and runs of its own."""

import pytest

from guildmoot.errors import UsageError
from guildmoot.guard.trust import check_runs, ledger_is_ours
from guildmoot.runs.resume import restore_roster
from loopback import Rule, serving


def test_a_ledger_of_ones_own_is_used(shop):
    shop.write(".guild/ledger.sqlite3", "")
    shop.write(".guild/agents/mine.md", "")
    shop.git("add", "-f", ".guild/agents")
    assert ledger_is_ours(shop.root)
    check_runs(shop.root)


@pytest.mark.parametrize("name", [".guild/ledger.sqlite3", ".guild/ledger.sqlite3-wal"])
def test_a_ledger_that_the_repository_brought_is_not_believed(shop, name):
    shop.write(".guild/ledger.sqlite3", "")
    shop.write(name, "")
    shop.git("add", "-f", name)
    assert not ledger_is_ours(shop.root)


def test_a_link_in_place_of_the_folder_is_refused(shop):
    shop.write("docs/ledger.sqlite3", "")
    (shop.root / ".guild").symlink_to("docs")
    shop.git("add", "-f", ".guild")
    with pytest.raises(UsageError, match="git tracks .guild,"):
        ledger_is_ours(shop.root)


def test_a_run_that_the_repository_brought_is_not_gone_on_with(shop):
    shop.write(".guild/runs/20261116-030727-1ff88e/roster.json", "{}")
    shop.git("add", "-f", ".guild")
    with pytest.raises(UsageError, match="git tracks .guild/runs"):
        restore_roster({"agents": {}, "asked": [], "passed_over": []}, shop.root)


def test_an_answer_in_a_committed_ledger_stands_for_nobody(shop):
    shop.settings("[runs]\nreuse_hours = 9999999\n")
    shop.write("a.py", "x = 1\n")
    shop.commit()
    with serving([Rule()]) as provider:
        env = {**shop.env, **provider.environment()}
        asked = ("validate", "a.py", "--agents", "evaluator-correctness@anthropic:m")
        for expected in (1, 1):  # the second run has the answer of the first
            shop.guild(*asked, env=env)
            assert len(provider.requests) == expected
        shop.git("add", "-f", ".guild")
        shop.git("commit", "-qm", "by accident")
        shop.guild(*asked, env=env)
        assert len(provider.requests) == 2
