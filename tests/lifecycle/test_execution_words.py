"""What a person is told of a run: once, of what was really taken, and with a command that works."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.lifecycle.executions import SLUG, execute, project, script, start, starts
from tests.lifecycle.machines import host

from calls.cluster.scene import until
from guildmoot.agents.hosts.answers import answer_host
from guildmoot.agents.hosts.folder import load_hosts
from guildmoot.api.lifecycle.execution import preview_work
from guildmoot.api.lifecycle.questions import open_questions
from guildmoot.config import Flags
from guildmoot.errors import UsageError
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.terms import WorkTerms
from guildmoot.lifecycle.view import look

pytestmark = pytest.mark.slow
ONE = {"T1-copywriter": ()}


def next_command(root: Path, terms: WorkTerms = WorkTerms()) -> str:  # noqa: B008
    return look(WorkFolder(root), SLUG, terms).command


@pytest.mark.parametrize("mode", ["hosts", "agent"])
def test_a_command_that_nobody_would_run_is_refused_with_what_would_work(
    mode: str, tmp_path: Path
) -> None:
    root = project(tmp_path / "p", ONE)
    settings: Flags = {"work.agent_mode": mode}
    with pytest.raises(
        UsageError, match=f"--worker does no lane of a run with --mode {mode}"
    ) as no:
        execute(root, script(root), settings=settings)
    assert "--mode subagent --worker CMD" in no.value.hint
    if mode == "agent":  # on record, it holds for the next call as well
        execute(root, settings=settings)
        with pytest.raises(UsageError, match="--worker does no lane"):
            execute(root, script(root))
        assert any("nobody: --worker does" in row for row in asyncio.run(preview_work(worker="true", cwd=root)))  # fmt: skip
    assert starts(root) == []


def test_clients_that_would_do_no_lane_are_refused_with_what_would_work(tmp_path: Path) -> None:
    root = project(tmp_path / "p", ONE)
    execute(root, script(root, T1={"crash": 1}))
    retry = [sys.executable, "-m", "guildmoot", "lane", "retry", "T1-copywriter"]
    subprocess.run(retry, cwd=root, capture_output=True, check=True)
    running = start(root, "--clients")
    told, _ = running.communicate(timeout=60)
    assert (running.returncode, starts(root)) == (64, ["T1-copywriter/1"])
    assert "--clients does no lane of a run with --worker" in told
    assert "--mode agent" in told
    report = execute(root, settings={"work.agent_mode": "agent"})
    assert (report.lanes[0].status, starts(root)) == ("running", ["T1-copywriter/1"])


def test_what_goes_on_with_a_run_is_told_by_the_way_it_was_begun(tmp_path: Path) -> None:
    root = project(tmp_path / "p", ONE)
    plain = f"guild work execute {SLUG}"
    assert next_command(root) == f"{plain} --worker CMD"
    assert next_command(root, WorkTerms(has_worker=True)) == plain
    execute(root, settings={"work.agent_mode": "agent"})  # handed out, and nobody did it yet
    assert next_command(root) == plain
    (waits,) = asyncio.run(open_questions(root))
    assert "dispatch-plan.json" in waits.text
    assert (waits.task, waits.command) == ("T1-copywriter", f"guild run --slug {SLUG}")


def test_the_object_of_a_run_that_the_machine_ended_holds_the_error(tmp_path: Path) -> None:
    root = project(tmp_path / "p", ONE)
    ended = start(root, "--worker", "/nonexistent/worker")
    told = json.loads(ended.communicate(timeout=60)[0])
    assert (ended.returncode, told["status"], told["error"]["exit_code"]) == (4, "error", 4)
    assert "/nonexistent/worker" in told["error"]["message"]
    assert [each["task"] for each in told["lanes"]] == ["T1-copywriter"]


def test_what_lanes_told_of_is_no_longer_nothing(tmp_path: Path) -> None:
    root = project(tmp_path / "p", ONE)
    assert "nothing spent" in status(root)
    execute(root, script(root, T1={"usage": "{tokens: 1200, usd: 0.3}"}))
    assert "lanes told of 1,200 tokens, $0.30" in status(root)


def status(root: Path) -> str:
    words = [sys.executable, "-m", "guildmoot", "status", SLUG]
    return subprocess.run(words, cwd=root, capture_output=True, text=True, check=True).stdout


def test_a_run_that_is_killed_again_and_again_tells_each_thing_once(tmp_path: Path) -> None:
    root = project(tmp_path / "p", ONE)
    worker = script(root, T1={"sh": f"while [ ! -e {tmp_path}/go ]; do sleep 0.05; done"})
    for times in (1, 2):
        engine = start(root, "--worker", worker)
        until(lambda times=times: len(starts(root)) == times)
        os.kill(engine.pid, signal.SIGKILL)
        engine.communicate()
    (tmp_path / "go").touch()
    report = execute(root)
    assert report.status == "done"
    journal = root / ".guild" / "runs" / report.run / "execution.jsonl"
    rows = [json.loads(row) for row in journal.read_text().splitlines()]
    told = [row["reason"] for row in rows if row["event"] == "note"]
    assert len(told) == len(set(told)), told
    assert not any("a folder lay where its worktree goes" in each for each in told)


def test_a_host_that_asks_first_waits_in_the_inbox_until_it_is_answered(tmp_path: Path) -> None:
    root = project(tmp_path / "p", ONE)
    host(root, "build-1")
    assert asyncio.run(open_questions(root)) == []
    host(root, "build-2", "always-ask")
    (asked,) = asyncio.run(open_questions(root))
    assert (asked.work, asked.command) == ("host build-2", "guild hosts approve build-2 --yes (or --no)")  # fmt: skip
    (found,) = (each for each in load_hosts(root).hosts if each.host_id == "build-2")
    answer_host(root, found, "denied", "A", "2026-11-01T00:00:00+00:00")
    assert asyncio.run(open_questions(root)) == []
