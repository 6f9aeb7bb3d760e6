"""A plan is carried out: by real programs in real worktrees, whatever these programs do."""

from __future__ import annotations

import asyncio
import json
import subprocess
from pathlib import Path

import pytest
from tests.lifecycle.executions import branches, execute, git, project, script, starts, states

from guildmoot.api.lifecycle.execution import ask_of_run
from guildmoot.lifecycle.execution.control import ControlRequest

pytestmark = pytest.mark.slow
TWO = {"T1-copywriter": (), "T2-seo": ("T1-copywriter",)}
ONE = {"T1-copywriter": ()}


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


def test_a_run_pauses_when_its_attempts_are_spent(tmp_path: Path) -> None:
    root = project(tmp_path / "p", TWO)
    report = execute(root, script(root), settings={"work.run_attempts": 1})
    assert (report.status, states(report)["T2-seo"]) == ("paused", "pending")
    assert any("its attempts are spent (1, work.run_attempts)" in note for note in report.notes)
    asyncio.run(ask_of_run("", ControlRequest("resume"), root))
    assert execute(root).status == "done"


def test_a_worker_that_cannot_be_run_is_the_machines_fault_and_costs_no_attempt(
    tmp_path: Path,
) -> None:
    root = project(tmp_path / "p", ONE)
    broken = execute(root, "/nowhere/specialist")
    assert (broken.status, broken.exit_code) == ("error", 4)
    report = execute(root, script(root))
    assert (report.status, report.lanes[0].attempts) == ("done", 1)


def test_a_lane_that_moves_the_branch_of_another_does_not_make_it_fail(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-seo": ()})
    moves = "git update-ref refs/heads/lane/T1-copywriter $(git commit-tree 'HEAD^{tree}' -m x)"
    began = 'while [ ! -e "../T1-copywriter/app/began" ]; do sleep 0.05; done; '
    waits = f"touch app/began; while [ ! -e {tmp_path}/moved ]; do sleep 0.05; done; rm app/began"
    acts = {"T1": {"sh": waits}, "T2": {"sh": f"{began}{moves} && touch {tmp_path}/moved"}}
    report = execute(root, script(root, **acts), settings={"work.fence": False})
    assert states(report) == {"T1-copywriter": "done", "T2-seo": "done"}, report.lanes
    assert starts(root).count("T1-copywriter/1") == len(starts(root)) - 1
