"""What would take the guard away during a session: settings that change, flags, variables, tools, layers."""

import json

import pytest

from guildmoot.guard.audit import audit
from guildmoot.guard.commands.policy import judge_command
from guildmoot.guard.hooks.handle import answer
from guildmoot.guard.install.settings import layers_without_hooks
from guildmoot.guard.site import Site
from guildmoot.guard.tools import judge_tool

SITE = Site("/home/u/proj", "/home/u/proj", "/home/u", git=True)


def change(path, home):
    event = {"hook_event_name": "ConfigChange", "file_path": str(path), "cwd": str(home)}
    return answer(json.dumps(event).encode(), "claude", {"HOME": str(home)}).code


def test_a_change_that_switches_hooks_off_is_not_applied(tmp_path):
    settings = tmp_path / "settings.json"
    settings.write_text('{"disableAllHooks": true}')
    assert change(settings, tmp_path) == 2
    settings.write_text('{"model": "x"}')
    assert change(settings, tmp_path) == 0


def test_a_change_that_drops_our_hooks_is_not_applied(tmp_path):
    settings = tmp_path / "settings.json"
    state = tmp_path / ".local/state/guildmoot/guard"
    state.mkdir(parents=True)
    (state / "installed.json").write_text(json.dumps({str(settings): {}}))
    settings.write_text("{}")
    assert change(settings, tmp_path) == 2
    settings.write_text(json.dumps({"hooks": str(tmp_path / ".local/share/guildmoot/hook")}))
    assert change(settings, tmp_path) == 0


@pytest.mark.parametrize(
    "command",
    [
        "claude --settings '{\"disableAllHooks\":true}' -p x",
        "claude --setting-sources '' -p x",
        "claude config set disableAllHooks true",
        "CLAUDE_CONFIG_DIR=/tmp/x claude -p x",
        "export CLAUDE_CONFIG_DIR=/tmp/x; claude -p x",
    ],
)
def test_another_agent_without_the_guard_is_denied(command):
    assert judge_command(command, SITE).code == "guard-off"


@pytest.mark.parametrize(
    ("tool", "given", "action"),
    [
        ("Config", {"setting": "disableAllHooks", "value": True}, "deny"),
        ("Config", {"setting": "theme", "value": "dark"}, "allow"),
        ("mcp__box__helper", {"command": "rm -rf ~"}, "deny"),
        ("mcp__box__helper", {"command": "bash", "args": ["-c", "rm -rf ~"]}, "deny"),
        ("mcp__box__execute", {"cmd": "rm", "args": ["-rf", "/home/u"]}, "deny"),
        ("mcp__box__helper", {"step": {"script": "rm -rf ~"}}, "deny"),
        ("mcp__box__helper", {"command": "npm test"}, "allow"),
        ("ExitWorktree", {"action": "remove", "discard_changes": True}, "ask"),
        ("ExitWorktree", {"action": "keep"}, "allow"),
    ],
)
@pytest.mark.sample(3)
def test_tools_are_judged_by_their_fields(tool, given, action):
    assert judge_tool(tool, given, SITE).action == action


def test_what_is_nested_too_deeply_is_denied_for_any_tool(tmp_path):
    inner: object = "x"
    for _ in range(40):
        inner = {"a": [inner]}
    assert judge_tool("Anything", {"a": inner}, SITE).action == "deny"
    raw = b'{"hook_event_name":"PreToolUse","tool_name":"X","tool_input":' + b"[" * 200_000
    assert answer(raw, "claude", {"HOME": str(tmp_path)}).code == 2


@pytest.mark.parametrize("layer", ["home", "project"])
def test_every_layer_that_switches_hooks_off_is_told(tmp_path, layer):
    for name in ("home", "project"):
        (tmp_path / name / ".claude").mkdir(parents=True)
    assert layers_without_hooks(tmp_path / "project", tmp_path / "home") == []
    settings = tmp_path / layer / ".claude" / "settings.json"
    settings.write_text('{"disableAllHooks": true}')
    assert layers_without_hooks(tmp_path / "project", tmp_path / "home") == [settings]
    notes = [file.notes for file in audit(tmp_path / layer, write=False).files]
    assert any("switches all hooks off" in note for note in notes)
