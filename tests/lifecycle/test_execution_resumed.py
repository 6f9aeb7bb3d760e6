"""Whatever of a run is deleted: it goes on from what is left, and nothing that is finished is done or paid for again."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lifecycle.executions import execute, git, project, script, starts, states

from guildmoot.lifecycle.execution.journal import read_run
from guildmoot.lifecycle.places import WorkFolder

pytestmark = pytest.mark.slow
THREE = {"T1-copywriter": (), "T2-seo": ("T1-copywriter",), "T3-sales": ("T2-seo",)}
DONE = ["T1-copywriter/1", "T2-seo/1"]


def stopped_after_two(root: Path) -> Path:
    """Two lanes are merged, the third failed; the folder of the run."""
    report = execute(root, script(root, T3=[{"crash": 1}, {}]))
    assert states(report) == {"T1-copywriter": "done", "T2-seo": "done", "T3-sales": "failed"}
    return root / ".guild" / "runs" / report.run


def gone(*names: str) -> Callable[[Path, Path], None]:
    def take(root: Path, run: Path) -> None:
        for name in names:
            for place in [*run.glob(name)] or pytest.fail(name):
                shutil.rmtree(place) if place.is_dir() else place.unlink()

    return take


def no_ref(*names: str) -> Callable[[Path, Path], None]:
    def take(root: Path, run: Path) -> None:
        for name in names:
            git(root, "update-ref", "-d", name.format(run=run.name))

    return take


def no_worktrees(root: Path, run: Path) -> None:
    shutil.rmtree(root / ".guild" / "worktrees")


def both(*acts: Callable[[Path, Path], None]) -> Callable[[Path, Path], None]:
    def take(root: Path, run: Path) -> None:
        for act in acts:
            act(root, run)

    return take


TABLE: dict[str, tuple[Callable[[Path, Path], None], list[str]]] = {
    "nothing": (gone(), []),
    "the journal": (gone("execution.jsonl"), []),
    "the record of the run": (gone("work.json"), []),
    "its second record": (gone("../begun.jsonl"), []),
    "the name of the last run": (gone("../current-run-id"), []),
    "record and journal": (gone("work.json", "execution.jsonl"), []),
    "what the guard allows": (gone("scope"), []),
    "the bundles": (gone("../../context/*"), []),
    "the state for people": (gone("run-state.json"), []),
    "journal and state": (gone("execution.jsonl", "run-state.json"), []),
    "journal and receipts": (gone("execution.jsonl", "handoffs"), []),
    "journal and attempts": (gone("execution.jsonl", "attempts"), []),
    "journal and worktrees": (both(gone("execution.jsonl"), no_worktrees), []),
    "journal and branch": (both(gone("execution.jsonl"), no_ref("refs/heads/guild/{run}")), []),
    "journal and what proves a lane": (
        gone("execution.jsonl", "handoffs/*T2*", "attempts/T2-seo-1/accepted"), ["T2-seo"]),
    "journal and the name of a lane": (
        both(gone("execution.jsonl"), no_ref("refs/guild/{run}/T2-seo")), ["T2-seo"]),
    "the receipts": (gone("handoffs"), []),
    "a receipt with its copy": (
        gone("handoffs/*T2*", "attempts/T2-seo-1/accepted"), ["T2-seo"]),
    "the attempts": (gone("attempts"), []),
    "the worktrees": (no_worktrees, []),
    "the branch": (no_ref("refs/heads/guild/{run}"), []),
    "the names of the lanes": (no_ref("refs/guild/{run}/T1-copywriter", "refs/guild/{run}/T2-seo"), []),
}  # fmt: skip


@pytest.mark.parametrize("artefact", TABLE)
def test_a_run_without_one_of_its_artefacts_goes_on(artefact: str, tmp_path: Path) -> None:
    root = project(tmp_path / "p", THREE)
    run = stopped_after_two(root)
    take, again = TABLE[artefact]
    take(root, run)
    ask_again(root, "T3-sales")
    report = execute(root, script(root))
    assert set(states(report).values()) == {"done"}, report
    began = [each.partition("/")[0] for each in starts(root)[3:]]
    assert sorted(began) == sorted([*again, "T3-sales"])
    names = git(root, "ls-tree", "-r", "--name-only", report.branch).split()
    assert {f"app/{task.lower()}.py" for task in THREE} <= set(names)
    if "journal" in artefact:
        assert any("the journal was gone" in note for note in report.notes)
    state = read_run(WorkFolder(root), report.run)
    assert state.base == git(root, "rev-parse", "main")
    assert report.run == run.name


def ask_again(root: Path, task: str) -> None:
    """``guild lane retry``; refused where nothing is known of the lane any more, and not needed there."""
    guild(root, "lane", "retry", task, "--why", "once more")


def test_a_journal_that_is_gone_after_the_end_costs_nothing(tmp_path: Path) -> None:
    root = project(tmp_path / "p", THREE)
    first = execute(root, script(root))
    tip = git(root, "rev-parse", first.branch)
    (root / ".guild" / "runs" / first.run / "execution.jsonl").unlink()
    again = execute(root, script(root))
    assert (again.status, again.tip) == ("done", tip)
    assert starts(root) == [*DONE, "T3-sales/1"]
    assert git(root, "rev-parse", first.branch) == tip


def test_a_commit_that_its_receipt_does_not_fit_is_no_proof(tmp_path: Path) -> None:
    root = project(tmp_path / "p", THREE)
    run = stopped_after_two(root)
    (run / "execution.jsonl").unlink()
    for place in (run / "handoffs", run / "attempts" / "T2-seo-1" / "accepted"):
        (receipt,) = place.glob("*T2*.md")
        receipt.write_text(receipt.read_text().replace("sha256_after: ", "sha256_after: 0"))
    report = execute(root, script(root))
    assert set(states(report).values()) == {"done"}
    assert any("no receipt proves it: done again" in note for note in report.notes)
    assert [each for each in starts(root) if each.startswith("T1")] == ["T1-copywriter/1"]


def test_what_a_person_said_of_a_lane_outlives_the_journal(tmp_path: Path) -> None:
    root = project(tmp_path / "p", THREE)
    run = stopped_after_two(root)
    for verb in (("lane", "skip", "T3-sales", "--why", "not now"), ("stop",)):
        words = [sys.executable, "-m", "guildmoot", *verb]
        subprocess.run(words, cwd=root, capture_output=True, text=True, check=True)
    (run / "execution.jsonl").unlink()
    report = execute(root, script(root))
    assert (report.status, states(report)["T3-sales"]) == ("done", "skipped")
    assert len(starts(root)) == 3
    rows = [json.loads(row) for row in (run / "execution.jsonl").read_text().splitlines()]
    assert "stopped" not in {row["event"] for row in rows}


def test_of_the_two_records_of_a_run_each_is_made_again_from_the_other(tmp_path: Path) -> None:
    root = project(tmp_path / "p", THREE)
    first = execute(root, script(root))
    runs = root / ".guild" / "runs"
    for file in (
        runs / first.run / "work.json",
        runs / "begun.jsonl",
        runs / first.run / "work.json",
    ):
        file.unlink()
        assert guild(root, "lane", "show").returncode == 0
        assert execute(root).run == first.run
        assert file.is_file()
    assert len(starts(root)) == 3


def test_a_finished_run_needs_no_worker_to_be_found_again_and_an_open_one_says_why(
    tmp_path: Path,
) -> None:
    root = project(tmp_path / "p", THREE)
    run = stopped_after_two(root)
    (run / "execution.jsonl").unlink()
    told = guild(root, "work", "execute", "parcels")
    assert told.returncode == 64
    assert f"the journal of {run.name} (execution.jsonl) is gone" in told.stderr
    assert "guild work execute parcels --worker CMD" in told.stderr
    assert execute(root, script(root)).status == "done"
    (run / "execution.jsonl").unlink()
    again = execute(root)
    assert (again.status, len(starts(root))) == ("done", 4)
    assert any("the journal was gone" in note for note in again.notes)


def test_what_a_person_asks_after_their_requests_were_deleted_is_followed(tmp_path: Path) -> None:
    root = project(tmp_path / "p", THREE)
    run = stopped_after_two(root)
    for word in ("skip", "retry", "skip"):
        assert guild(root, "lane", word, "T3-sales", "--why", "so").returncode == 0
        (run / "control.jsonl").unlink()
    assert guild(root, "lane", "retry", "T3-sales", "--why", "after all").returncode == 0
    assert read_run(WorkFolder(root), run.name).lane("T3-sales").status == "pending"


def guild(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "guildmoot", *words]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
