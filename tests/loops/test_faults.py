"""Whatever fails or is killed: the checkout is as the last proven commit left it, and nothing is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from loops.bench import NO_FENCE, START, TRANSFORM, VERIFY, environment, green, loop, tree
from projects.test_many_writers import git

KILLED = """
import os, signal, sys
at, group, counted = int(sys.argv.pop(1)), sys.argv.pop(1) == "group", sys.argv.pop(1)
count = 0
def hook(name, arguments):
    global count
    if name in ("subprocess.Popen", "os.rename", "os.remove"):
        count += 1
        if count == at:
            os.killpg(0, signal.SIGKILL) if group else os.kill(os.getpid(), signal.SIGKILL)
        with open(counted, "w") as file:
            file.write(str(count))
sys.addaudithook(hook)
from guildmoot.cli.main import guild
raise SystemExit(guild())
"""
WORDS = (
    "loop", "confidence", "tidy", "1", "--pattern=src/*.py", f"--transform={TRANSFORM}",
    f"--verify={VERIFY}", "--batch=3", "--yes", "--json",
)  # fmt: skip


def struck(work, at, group):
    return subprocess.run(
        [sys.executable, "-c", KILLED, str(at), "group" if group else "alone", str(work.parent / "count"), *WORDS], cwd=work,
        env=environment(work), capture_output=True, text=True, start_new_session=True,
    )  # fmt: skip


def settled(work) -> bool:
    """A git that was started before the kill ends by itself."""
    deadline = time.monotonic() + 10
    while not green(work):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.slow  # the loop is killed at two dozen of its steps, and run to its end after each
@pytest.mark.parametrize("part", range(4))
def test_killed_before_any_step_the_tree_is_green_and_the_next_run_ends_the_same(work, part):
    assert struck(work, 0, group=False).returncode == 0
    steps = int((work.parent / "count").read_text())
    assert steps > 60
    ended = tree(work)
    git(work, "checkout", "-q", "main")
    stride = steps // 24
    for at in range(1 + part * stride, steps + 1, 4 * stride):
        git(work, "branch", "-qD", "tidy.unused-imports")
        assert struck(work, at, group=part % 2 == 1).returncode == -signal.SIGKILL
        assert settled(work), at
        told = json.loads(loop(work, "--batch=3").stdout)
        assert told.get("status") == "completed", (at, told)
        assert tree(work) == ended
        assert green(work)
        git(work, "checkout", "-q", "main")


@pytest.mark.slow
def test_a_landing_that_was_cut_short_is_finished_by_the_next_run(work):
    """The machine went down while git wrote the files of a landing."""
    told = json.loads(loop(work, "--batch=3").stdout)
    ended, (first, *_) = git(work, "rev-parse", "HEAD").strip(), told["proof"]
    before = git(work, "rev-parse", f"{first['commit']}^").strip()
    git(work, "reset", "-q", "--hard", before)
    journal = {"from": before, "to": first["commit"], "branch": "tidy.unused-imports"}
    (work / ".guild" / "loops" / "landing.json").write_text(json.dumps(journal))
    one = first["files"][0]
    (work / one).write_text(git(work, "show", f"{first['commit']}:{one}"))
    again = json.loads(loop(work, "--batch=3").stdout)
    assert again["status"] == "completed", again
    assert tree(work) == tree(work, ended)
    assert green(work)


@pytest.mark.slow  # whole loops, in one more situation
def test_a_landing_that_was_cut_short_takes_nothing_of_the_users_away(work):
    told = json.loads(loop(work, "--batch=3").stdout)
    first = told["proof"][0]
    before = git(work, "rev-parse", f"{first['commit']}^").strip()
    git(work, "reset", "-q", "--hard", before)
    journal = {"from": before, "to": first["commit"], "branch": "tidy.unused-imports"}
    (work / ".guild" / "loops" / "landing.json").write_text(json.dumps(journal))
    (work / first["files"][0]).write_text("mine\n")
    assert loop(work, "--batch=3").returncode == 3
    assert (work / first["files"][0]).read_text() == "mine\n"


@pytest.mark.slow  # whole loops, in one more situation
def test_a_lock_that_a_killed_git_left_is_told_by_its_name(work):
    (work / ".git" / "index.lock").touch()
    ran = loop(work)
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["cause"], "index.lock" in told["reason"]) == (
        4,
        "infrastructure",
        True,
    )
    (work / ".git" / "index.lock").unlink()
    assert json.loads(loop(work).stdout)["status"] == "completed"


@pytest.mark.slow  # whole loops, in one more situation
def test_a_tree_that_is_dirty_at_a_boundary_stops_the_loop_and_is_left_alone(work):
    dirt = work / "note.txt"
    ran = loop(work, "--batch=2", transform=f"{TRANSFORM}; echo mine > {dirt}", **NO_FENCE)
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["status"], "note.txt" in told["reason"]) == (3, "escalated", True)
    assert dirt.read_text() == "mine\n"
    assert tree(work) == tree(work, "main")
    dirt.unlink()
    assert json.loads(loop(work, "--resume").stdout)["status"] == "completed"


@pytest.mark.slow  # whole loops, in one more situation
def test_a_branch_that_was_changed_under_the_loop_stops_it(work):
    told = json.loads(
        loop(
            work, "--batch=2", transform=f"{TRANSFORM}; git -C {work} checkout -q main", **NO_FENCE
        ).stdout
    )
    assert (told["status"], "no longer on" in told["reason"]) == ("gated", True)
    assert tree(work, "main") == tree(work, "tidy.unused-imports")


@pytest.mark.slow  # whole loops, in one more situation
def test_an_inventory_that_shrinks_mid_phase_stops_the_loop(work):
    """Somebody takes an item away and commits that on the branch, in the user's checkout."""
    aside = work.parent / "aside"
    take = f"[ -e {aside} ] || (cd {work} && git rm -q src/m4.py && git commit -qm gone && touch {aside})"
    told = json.loads(loop(work, "--batch=2", transform=f"{TRANSFORM}; {take}", **NO_FENCE).stdout)
    assert (told["status"], told["landed"]) == ("gated", []), told
    assert "commits came to" in told["reason"]
    ran = loop(work, "--batch=2")
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["status"], "src/m4.py" in told["reason"]) == (3, "gated", True)
    assert green(work)


@pytest.mark.slow  # whole loops, in one more situation
def test_a_verification_that_hangs_is_ended_and_blamed_on_who_makes_it_hang(work):
    hangs = f"{VERIFY}; grep -q hang src/*.py && sleep 60; true"
    transform = "for f in {files}; do [ $f = src/m3.py ] && echo '# hang' >> $f || echo '# fine' >> $f; done"
    told = json.loads(loop(work, "--timeout=4", transform=transform, verify=hangs).stdout)
    assert [each["item"] for each in told["quarantined"]] == ["src/m3.py"], told
    assert "ran out of time" in told["quarantined"][0]["evidence"]
    assert len(told["landed"]) == 6
    assert green(work)


@pytest.mark.slow  # whole loops, in one more situation
def test_a_command_that_cannot_be_run_is_blamed_on_nobody(work):
    ran = loop(work, transform="no-such-program {files}")
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["cause"], told["quarantined"]) == (4, "infrastructure", [])
    verify = f"{VERIFY}; [ -e src/clean.py.orig ] || grep -q sys src/m0.py || exec no-such-program"
    told = json.loads(loop(work, verify=verify).stdout)
    assert (told["cause"], told["quarantined"], told["landed"]) == ("infrastructure", [], [])
    assert green(work)
    assert json.loads(loop(work).stdout)["status"] == "completed"


@pytest.mark.slow
def test_what_a_command_leaves_running_ends_with_it(work):
    mark = work.parent / "alive"
    transform = f"{TRANSFORM}; (setsid sh -c 'while sleep 0.1; do date > {mark}; done' &)"
    assert json.loads(loop(work, transform=transform).stdout)["status"] == "completed"
    mark.unlink(missing_ok=True)
    time.sleep(0.5)
    assert not mark.exists()


def test_the_users_objects_are_not_reached_through_the_clone(work):
    """A transform that overwrites git's own files of the clone, which some clones share by links."""
    transform = (
        "find .git/objects -type f -exec chmod u+w {} + -exec sh -c 'echo broken > $1' x {} \\;"
    )
    told = json.loads(loop(work, transform=transform).stdout)
    assert told["landed"] == []
    assert git(work, "fsck", "--full").strip() == ""
    assert green(work)


@pytest.mark.slow  # whole loops, in one more situation
def test_a_folder_without_the_right_to_write_is_taken_away_all_the_same(work):
    told = json.loads(
        loop(
            work, transform="mkdir -p locked/in && touch locked/in/x && chmod -R a-w locked"
        ).stdout
    )
    assert told["landed"] == []
    assert (
        not list((work / ".guild" / "loops").glob("*/"))
        or not (work / ".guild" / "loops" / "2026-01-05-tidy-1").exists()
    )


def test_stopped_by_the_user_nothing_is_left_running_and_the_tree_is_green(work):
    mark = work.parent / "begun"
    words = [sys.executable, "-c", START.format(program="guild"), *WORDS[:5],
             f"--transform=touch {mark}; sleep 60", *WORDS[6:]]  # fmt: skip
    process = subprocess.Popen(
        words, cwd=work, env=environment(work), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while not mark.exists():
        time.sleep(0.05)
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 130
    assert green(work)


def test_two_loops_do_not_work_at_once(work):
    handle = os.open(work.parent / "x", os.O_CREAT | os.O_RDWR)
    os.close(handle)
    from guildmoot.system.files import lock

    (work / ".guild").mkdir(exist_ok=True)
    held = lock(work / ".guild" / "loop.lock")
    try:
        assert loop(work).returncode == 64
    finally:
        os.close(held)


@pytest.mark.parametrize("place", [".guild", ".guild/loops", ".guild/loops/2026-01-05-tidy-1", ".guild/loops/landing.json",
                                   "projects/2026-01-05-tidy/unused-imports", "projects/2026-01-05-tidy/unused-imports/inventory.md"])  # fmt: skip
@pytest.mark.sample(3)
def test_a_link_that_the_repository_brings_is_not_followed(work, place):
    out = work.parent / "out"
    (out / "2026-01-05-tidy-1").mkdir(parents=True)
    (out / "2026-01-05-tidy-1" / "mine.txt").write_text("mine")
    (out / "file").write_text("mine")
    link = work / place
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(out if "." not in link.name[1:] else out / "file")
    git(work, "add", "-f", place)
    git(work, "commit", "-qm", "a link")
    assert loop(work).returncode == 64
    kept = {
        str(file.relative_to(out)): file.read_text() for file in out.rglob("*") if file.is_file()
    }
    assert kept == {"2026-01-05-tidy-1/mine.txt": "mine", "file": "mine"}
    assert tree(work) == tree(work, "main")


def test_a_transform_that_deletes_the_users_own_git_folder_loses_nothing(work):
    """The clone lies inside the checkout: a command that goes up finds it."""
    git(work, "branch", "other")
    before = git(work, "for-each-ref", "--format=%(refname) %(objectname)")
    config = (work / ".git" / "config").read_text()
    ran = loop(work, transform=f"{TRANSFORM}; rm -rf {work}/.git", **NO_FENCE)
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["status"], told["landed"]) == (3, "escalated", [])
    assert "put back" in told["reason"]
    assert set(before.splitlines()) <= set(
        git(work, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    )
    assert (work / ".git" / "config").read_text() == config
    git(work, "fsck", "--full")
    assert green(work)
    assert not (work / ".guild" / "loops" / "repository.kept").exists()


@pytest.mark.slow  # several whole loops
def test_a_tier_has_one_contract_however_often_the_loop_is_stopped_in_it(work):
    for _ in range(2):
        assert loop(work, transform="no-such-program {files}").returncode == 4
    subjects = git(work, "log", "--format=%s", "tidy.unused-imports").splitlines()
    assert subjects.count("[loop] contract of tier 1") == 1


def test_a_phase_whose_items_are_all_in_quarantine_is_not_completed(work):
    told = json.loads(loop(work, transform=f"{TRANSFORM}; exit 1").stdout)
    assert (told["status"], told["landed"], len(told["quarantined"])) == ("gated", [], 7)
    told = json.loads(loop(work, "--resume", transform=f"{TRANSFORM}; exit 1").stdout)
    assert (told["status"], told["landed"], len(told["quarantined"])) == ("gated", [], 7)
    assert "every item" in told["reason"]
