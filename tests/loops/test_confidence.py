"""The confidence loop on a real repository: what lands is proven, the checkout is never red, and nothing is lost."""

from __future__ import annotations

import json
import time

import pytest

from conftest import mainly
from loops.bench import SLUG, call, green, loop, tree
from projects.test_many_writers import git


def test_what_is_proven_lands_and_what_breaks_the_check_is_told_with_the_evidence(work):
    ran = loop(work)
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert (told["status"], told["branch"]) == ("completed", "tidy.unused-imports")
    assert told["landed"] == [f"src/m{number}.py" for number in range(5)]
    assert told["unchanged"] == ["src/clean.py"]
    (bad,) = told["quarantined"]
    assert bad["item"] == "src/special.py"
    assert "special needs os" in bad["evidence"]
    assert green(work)
    assert git(work, "branch", "--show-current").strip() == "tidy.unused-imports"
    assert "import sys" not in (work / "src" / "m0.py").read_text()
    assert (work / "src" / "special.py").read_text() == "import os\n\nB = 1\n"
    changed = git(work, "diff", "--name-only", "main", "HEAD", "--", "src").split()
    assert changed == told["landed"]  # the count that is told is what git shows
    rows = json.loads(call(work, "loom", "checkin", "list", "tidy").stdout)
    assert [row["number"] for row in rows] == ["01", "02"]  # the tier's contract, the unit
    assert json.loads(call(work, "loom", "doctor", "tidy").stdout)["ok"]
    assert not (work / ".guild" / "loops" / f"{SLUG}-1").exists()
    (run,) = (work / ".guild" / "runs").glob("loop-*")
    rows = json.loads(call(work, "guild", "trace", "query", run.name, "--json").stdout)["events"]
    (end,) = (row for row in rows if row["event"] == "loop_round_end")
    assert (end["terminated"], end["terminator"]) == ("satisfied", "panel")
    cost = json.loads(call(work, "guild", "trace", "cost", run.name, "--json").stdout)
    assert cost["runs"] == [run.name, told["proof"][0]["run"]]  # the panel is part of the loop
    ended = git(work, "rev-parse", "HEAD")
    again = json.loads(loop(work).stdout)  # nothing is done again
    assert (again["status"], again["tiers"]) == ("completed", told["tiers"])
    assert git(work, "rev-parse", "HEAD") == ended


def test_a_dry_run_tells_everything_and_changes_nothing(work):
    before = git(work, "rev-parse", "HEAD")
    told = json.loads(loop(work, "--dry-run").stdout)
    assert told["status"] == "planned"
    assert sum(row["items"] for row in told["tiers"]) == 7
    assert git(work, "rev-parse", "HEAD") == before
    assert git(work, "branch", "--show-current").strip() == "main"


def test_a_red_check_before_any_change_stops_the_loop(work):
    ran = loop(work, verify="false")
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["status"]) == (3, "aborted")
    assert "before any change" in told["reason"]
    assert tree(work) == tree(work, "main")


def test_work_that_is_not_committed_is_never_touched(work):
    (work / "src" / "m0.py").write_text("mine\n")
    ran = loop(work)
    assert (ran.returncode, json.loads(ran.stdout)["status"]) == (3, "gated")
    assert "not clean" in ran.stdout
    assert (work / "src" / "m0.py").read_text() == "mine\n"


HOSTILE = {
    "edits outside its batch": "echo x >> check.py",
    "writes a new file": "echo x > src/new.py",
    "deletes .git": "rm -rf .git",
    "writes a link out of the tree": "for f in {files}; do ln -sf /etc/passwd $f; done",
    "commits by itself": "echo '#' >> src/m0.py; git commit -qam x",
    "moves the branch": "git checkout -q --orphan other",
    "fails": "exit 3",
    "deletes its whole folder": "rm -rf $PWD/* $PWD/.git",
    "deletes the repository that git names": "rm -rf $(git rev-parse --git-common-dir)",
    "deletes .git and works on what git finds above it": "rm -rf .git; echo x > y; git add -A; git commit -qm x; git reset -q --hard HEAD~1; git clean -ffdxq",
    "breaks .git": "echo x > .git/HEAD; git -C .. commit -q --allow-empty -m x; echo x >> check.py",
    "deletes every branch": "git for-each-ref --format='%(refname:short)' refs/heads | xargs -n1 git branch -D; echo x >> check.py",
}


@pytest.mark.parametrize("what", mainly(*HOSTILE))
def test_a_transform_that_does_other_than_it_may_lands_nothing(work, what):
    before = tree(work)
    ran = loop(work, transform=HOSTILE[what])
    told = json.loads(ran.stdout)
    assert told["landed"] == [], told
    assert len(told["quarantined"]) == 7
    assert tree(work) == before
    assert green(work)


@pytest.mark.slow  # whole loops, in one more situation
def test_a_transform_or_a_check_that_hangs_is_ended(work):
    start = time.monotonic()
    told = json.loads(loop(work, "--timeout=2", "--batch=7", transform="sleep 60").stdout)
    assert {each["reason"] for each in told["quarantined"]} == {"the transform ran out of time"}
    assert time.monotonic() - start < 40
    assert green(work)


def test_a_check_that_flips_blames_nobody(work):
    flips = work.parent / "count"
    verify = (
        f"n=$(cat {flips} 2>/dev/null || echo 0); n=$((n+1)); echo $n > {flips}; [ $((n % 2)) = 1 ]"
    )
    told = json.loads(loop(work, verify=verify).stdout)
    assert (told["status"], told["quarantined"]) == ("gated", [])
    assert "same unchanged tree" in told["reason"]
    assert tree(work) == tree(work, "main")


@pytest.mark.slow  # whole loops, in one more situation
def test_an_item_that_vanished_stops_the_loop(work):
    loop(work, verify="true", transform="exit 1")
    inventory = next((work / "projects" / SLUG).rglob("inventory.md"))
    inventory.write_text(inventory.read_text().replace("[!] src/m0.py", "[ ] src/gone.py"))
    git(work, "commit", "-qam", "edited by hand")
    told = json.loads(loop(work, "--resume").stdout)
    assert (told["status"], "src/gone.py" in told["reason"]) == ("gated", True)


def test_what_the_panel_flags_does_not_land(work):
    broken = "for f in {files}; do printf 'import os\\nprint(undefined_name)\\n' > $f; done"
    told = json.loads(loop(work, transform=broken, verify="true").stdout)
    assert (told["status"], told["landed"], told["quarantined"]) == ("escalated", [], [])
    assert any("panel flags" in each["reason"] for each in told["flagged"])
    assert told["next_action"].endswith("--yes --resume --flagged quarantine")
    assert tree(work) == tree(work, "main")


@pytest.mark.slow  # whole loops, in one more situation
def test_a_tier_that_a_person_declared_is_left_to_a_person(work):
    told = json.loads(loop(work, "--tier=src/special.py=4").stdout)
    assert told["routed"] == ["src/special.py"]
    assert told["quarantined"] == []


@pytest.mark.slow  # whole loops, in one more situation
def test_what_the_verification_leaves_behind_is_no_part_of_the_change(work):
    told = json.loads(loop(work, "--batch=2").stdout)
    assert told["status"] == "completed", (told["reason"], told["next_action"])
