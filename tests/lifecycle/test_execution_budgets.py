"""What a run may take is set aside before a lane starts; a lane that takes more than it may is ended."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.lifecycle.executions import SLUG, execute, git, project, script, starts, states

from guildmoot.api.lifecycle.execution import ask_of_run
from guildmoot.lifecycle.execution.budgets import LaneBudget, RunLimits, shortfall, told_usage
from guildmoot.lifecycle.execution.control import ControlRequest
from guildmoot.lifecycle.execution.journal import fold, read_run
from guildmoot.lifecycle.execution.values import LaneState
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.work_runs import latest_run

TWO = {"T1-copywriter": (), "T2-seo": ()}
LANES = [{"task": "T1-a"}, {"task": "T2-b"}]
BEGUN = {"event": "begun", "slug": "s", "base": "c0", "branch": "guild/x", "lanes": LANES}


def at_work(**held: object) -> dict[str, object]:
    return {"event": "dispatched", "task": "T1-a", "base": "c0", **held}


@pytest.mark.parametrize(
    ("need", "limits", "said"),
    [
        (LaneBudget(tokens=60), RunLimits(tokens=100), "60 tokens, and 50 of 100 are left"),
        (LaneBudget(tokens=50), RunLimits(tokens=100), ""),
        (LaneBudget(usd=0.6), RunLimits(usd=1.0), "cost $0.60, and $0.50 of $1.00 are left"),
        (LaneBudget(usd=0.5), RunLimits(usd=1.0), ""),
        (LaneBudget(seconds=60), RunLimits(seconds=90), "about 60 s, and 50 s of 90 s are left"),
        (LaneBudget(seconds=50), RunLimits(seconds=90), ""),
        (LaneBudget(), RunLimits(seconds=30), "its time is spent"),
        (LaneBudget(), RunLimits(attempts=1), "its attempts are spent (1"),
        (LaneBudget(9**9, 9**9, 9**9), RunLimits(), ""),
        (
            LaneBudget(usd=None, model="codex:x"),
            RunLimits(priced="budget.day_usd"),
            "no price of codex:x is known",
        ),
        (LaneBudget(usd=None), RunLimits(usd=1.0), ""),
    ],
)
def test_an_attempt_must_fit_what_is_left_beside_what_is_set_aside(
    need: LaneBudget, limits: RunLimits, said: str
) -> None:
    state = fold("r", [BEGUN, at_work(held_tokens=50, held_usd=0.5)])
    told = shortfall(state, need, limits, elapsed=40.0)
    assert said in told if said else not told


def test_money_that_was_told_above_the_limit_is_named() -> None:
    rows = [BEGUN, at_work(), {"event": "spent", "task": "T1-a", "tokens": 7, "usd": 1.8}]
    said = shortfall(fold("r", rows), LaneBudget(), RunLimits(usd=1.0), elapsed=0.0)
    assert said == "$1.80 were told of $1.00 (budget.run_usd)"


def amounts(lane: LaneState) -> tuple[int, float, int, float]:
    return lane.held_tokens, lane.held_usd, lane.tokens, lane.usd


def test_what_was_set_aside_is_free_once_it_is_told_what_was_taken() -> None:
    rows = [BEGUN, at_work(held_tokens=50, held_usd=0.5)]
    told = fold("r", [*rows, {"event": "spent", "task": "T1-a", "tokens": 7, "usd": 0.25}])
    assert amounts(told.lanes[0]) == (0, 0.0, 7, 0.25)
    ended = fold("r", [*rows, {"event": "failed", "task": "T1-a", "reason": "x"}])
    assert amounts(ended.lanes[0]) == (0, 0.0, 0, 0.0)
    cut = {"event": "interrupted", "task": "T1-a", "tokens": 50, "usd": 0.5}
    assert amounts(fold("r", [*rows, cut]).lanes[0]) == (0, 0.0, 50, 0.5), (
        "nobody knows: all counts"
    )


@pytest.mark.parametrize(
    ("said", "tokens"),
    [("{tokens: 12, usd: 0.5}", 12), ("{tokens: -3}", None), ("{tokens: many}", None), ("9", None)],
)
def test_a_receipt_tells_what_its_work_took(said: str, tokens: int | None) -> None:
    found = told_usage(f"---\nusage: {said}\n---\n")
    assert (found.input_tokens if found else None) == tokens


@pytest.mark.slow
def test_a_lane_that_does_not_fit_what_is_left_of_the_run_waits_for_a_person(
    tmp_path: Path,
) -> None:
    root = project(tmp_path / "p", TWO)
    worker = script(root, T1={"usage": "{tokens: 120000}"})
    report = execute(root, worker, settings={"work.run_tokens": 200_000})
    assert (report.status, report.exit_code) == ("paused", 3)
    assert states(report) == {"T1-copywriter": "done", "T2-seo": "pending"}
    assert any(
        "paused before T2-seo: a lane may take 150000 tokens, and 80000 of 200000 are left" in note
        for note in report.notes
    )
    asyncio.run(ask_of_run("", ControlRequest("resume"), root))
    assert execute(root, settings={"work.run_tokens": 300_000}).status == "done"
    assert starts(root) == ["T1-copywriter/1", "T2-seo/1"]


@pytest.mark.slow
def test_the_money_of_a_command_that_the_settings_name_is_its_own_affair(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": ()})
    named = {"work.worker": script(root), "work.tiers": ("mid=claude:sonnet",)}
    assert execute(root, settings={**named, "budget.run_usd": 0.01}).status == "done"


@pytest.mark.slow
def test_a_lane_waits_until_another_tells_that_it_took_less(tmp_path: Path) -> None:
    root = project(tmp_path / "p", TWO)
    worker = script(root, T1={"usage": "{tokens: 20000}"}, T2={"usage": "{tokens: 10}"})
    report = execute(root, worker, settings={"work.run_tokens": 200_000})
    assert report.status == "done"
    state = read_run(WorkFolder(root), report.run)
    assert [lane.tokens for lane in state.lanes] == [20_000, 10]


@pytest.mark.slow
def test_no_more_attempts_begin_at_once_than_are_left(tmp_path: Path) -> None:
    lanes = {f"T{n}-copywriter": () for n in range(1, 5)}
    root = project(tmp_path / "p", lanes)
    report = execute(root, script(root), jobs=4, settings={"work.run_attempts": 2})
    assert (report.status, len(starts(root))) == ("paused", 2)


@pytest.mark.slow
def test_a_worker_that_tells_of_too_many_tokens_is_ended_and_its_work_kept(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": ()})
    told = (
        'echo $$ > ../../../../../pid; echo \'{"step": "x", "tokens": 5001}\' > "$GUILD_HEARTBEAT"'
    )
    worker = script(root, T1=[{"sh": f"{told}; exec sleep 60"}, {}])
    report = execute(root, worker, settings={"work.lane_tokens": 5000, "work.fence": False})
    assert (report.status, states(report)["T1-copywriter"]) == ("undecided", "blocked")
    assert "budget: it told of 5001 tokens, and may take 5000" in report.lanes[0].reason
    pid = int((tmp_path / "pid").read_text())
    assert not Path(f"/proc/{pid}").exists()
    left = f"refs/guild/{report.run}/left/T1-copywriter-1"
    assert "DONE" in git(root, "show", f"{left}:app/t1-copywriter.py")
    assert read_run(WorkFolder(root), report.run).lanes[0].tokens == 5001
    asyncio.run(ask_of_run("", ControlRequest("retry", "T1-copywriter"), root))
    assert execute(root, settings={"work.lane_tokens": 5000}).status == "done"


CLIENT = """#!{python} -I
import json, os, sys, time
open({pid!r}, "w").write(str(os.getpid()))
def say(**event):
    print(json.dumps(event), flush=True)
open("app/part.py", "w").write("PART = 1\\n")
for n in (1, 2, 3):
    usage = {{"input_tokens": 700, "cache_read_input_tokens": 300, "output_tokens": 1}}
    say(type="stream_event", event={{"type": "message_start", "message": {{"model": "m", "usage": usage}}}})
    say(type="stream_event", event={{"type": "message_delta", "usage": {{"output_tokens": 50}}}})
    time.sleep(0.2)
time.sleep(60)
"""


@pytest.mark.slow
def test_a_client_is_ended_as_soon_as_its_stream_tells_of_too_many_tokens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": ()})
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    (tmp_path / "out").mkdir()
    program.write_text(CLIENT.format(python=sys.executable, pid=str(tmp_path / "out" / "pid")))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "of-nobody")
    settings = {
        "work.clients": True, "work.tiers": ("mid=claude:claude-sonnet-4-5",),
        "work.agent_mode": "subagent", "work.lane_tokens": 2000, "work.fallback": ("codex:gpt-5.5",),
        "work.writable": (str(tmp_path / "out"),),
    }  # fmt: skip
    report = execute(root, settings=settings)
    assert states(report) == {"T1-copywriter": "blocked"}, report
    assert "of 2000, and it was ended" in report.lanes[0].reason
    assert not Path(f"/proc/{(tmp_path / 'out' / 'pid').read_text()}").exists()
    left = f"refs/guild/{report.run}/left/T1-copywriter-1"
    assert "PART" in git(root, "show", f"{left}:app/part.py")
    told = json.loads((root / ".guild" / "runs" / report.run / "run-state.json").read_text())
    assert told["lanes"]["T1-copywriter"]["tokens"] > 2000


@pytest.mark.slow
@pytest.mark.parametrize("second", [{"silent": True}, {"silent": True, "crash": 1}])
def test_the_receipt_of_an_attempt_is_none_of_the_next_nor_are_its_costs(
    second: dict[str, object], tmp_path: Path
) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": ()})
    folder = WorkFolder(root.resolve())
    inner = f".guild/runs/{latest_run(folder, SLUG)}/handoffs/copywriter-T1-copywriter.md"
    first = {
        "receipt": inner, "sh": f"mkdir -p {os.path.dirname(inner)}", "claims": ["app/none.py"],
        "usage": "{tokens: 100, usd: 0.5}",
    }  # fmt: skip
    report = execute(root, script(root, T1=[first, second]))
    (lane,) = read_run(folder, report.run).lanes
    assert (lane.status, lane.attempt, lane.tokens, lane.usd) == ("failed", 2, 100, 0.5)
    wanted = "exit code 1" if "crash" in second else "there is no receipt"
    assert wanted in lane.reason


def test_what_lanes_told_stands_beside_the_calls_where_the_cost_of_a_run_is_asked(
    tmp_path: Path,
) -> None:
    root = project(tmp_path / "p", TWO)
    acts = {"usage": "{tokens: 100000, usd: 1.2}"}
    report = execute(root, script(root, T1=acts, T2=acts))
    command = [sys.executable, "-m", "guildmoot", "trace", "cost", report.run]
    told = subprocess.run([*command, "--json"], cwd=root, capture_output=True, check=True)
    assert json.loads(told.stdout)["told_by_lanes"] == {"tokens": 200_000, "usd": 2.4}
    shown = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert "told of 200,000 tokens, $2.40" in shown.stdout
