"""A few named files are kept without git, and git and a restore know them afterwards."""

import os
import subprocess

import pytest

from guildmoot.guard.undo.restore import restore, shown
from guildmoot.guard.undo.saved import changed_below
from guildmoot.guard.undo.small import keep_files
from guildmoot.guard.undo.snapshot import snapshots


def git(folder, *words):
    own = ("-c", "user.name=a", "-c", "user.email=a@b")
    done = subprocess.run(("git", *own, *words), cwd=folder, check=True, capture_output=True)
    return done.stdout.decode()


@pytest.fixture
def repo(tmp_path):
    top = tmp_path / "repo"
    (top / "src" / "deep").mkdir(parents=True)
    git(top, "init", "-q")
    (top / "a.txt").write_text("first\n")
    (top / "src" / "deep" / "b.txt").write_text("b\n")
    git(top, "add", "-A")
    git(top, "commit", "-qm", "first")
    return top


def test_named_files_come_back_byte_for_byte_and_nothing_else_changes(repo):
    (repo / "a.txt").write_bytes(b"mine\r\n\0\xff")
    (repo / "a.txt").chmod(0o600)
    (repo / "src" / "deep" / "new.sh").write_bytes(b"#!/bin/sh\n")
    (repo / "src" / "deep" / "new.sh").chmod(0o755)
    git(repo, "add", "a.txt")
    paths = (str(repo / "a.txt"), str(repo / "src" / "deep" / "new.sh"))
    name = keep_files(str(repo), paths, "cp")
    assert name
    git(repo, "fsck", "--strict")
    (repo / "a.txt").write_text("lost")
    (repo / "src" / "deep" / "new.sh").unlink()
    (repo / "src" / "deep" / "b.txt").write_text("later work")
    (last,) = snapshots(repo)
    assert (last.id, last.why, last.changed) == (name, "cp a.txt src/deep/new.sh", 2)
    assert shown(repo)[1] == ["write a.txt", "write src/deep/new.sh"]
    done = restore(repo)
    assert (done.written, done.removed) == (("a.txt", "src/deep/new.sh"), ())
    assert (repo / "a.txt").read_bytes() == b"mine\r\n\0\xff"
    assert os.stat(repo / "a.txt").st_mode & 0o777 == 0o600
    assert os.access(repo / "src" / "deep" / "new.sh", os.X_OK)
    assert (repo / "src" / "deep" / "b.txt").read_text() == "later work"
    assert git(repo, "diff", "--cached", "--name-only").split() == ["a.txt"]
    git(repo, "gc", "-q", "--prune=now")
    assert [each.id for each in snapshots(repo)][-1] == name


def test_what_only_git_can_keep_is_left_to_it(repo, tmp_path):
    one = (str(repo / "a.txt"),)
    assert keep_files(str(repo), (str(repo / "src"),), "rm") == ""  # a folder
    assert keep_files(str(repo), (str(repo / "none"),), "rm") == ""
    (tmp_path / "outside").write_text("x")
    (repo / "link").symlink_to(tmp_path / "outside")
    assert keep_files(str(repo), (str(repo / "link"),), "rm") == ""
    assert keep_files(str(repo), (str(tmp_path / "outside"),), "rm") == ""
    assert keep_files(str(repo), (str(repo / ".git" / "HEAD"),), "rm") == ""
    git(repo, "worktree", "add", "-q", "../wt")
    assert keep_files(str(tmp_path / "wt"), (str(tmp_path / "wt" / "a.txt"),), "rm") == ""
    with open(repo / ".git" / "config", "a") as file:
        file.write("[extensions]\n\trefStorage = reftable\n")
    assert keep_files(str(repo), one, "rm") == ""


def test_below_a_wildcard_what_git_has_not_is_named_and_nothing_else(repo):
    wild = (str(repo / "src") + "/\uf8f1.txt",)
    assert changed_below(str(repo), wild) == ()
    (repo / "a.txt").write_text("elsewhere")
    (repo / "src" / "deep" / "b.txt").write_text("mine")
    (repo / "src" / "new\n.txt").write_text("new")
    found = {os.path.relpath(path, repo) for path in changed_below(str(repo), wild) or ()}
    assert found == {"src/deep/b.txt", "src/new\n.txt"}
    git(repo, "update-index", "--assume-unchanged", "src/deep/b.txt")
    assert changed_below(str(repo), wild) is None
