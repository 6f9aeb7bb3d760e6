"""What is told of a run: whose word it was, what no receipt names, where the result is; one object at every end."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.lifecycle.executions import SLUG, execute, git, project, script, unproven
from tests.lifecycle.test_proof_run import GOOD

from guildmoot.api.lifecycle.execution import preview_work
from guildmoot.api.lifecycle.proof import review_lanes, verify_work
from guildmoot.cli.guild.work.execute import report_rows
from guildmoot.errors import UsageError
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.view import look

pytestmark = pytest.mark.slow
ONE = {"T1-copywriter": ()}


def guild(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "guildmoot", *words]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


def why(root: Path) -> str:
    return look(WorkFolder(root), SLUG).standing.why


def test_a_file_that_no_receipt_names_is_in_review_and_verification(tmp_path: Path) -> None:
    root = project(tmp_path / "p", ONE)
    act = {**GOOD, "files": {**GOOD["files"], "app/b.py": "B = 1\n"}, "claims": list(GOOD["files"])}
    execute(root, script(root, T1=act))
    said = "app/b.py was changed, and its receipt does not say so"
    assert said in asyncio.run(review_lanes(SLUG, root)).file.read_text()
    done = asyncio.run(verify_work(SLUG, root, accepted=True))
    told = "T1-copywriter changed app/b.py, and its receipt does not say so"
    assert told in done.checks[1].evidence
    assert told in done.file.read_text()


def test_status_says_what_a_person_asked_and_not_that_the_review_did(tmp_path: Path) -> None:
    root = project(tmp_path / "p", ONE)
    worker = script(root, T1=[{"crash": 1}, GOOD])
    execute(root, worker)
    guild(root, "lane", "retry", "T1-copywriter", "--why", "the key is set")
    asked = "T1-copywriter is due once more, as a person asked: the key is set"
    assert why(root) == asked
    guild(root, "stop")
    assert "was stopped: by A" in why(root)
    assert look(WorkFolder(root), SLUG).command == f"guild resume {SLUG}"
    assert "  stopped" in guild(root, "lane", "show").stdout
    assert execute(root, worker).status == "done"
    ended = guild(root, "stop")
    assert (ended.returncode, "is at its end already" in ended.stdout) == (0, True)
    assert "is at its end already" in guild(root, "pause").stdout
    guild(root, "lane", "retry", "T1-copywriter", "--why", "a number instead")
    assert why(root) == asked.replace("the key is set", "a number instead")


def test_a_lane_is_skipped_for_a_reason(tmp_path: Path) -> None:
    root = project(tmp_path / "p", ONE)
    execute(root, script(root, T1={"crash": 1}))
    told = guild(root, "lane", "skip", "T1-copywriter")
    assert (told.returncode, "guild lane skip T1-copywriter --why TEXT" in told.stderr) == (
        64,
        True,
    )
    assert guild(root, "lane", "skip", "T1-copywriter", "--why", "by hand").returncode == 0


def test_a_branch_with_commits_of_somebody_else_is_not_called_the_result(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {**ONE, "T2-seo": ("T1-copywriter",)})
    first = execute(root, script(root, T2=[{"crash": 1}, {}]))
    foreign = git(root, "commit-tree", "HEAD^{tree}", "-p", first.branch, "-m", "another")
    git(root, "branch", "-f", first.branch, foreign)
    guild(root, "lane", "retry", "T2-seo")
    for report in (execute(root), execute(root)):
        assert (report.exit_code, report.branch) == (3, f"refs/guild/{first.run}/result")
        assert git(root, "rev-parse", report.branch) == report.tip
        rows = list(report_rows(report))
        assert rows[-1] == f"  git diff HEAD...{report.branch}"
        assert not any(f"is {first.branch};" in row for row in rows)


def test_the_dry_run_of_a_command_names_neither_model_nor_price(tmp_path: Path) -> None:
    root = project(tmp_path / "p", ONE)
    rows = asyncio.run(preview_work(worker="true", cwd=root))
    (lane,) = (row for row in rows if row.startswith("  T1-copywriter: "))
    assert "model" not in lane
    assert "$" not in "".join(rows)
    assert any(", model " in row for row in asyncio.run(preview_work(cwd=root)))


@pytest.mark.parametrize("mode", ["hosts", "agent"])
def test_clients_are_refused_where_others_do_the_lanes(mode: str, tmp_path: Path) -> None:
    root = project(tmp_path / "p", ONE)
    with pytest.raises(UsageError, match=f"--clients does no lane of a run with --mode {mode}"):
        execute(root, settings={"work.agent_mode": mode, "work.clients": True})


def test_every_end_is_one_object_with_run_status_and_lanes(tmp_path: Path) -> None:
    root = project(tmp_path / "p", ONE)

    def ended(verb: str, *words: str) -> tuple[int, dict[str, object], list[object]]:
        done = guild(root, "work", verb, SLUG, "--json", *words)
        told = json.loads(done.stdout)
        return done.returncode, told, [each["status"] for each in told["lanes"]]

    code, told, lanes = ended("execute")
    assert (code, told["status"], told["branch"], lanes) == (64, "error", "", [])
    act = {**GOOD, "evidence": f"- {unproven(root)}: 2 s by `python -m unittest`"}
    run = execute(root, script(root, T1=act)).run
    code, told, lanes = ended("verify")
    assert (code, told["run"], told["status"], lanes) == (3, run, "UNDECIDED", ["done"])
    assert ended("review", "--yes")[:1] == (0,)
    code, told, lanes = ended("verify", "--yes")
    assert (code, told["run"], told["status"], lanes) == (3, run, "UNDECIDED", ["done"])
    assert "error" not in told


def test_a_secret_that_a_lane_tells_of_is_in_no_note_and_no_commit(tmp_path: Path) -> None:
    key = "AKIA" + "Q7ZP3XWLM4RT5VNB"
    root = project(tmp_path / "p", {"T1-copywriter": ()})
    act = {"assumes": f"- the key is {key}", "envelope": {"summary": f"It signs with {key}."}}
    report = execute(root, script(root, T1=act))
    assert report.status == "done"
    assert any("it assumed: - the key is [masked:" in note for note in report.notes)
    assert key not in str(report)
    said = git(root, "log", "--format=%B", report.branch)
    assert "It signs with [masked:" in said
    assert key not in said


def test_a_lane_that_asks_of_its_own_receipt_is_told_what_holds_in_its_worktree(
    tmp_path: Path,
) -> None:
    root, said = project(tmp_path / "p", {"T1-copywriter": ()}), tmp_path / "said"
    lint = f"{sys.executable} -m guildmoot lint $GUILD_RECEIPT > {said} 2>&1"
    act = {"files": {"app/base.py": "BASE = 2\n"}, "modified": ["app/base.py"]}
    worker = f"/bin/sh -c '{script(root, T1=act)} && {lint}'"
    report = execute(root, worker)
    assert (report.status, report.lanes[0].attempts) == ("done", 1), said.read_text()
