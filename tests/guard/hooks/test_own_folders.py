"""The folders by which a session is guarded stay, and what a question promises is what was kept."""

from __future__ import annotations

import subprocess

import pytest

from guildmoot.guard.install.setup import install, plan_install
from guildmoot.guard.undo.restore import find_snapshot, restore
from guildmoot.guard.undo.snapshot import snapshots, take_snapshot
from hooks_calls import before, call, environment

AWAY = [
    "rm -rf .claude",
    "mv .claude /tmp/x",
    "mv .claude/settings.local.json /tmp/x",
    "rm -rf ./.claude/",
    "find .claude -delete",
    "git clean -fdx",
    "git clean -fdX",
    "git clean -fdx -e node_modules",
    "git stash -a",
    "rm -rf ~/.local/share",
    "mv ~/.local/state/guildmoot /tmp/x",
    "python3 -c \"import shutil; shutil.rmtree('.claude')\"",
]
FINE = [
    "rm -rf src",
    "mv a.txt b.txt",
    "git clean -fdx -e .claude",
    "git stash -u",
    "find . -name '*.tmp' -delete",
    "cp -r a.txt .claude-copy",
]


@pytest.fixture
def guarded(home, project):
    env = environment(home)
    install(plan_install(["claude"], project, env), env)
    (project / ".git/info/attributes").write_text("")
    return project


@pytest.mark.parametrize("command", AWAY)
@pytest.mark.sample(3)
def test_what_takes_the_guard_away_is_denied(home, guarded, command):
    done = call(home, before(guarded, command))
    assert (done.code, "changes what guards this session" in done.err) == (2, True)


@pytest.mark.parametrize("command", FINE)
@pytest.mark.sample(3)
def test_the_rest_is_not_denied_for_it(home, guarded, command):
    assert call(home, before(guarded, command)).code == 0


def test_where_no_guard_is_installed_the_folder_is_one_like_others(home, project):
    (project / ".claude").mkdir()
    (project / ".claude/settings.local.json").write_text("{}")
    assert call(home, before(project, "rm -rf .claude")).code == 0
    assert call(home, before(project, "git clean -fdx")).code == 0


@pytest.mark.parametrize("order", ["git reset --hard && git clean -fdx", "git clean -fdx; git reset --hard"])  # fmt: skip
def test_all_parts_of_a_command_are_kept_and_named(home, project, order):
    (project / ".git/info/exclude").write_text(".env\n")
    (project / ".env").write_text("SECRET=only\n")
    done = call(home, before(project, order))
    reason = done.said["permissionDecisionReason"]
    assert done.said["permissionDecision"] == "ask"
    assert "git reset --hard" in reason
    assert "git clean -fdx" in reason
    subprocess.run(["sh", "-c", order], cwd=project, check=True, capture_output=True)
    assert not (project / ".env").exists()
    restore(project)
    assert (project / ".env").read_text() == "SECRET=only\n"
    assert (project / "a.txt").read_text() == "not committed\n"


def test_the_last_snapshot_is_the_first_even_within_a_second(project):
    taken = []
    for number in range(8):
        (project / "a.txt").write_text(f"{number}\n")
        taken.append(take_snapshot(project).id)
    assert [each.id for each in snapshots(project)] == taken[::-1]
    assert find_snapshot(project).id == taken[-1]
