"""What a run finds and leaves behind: killed, on a full disk, beside another, in the way of a folder."""

from __future__ import annotations

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
    branches,
    execute,
    git,
    project,
    script,
    start,
    starts,
    states,
)

from guildmoot.errors import InfrastructureError
from guildmoot.lifecycle.execution.journal import read_run
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.view import look
from guildmoot.lifecycle.work_runs import latest_run

pytestmark = pytest.mark.slow
TWO = {"T1-copywriter": (), "T2-seo": ("T1-copywriter",)}
ONE = {"T1-copywriter": ()}


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
