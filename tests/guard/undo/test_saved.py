"""What the last commit has is not kept again; everything that it has not is."""

from __future__ import annotations

import os
import subprocess

import pytest

from guildmoot.guard.undo.saved import is_committed


def git(repo, *words):
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", "-C", str(repo), *who, *words], check=True, capture_output=True)


@pytest.fixture
def repo(tmp_path):
    git(tmp_path, "init", "-q")
    for name in ("a.txt", "b.txt", "in/a.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"{name} as committed\n")
        os.utime(tmp_path / name, (1_700_000_000, 1_700_000_000))
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


def asked(repo, *names):
    return is_committed(str(repo), tuple(str(repo / name) for name in names))


def changed(repo):
    (repo / "a.txt").write_text("changed\n")


def changed_to_the_same_size_and_time(repo):
    (repo / "a.txt").write_text("a.txt as COMMITTED\n")
    (repo / "a.txt").replace(repo / "new")  # another file under the old name
    (repo / "a.txt").write_text("a.txt as COMMITTED\n")
    os.utime(repo / "a.txt", (1_700_000_000, 1_700_000_000))


def staged(repo):
    changed(repo)
    os.utime(repo / "a.txt", (1_700_000_000, 1_700_000_000))
    git(repo, "add", "a.txt")


def staged_for_the_first_time(repo):
    git(repo, "rm", "-q", "--cached", "a.txt")
    git(repo, "commit", "-qm", "second")
    git(repo, "add", "a.txt")


def as_young_as_the_index(repo):
    index = (repo / ".git" / "index").stat().st_mtime_ns
    (repo / "a.txt").write_text("changed in the same moment\n")
    git(repo, "add", "a.txt")
    git(repo, "commit", "-qm", "second")
    os.utime(repo / "a.txt", ns=(index, index))
    git(repo, "update-index", "--refresh")
    os.utime(repo / ".git" / "index", ns=(index, index))


def unwatched(repo):
    git(repo, "update-index", "--assume-unchanged", "a.txt")


def a_link_now(repo):
    (repo / "a.txt").unlink()
    (repo / "a.txt").symlink_to("b.txt")


def without_a_commit(repo):
    git(repo, "update-ref", "-d", "HEAD")


def in_a_form_of_index_that_is_not_read(repo):
    git(repo, "update-index", "--index-version", "4")


def test_what_the_last_commit_has(repo):
    assert asked(repo, "a.txt")
    assert asked(repo, "a.txt", "in/a.txt", "b.txt")
    assert asked(repo, "a.txt", "b.txt/a.txt"), "what is not there cannot be lost"


@pytest.mark.parametrize(
    "change",
    [changed, changed_to_the_same_size_and_time, staged, staged_for_the_first_time, as_young_as_the_index,
     unwatched, a_link_now, without_a_commit, in_a_form_of_index_that_is_not_read],
)  # fmt: skip
def test_what_it_has_not_or_cannot_tell(repo, change):
    change(repo)
    assert not asked(repo, "a.txt")
    assert not asked(repo, "b.txt", "a.txt")


def test_other_files_are_not_taken_for_it(repo):
    (repo / "txt").write_text("not known to git\n")
    (repo / "in" / "new.txt").write_text("not known to git\n")
    assert not asked(repo, "txt")
    assert not asked(repo, "in/new.txt")
    assert not asked(repo, "in")
    assert not asked(repo)
    assert not is_committed(str(repo / "in"), (str(repo / "in" / "a.txt"),))


def test_a_git_of_the_project_is_not_run(repo, monkeypatch):
    (repo / "git").write_text("#!/bin/sh\ntouch ran\n")
    (repo / "git").chmod(0o755)
    monkeypatch.chdir(repo)
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.environ['PATH']}")
    assert asked(repo, "a.txt")
    assert not (repo / "ran").exists()
