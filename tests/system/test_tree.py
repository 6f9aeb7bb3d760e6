"""A commit's tree, and objects whose size nobody vouches for."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from guildmoot.system.git import Git, GitError
from guildmoot.system.tree import read_tree


@pytest.fixture
def git(tmp_path: Path) -> Git:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/c d.txt").write_text("small\n")
    (tmp_path / "a/big.txt").write_text("x" * 5000)
    (tmp_path / "ab.txt").write_text("")
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    for words in (("init", "-q"), ("add", "."), (*who, "commit", "-qm", "1")):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    return Git(tmp_path)


def test_places_are_files_or_folders(git: Git) -> None:
    tree = read_tree(git, git.commit("HEAD"))
    assert [*tree.below(["a", "none"])] == ["a/b/c d.txt", "a/big.txt"]
    assert [*tree.below(["ab.txt", "a/b"])] == ["ab.txt", "a/b/c d.txt"]
    assert [*tree.below(["a/b/c d.txt/x"])] == []


def test_a_name_is_looked_up_each_time(git: Git) -> None:
    before = read_tree(git, "HEAD")
    (git.root / "new.txt").write_text("1")
    git.run("add", "new.txt")
    git.run("-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "2")
    assert {*read_tree(git, "HEAD").files} - {*before.files} == {"new.txt"}


def test_an_object_that_is_too_large_is_not_read(git: Git) -> None:
    files = read_tree(git, "HEAD").files
    with git.small_blob_reader(1000) as read:
        assert read(files["a/b/c d.txt"].oid) == b"small\n"
        assert read(files["a/big.txt"].oid) is None
        assert read(files["ab.txt"].oid) == b""
        with pytest.raises(GitError, match="missing"):
            read("0" * 40)
        assert read(files["a/b/c d.txt"].oid) == b"small\n"
