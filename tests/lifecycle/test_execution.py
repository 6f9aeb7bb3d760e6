"""A plan is carried out: by real programs in real worktrees, whatever these programs do."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.lifecycle.executions import (
    SLUG,
    execute,
    git,
    project,
    script,
    start,
    starts,
    states,
)

from guildmoot.api.lifecycle.execution import ask_of_run
from guildmoot.errors import InfrastructureError
from guildmoot.lifecycle.execution.control import ControlRequest
from guildmoot.lifecycle.execution.journal import read_run
from guildmoot.lifecycle.execution.workers.tmux import end_left_panes, tmux
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.view import look
from guildmoot.lifecycle.work_runs import latest_run

pytestmark = pytest.mark.slow
TWO = {"T1-copywriter": (), "T2-seo": ("T1-copywriter",)}
ONE = {"T1-copywriter": ()}


def branches(root: Path) -> set[str]:
    return set(git(root, "for-each-ref", "--format=%(refname:short)", "refs/heads").split())


def test_lanes_are_done_merged_and_leave_nothing_behind(tmp_path: Path) -> None:
    root = project(tmp_path / "p", TWO)
    (root / "app" / "base.py").write_text("BASE = 2  # not committed\n")
    head = git(root, "rev-parse", "HEAD")
    report = execute(root, script(root, T1={"assumes": "- numbers are unique"}, T2={}))
    assert (report.status, report.exit_code) == ("done", 0)
    assert [(lane.status, lane.attempts) for lane in report.lanes] == [("done", 1), ("done", 1)]
    assert branches(root) == {"main", report.branch}
    assert git(root, "rev-parse", "HEAD") == head
    assert git(root, "show", f"{report.branch}:app/t2-seo.py") == "DONE = 'T2-seo'"
    message = git(root, "log", "-1", "--format=%B", "--no-merges", report.branch)
    assert f"Guild-Run: {report.run}" in message
    assert "Guild-Lane: T2-seo" in message
    assert git(root, "worktree", "list").count("\n") == 0
    assert not (root / ".guild" / "worktrees" / report.run).exists()
    assert (root / "app" / "base.py").read_text() == "BASE = 2  # not committed\n"
    run = root / ".guild" / "runs" / report.run
    assert "- numbers are unique" in (run / "assumptions.md").read_text()
    told = json.loads((run / "attempts" / "T1-copywriter-1" / "dispatch.json").read_text())
    assert told["tier"] == "mid"
    assert told["model"]
    assert told["budget"]["max_seconds"] == 3600
    assert len(told["bundle_sha256"]) == 64
    assert told["scope"]["tools"]
    bundle = (run / "attempts" / "T2-seo-1" / "bundle.md").read_text()
    assert "Handed over by T1-copywriter" in bundle
    again = execute(root)
    assert again.status == "done"
    assert len(starts(root)) == 2


FAULTS = {
    "claims what git does not show": ({"claims": ["app/ghost.py"]}, "failed", 2, "app/ghost.py"),
    "crashes": ({"crash": 3}, "failed", 1, "exit code 3"),
    "hands over nothing": ({"silent": True}, "failed", 2, "there is no receipt"),
    "leaves its scope": ({"files": {"web/x.py": "1\n"}}, "failed", 2, "outside of the lane's scope"),
    "writes a receipt of another lane": ({"envelope": {"task_id": "T2-seo"}}, "failed", 2, "receipt is of T2-seo"),
    "says that a command passes": (
        {"evidence": "- `python -m unittest` exit code 0", "files": {"app/__init__.py": "", "app/test_a.py": "import nothing_there\n"}}, "failed", 2, "is said to pass, but"),
    "asks a person": ({"envelope": {"status": "escalate", "escalate_reason": "which key?"}}, "blocked", 1, "which key?"),
    "rewrites history": (
        {"sh": "git add -A; git -c user.name=x -c user.email=x@y commit -q --amend -m changed"},
        "failed", 2, "history was rewritten"),
    "deletes .git": ({"sh": "rm -rf .git"}, "done", 1, ""),
    "deletes the repository": ({"sh": 'rm -rf "$(git rev-parse --git-common-dir)"'}, "done", 1, ""),
    "deletes its worktree": ({"sh": 'rm -rf "$PWD"', "claims": []}, "failed", 2, "app/base.py was deleted"),
    "edits outside its worktree": ({"sh": "echo x >> $GUILD_TEST_ROOT/app/base.py"}, "done", 1, ""),
    "commits to the user's branch": (
        {"sh": "git -C $GUILD_TEST_ROOT commit -q --allow-empty -m x; git -C $GUILD_TEST_ROOT branch -D main"},
        "done", 1, ""),
    "deletes the user's .git": ({"sh": "rm -rf $GUILD_TEST_ROOT/.git $GUILD_TEST_ROOT/.guild/plan"}, "done", 1, ""),
    "gives the engine's git a filter to run": (
        {"sh": "R=$(git rev-parse --path-format=absolute --git-common-dir); mkdir -p $R/info;"
         " git config --file $R/config filter.x.clean \"touch $GUILD_TEST_ROOT/EVIL; cat\";"
         " git config --file $R/config filter.x.smudge \"touch $GUILD_TEST_ROOT/EVIL; cat\";"
         " echo '* filter=x' > $R/info/attributes"}, "done", 1, ""),
    "lets the engine run code that writes outside": (
        {"evidence": "- `python -m unittest` exit code 0", "files": {"app/__init__.py": "", "app/test_a.py":
         "import os\nopen(os.environ['GUILD_TEST_ROOT'] + '/EVIL', 'w')\n"}}, "failed", 2, "is said to pass, but"),
    "floods its output": ({"sh": "head -c 30000000 /dev/zero | tr '\\\\0' 'x'"}, "done", 1, ""),
    "forks a daemon": ({"sh": "setsid sh -c 'sleep 300; echo late' >/dev/null 2>&1 &"}, "done", 1, ""),
    "commits by itself": (
        {"sh": "git add -A; git -c user.name=x -c user.email=x@y commit -q -m own"}, "done", 1, ""),
    "pushes": ({"sh": "git push -q $GUILD_TEST_REMOTE HEAD:main"}, "done", 1, ""),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_table(fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    act, status, attempts, reason = FAULTS[fault]
    root = project(tmp_path / "p", ONE, T1="Pages below app/.")
    remote = tmp_path / "remote.git"
    git(tmp_path, "init", "-q", "--bare", str(remote))
    git(root, "remote", "add", "origin", str(remote))
    monkeypatch.setenv("GUILD_TEST_REMOTE", str(remote))
    monkeypatch.setenv("GUILD_TEST_ROOT", str(root))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    head = git(root, "rev-parse", "HEAD")
    report = execute(root, script(root, T1=act))
    (lane,) = report.lanes
    assert (lane.status, lane.attempts) == (status, attempts), lane
    assert reason in lane.reason
    assert report.exit_code == {"done": 0, "failed": 2, "blocked": 3}[status]
    assert git(root, "rev-parse", "main") == head
    assert git(root, "status", "--porcelain") == ""
    assert git(remote, "for-each-ref") == ""
    assert branches(root) == {"main", report.branch}
    assert (git(root, "rev-parse", report.branch) == head) == (status != "done")
    assert "sleep 300" not in subprocess.run(["ps", "ax"], capture_output=True, text=True).stdout
    log = root / ".guild" / "runs" / report.run / "attempts" / "T1-copywriter-1" / "output.log"
    assert log.stat().st_size < 1_000_000
    if fault == "pushes":
        assert any("a push was refused" in note for note in report.notes)


def test_a_lie_goes_back_once_with_the_exact_difference(tmp_path: Path) -> None:
    root = project(tmp_path / "p", ONE)
    report = execute(root, script(root, T1=[{"claims": ["app/ghost.py"]}, {}]))
    assert (report.status, report.lanes[0].attempts) == ("done", 2)
    place = root / ".guild" / "runs" / report.run / "attempts" / "T1-copywriter-2"
    assert "app/ghost.py is claimed" in (place / "sent-back.md").read_text()
    assert "app/ghost.py is claimed" in (place / "bundle.md").read_text()


def test_a_worker_that_fails_is_tried_again_by_the_policy(tmp_path: Path) -> None:
    root = project(tmp_path / "p", ONE)
    worker = script(root, T1=[{"crash": 1, "files": {"app/half.py": "1\n"}}, {}])
    report = execute(root, worker, settings={"work.lane_attempts": 2})
    assert (report.status, report.lanes[0].attempts) == ("done", 2)
    names = git(root, "ls-tree", "-r", "--name-only", report.branch).split()
    assert names == ["app/base.py", "app/t1-copywriter.py"]
    kept = git(root, "for-each-ref", "--format=%(refname)", f"refs/guild/{report.run}/left")
    assert git(root, "show", f"{kept}:app/half.py") == "1"


def test_a_silent_lane_is_nudged_once_then_ended(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {**ONE, "T2-sales": ()})
    report = execute(root, script(root, T1={"sleep": 120}), silence=1.0)
    assert states(report) == {"T1-copywriter": "failed", "T2-sales": "done"}
    assert "silent for 1 s" in report.lanes[0].reason
    assert any("nudged after 1 s" in note for note in report.notes)


def test_conflicting_lanes_are_tried_and_then_told_with_both_sides(tmp_path: Path) -> None:
    both = {"T1-copywriter": (), "T2-sales": ()}
    root = project(tmp_path / "p", both)
    mine, theirs = ({"files": {"app/base.py": f"BASE = '{who}'\n"}, "modified": ["app/base.py"]} for who in ("one", "two"))  # fmt: skip
    report = execute(root, script(root, T1=mine, T2=theirs))
    assert [(lane.status, lane.attempts) for lane in report.lanes] == [("done", 1), ("done", 2)]
    assert git(root, "show", f"{report.branch}:app/base.py") == "BASE = 'two'"
    sent = root / ".guild" / "runs" / report.run / "attempts" / "T2-sales-2" / "sent-back.md"
    assert "BASE = 'one'" in sent.read_text()
    assert "BASE = 'two'" in sent.read_text()


def test_a_conflict_is_foreseen_while_an_earlier_lane_is_still_at_work(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-sales": (), "T3-seo": ()})
    mine, theirs = ({"files": {"app/base.py": f"BASE = '{who}'\n"}, "modified": ["app/base.py"]} for who in ("one", "two"))  # fmt: skip
    report = execute(root, script(root, T1={"sleep": 4}, T2=mine, T3=theirs))
    assert report.status == "done"
    journal = root / ".guild" / "runs" / report.run / "execution.jsonl"
    rows = [json.loads(row) for row in journal.read_text().splitlines()]
    told = next(at for at, row in enumerate(rows) if "trial merge" in str(row.get("reason")))
    merged = next(at for at, row in enumerate(rows) if row["event"] == "merged")
    assert told < merged
    assert "conflicts in app/base.py" in rows[told]["reason"]


def test_a_run_pauses_when_its_attempts_are_spent(tmp_path: Path) -> None:
    root = project(tmp_path / "p", TWO)
    report = execute(root, script(root), settings={"work.run_attempts": 1})
    assert (report.status, states(report)["T2-seo"]) == ("paused", "pending")
    assert any("its attempts are spent (1, work.run_attempts)" in note for note in report.notes)
    asyncio.run(ask_of_run("", ControlRequest("resume"), root))
    assert execute(root).status == "done"


def test_a_conflict_that_stays_is_left_to_a_person_with_both_diffs(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-sales": (), "T3-seo": ("T2-sales",)})
    mine, theirs = ({"files": {"app/base.py": f"BASE = '{who}'\n"}, "modified": ["app/base.py"]} for who in ("one", "two"))  # fmt: skip
    report = execute(root, script(root, T1=mine, T2=theirs), checks=("! grep -q two app/base.py",))  # fmt: skip
    assert states(report) == {"T1-copywriter": "done", "T2-sales": "failed", "T3-seo": "pending"}
    place = root / ".guild" / "runs" / report.run / "attempts" / "T2-sales-2" / "conflict.md"
    assert str(place) in report.lanes[1].reason
    assert "## What the run has meanwhile" in place.read_text()
    assert "+BASE = 'two'" in place.read_text()


def test_a_conflict_is_resolved_as_one_like_it_was_before(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-sales": ()})
    for name, text in (("one", "BASE = 'one'\n"), ("two", "BASE = 'two'\n")):
        git(root, "checkout", "-q", "-b", name, "main")
        (root / "app" / "base.py").write_text(text)
        git(root, "commit", "-q", "-am", name)
    git(root, "config", "rerere.enabled", "true")
    git(root, "checkout", "-q", "one")
    subprocess.run(["git", "merge", "-q", "two"], cwd=root, capture_output=True)
    (root / "app" / "base.py").write_text("BASE = 'both'\n")
    git(root, "commit", "-q", "-am", "resolved by a person")
    git(root, "checkout", "-q", "main")
    mine, theirs = ({"files": {"app/base.py": f"BASE = '{who}'\n"}, "modified": ["app/base.py"]} for who in ("one", "two"))  # fmt: skip
    report = execute(root, script(root, T1=mine, T2=theirs))
    assert [(lane.status, lane.attempts) for lane in report.lanes] == [("done", 1), ("done", 1)]
    assert git(root, "show", f"{report.branch}:app/base.py") == "BASE = 'both'"
    assert any("resolved as one like it was before" in note for note in report.notes)


def test_a_disk_that_fills_up_stops_the_run_and_loses_nothing(tmp_path: Path) -> None:
    names = [f"T{n}-copywriter" for n in range(1, 10)]
    root = project(
        tmp_path / "p", {name: tuple(names[at - 1 : at]) for at, name in enumerate(names)}
    )
    words = ("work", "execute", SLUG, "--json", "--worker", script(root))
    command = shlex.join([sys.executable, "-m", "guildmoot", *words])
    limited = f"ulimit -f 12; exec {command}"  # no file may be larger than 6 kB
    ran = subprocess.run(["/bin/sh", "-c", limited], cwd=root, capture_output=True, text=True)
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["status"]) == (4, "error"), told
    assert any("the disk is full" in note for note in told["notes"])
    done = [each["task"] for each in told["lanes"] if each["status"] == "done"]
    assert done
    report = execute(root)
    assert set(states(report).values()) == {"done"}
    assert all(starts(root).count(f"{task}/1") == 1 for task in done)


def test_a_lane_behind_a_conflict_waits_until_it_is_solved(tmp_path: Path) -> None:
    root = project(
        tmp_path / "p",
        {"T1-copywriter": (), "T2-sales": (), "T3-seo": ("T1-copywriter", "T2-sales")},
    )
    act = {"files": {"app/base.py": "BASE = 2\n"}, "modified": ["app/base.py"]}
    other = {"files": {"app/base.py": "BASE = 3\n"}, "modified": ["app/base.py"]}
    report = execute(root, script(root, T1=act, T2=other), jobs=1)
    assert report.status == "done", report
    assert any("a trial merge with" in note or "conflict" in note for note in report.notes)
    sent = root / ".guild" / "runs" / report.run / "attempts" / "T2-sales-2" / "sent-back.md"
    assert "fresh worktree" in sent.read_text()


def test_what_was_built_on_refused_work_is_done_anew(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-sales": (), "T3-seo": ("T2-sales",)})
    mine = {"files": {"app/base.py": "BASE = 1.5\n"}, "modified": ["app/base.py"], "sleep": 3}
    other = {
        "files": {"app/base.py": "BASE = 2\n", "app/bad.py": "1\n"},
        "modified": ["app/base.py"],
    }
    better = {"files": {"app/good.py": "1\n"}}
    report = execute(root, script(root, T1=mine, T2=[other, better]))
    assert report.status == "done", report
    assert [lane.attempts for lane in report.lanes] == [1, 2, 2]
    names = set(git(root, "log", "--format=", "--name-only", report.branch).split())
    assert names == {"app/base.py", "app/good.py", "app/t3-seo.py"}


def test_checks_that_fail_before_anything_is_done_are_a_persons_to_decide(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-sales": ()})
    worker = script(root, T2={"files": {"app/mended.py": "1\n"}})
    checks = ("test -e app/mended.py", "test -e app/base.py")
    report = execute(root, worker, checks=checks)
    assert (report.status, report.exit_code, starts(root)) == ("undecided", 3, [])
    assert any("`test -e app/mended.py` ended with exit code 1" in note for note in report.notes)
    (root / "app" / "more.py").write_text("1\n")
    git(root, "add", "-A", "app")
    git(root, "commit", "-q", "-m", "more")
    sure = execute(root, worker, checks=checks, sure=True)
    assert states(sure) == {"T1-copywriter": "done", "T2-sales": "done"}, sure
    git(
        root, "cat-file", "-e", f"{sure.branch}:app/more.py"
    )  # what was committed before it began is part of it
    place = root / ".guild" / "runs" / sure.run / "attempts" / "T1-copywriter-1"
    told = json.loads((place / "dispatch.json").read_text())
    assert told["baseline"] == {"checks": list(checks), "failing": [checks[0]]}
    assert "`test -e app/mended.py` fails already there" in (place / "bundle.md").read_text()
    assert read_run(WorkFolder(root), sure.run).red == ()


def test_a_check_that_fails_after_a_merge_sends_the_lane_back(tmp_path: Path) -> None:
    root = project(tmp_path / "p", TWO)
    worker = script(
        root, T2=[{"files": {"app/t2.py": "bad\n"}}, {"files": {"app/t2.py": "good\n"}}]
    )
    report = execute(root, worker, checks=("! grep -rq bad app",))
    assert [(lane.status, lane.attempts) for lane in report.lanes] == [("done", 1), ("done", 2)]
    assert git(root, "show", f"{report.branch}:app/t2.py") == "good"


def test_killed_at_work_it_goes_on_without_repeating_a_finished_lane(tmp_path: Path) -> None:
    root = project(
        tmp_path / "p", {"T1-copywriter": (), "T2-seo": ("T1-copywriter",), "T3-sales": ()}
    )
    worker = script(root, T2={"sleep": 30}, T3={"sleep": 30})
    first = start(root, "--worker", worker)
    until = time.monotonic() + 60
    while len(starts(root)) < 3 and time.monotonic() < until:
        time.sleep(0.05)
    os.kill(first.pid, signal.SIGKILL)
    first.communicate()
    script(root)
    second = start(root)
    out, errors = second.communicate(timeout=120)
    assert second.returncode == 0, errors
    told = json.loads(out)
    assert [(lane["status"], lane["attempts"]) for lane in told["lanes"]] == [("done", 1)] * 3
    assert starts(root).count("T1-copywriter/1") == 1
    assert starts(root).count("T2-seo/1") == 2


def test_two_at_once_do_no_lane_twice(tmp_path: Path) -> None:
    root = project(tmp_path / "p", ONE)
    worker = script(root, T1={"sleep": 3})
    both = [start(root, "--worker", worker) for _ in range(2)]
    ends = [each.communicate(timeout=120) for each in both]
    assert sorted(each.returncode for each in both) == [0, 4], ends
    assert starts(root) == ["T1-copywriter/1"]
    state = read_run(WorkFolder(root), json.loads(ends[both[0].returncode == 4][0])["run"])
    assert state.lanes[0].status == "done"


def test_lanes_are_shown_in_panes_of_tmux_that_are_gone_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMUX_TMPDIR", str(tmp_path))
    monkeypatch.delenv("TMUX", raising=False)
    root = project(tmp_path / "p", {**ONE, "T2-sales": ()})
    seen = f"tmux list-panes -a -F '#{{pane_title}}' > {tmp_path}/panes.txt"
    worker = script(root, T1={"sleep": 2, "sh": f"sleep 1; {seen}"}, T2={"sleep": 2})
    report = execute(root, worker, settings={"work.agent_mode": "team"})
    assert report.status == "done"
    assert (tmp_path / "panes.txt").read_text().split() == ["T1-copywriter", "T2-sales"]
    live = root / ".guild" / "runs" / report.run / "attempts" / "T1-copywriter-1" / "live.log"
    assert "at work on T1-copywriter" in live.read_text()
    left = subprocess.run(["tmux", "list-panes", "-a"], capture_output=True, text=True)
    assert left.stdout == ""


def test_panes_that_a_killed_engine_left_are_ended_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMUX_TMPDIR", str(tmp_path))
    monkeypatch.delenv("TMUX", raising=False)
    run = tmp_path / "runs" / "run-1"
    (run / "agent-team").mkdir(parents=True)
    (run / "agent-team" / "session.json").write_text("{}")
    tmux("new-session", "-d", "-s", "mine", "sleep 60")
    tmux("new-session", "-d", "-s", "guild-run-1", f"tail -F {run}/attempts/T1-1/live.log")
    end_left_panes(run)
    assert tmux("list-sessions", "-F", "#{session_name}") == "mine"
    tmux("kill-server")


def test_the_branch_is_put_back_until_its_work_is_merged_and_a_stray_one_is_told(
    tmp_path: Path,
) -> None:
    root = project(tmp_path / "p", ONE)
    first = execute(root, script(root))
    git(root, "branch", "-D", first.branch)
    assert execute(root).status == "done"
    assert git(root, "rev-parse", first.branch) == first.tip
    git(
        root, "branch", "-f", first.branch, git(root, "commit-tree", "HEAD^{tree}", "-m", "another")
    )
    astray = execute(root)
    assert (astray.exit_code, astray.tip) == (3, first.tip)
    kept = f"refs/guild/{first.run}/result"
    assert kept in astray.notes[0]
    assert git(root, "rev-parse", kept) == first.tip
    git(root, "merge", "-q", kept)
    git(root, "branch", "-D", first.branch)
    assert execute(root).status == "done"
    assert branches(root) == {"main"}


def test_what_is_gone_is_made_again_from_there_and_no_lane_is_repeated(tmp_path: Path) -> None:
    root = project(tmp_path / "p", TWO)
    run = execute(root, script(root)).run
    folder, here = WorkFolder(root), root / ".guild" / "runs" / run
    for gone, step in (
        (here / "assumptions.md", "execute"),
        (here / "handoffs" / "copywriter-T1-copywriter.md", "execute"),
        (root / ".guild" / "context" / run / "seo-T2-seo.md", "context"),
    ):
        assert look(folder, SLUG).standing.step == "review"
        gone.unlink()
        assert look(folder, SLUG).standing.step == step
        assert execute(root).status == "done"
        assert gone.is_file()
    assert len(starts(root)) == 2


def test_a_folder_that_lies_in_the_way_is_kept_and_replaced(tmp_path: Path) -> None:
    root = project(tmp_path / "p", ONE)
    run = latest_run(WorkFolder(root), SLUG)
    place = root / ".guild" / "worktrees" / run / "T1-copywriter"
    place.mkdir(parents=True)
    (place / "mine.txt").write_text("mine\n")
    report = execute(root, script(root))
    assert report.status == "done"
    left = git(root, "for-each-ref", "--format=%(refname)", f"refs/guild/{run}/left")
    assert git(root, "show", f"{left}:mine.txt") == "mine"


def test_without_room_on_the_disk_nothing_is_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = project(tmp_path / "p", ONE)
    usage = shutil.disk_usage(root)._replace(free=1_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage)
    with pytest.raises(InfrastructureError, match="1 worktrees need about"):
        execute(root, script(root))
    assert starts(root) == []
    assert not (root / ".guild" / "worktrees").exists()


def test_a_worker_that_cannot_be_run_is_the_machines_fault_and_costs_no_attempt(
    tmp_path: Path,
) -> None:
    root = project(tmp_path / "p", ONE)
    broken = execute(root, "/nowhere/specialist")
    assert (broken.status, broken.exit_code) == ("error", 4)
    report = execute(root, script(root))
    assert (report.status, report.lanes[0].attempts) == ("done", 1)
