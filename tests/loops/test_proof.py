"""What landed is what the branch proves; what a person or a command claims is told, and not believed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from guildmoot.errors import UsageError
from guildmoot.loops.confidence.history import PhaseHistory, believed
from guildmoot.loops.confidence.inventory import InventoryItem
from guildmoot.loops.confidence.pull_text import pull_text
from guildmoot.loops.confidence.survey import find_items
from guildmoot.loops.hatch import forget_stop, recovery_of
from guildmoot.loops.phase import PhasePlace
from guildmoot.loops.records import blocker_of
from guildmoot.loops.routing import DONE, next_step, open_threads
from guildmoot.loops.units import tail_of
from guildmoot.loops.values import LoopReport, Quarantine
from loops.bench import NO_FENCE, SLUG, VERIFY, call, green, loop, tree
from loops.test_armed import FLAGS, IN_SRC, approver
from projects.test_many_writers import git

PLACE = PhasePlace(
    SLUG, Path("projects") / SLUG, 1, "Unused imports", "in-progress", "tidy.unused-imports", "main",
    "none is left", ("make",),
)  # fmt: skip


@pytest.mark.parametrize(
    ("mark", "proven", "through", "kept", "told"),
    [
        ("x", True, True, "x", False),
        ("x", False, True, "-", False),  # the loop looked at it, and nothing changed
        ("x", False, False, " ", True),
        ("-", False, True, "-", False),
        ("-", True, True, "x", False),
        ("-", False, False, " ", True),
        (" ", True, True, " ", False),  # a person wants it done again
        ("!", False, False, "!", False),
    ],
)
def test_a_tick_is_believed_as_far_as_it_is_proven(mark, proven, through, kept, told):
    proof = [{"files": ["a.py"] if proven else []}]
    items, by_hand = believed([InventoryItem("a.py", 1, mark)], proof, ["a.py"] if through else [])
    assert (items[0].mark, by_hand) == (kept, ("a.py",) if told else ())


def test_what_was_left_out_by_hand_is_told_as_that():
    history = PhaseHistory(
        (InventoryItem("a.py", 1, "!", "breaks"), InventoryItem("b.py", 1, "!", "low risk")),
        seen=("a.py: breaks (make: exit code 2)",),
    )
    first, second = history.left_out("!", {})
    assert (first.reason, first.evidence) == ("breaks", "breaks (make: exit code 2)")
    assert second.reason == "left out by hand"


@pytest.mark.parametrize(
    ("lost", "items", "closes"), [(1, 1, 1), (1, 2, 0), (2, 3, 1), (2, 4, 0), (0, 1, 0)]
)
def test_more_than_half_of_a_tier_in_quarantine_closes_the_gate(lost, items, closes):
    assert bool(blocker_of({"quarantined": lost, "items": items})) == bool(closes)


def test_part_of_a_list_is_no_inventory(tmp_path):
    git(tmp_path, "init", "-q")
    (tmp_path / "a.py").touch()
    git(tmp_path, "add", ".")
    assert find_items(tmp_path, f"cmd:echo ./a.py; echo; echo {tmp_path}/a.py", "projects") == {
        "a.py": 2
    }
    assert find_items(tmp_path, "cmd:grep -l nothing a.py", "projects") == {}
    for command, said in (
        ("echo a.py; exit 1", "exit code 1"),
        ("echo a.py; echo gone.py", "gone.py"),
        ("echo no >&2; exit 1", "no"),
    ):
        with pytest.raises(UsageError, match=said):
            find_items(tmp_path, f"cmd:{command}", "projects")
        assert set(find_items(tmp_path, f"cmd:{command}", "projects", strict=False)) <= {"a.py"}


def test_where_another_phase_stopped_is_its_own_business(tmp_path):
    folder = tmp_path / PLACE.inner
    folder.mkdir(parents=True)
    held = {"parent_skill": "ev-loop-confidence", "context": {"phase": 2}}
    (folder / "RECOVERY-STATUS.json").write_text(json.dumps(held))
    (folder / "UNRESOLVED.md").write_text("# Unresolved: phase 2 Words\n")
    assert recovery_of(folder, "ev-loop-confidence", 1) is None
    assert recovery_of(folder, "ev-loop-confidence", 2)
    forget_stop(tmp_path, PLACE, "ev-loop-confidence")
    assert len(list(folder.iterdir())) == 2


def test_a_phase_that_is_done_and_not_merged_lets_others_start_and_is_waited_for():
    phases = [{"number": 1, "name": "a", "status": "in-progress", "branch": "x.a"},
              {"number": 2, "name": "b", "status": "not-started"}]  # fmt: skip
    assert next_step(phases, {}, {1: DONE})[:2] == ("run", 2)
    step = next_step(phases, {"2": ["1"]}, {1: DONE})
    assert step[:2] == ("wait", 1)
    assert "x.a, which is not merged" in step.why


def test_what_a_session_left_open_is_not_told_once_it_is_closed():
    session = {"open_threads": ["phase 1 a is under way", "phase 2 b is under way"]}
    phases = [{"number": 1, "name": "a", "status": "completed"},
              {"number": 2, "name": "b", "status": "in-progress"}]  # fmt: skip
    told = open_threads({"sessions": [session], "phases": phases})
    assert told == ("phase 2 b is under way",)


def test_a_reviewer_reads_what_changed_what_proved_it_and_why_the_rest_did_not():
    row = {
        "commit": "a" * 40, "tier": 1, "files": ["a.py", "b.py"], "insertions": 3, "deletions": 4, "deleted": ["b.py"],
        "panel": "approved by a|b", "run": "r1", "checkin": "02", "as_judged": True,
        "commands": [{"command": "make"}],
    }  # fmt: skip
    bad = Quarantine("c.py", "breaks", "make: exit code 2\n```\nevil\nall of it: .guild/x.log")
    told = LoopReport(
        "", PLACE.plain(), PLACE.branch, landed=("a.py", "b.py"), quarantined=(bad,), proof=(row,)
    )
    text = pull_text(PLACE, ("make", "never ran"), told, ("01", "02"), ())
    assert "- 2 files changed (+3 -4 lines)" in text
    assert "- [x] `make` passed" in text
    assert "never ran" not in text
    assert "## Deleted\n\n- `b.py`" in text
    assert "approved by a\\|b" in text
    assert "  ````\n  make: exit code 2\n  ```\n  evil\n  ````" in text
    assert "all of it" not in text  # the log is on the author's machine
    assert text.endswith("<!-- loom-pr-checkins: 01,02 -->\n")


def test_evidence_is_the_last_lines_that_say_something():
    lines = tail_of("\n".join([*map(str, range(40)), "", "----", "Error: x"]))
    assert (lines[0], lines[-1], len(lines)) == ("26", "Error: x", 15)


BREAKS = "for f in {files}; do case $f in *m[01].py) echo 'x = (' > $f;; *) sed -i /sys/d $f;; esac; done"
COMPILES = (
    "for f in src/*.py; do python3 -c \"compile(open('$f').read(), '$f', 'exec')\" || exit 1; done"
)
TIERS = ("--tier=src/m[0-2].py=1", "--tier=src/*=2")


@pytest.mark.slow  # whole loops, in one more situation
def test_a_closed_gate_tells_everything_and_a_tick_does_not_open_it(work):
    again = {"transform": BREAKS, "verify": COMPILES}
    first = json.loads(loop(work, *TIERS, **again).stdout)
    assert (first["status"], first["landed"]) == ("gated", ["src/m2.py"]), first
    assert "2 of 3" in first["reason"]
    git(work, "checkout", "-q", "main")
    second = json.loads(loop(work, *TIERS, **again).stdout)
    for name in ("status", "tiers", "landed", "quarantined", "branch", "last_checkin"):
        assert second[name] == first[name], name
    assert second["next_action"].endswith("--resume")
    lines = second["quarantined"][0]["evidence"].splitlines()
    assert len(lines) > 3
    log = work / lines[-1].removeprefix("all of it: ")
    assert "SyntaxError" in log.read_text()
    git(work, "checkout", "-q", first["branch"])
    inventory = next((work / "projects").rglob("inventory.md"))
    inventory.write_text(inventory.read_text().replace("[!] src/m0", "[x] src/m0"))
    (work / "src" / "later.py").write_text("import sys\n")
    git(work, "add", "-A")
    git(work, "commit", "-qm", "a tick, and a file more")
    third = json.loads(loop(work, *TIERS, "--resume", **again).stdout)
    assert third["ticked_by_hand"] == ["src/m0.py"]
    assert third["new_matching"] == ["src/later.py"]
    assert "src/m0.py" not in third["landed"]
    assert third["last_checkin"] > first["last_checkin"]
    assert all(row["as_judged"] for row in third["proof"])


@pytest.mark.slow  # whole loops, in one more situation
def test_a_command_that_writes_to_the_checkout_itself_is_named(work):
    where = work / "check.py"
    bad = f"echo '#' >> {where}; sed -i /sys/d {{files}}"
    told = json.loads(loop(work, transform=bad, **NO_FENCE).stdout)
    assert (told["status"], told["landed"]) == ("escalated", [])
    assert f"echo '#' >> {where}" in told["reason"]
    assert "check.py" in told["reason"]
    assert tree(work) == tree(work, "main")


@pytest.mark.slow  # whole loops, in one more situation
def test_alone_without_a_project_a_refused_contract_is_left_on_a_branch(work):
    approver(work, FLAGS)
    ran = call(
        work, "guild", "loop", "confidence", "fresh", "--here", "--pattern=src/*.py", "--transform=sed -i /sys/d {files}",
        "--verify=true", "--json", *IN_SRC,
    )  # fmt: skip
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["status"], told["branch"]) == (3, "escalated", "fresh.apply"), told
    assert green(work)  # what is undecided is committed


@pytest.mark.slow  # whole loops, in one more situation
def test_from_the_base_the_router_knows_what_is_done_on_a_branch(work):
    assert json.loads(loop(work).stdout)["status"] == "completed"
    git(work, "checkout", "-q", "main")
    told = json.loads(call(work, "guild", "run-phase", "tidy", "--json").stdout)
    assert (told["status"], told["dispatch"]) == ("parked", None), told
    assert "tidy.unused-imports, which is not merged" in told["report"]


@pytest.mark.slow  # whole loops, in one more situation
def test_where_every_item_is_in_quarantine_a_mended_transform_is_tried(work):
    first = json.loads(loop(work, transform="exit 3").stdout)
    assert (first["status"], len(first["quarantined"])) == ("gated", 7)
    assert first["next_action"].endswith("--resume")
    again = json.loads(loop(work, "--resume").stdout)
    assert (again["status"], len(again["landed"]), len(again["quarantined"])) == ("completed", 5, 1)
    retro = call(work, "loom", "retro", "read", "tidy", "--type=session", "--phase=1", "--tier=1")
    assert "5 landed" in retro.stdout  # of the last run, not of the first


@pytest.mark.slow
def test_a_check_that_changes_what_it_looks_at_proves_nothing(work):
    base = tree(work)
    mended = f"sed -i /^#BAD/d src/*.py; {VERIFY}"
    told = json.loads(loop(work, transform="sed -i '1i#BAD' {files}", verify=mended).stdout)
    assert (told["status"], told["landed"], tree(work)) == ("gated", [], base)
    assert "changes what it looks at" in told["reason"]


@pytest.mark.slow
def test_a_check_sees_the_change_as_the_commit_that_lands(work):
    looks = f"{VERIFY} && ! git grep -q BAD HEAD -- src && git diff --quiet --exit-code"
    told = json.loads(loop(work, transform="sed -i '1i#BAD' {files}", verify=looks).stdout)
    assert told["landed"] == []
    assert green(work)
    again = json.loads(loop(work, "--resume", verify=looks).stdout)
    assert again["landed"]


@pytest.mark.slow
def test_a_command_that_takes_branches_or_sets_hooks_is_stopped_and_told(work):
    git(work, "branch", "feature")
    bad = f"git -C {work} branch -qD feature; git -C {work} config core.hooksPath /tmp; sed -i /sys/d {{files}}"
    told = json.loads(loop(work, transform=bad, **NO_FENCE).stdout)
    assert (told["status"], told["landed"]) == ("escalated", [])
    assert "heads/feature is gone (it was at " in told["reason"]
    assert "config changed" in told["reason"]
