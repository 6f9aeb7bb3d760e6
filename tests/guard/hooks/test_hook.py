"""One event in, one reply out, by the contract of the host that sent it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from guildmoot.guard.hooks.events import KNOWN_EVENTS, SEED_EVENTS
from guildmoot.guard.hooks.places import data_folder, state_folder
from hooks_calls import PATIENT, after, before, call, command, environment, make_run, rows

KEY = "AKIA" + "Q7ZP3XWLM4RT5VNB"


def test_ordinary_work_is_let_pass_without_a_word_or_a_trace(home, project):
    assert call(home, before(project, "ls -la && git status")) == (0, "", "")
    assert list(home.iterdir()) == []
    assert not (project / ".guild").exists()


def test_a_denial_is_exit_2_and_one_line_with_an_allowed_way(home, project):
    done = call(home, before(project, "rm -rf /"))
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert "rm -rf /" in done.err
    assert "instead" in done.err


def test_what_only_discards_work_is_kept_first_and_then_asked(home, project):
    done = call(home, before(project, "git reset --hard"))
    assert (done.code, done.err) == (0, "")
    assert done.said["permissionDecision"] == "ask"
    assert "guild undo restore" in done.said["permissionDecisionReason"]
    subprocess.run(["git", "reset", "-q", "--hard"], cwd=project, check=True)
    undo = [sys.executable, "-m", "guildmoot", "undo", "restore"]
    subprocess.run(undo, cwd=project, env=environment(home), check=True, capture_output=True)
    assert (project / "a.txt").read_text() == "not committed\n"


def test_where_nothing_can_be_lost_nothing_is_asked(home, project):
    subprocess.run(["git", "checkout", "-q", "."], cwd=project, check=True)
    assert call(home, before(project, "git reset --hard")) == (0, "", "")


@pytest.mark.parametrize("host", ["codex", "gemini"])
def test_a_host_that_cannot_ask_is_denied_and_told_where_a_person_answers(home, project, host):
    event = before(project, "git reset --hard")
    if host == "gemini":
        event |= {"hook_event_name": "BeforeTool", "tool_name": "run_shell_command"}
    done = call(home, event, host)
    assert (done.code, done.out) == (2, "")
    assert "guild approvals approve" in done.err


@pytest.mark.parametrize("event", [*sorted(KNOWN_EVENTS - {"PreToolUse"}), "SomethingNew"])
@pytest.mark.sample(4)
def test_every_other_event_is_accepted_and_recorded(home, project, event):
    run = make_run(project)
    given = {"hook_event_name": event, "cwd": str(project), "prompt": f"use {KEY}"}
    done = call(home, given, GUILD_RUN_ID="run-1")
    assert (done.code, done.err) == (0, "")
    [row] = rows(run / "events.ndjson")
    assert row["event"] == event
    assert ("unknown" in row) == (event == "SomethingNew")
    assert all(KEY not in file.read_text() for file in run.rglob("*") if file.is_file())


def test_the_ten_events_of_the_lifecycle_are_known():
    assert len(SEED_EVENTS) == 10
    assert set(SEED_EVENTS) <= KNOWN_EVENTS


def test_a_tool_that_nobody_knows_is_accepted_and_recorded(home, project):
    run = make_run(project)
    event = before(project, "") | {"tool_name": "Teleport", "tool_input": {"to": "moon"}}
    assert call(home, event, GUILD_RUN_ID="run-1").code == 0
    assert rows(run / "logs/tool-call-pre.jsonl")[0]["tool"] == "Teleport"


MALFORMED = [
    b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b"{}", b'{"hook_event_name": 7}',
    b'{"hook_event_name": "PreToolUse"}',
    b'{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": "rm -rf /"}',
    b"[" * 100_000,
]  # fmt: skip


@pytest.mark.parametrize("raw", MALFORMED)
@pytest.mark.sample(3)
def test_a_malformed_event_never_stops_the_host_except_under_a_scope(home, project, raw):
    assert call(home, raw) == (0, "", "")
    assert call(home, raw, GUILD_CAPABILITY_SCOPE='["*"]').code == 2
    run = make_run(project)
    (run / "scope").mkdir()
    (run / "scope/task.json").write_text("[]")
    held = {"GUILD_RUN_ID": "run-1", "GUILD_CWD": str(project)}
    assert call(home, raw, **held).code == 2
    assert rows(run / "logs/security-events.jsonl")[0]["event_type"] == "event_malformed"


def test_keys_in_an_output_are_masked_before_the_model_sees_them(home, project):
    done = call(home, after(project, "env", {"stdout": f"A={KEY}\nB=2", "interrupted": False}))
    told = done.said["updatedToolOutput"]
    assert told["interrupted"] is False
    assert KEY not in done.out
    assert "B=2" in told["stdout"]
    gemini = after(project, "env", {"llmContent": f"A={KEY}"}) | {"hook_event_name": "AfterTool"}
    answer = json.loads(call(home, gemini, "gemini").out)
    assert answer["decision"] == "deny"
    assert KEY not in answer["reason"]
    assert call(home, after(project, "ls", {"stdout": "a b c"})) == (0, "", "")


def test_with_a_run_calls_are_paired_by_their_id_and_nothing_secret_is_written(home, project):
    run = make_run(project)
    env = {"GUILD_RUN_ID": "run-1", "GUILD_LANE_ID": "lane"}
    for use in ("one", "two"):
        call(home, before(project, f"echo {KEY} {use}", use), **env)
    for use in ("two", "one"):
        call(home, after(project, f"echo {KEY} {use}", {"stdout": use}, use), **env)
    ended = rows(run / "logs/v1.4-events.jsonl")
    assert [row["tool_use_id"] for row in ended] == ["two", "one"]
    assert all(row["latency_ms"] >= 0 and row["lane_id"] == "lane" for row in ended)
    assert ended[1]["latency_ms"] > ended[0]["latency_ms"] - 5_000
    for file in run.rglob("*"):
        assert not file.is_file() or KEY not in file.read_text()


@pytest.mark.parametrize("name", ["run-2", "../runs/run-1", "", ".", "a/b", "x" * 300, "run-1\n"])
@pytest.mark.sample(3)
def test_without_an_existing_run_nothing_is_written(home, project, name):
    make_run(project)
    call(home, before(project, "ls"), GUILD_RUN_ID=name)
    call(home, {"hook_event_name": "Stop", "cwd": str(project)}, GUILD_RUN_ID=name)
    assert [each for each in (project / ".guild").rglob("*") if each.is_file()] == []
    assert list(home.iterdir()) == []


def test_a_run_behind_a_link_is_none(home, project, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (project / ".guild/runs").mkdir(parents=True)
    (project / ".guild/runs/run-1").symlink_to(outside)
    call(home, before(project, "ls"), GUILD_RUN_ID="run-1")
    assert list(outside.iterdir()) == []


def test_a_denial_in_a_run_is_a_security_event(home, project):
    run = make_run(project)
    call(home, before(project, "rm -rf /"), GUILD_RUN_ID="run-1")
    [row] = rows(run / "logs/security-events.jsonl")
    assert (row["schema"], row["event_type"]) == ("guild.security_event.v1", "command_denied")
    assert (row["decision"], row["tool"], row["host"]) == ("deny", "Bash", "claude")


def test_folders_are_those_that_the_rest_of_the_program_names(home, monkeypatch):
    from platformdirs import user_data_path, user_state_path

    monkeypatch.setenv("HOME", str(home))
    for more in ({}, {"XDG_STATE_HOME": str(home / "s"), "XDG_DATA_HOME": str(home / "d")}):
        for name in ("XDG_STATE_HOME", "XDG_DATA_HOME"):
            monkeypatch.delenv(name, raising=False)
        for name, value in more.items():
            monkeypatch.setenv(name, value)
        assert state_folder(os.environ) == str(user_state_path("guildmoot"))
        assert data_folder(os.environ) == str(user_data_path("guildmoot"))


def test_the_verb_answers_as_the_handler_does(home, project):
    start = f"{PATIENT} from guildmoot.cli.main import guild; sys.exit(guild())"
    words = [sys.executable, "-c", start, "hook"]
    for text in ("ls", "rm -rf /"):
        raw = json.dumps(before(project, text)).encode()
        one = subprocess.run(
            words, input=raw, capture_output=True, env=environment(home), check=False
        )
        two = subprocess.run(
            command(), input=raw, capture_output=True, env=environment(home), check=False
        )
        assert (one.returncode, one.stdout) == (two.returncode, two.stdout)
        assert one.stderr == two.stderr
