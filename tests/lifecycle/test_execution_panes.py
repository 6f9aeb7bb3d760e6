"""Lanes are shown in tmux."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.lifecycle.executions import execute, project, script

from guildmoot.lifecycle.execution.workers.tmux import end_left_panes, tmux

pytestmark = pytest.mark.slow
ONE = {"T1-copywriter": ()}


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
