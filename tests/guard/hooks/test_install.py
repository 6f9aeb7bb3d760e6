"""Settings are merged, shown first, and come back exactly."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys

import pytest

from guildmoot.api.setup import _guard
from guildmoot.errors import UsageError
from guildmoot.guard.install.handler import handler_problem, python_path
from guildmoot.guard.install.probe import probe
from guildmoot.guard.install.settings import CLAUDE_DENY, CLAUDE_EVENTS
from guildmoot.guard.install.setup import install, plan_install, plan_uninstall, uninstall
from hooks_calls import before, environment

HOSTS = ("claude", "codex", "gemini")
PROGRAM = ".local/share/guildmoot/program"
FOUND = [
    None,
    "{}",
    '{"model": "opus"}\n',
    '{\n    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]},\n    "x": 1\n}',
    '{"permissions": {"deny": ["Read(./secret)", "Bash(mkfs*)"]}, "hooks": {}}',
]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """What the handler runs, whose compilation takes most of an installation."""
    folder = tmp_path_factory.mktemp("compiled")
    install(plan_install(["claude"], None, environment(folder)), environment(folder))
    return folder / PROGRAM


@pytest.fixture
def home(home, compiled):
    """It has been compiled there before; one test below looks at a place where it has not."""
    shutil.copytree(compiled, home / PROGRAM, copy_function=os.link)
    return home


def files(home, project):
    return {
        str(path): path.read_bytes()
        for place in (home, project)
        for path in place.rglob("*")
        if path.is_file() and not {".git", ".local"} & set(path.parts)
    }


@pytest.mark.parametrize("text", FOUND)
@pytest.mark.parametrize("own", [True, False])
@pytest.mark.sample(3)
def test_uninstalling_undoes_exactly(home, project, text, own):
    env = environment(home)
    place = None if own else project
    base = home if own else project
    names = (".claude/settings.json" if own else ".claude/settings.local.json", ".codex/hooks.json", ".gemini/settings.json")  # fmt: skip
    for name in names if text is not None else ():
        (base / name).parent.mkdir(exist_ok=True)
        (base / name).write_text(text)
    was = files(home, project)
    install(plan_install(HOSTS, place, env), env)
    assert plan_install(HOSTS, place, env).changes == ()
    assert files(home, project) != was
    uninstall(plan_uninstall(HOSTS, place, env), env)
    assert files(home, project) == was
    assert not (home / ".local/share/guildmoot/hook").exists()


def test_what_others_changed_meanwhile_stays(home, project):
    env = environment(home)
    install(plan_install(["claude"], project, env), env)
    file = project / ".claude/settings.local.json"
    table = json.loads(file.read_text())
    table["model"] = "sonnet"
    table["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "mine"}]})
    file.write_text(json.dumps(table))
    uninstall(plan_uninstall(["claude"], project, env), env)
    assert json.loads(file.read_text()) == {
        "model": "sonnet",
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]},
    }


def test_the_hook_before_a_call_blocks_when_it_fails_and_the_others_do_not(home, project):
    env = environment(home)
    install(plan_install(["claude"], project, env), env)
    table = json.loads((project / ".claude/settings.local.json").read_text())
    assert set(table["hooks"]) == set(CLAUDE_EVENTS)
    failing = {
        event: group[0]["hooks"][0].get("onFailure") for event, group in table["hooks"].items()
    }
    assert {event for event, what in failing.items() if what == "block"} == {"PreToolUse"}
    assert set(CLAUDE_DENY) <= set(table["permissions"]["deny"])


@pytest.mark.parametrize("bad", ["{", "[]", '{"hooks": []}', '{"hooks": {"Stop": 1}}', "// c\n{}"])
def test_settings_that_cannot_be_changed_safely_are_left_alone(home, project, bad):
    file = project / ".claude/settings.local.json"
    file.parent.mkdir()
    file.write_text(bad)
    with pytest.raises(UsageError, match="cannot be changed safely"):
        plan_install(["claude"], project, environment(home))
    assert file.read_text() == bad


def guild(home, project, *words):
    return subprocess.run(
        [sys.executable, "-m", "guildmoot", "guard", *words],
        cwd=project, env=environment(home), capture_output=True, text=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def test_the_change_is_shown_first_and_nobody_there_is_no_yes(home, project):
    done = guild(home, project, "install", "--claude")
    assert done.returncode == 64
    assert "+++ " in done.stdout
    assert "nothing was changed" in done.stderr
    assert not (project / ".claude").exists()
    done = guild(home, project, "install", "--claude", "--yes")
    assert (done.returncode, "guarded in" in done.stdout) == (0, True)
    assert guild(home, project, "install").returncode == 64
    assert json.loads(guild(home, project, "install", "--claude", "--json", "--yes").stdout)["done"]


def be_patient(home):
    """Give the installed handler the time that a busy machine takes; its text."""
    handler = home / ".local/share/guildmoot/hook"
    lines = "import guildmoot.guard.hooks.entry as entry; entry.DEADLINE = 10; entry.LATEST = 60\n"
    handler.write_text(handler.read_text().replace("main(sys.argv", f"{lines}main(sys.argv"))
    return handler.read_text()


def test_the_handler_denies_when_its_program_is_gone_and_holds_up_nothing_else(home, project):
    env = environment(home)
    install(plan_install(["claude"], project, env), env)
    handler = home / ".local/share/guildmoot/hook"
    good = be_patient(home)

    def run(event):
        raw = json.dumps(event).encode()
        return subprocess.run(
            [handler, "claude"], input=raw, env=env, capture_output=True, check=False
        )

    assert run(before(project, "ls")).returncode == 0
    assert run(before(project, "rm -rf /")).returncode == 2
    handler.write_text(good.replace("sys.path +=", "gone ="))
    done = run(before(project, "ls"))
    assert (done.returncode, b"its program is gone" in done.stderr) == (2, True)
    assert run({"hook_event_name": "UserPromptSubmit", "prompt": "x"}).returncode == 0


def test_the_own_rules_of_gemini_and_codex_are_written_too(home, project):
    import tomllib

    env = environment(home)
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").write_text('model = "x"\n[features]\na = true\n')
    install(plan_install(["codex", "gemini"], None, env), env)
    policy = tomllib.loads((home / ".gemini/policies/guild-guard.toml").read_text())
    assert all(rule["decision"] == "deny" for rule in policy["rule"])
    table = tomllib.loads((home / ".codex/config.toml").read_text())
    assert (table["sandbox_mode"], table["model"]) == ("workspace-write", "x")


def git(project, *words):
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    done = subprocess.run(["git", *who, *words], cwd=project, capture_output=True, check=True)
    return done.stdout.decode()


@pytest.mark.parametrize("words", [("stash", "-u"), ("clean", "-fdq"), ("add", "-A")])
def test_git_does_not_take_the_guard_of_a_project_along(home, project, words):
    env = environment(home)
    exclude = project / ".git/info/exclude"
    was = exclude.read_bytes()
    install(plan_install(HOSTS, project, env), env)
    assert git(project, "status", "--porcelain") == " M a.txt\n"
    git(project, *words)
    assert plan_install(HOSTS, project, env).changes == ()
    assert git(project, "ls-files") == "a.txt\n"
    uninstall(plan_uninstall(["claude"], project, env), env)
    assert b"/.claude/" not in exclude.read_bytes()
    assert b"/.codex/hooks.json" in exclude.read_bytes()
    uninstall(plan_uninstall(HOSTS, project, env), env)
    assert exclude.read_bytes() == was


def test_a_tracked_settings_file_is_told_of(home, project):
    (project / ".claude").mkdir()
    (project / ".claude/settings.local.json").write_text("{}")
    git(project, "add", ".")
    notes = plan_install(["claude"], project, environment(home)).notes
    assert any("is tracked by git" in note for note in notes)


@pytest.mark.parametrize("had", [None, '{"model": "opus"}\n'])
def test_edits_stay_when_it_was_installed_again_after_them(home, project, had):
    env = environment(home)
    file = project / ".claude/settings.local.json"
    file.parent.mkdir()
    if had:
        file.write_text(had)
    install(plan_install(["claude"], project, env), env)
    table = json.loads(file.read_text())
    table["env"] = {"A": "1"}
    table["permissions"]["allow"] = ["Bash(make *)"]
    table["hooks"]["Stop"][0]["hooks"][0]["timeout"] = 1
    file.write_text(json.dumps(table))
    install(plan_install(["claude"], project, env), env)
    uninstall(plan_uninstall(["claude"], project, env), env)
    assert json.loads(file.read_text()) == {
        **json.loads(had or "{}"),
        "env": {"A": "1"},
        "permissions": {"allow": ["Bash(make *)"]},
    }


OWN = '{"hooks":{},"permissions":{"deny":["Bash(mkfs*)","Read(./.env)"],"allow":[]},"env":{}}'


@pytest.mark.parametrize("text", [OWN, '{"hooks":[], "permissions":{"deny":"x"}}', '{"hooks":{}}'])
def test_where_it_was_never_installed_nothing_is_taken_out(home, project, text):
    file = project / ".claude/settings.local.json"
    file.parent.mkdir()
    file.write_text(text)
    assert plan_uninstall(["claude"], project, environment(home)).changes == ()


def test_rules_that_were_the_users_before_stay_after_an_edit(home, project):
    env = environment(home)
    file = project / ".claude/settings.local.json"
    file.parent.mkdir()
    file.write_text(OWN)
    install(plan_install(["claude"], project, env), env)
    table = json.loads(file.read_text()) | {"model": "x"}
    file.write_text(json.dumps(table))
    plan = plan_uninstall(["claude"], project, env)
    assert plan.edited == 1
    uninstall(plan, env)
    left = json.loads(file.read_text())
    assert left["permissions"]["deny"] == ["Bash(mkfs*)", "Read(./.env)"]
    assert left["permissions"]["allow"] == []


def test_links_marks_and_line_ends_of_settings_stay(home, project):
    env = environment(home)
    real = home / "dotfiles/settings.json"
    real.parent.mkdir()
    real.write_bytes(b'\xef\xbb\xbf{\r\n  "model": "x"\r\n}\r\n')
    (home / ".claude").mkdir()
    link = home / ".claude/settings.json"
    link.symlink_to(real)
    install(plan_install(["claude"], None, env), env)
    assert link.is_symlink()
    now = real.read_bytes()
    assert now.startswith(b"\xef\xbb\xbf{\r\n")
    assert now.count(b"\n") == now.count(b"\r\n")
    uninstall(plan_uninstall(["claude"], None, env), env)
    assert link.is_symlink()
    assert real.read_bytes() == b'\xef\xbb\xbf{\r\n  "model": "x"\r\n}\r\n'


def test_a_link_of_a_project_that_leads_out_of_it_is_refused(home, project):
    (home / "other.json").write_text("{}")
    (project / ".claude").mkdir()
    (project / ".claude/settings.local.json").symlink_to(home / "other.json")
    with pytest.raises(UsageError, match="leads out of the project"):
        plan_install(["claude"], project, environment(home))


def test_the_record_of_old_settings_is_for_the_user_alone(home, project):
    env = environment(home)
    install(plan_install(["claude"], project, env), env)
    file = home / ".local/state/guildmoot/guard/installed.json"
    assert file.stat().st_mode & 0o777 == 0o600


def test_uninstalling_needs_no_agent_named_and_says_where_else_it_is(home, project):
    assert guild(home, project, "install", "--claude", "--user", "--yes").returncode == 0
    done = guild(home, project, "uninstall", "--yes")
    assert (done.returncode, ".claude/settings.json" in done.stdout) == (0, True)
    assert guild(home, project, "uninstall", "--user", "--yes").returncode == 0
    assert not (home / ".claude").exists()


def test_guarded_is_not_said_where_no_hook_runs(home, project):
    file = project / ".claude/settings.local.json"
    file.parent.mkdir()
    file.write_text('{"disableAllHooks": true}')
    for _ in range(2):
        done = guild(home, project, "install", "--claude", "--yes")
        assert (done.returncode, "claude: guarded" in done.stdout) == (2, False)
        assert "disableAllHooks" in done.stdout


def test_the_handler_needs_neither_checkout_nor_environment(home, project, tmp_path):
    env = environment(home)
    shutil.rmtree(home / PROGRAM)
    install(plan_install(["claude"], project, env), env)
    handler = home / ".local/share/guildmoot/hook"
    text = be_patient(home)
    at = text.index("sys.path += ")
    places = ast.literal_eval(text[at + 12 : text.index("\n", at)])
    assert places[0].startswith(str(home))
    gone = text.replace(repr(places), repr(places[:1])).replace("/src/guildmoot", "/not/there")
    handler.write_text(gone)
    for command, code in (("ls", 0), ("rm -rf /", 2), ("git reset --hard", 0)):
        raw = json.dumps(before(project, command)).encode()
        done = subprocess.run([handler, "claude"], input=raw, env=env, capture_output=True)
        assert (done.returncode, b"program is gone" in done.stderr) == (code, False)
    handler.write_text(text.replace(python_path(), "/not/there/python"))
    for event, code in ((before(project, "ls"), 2), ({"hook_event_name": "Stop"}, 0)):
        raw = json.dumps(event).encode()
        done = subprocess.run([handler, "claude"], input=raw, env=env, capture_output=True)
        assert (done.returncode, b"its Python is gone" in done.stderr) == (code, code == 2)
    assert "is gone: guild guard install" in handler_problem(env)
    install(plan_install(["claude"], project, env), env)
    assert handler_problem(env) == ""


def test_options_without_serve_are_a_usage_error(home, project):
    done = subprocess.run(
        [sys.executable, "-m", "guildmoot", "hook", "--json"],
        cwd=project, env=environment(home), capture_output=True, input=b"{}", timeout=60,
    )  # fmt: skip
    assert (done.returncode, b"guild hook serve" in done.stdout + done.stderr) == (64, True)


def test_the_doctor_tells_of_a_handler_that_does_not_answer(home, project, monkeypatch):
    env = environment(home)
    for name in ("XDG_STATE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    assert _guard() == []
    install(plan_install(["claude"], project, env), env)
    assert _guard()[0].ok
    (home / ".local/share/guildmoot/hook").unlink()
    assert (_guard()[0].ok, "is gone" in _guard()[0].detail) == (False, True)


def test_a_probe_claims_nothing_where_nothing_is_installed(home, project, tmp_path):
    client = tmp_path / "bin/claude"
    client.parent.mkdir()
    client.write_text("#!/bin/sh\nexit 1\n")
    client.chmod(0o755)
    env = environment(home) | {"PATH": f"{client.parent}:/usr/bin:/bin"}
    assert not any(each.claimed for each in probe(["claude"], project, env))
    install(plan_install(["claude"], project, env), env)
    assert any(each.claimed for each in probe(["claude"], project, env))
