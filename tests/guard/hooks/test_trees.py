"""Work is kept where the command works: the right tree, ignored files that it names, another repository."""

from __future__ import annotations

import subprocess
import sys

import pytest

from guildmoot.guard.commands.policy import judge_command
from guildmoot.guard.facts import site_at
from guildmoot.guard.site import Site
from hooks_calls import before, call, environment

WHO = ("-c", "user.name=a", "-c", "user.email=a@b")


def git(folder, *words):
    subprocess.run(["git", *WHO, *words], cwd=folder, check=True, capture_output=True)


def undo(home, folder, *words):
    return subprocess.run(
        [sys.executable, "-m", "guildmoot", "undo", *words],
        cwd=folder, env=environment(home), capture_output=True, text=True,
    )  # fmt: skip


@pytest.mark.parametrize(
    "form", ["cd {0} && git reset --hard && git clean -fd", "git -C {0} reset --hard"]
)
@pytest.mark.parametrize("kind", ["worktree", "nested"])
def test_a_tree_inside_the_project_is_kept_as_itself(home, project, form, kind):
    if kind == "worktree":
        git(project, "worktree", "add", "inner", "-b", "other")
    else:
        git(project, "clone", "-q", ".", "inner")
    inner = project / "inner"
    (inner / "a.txt").write_text("wip\n")
    done = call(home, before(project, form.format("inner")))
    assert str(inner) in done.said["permissionDecisionReason"]
    subprocess.run(form.format("inner"), shell=True, cwd=project, check=True, capture_output=True)
    assert undo(home, inner, "restore").returncode == 0
    assert (inner / "a.txt").read_text() == "wip\n"
    assert (project / "a.txt").read_text() == "not committed\n"


def test_a_snapshot_of_one_tree_is_not_written_into_another(home, project):
    git(project, "worktree", "add", "inner", "-b", "other")
    assert undo(home, project, "keep").returncode == 0
    for words in (["restore"], ["restore", "20"]):
        done = undo(home, project / "inner", *words)
        assert (done.returncode, (project / "inner/a.txt").read_text()) == (64, "committed\n")


def test_a_file_that_git_ignores_comes_back_when_the_command_named_it(home, project):
    (project / ".gitignore").write_text("data\ndev.sqlite3\n")
    (project / "data").mkdir()
    (project / "data/rows.csv").write_text("1\n")
    (project / "dev.sqlite3").write_text("rows")
    assert call(home, before(project, "rm -rf data && rm -f dev.sqlite3")).code == 0
    subprocess.run(["rm", "-rf", "data", "dev.sqlite3"], cwd=project, check=True)
    assert undo(home, project, "restore").returncode == 0
    assert (project / "data/rows.csv").read_text() == "1\n"
    assert (project / "dev.sqlite3").read_text() == "rows"


def test_a_file_that_git_was_told_not_to_look_at_comes_back_as_it_was(home, project):
    git(project, "update-index", "--skip-worktree", "a.txt")
    (project / "a.txt").write_text("local\n")
    assert call(home, before(project, "rm -f a.txt")).code == 0
    (project / "a.txt").unlink()
    undo(home, project, "restore")
    assert (project / "a.txt").read_text() == "local\n"


def test_another_repository_is_not_removed_unasked_even_below_a_temporary_folder(project, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    (other / "src").mkdir()
    site = site_at(str(project), str(project), {"HOME": "/home/u", "TMPDIR": str(tmp_path)})
    assert judge_command(f"rm -rf {other}", site).code == "delete-repository"
    assert judge_command("rm -rf ../other/src", site).folders == (str(other),)


@pytest.mark.parametrize(
    "command",
    ["rm -rf ~", "rm -rf ~/.ssh", "rm -rf $HOME/*", "find ~ -delete", "mv ~/* /dev/null", "rm -rf /tmp/x/notes",
     "rsync -a --delete /tmp/empty/ ~/", "shred -u ~/.ssh/id_rsa"],
)  # fmt: skip
@pytest.mark.sample(3)
def test_a_home_below_the_temporary_folder_is_a_home(command):
    site = Site("/tmp/x/proj", "/tmp/x/proj", "/tmp/x", git=True)
    assert judge_command(command, site).action in ("deny", "ask")
    assert judge_command("rm -rf /tmp/y", site).action == "allow"
    assert judge_command("rm -rf build && rm -rf /tmp/x/.cache/pip", site).action == "allow"


@pytest.mark.slow
def test_what_git_no_longer_ignores_by_then_is_kept_from_a_clean(home, project):
    (project / ".gitignore").write_text("notes\n")
    (project / "notes").mkdir()
    (project / "notes/plan.md").write_text("mine\n")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "all")
    command = "git checkout --orphan pages && git rm -rf . && git clean -fd"
    call(home, before(project, command))
    subprocess.run(command, shell=True, cwd=project, check=True, capture_output=True)
    assert not (project / "notes/plan.md").exists()
    assert undo(home, project, "restore").returncode == 0
    assert (project / "notes/plan.md").read_text() == "mine\n"
