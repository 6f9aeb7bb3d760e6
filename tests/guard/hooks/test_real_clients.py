"""The real clients, offline against a scripted model: what the guard denies, asks for and lets pass.

``scripts/clients`` installs them; where one is absent its tests are skipped, unless GUILD_REQUIRE_CLIENTS is set.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from guildmoot.backends.programs import clients_folder, find_client
from guildmoot.guard.install.probe import probe
from hooks_calls import environment, make_run, rows
from loopback import Rule, serving

pytestmark = pytest.mark.slow  # each starts a real client
INSTALLED = str(clients_folder(os.environ))
FOUND = {name: find_client(name, os.environ) for name in ("claude", "codex", "gemini")}
KEY = "AKIA" + "Q7ZP3XWLM4RT5VNB"


def installed(name):
    found = FOUND[name]
    if not found and not os.environ.get("GUILD_REQUIRE_CLIENTS"):
        pytest.skip(f"{name} is not installed")
    return str(found)


def guild(home, project, *words):
    return subprocess.run(
        [sys.executable, "-m", "guildmoot", *words],
        cwd=project, env=environment(home), capture_output=True, text=True, check=True,
    )  # fmt: skip


def drive(home, project, tool, given, *flags, **env):
    """What claude's transcript says of the one call that the model asks for."""
    rules = [Rule(use=(tool, given), times=1, match="go now"), Rule(text="done")]
    words = [installed("claude"), "-p", "go now", "--output-format", "stream-json", "--verbose"]
    with serving(rules) as provider:
        quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
        done = subprocess.run(
            [*words, "--allowedTools", tool, "--model", "claude-sonnet-4-5", *flags],
            cwd=project, env={**environment(home), **provider.environment(), **quiet, **env},
            capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120, check=False,
        )  # fmt: skip
    transcript = [json.loads(line) for line in done.stdout.splitlines()]
    results = [
        block
        for row in transcript
        if row["type"] == "user"
        for block in row["message"]["content"]
        if isinstance(block, dict) and block["type"] == "tool_result"
    ]
    assert len(results) == 1, done.stdout + done.stderr
    assert transcript[-1]["subtype"] == "success"
    return results[0]


@pytest.fixture
def guarded(home, project):
    guild(home, project, "guard", "install", "--claude", "--yes")
    return project


def test_one_command_protects_claude_it_denies_asks_and_lets_pass(home, guarded):
    denied = drive(home, guarded, "Bash", {"command": "rm -rf /etc", "description": "d"})
    assert denied["is_error"]
    assert "guild guard: removes a part of the operating system" in denied["content"]
    assert os.path.isdir("/etc")

    loss = {"command": "git reset --hard", "description": "d"}
    asked = drive(home, guarded, "Bash", loss)
    assert asked["is_error"]  # nobody is there to answer
    assert "guild undo restore" in asked["content"]
    assert (guarded / "a.txt").read_text() == "not committed\n"

    passed = drive(home, guarded, "Bash", {"command": "echo hello", "description": "d"})
    assert (passed["is_error"], passed["content"]) == (False, "hello")

    guild(home, guarded, "guard", "uninstall", "--claude", "--yes")
    drive(home, guarded, "Bash", loss)
    assert (guarded / "a.txt").read_text() == "committed\n"
    guild(home, guarded, "undo", "restore")
    assert (guarded / "a.txt").read_text() == "not committed\n"


def test_a_run_has_the_call_on_record_and_the_model_sees_no_key(home, guarded):
    run = make_run(guarded)
    (guarded / "log.txt").write_text(f"key {KEY}\n")
    result = drive(
        home, guarded, "Bash", {"command": "cat log.txt", "description": "d"}, GUILD_RUN_ID="run-1"
    )
    assert "[masked:aws-key]" in result["content"]
    assert KEY not in result["content"]
    [ended] = [row for row in rows(run / "logs/v1.4-events.jsonl") if row["event"] == "tool_call"]
    assert (ended["tool_use_id"], ended["status"]) == ("toolu_1", "ok")
    assert {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"} <= {
        row["event"] for row in rows(run / "events.ndjson")
    }
    assert all(KEY not in file.read_text() for file in run.rglob("*") if file.is_file())


def test_the_layers_hold_each_alone(home, guarded):
    (guarded / ".env").write_text("A=1\n")
    file = guarded / ".claude/settings.local.json"
    both = json.loads(file.read_text())
    read = {"file_path": str(guarded / ".env")}
    file.write_text(json.dumps({"permissions": both["permissions"]}))
    native = drive(home, guarded, "Read", read)
    assert native["is_error"]
    assert "guild guard" not in native["content"]
    file.write_text(json.dumps({"hooks": both["hooks"]}))
    hooked = drive(home, guarded, "Read", read)
    assert hooked["is_error"]
    assert "guild guard" in hooked["content"]


@pytest.mark.parametrize("name", ["claude", "codex", "gemini"])
def test_the_probe_tells_covered_from_open(home, project, name):
    installed(name)
    env = environment(home, GUILD_CLIENTS=INSTALLED)
    open_now = {each.surface: each.coverage for each in probe([name], project, env)}
    assert "covered" not in open_now.values()
    assert "not covered" in open_now.values()
    guild(home, project, "guard", "install", f"--{name}", "--yes")
    found = {each.surface: each.coverage for each in probe([name], project, env)}
    expected = {
        "claude": {"Bash": "covered", "Write": "covered", "Bash, --bare": "not covered"},
        "codex": {"exec_command": "not covered", "exec_command, trust bypassed": "covered"},
        "gemini": {"run_shell_command": "covered", "write_file": "covered"},
    }[name]
    assert expected.items() <= found.items()
    assert not list(project.glob(".guild-guard-canary*"))
