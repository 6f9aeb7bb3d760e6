"""What a client's lane is told and gives signs of: a scripted client that speaks as claude does, without a model."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path

import pytest
from tests.lifecycle.executions import (
    SLUG,
    SPECIALIST,
    approve_plan,
    execute,
    git,
    project,
    script,
    start,
)

from guildmoot.api.lifecycle.execution import ask_of_run
from guildmoot.backends.claude import BACKEND as CLAUDE
from guildmoot.backends.codex import settings as codex_settings
from guildmoot.backends.live import said_in
from guildmoot.lifecycle.execution.control import ControlRequest
from guildmoot.lifecycle.execution.journal import read_run
from guildmoot.lifecycle.execution.looking import cost_of
from guildmoot.lifecycle.execution.values import ExecutionReport
from guildmoot.lifecycle.places import WorkFolder

TOLD = ("GUILD_RECEIPT", "GUILD_NUDGE", "GUILD_HEARTBEAT", "GUILD_BUNDLE")
COMPACTING = {"type": "system", "subtype": "status", "status": "compacting"}
CLIENT = """#!{python} -I
import json, os, subprocess, sys, time
if "--version" in sys.argv:
    sys.exit(print("2.1.325 (Claude Code)"))
sys.stdin.readline()
def say(**event):
    print(json.dumps(event), flush=True)
say(type="system", subtype="init", session_id="s")
usage = {{"input_tokens": 5, "output_tokens": 5}}
say(type="stream_event", event={{"type": "message_start", "message": {{"model": "m", "usage": usage}}}})
for event in {events}:
    say(**event)
time.sleep({sleep})
words = [sys.executable, "-I", {specialist!r}, {script!r}]
subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
os.makedirs("app", exist_ok=True)
time.sleep({after})
say(type="result", subtype="success", is_error=False, result="done")
"""


def works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: dict[str, object],
    *events: object, sleep: float = 0,
) -> ExecutionReport:  # fmt: skip
    """One lane of the scripted client, which does what ``act`` says."""
    root = prepare(tmp_path, monkeypatch, act, *events, sleep=sleep)
    return execute(
        root, silence=1.0,
        settings={
            "work.clients": True, "work.agent_mode": "subagent", "work.tiers": ("mid=claude:sonnet",),
            "work.writable": (str(tmp_path / "starts.txt"),),
        },
    )  # fmt: skip


def prepare(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: object, *events: object,
    sleep: float = 0, after: float = 0,
) -> Path:  # fmt: skip
    """A project of one lane, and the scripted client on the PATH."""
    root = project(tmp_path / "p", {"T1-copywriter": ()})
    acts = tmp_path / "script.json"
    acts.write_text(json.dumps({"T1": act}))
    (tmp_path / "starts.txt").touch()
    folder = tmp_path / "bin"
    folder.mkdir()
    text = CLIENT.format(
        python=sys.executable, events=list(events), sleep=sleep, specialist=str(SPECIALIST), script=str(acts),
        after=after,
    )  # fmt: skip
    (folder / "claude").write_text(text)
    (folder / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "dummy")
    return root


@pytest.mark.slow
def test_a_client_that_compacts_its_context_is_silent_and_not_dead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = works(tmp_path, monkeypatch, {}, COMPACTING, sleep=4)
    assert report.status == "done", report
    assert any("it compacts its context" in note for note in report.notes)
    assert not any("nudged" in note for note in report.notes)


@pytest.mark.slow
def test_one_that_is_only_silent_is_ended_and_nobody_says_that_it_was_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = works(tmp_path, monkeypatch, {}, sleep=30)
    assert report.lanes[0].status == "failed"
    (note,) = [each for each in report.notes if "nudged" in each]
    assert "a client cannot be told while it works" in note


@pytest.mark.slow
def test_what_it_says_is_followed_while_it_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = {
        "type": "tool_use",
        "name": "Bash",
        "input": {"command": "make API_KEY=sk-ant-api03-" + "x" * 40},
    }
    blocks = [{"type": "text", "text": "I look at the tests."}, tool]
    said = {"type": "assistant", "message": {"role": "assistant", "content": blocks}}
    live = "cat .guild/../../../../runs/*/attempts/T1-copywriter-1/live.log > app/seen.txt"
    act = {"sh": live, "files": {"app/seen.txt": ""}}
    report = works(tmp_path, monkeypatch, act, said)
    assert report.status == "done", report
    seen = git(tmp_path / "p", "show", f"{report.branch}:app/seen.txt")
    assert seen.startswith("claude:sonnet is at work\nI look at the tests.\nBash make ")
    assert "xxxx" not in seen


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            {"type": "item.started", "item": {"type": "command_execution", "command": "make"}},
            "make",
        ),
        ({"type": "item.completed", "item": {"type": "agent_message", "text": "done"}}, "done"),
        ({"type": "message", "role": "assistant", "content": "hello"}, "hello"),
        ({"type": "tool_use", "tool_name": "read", "parameters": {"path": "a.py"}}, "read a.py"),
        ({"type": "stream_event", "event": {"delta": {"text": "he"}}}, ""),
        ({"type": "user", "message": {"content": [{"content": "a whole file"}]}}, ""),
        ("no event at all", "no event at all"),
    ],
)
def test_people_are_told_what_clients_say_and_do(line: object, words: str) -> None:
    raw = line if isinstance(line, str) else json.dumps(line)
    assert said_in(raw.encode()) == words


@pytest.mark.slow
def test_what_an_attempt_may_have_taken_is_counted_once_when_the_engine_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = prepare(tmp_path, monkeypatch, [{"claims": ["app/none.py"]}, {}], after=60)
    monkeypatch.setenv("GUILD_WORK_TIERS", "mid=claude:sonnet")
    monkeypatch.setenv("GUILD_WORK_WRITABLE", str(tmp_path / "starts.txt"))
    engine = start(root, "--clients", "--mode", "subagent")
    until = time.monotonic() + 60
    while not list(root.glob(".guild/runs/*/attempts/*/inbox-*/*.md")) and time.monotonic() < until:
        time.sleep(0.05)
    engine.kill()
    engine.communicate(timeout=60)
    client = tmp_path / "bin" / "claude"
    client.write_text(client.read_text().replace("time.sleep(60)", ""))
    report = execute(root)
    journal = WorkFolder(root.resolve()).run(report.run) / "execution.jsonl"
    rows = [json.loads(row) for row in journal.read_text().splitlines()]
    first, second, *_ = (at for at, row in enumerate(rows) if row["event"] == "dispatched")
    counted = sum(row.get("tokens", 0) for row in rows[first:second])
    assert counted == rows[first]["held_tokens"] > 0


@pytest.mark.slow
def test_what_a_command_took_counts_beside_the_calls_of_a_client_that_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = works(tmp_path, monkeypatch, {"crash": 1})
    assert first.lanes[0].status == "failed"
    root = tmp_path / "p"
    asyncio.run(ask_of_run("", ControlRequest("retry", "T1-copywriter", why="by hand"), root))
    told = {"usage": "{tokens: 70, usd: 0.25}"}
    assert execute(root, script(root, T1=told)).status == "done"
    cost = cost_of(WorkFolder(root.resolve()), SLUG)
    assert (cost.calls, cost.told_tokens, cost.told_usd) == (1, 70, 0.25)


@pytest.mark.slow
def test_its_commands_have_the_variables_of_the_dispatch_and_find_the_brief(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tells = f"env | grep -E '^({'|'.join(TOLD)})=' > app/env.txt; cat .guild/runs/*/brief.md > app/brief.txt"
    files = {"app/env.txt": "", "app/brief.txt": ""}
    report = works(tmp_path, monkeypatch, {"sh": tells, "files": files})
    assert report.status == "done", report
    root = tmp_path / "p"
    seen = git(root, "show", f"{report.branch}:app/env.txt")
    assert {row.partition("=")[0] for row in seen.splitlines()} == set(TOLD)
    assert "How you hand over" in git(root, "show", f"{report.branch}:app/brief.txt")
    assert read_run(WorkFolder(root.resolve()), report.run).rung == "client"


@pytest.mark.slow
def test_the_tools_of_a_lane_are_those_of_the_approved_team(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-devops": (), "T2-copywriter": ()})
    folder = WorkFolder(root.resolve())
    text = folder.team(SLUG).read_text()
    for name, tools in (("devops", "[Read, Write]"), ("copywriter", "[Read, Write, Bash]")):
        text = text.replace(f"name: {name}\n", f"name: {name}\n    capability_scope: {tools}\n")
    folder.team(SLUG).write_text(text)
    approve_plan(folder)
    report = execute(root, script(root))
    attempts = root / ".guild" / "runs" / report.run / "attempts"
    told = [
        json.loads((attempts / task / "dispatch.json").read_text())["scope"]["tools"]
        for task in ("T1-devops-1", "T2-copywriter-1")
    ]
    assert told == [["Read", "Write"], ["Read", "Write", "Bash"]]


def test_what_ends_a_compaction() -> None:
    boundary = {"type": "system", "subtype": "compact_boundary"}
    assert CLAUDE.step(COMPACTING, "") == "compacting"
    assert CLAUDE.step({"type": "system", "subtype": "api_retry"}, "compacting") == "compacting"
    for event in (boundary, {"type": "stream_event"}, {**COMPACTING, "status": None}):
        assert CLAUDE.step(event, "compacting") == ""


def test_the_anchor_stands_where_no_compaction_takes_it_away() -> None:
    said = 'your "brief"'
    assert 'developer_instructions = "your \\"brief\\""' in codex_settings(
        "", works=True, anchor=said
    )
