"""A person looks into a run and steps in."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.lifecycle.executions import (
    SLUG,
    approve_plan,
    execute,
    git,
    project,
    script,
    start,
    starts,
    states,
)

from guildmoot.api.lifecycle.execution import ask_of_run, open_questions
from guildmoot.lifecycle.execution.control import ControlRequest
from guildmoot.lifecycle.execution.journal import read_run
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.proof.commits import lane_files

pytestmark = pytest.mark.slow
TWO = {"T1-copywriter": (), "T2-seo": ("T1-copywriter",)}
ONE = {"T1-copywriter": ()}


def asks(root: Path, verb: str, task: str, why: str = "", *places: str) -> None:
    asyncio.run(ask_of_run("", ControlRequest(verb, task, "", why, places), root))  # type: ignore[arg-type]


def test_a_person_skips_a_lane_that_failed_and_what_waits_for_it_goes_on(tmp_path: Path) -> None:
    root = project(tmp_path / "p", TWO)
    report = execute(root, script(root, T1={"crash": 1}))
    assert report.exit_code == 2
    (waits,) = asyncio.run(open_questions(root))
    assert (waits.task, waits.text.partition(":")[0]) == ("T1-copywriter", "failed")
    asks(root, "skip", "T1-copywriter", "not needed")
    after = execute(root)
    assert (after.status, states(after)) == (
        "done", {"T1-copywriter": "skipped", "T2-seo": "done"}
    )  # fmt: skip
    assert "not needed" in after.lanes[0].reason
    assert len(starts(root)) == 2


def test_a_person_takes_a_lane_over_and_hands_it_in_or_gives_it_back_as_it_is(
    tmp_path: Path,
) -> None:
    root = project(tmp_path / "p", {**ONE, "T2-sales": ()})
    worker = script(root, T1={"crash": 1, "files": {}}, T2=[{"crash": 1}, {}])
    run = execute(root, worker).run
    place = root / ".guild" / "worktrees" / run
    for task, name in (("T1-copywriter", "hand.py"), ("T2-sales", "begun.py")):
        asks(root, "take-over", task)
        (place / task / "app" / name).write_text("BY = 'a person'\n")
    asks(root, "hand-in", "T1-copywriter", "written by hand")
    asks(root, "retry", "T2-sales", "go on from there")
    report = execute(root)
    assert states(report) == {"T1-copywriter": "done", "T2-sales": "done"}, report
    assert sorted(starts(root)) == ["T1-copywriter/1", "T2-sales/1", "T2-sales/2"]
    names = git(root, "ls-tree", "-r", "--name-only", report.branch).split()
    assert names == ["app/base.py", "app/begun.py", "app/hand.py", "app/t2-sales.py"]
    assert "written by hand" in git(root, "log", "--format=%s", report.branch)


def test_worktrees_are_taken_away_on_request_and_what_was_in_them_is_kept(tmp_path: Path) -> None:
    root = project(tmp_path / "p", ONE)
    run = execute(root, script(root, T1={"crash": 1})).run
    words = [sys.executable, "-m", "guildmoot", "stop", "--clean", "--json"]
    ran = subprocess.run(words, cwd=root, capture_output=True, text=True, check=True)
    (kept,) = json.loads(ran.stdout)["kept"]
    assert git(root, "show", f"{kept}:app/t1-copywriter.py") == "DONE = 'T1-copywriter'"
    assert not (root / ".guild" / "worktrees" / run).exists()
    asks(root, "retry", "T1-copywriter")
    assert execute(root, script(root)).status == "done"


def test_a_person_lets_a_lane_change_more_than_the_plan_says(tmp_path: Path) -> None:
    root = project(tmp_path / "p", ONE, T1="Pages below app/.")
    report = execute(root, script(root, T1={"files": {"docs/x.md": "1\n"}}))
    assert "outside of the lane's scope" in report.lanes[0].reason
    asks(root, "allow", "T1-copywriter", "the interface changed", "docs/")
    asks(root, "retry", "T1-copywriter")
    after = execute(root)
    assert after.status == "done", after
    (said,) = read_run(WorkFolder(root), after.run).clarified
    assert said.startswith("T1-copywriter may also change docs/: the interface changed (by")


def test_a_plan_that_changes_in_the_middle_takes_over_the_lanes_that_it_leaves_alone(
    tmp_path: Path,
) -> None:
    root = project(tmp_path / "p", TWO)
    first = execute(root, script(root, T2={"crash": 1}))
    assert states(first) == {"T1-copywriter": "done", "T2-seo": "failed"}
    folder = WorkFolder(root.resolve())
    plan = folder.plan(SLUG).read_text()
    head, _, tail = plan.rpartition("Pages and storage.")
    folder.plan(SLUG).write_text(f"{head}Pages, storage and a summary.{tail}")
    approve_plan(folder)
    second = execute(root, script(root))
    assert second.run != first.run
    assert states(second) == {"T1-copywriter": "done", "T2-seo": "done"}
    assert starts(root) == ["T1-copywriter/1", "T2-seo/1", "T2-seo/1"]
    assert git(root, "show", f"{second.branch}:app/t1-copywriter.py") == "DONE = 'T1-copywriter'"
    assert lane_files(root, read_run(folder, second.run).base, second.tip, second.run) == {
        "T1-copywriter": ("app/t1-copywriter.py",), "T2-seo": ("app/t2-seo.py",)
    }  # fmt: skip
    (said,) = read_run(folder, second.run).clarified
    assert said == f"the plan changed after {first.run}: T1-copywriter taken over from it"


@pytest.mark.parametrize(("verb", "lane"), [("pause", "done"), ("stop", "pending")])
def test_a_person_pauses_or_stops_a_run_and_it_goes_on_when_told(
    verb: str, lane: str, tmp_path: Path
) -> None:
    root = project(tmp_path / "p", TWO)
    running = start(root, "--worker", script(root, T1={"sleep": 9}))
    until = time.monotonic() + 60
    while not starts(root) and time.monotonic() < until:
        time.sleep(0.05)
    guild = [sys.executable, "-m", "guildmoot"]
    looked = subprocess.run(
        [*guild, "lane", "show", "--json"], cwd=root, capture_output=True, text=True
    )
    seen = json.loads(looked.stdout)["lanes"][0]
    assert (seen["status"], seen["seconds"] > 0, seen["lines"]) == (
        "running", True, ["at work on T1-copywriter"]
    )  # fmt: skip
    subprocess.run([*guild, verb], cwd=root, check=True, capture_output=True)
    out, errors = running.communicate(timeout=60)
    told = json.loads(out)
    assert (running.returncode, told["lanes"][0]["status"]) == (3, lane), (told, errors)
    assert told["lanes"][1]["status"] == "pending"
    script(root)
    words = [*guild, "resume", *([SLUG] if verb == "pause" else []), "--json"]
    after = subprocess.run(words, cwd=root, capture_output=True, text=True)
    assert after.returncode == 0, after.stderr
    assert [each["attempts"] for each in json.loads(after.stdout)["lanes"]] == [1, 1]
