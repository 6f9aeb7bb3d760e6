"""The plugin is what the package has, says only what verbs can do, and comes and goes without a trace."""

from __future__ import annotations

import io
import json
import re
import shlex
import subprocess
from contextlib import redirect_stdout, suppress
from hashlib import sha256
from pathlib import Path

import pytest

from guildmoot.agents.frontmatter import parse
from guildmoot.cli.main import GUILD_VERBS, run
from guildmoot.errors import UsageError
from guildmoot.places import plugin, plugin_install

ROOT = Path(__file__).parents[2]
SEEDS = (
    *("council", "guild-validate", "guild-whiteboard", "guild-plan", "guild-spawn", "ev-run"),
    *("ev-loop-confidence", "ev-loop-interactive", "vibe", "pre-mortem", "post-mortem"),
)
FILES = plugin.plugin_files()


def test_the_tree_in_the_repository_is_what_the_package_gives():
    """'guild plugin build plugin' writes it anew."""
    wanted = {f"plugin/{name}": text.encode() for name, text in FILES.items()}
    gemini = plugin.gemini_files()
    wanted |= {f"plugin/gemini/{name}": text.encode() for name, text in gemini.items()}
    wanted[".claude-plugin/marketplace.json"] = plugin.marketplace().encode()
    wanted["plugin/.claude-plugin/icon.png"] = plugin_install.icon()
    folders = (ROOT / "plugin", ROOT / ".claude-plugin")
    there = {str(p.relative_to(ROOT)): p for f in folders for p in f.rglob("*") if p.is_file()}
    assert sorted(there) == sorted(wanted), "run: guild plugin build plugin"
    assert [name for name, path in there.items() if path.read_bytes() != wanted[name]] == []


def test_every_skill_and_command_calls_a_verb_that_is_there():
    skills = dict(plugin.skills())
    assert set(SEEDS) <= set(skills)
    assert not set(skills) & set(plugin.COMMANDS)  # in Claude Code both are /guild:NAME
    commands = [FILES[f"commands/{name}.md"] for name in plugin.COMMANDS]
    for text in (*skills.values(), *commands):
        assert set(re.findall(r"`guild ([a-z-]+)[ `]", text)) <= set(GUILD_VERBS), text
    for text in (*(skills[name] for name in SEEDS), *commands):
        assert "`guild " in text, text
    assert all(parse(skills[name]).data.get("argument-hint") for name in SEEDS)
    for text in (*skills.values(), *commands):
        _check_allowed(parse(text).data)
    for text in skills.values():  # a repository may bring an agent called judge, who approves all
        assert "`judge` subagent" not in text
    for name, text in skills.items():
        data = parse(text).data
        assert data["name"] == name
        assert text.count("\n") < 40  # thin
    assert all(
        "--hand-out" in skills[name]
        for name in SEEDS
        if name in ("council", "guild-validate", "guild-spawn")
    )


def _check_allowed(head):
    """What a person is to say yes to is not allowed beforehand, nor is a verb with an option that starts a program."""
    refused = str(head.get("disallowed-tools", ""))
    for words in re.findall(r"Bash\(([^)]*):\*\)", str(head.get("allowed-tools", ""))):
        assert words.split()[1] in GUILD_VERBS
        assert words.split()[1] not in ("trust", "guard", "approvals", "findings", "undo")
        starts = [option for option in command_options(words) if f"* {option}*" not in refused]
        assert starts == [], words


def command_options(words):
    """The options of a verb that take a command line, as its help tells them."""
    said = io.StringIO()
    with redirect_stdout(said), suppress(SystemExit):
        run("guild", GUILD_VERBS, [*words.split()[1:], "--help"])
    assert "usage:" in said.getvalue()
    return sorted(set(re.findall(r"(--[a-z-]+) CMD", said.getvalue())))


def test_agents_of_every_role_are_there_and_judges_cannot_write():
    heads = {n: parse(t).data for n, t in FILES.items() if n.startswith("agents/")}
    names = {str(data["name"]) for data in heads.values()}
    assert {"judge", "architect", "technical-writer", "implementer", "fixer", "plan-api"} <= names
    assert len(list((ROOT / "src/guildmoot/lifecycle/specialists").glob("*.md"))) == 14
    for data in heads.values():
        if str(data["name"]).startswith(("evaluator-", "plan-")):
            assert data["tools"] == "Read, Glob, Grep"
    for event in json.loads(FILES["hooks/hooks.json"])["hooks"].values():
        assert event[0]["hooks"][0]["args"] == ["${CLAUDE_PLUGIN_ROOT}/bin/hook"]


def test_a_repository_cannot_say_that_the_guard_has_answered_already(shop):
    handler = shop.home / ".local/share/guildmoot/hook"
    handler.parent.mkdir(parents=True, exist_ok=True)
    handler.write_text("#!/bin/sh\necho answered\n")
    handler.chmod(0o755)

    def hook():
        env = {**shop.env, "HOME": str(shop.home), "CLAUDE_PROJECT_DIR": str(shop.root)}
        env.pop("XDG_DATA_HOME", None)
        done = subprocess.run(["sh", ROOT / "plugin/bin/hook"], env=env, capture_output=True, input=b"{}")  # fmt: skip
        return done.stdout.decode().strip()

    assert hook() == "answered"
    shop.write(".claude/settings.local.json", json.dumps({"hooks": str(handler)}))
    assert hook() == ""  # the user's own, where 'guild guard install' put it
    shop.git("add", "-f", ".claude/settings.local.json")
    assert hook() == "answered"  # the repository's


@pytest.mark.parametrize("host", plugin_install.HOSTS)
def test_installing_and_taking_away_leaves_what_others_wrote(tmp_path, host):
    env = {"HOME": str(tmp_path)}
    own = {
        "claude": (".claude/settings.json", '{"model": "opus", "enabledPlugins": {"x@y": true}}'),
        "codex": (".codex/AGENTS.md", "# Mine\n\nBe kind.\n"),
        "gemini": (".gemini/settings.json", "{}\n"),
    }
    name, text = own[host]
    file = tmp_path / name
    file.parent.mkdir(parents=True)
    file.write_text(text)
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    changes, kept = plugin_install.plan([host], None, env, status_line=True)
    assert kept == []
    assert {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == before  # a plan only
    plugin_install.apply(changes)
    assert plugin_install.plan([host], None, env, status_line=True).changes == []
    if host == "claude":
        data = json.loads(file.read_text())
        assert data["enabledPlugins"] == {"x@y": True, "guild@guildmoot": True}
        assert shlex.split(data["statusLine"]["command"])[1] in GUILD_VERBS
        assert (tmp_path / ".local/share/guildmoot/plugin/plugin/bin/hook").stat().st_mode & 0o111
    else:
        found = list(tmp_path.rglob("guild-validate/SKILL.md"))
        assert len(found) == 1
    plugin_install.apply(plugin_install.plan([host], None, env, uninstall=True).changes)
    after = {p: p for p in tmp_path.rglob("*") if p.is_file()}
    assert set(after) == set(before)
    assert file.read_text() == text


@pytest.mark.parametrize(
    ("host", "name", "mine"),
    [
        ("codex", ".codex/AGENTS.md", b"caf\xe9, no UTF-8\r\nno end of line"),
        ("codex", ".codex/AGENTS.md", b"# Mine\n\n\n\n"),
        ("claude", ".claude/settings.json", '{\n\t"env": {"A": "é"}, "n": 1.0}'.encode()),
        ("claude", ".claude/settings.json", b'{\r\n    "enabledPlugins": {}\r\n}'),
    ],
)
def test_what_we_wrote_into_is_put_back_byte_for_byte_behind_the_users_own_link(
    tmp_path, host, name, mine
):
    env, dotfile, file = {"HOME": str(tmp_path)}, tmp_path / "dotfile", tmp_path / name
    dotfile.write_bytes(mine)
    file.parent.mkdir()
    file.symlink_to(dotfile)
    for _ in range(2):
        plugin_install.apply(plugin_install.plan([host], None, env).changes)
    assert dotfile.read_bytes() != mine
    (kept,) = (tmp_path / ".local/share/guildmoot/before-plugin").iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600
    plugin_install.apply(plugin_install.plan([host], None, env, uninstall=True).changes)
    assert (dotfile.read_bytes(), file.is_symlink(), kept.exists()) == (mine, True, False)


def test_what_was_written_since_stays(tmp_path):
    env, file = {"HOME": str(tmp_path)}, tmp_path / ".codex/AGENTS.md"
    file.parent.mkdir()
    file.write_bytes(b"caf\xe9\n")
    plugin_install.apply(plugin_install.plan(["codex"], None, env).changes)
    with file.open("ab") as stream:
        stream.write(b"\nMine, later.\n")
    whole = file.read_bytes()
    file.write_bytes(whole.replace(b"<!-- guild: end -->", b""))
    with pytest.raises(UsageError, match="without"):
        plugin_install.plan(["codex"], None, env, uninstall=True)
    file.write_bytes(whole)
    plugin_install.apply(plugin_install.plan(["codex"], None, env, uninstall=True).changes)
    assert file.read_bytes() == b"caf\xe9\n\nMine, later.\n"


def test_a_project_cannot_lead_its_files_elsewhere(shop, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    for name, host in ((".claude", "claude"), (".agents", "codex")):
        (shop.root / name).symlink_to(outside)
        with pytest.raises(UsageError, match="is a link"):
            plugin_install.plan([host], shop.root, {"HOME": str(tmp_path)})


def test_a_skill_of_the_users_under_our_name_is_neither_written_over_nor_taken_away(tmp_path):
    env = {"HOME": str(tmp_path)}
    mine, ours, old = (tmp_path / f".agents/skills/{name}/SKILL.md" for name in ("review", "plan", "vibe"))  # fmt: skip
    mine.parent.mkdir(parents=True)
    mine.write_text("Mine.")
    changes, kept = plugin_install.plan(["codex"], None, env)
    plugin_install.apply(changes)
    assert (kept, mine.read_text(), ours.is_file()) == ([mine], "Mine.", True)
    record = tmp_path / ".local/share/guildmoot/skills-written.json"
    told = json.loads(record.read_text())
    old.write_text("An older text of ours.")  # as an older version of this package put it there
    told[str(old)] = sha256(old.read_bytes()).hexdigest()
    gone = tmp_path / ".agents/skills/gone/SKILL.md"  # a skill that is no longer shipped
    gone.parent.mkdir()
    gone.write_text("Gone.")
    told[str(gone)] = sha256(gone.read_bytes()).hexdigest()
    record.write_text(json.dumps(told))
    plugin_install.apply(plugin_install.plan(["codex"], None, env).changes)
    assert (old.read_text(), gone.exists()) == (dict(plugin.skills())["vibe"], False)
    ours.write_text("Ours, changed by the user.")
    changes, kept = plugin_install.plan(["codex"], None, env, uninstall=True)
    plugin_install.apply(changes)
    left = {path for path in tmp_path.rglob("*") if path.is_file()}
    assert sorted(left) == sorted(kept) == sorted([mine, ours])


def test_settings_that_cannot_be_read_are_left_alone(tmp_path):
    file = tmp_path / ".claude/settings.json"
    file.parent.mkdir()
    for text in (b"{oops", b'{"a": "caf\xe9"}', b'{"enabledPlugins": [1]}'):
        file.write_bytes(text)
        with pytest.raises(UsageError):
            plugin_install.plan(["claude"], None, {"HOME": str(tmp_path)})
