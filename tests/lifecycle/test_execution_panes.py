"""Lanes are shown in tmux."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from tests.lifecycle.executions import execute, git, project, script

from guildmoot.lifecycle.execution.workers.tmux import end_left_panes, tmux
from guildmoot.system import fence

pytestmark = pytest.mark.slow
ONE = {"T1-copywriter": ()}


def test_lanes_are_shown_in_panes_of_tmux_that_are_gone_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMUX_TMPDIR", str(tmp_path))
    monkeypatch.delenv("TMUX", raising=False)
    root = project(tmp_path / "p", {**ONE, "T2-sales": ()})
    worker = script(root, T1={"sleep": 2}, T2={"sleep": 2})
    seen, over = set[str](), Event()
    with ThreadPoolExecutor() as pool:
        pool.submit(_look, seen, over)
        report = execute(root, worker, settings={"work.agent_mode": "team"})
        over.set()
    assert report.status == "done"
    assert seen >= {"T1-copywriter", "T2-sales"}
    live = root / ".guild" / "runs" / report.run / "attempts" / "T1-copywriter-1" / "live.log"
    assert "at work on T1-copywriter" in live.read_text()
    left = subprocess.run(["tmux", "list-panes", "-a"], capture_output=True, text=True)
    assert left.stdout == ""


def _look(seen: set[str], over: Event) -> None:
    """What a person sees from outside of the lanes."""
    while not over.wait(0.1):
        seen |= set(tmux("list-panes", "-a", "-F", "#{pane_title}").split())


@pytest.mark.parametrize("where", ["a folder", "a socket"])
def test_no_lane_has_tmux_run_what_the_fence_forbids(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not fence.works("/", whole=True):
        pytest.skip("no fence can be had here")
    monkeypatch.setenv("TMUX_TMPDIR", str(tmp_path))
    monkeypatch.delenv("TMUX", raising=False)
    own = ("-S", str(tmp_path / "mine.sock")) if where == "a socket" else ()
    tmux(*own, "new-session", "-d", "-s", "mine", "sleep 60")
    socket = tmux(*own, "display-message", "-p", "#{socket_path}")
    pane = tmux(*own, "display-message", "-p", "#{socket_path},#{pid},0")
    monkeypatch.setenv("TMUX", pane)
    root = project(tmp_path / "p", ONE)
    out = tmp_path / "out"
    ways = "; ".join(
        f"tmux {how} run-shell 'echo x >> {out}'; tmux {how} new-window 'echo x >> {out}'; "
        f"tmux {how} send-keys -t mine 'echo x >> {out}' Enter"
        for how in ("", f"-S {socket}")
    )
    its_own = "tmux new-session -d 'echo ran > app/said.txt; sleep 1'"
    sh = f"{ways}; {its_own}; sleep 0.7; echo $TMUX >> app/said.txt"
    report = execute(root, script(root, T1={"sh": sh, "files": {"app/said.txt": ""}}))
    still = tmux(*own, "list-sessions", "-F", "#{session_name}")
    tmux(*own, "kill-server")
    assert (out.exists(), still) == (False, "mine")
    assert git(root, "show", f"{report.branch}:app/said.txt") == "ran"


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
