"""What a command discards comes back byte for byte, and the user's index is never touched."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guildmoot.errors import InfrastructureError, TargetError, UsageError
from guildmoot.guard.undo.restore import drop, find_snapshot, restore, shown
from guildmoot.guard.undo.snapshot import snapshots, take_snapshot


def git(folder, *args, check=True):
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always")
    done = subprocess.run(
        ["git", *who, *args], cwd=folder, env=env, check=check, capture_output=True
    )
    return done.stdout.decode().strip()


def state(folder: Path) -> dict[str, tuple]:
    """Every file, link and empty folder with content and mode."""
    found = {}
    for where, below, names in os.walk(folder):
        below[:] = [name for name in below if name != ".git"]
        for name in [*below, *names]:
            file = Path(where, name)
            if name == ".git":
                continue
            info = file.lstat()
            if stat.S_ISLNK(info.st_mode):
                found[str(file.relative_to(folder))] = ("link", os.readlink(file))
            elif stat.S_ISREG(info.st_mode):
                data = file.read_bytes()
                found[str(file.relative_to(folder))] = (stat.S_IMODE(info.st_mode), data)
            elif not any(file.iterdir()):
                found[str(file.relative_to(folder))] = ("empty",)
    return found


def status(folder: Path) -> str:
    return git(folder, "status", "--porcelain=v2", "--branch", "--untracked-files=all")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    for name in ("kept.txt", "changed.txt", "deleted.txt", "staged.txt", "sub/tool.sh"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(f"{name}\n")
    (folder / "link").symlink_to("kept.txt")
    (folder / ".gitignore").write_text("*.log\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    return folder


def dirty(folder: Path) -> None:
    """Every kind of uncommitted work at once."""
    (folder / "changed.txt").write_bytes(b"other\r\nbytes\x00\xff")
    (folder / "deleted.txt").unlink()
    (folder / "staged.txt").write_text("in the index\n")
    git(folder, "add", "staged.txt")
    (folder / "staged.txt").write_text("and then changed\n")
    (folder / "sub/tool.sh").chmod(0o755)
    (folder / "link").unlink()
    (folder / "link").symlink_to("nowhere")
    (folder / "new/deep").mkdir(parents=True)
    (folder / "new/deep/file with\nnewline").write_text("untracked\n")
    (folder / "new/private").write_text("mine\n")
    (folder / "new/private").chmod(0o600)
    (folder / "new/dangling").symlink_to("/does/not/exist")
    (folder / "hollow/inner").mkdir(parents=True)
    (folder / "\u00fcmlaut.txt").write_text("x")
    (folder / "added.txt").write_text("staged only\n")
    git(folder, "add", "added.txt")
    (folder / "added.txt").unlink()


LOSSES = {
    "reset": lambda folder: git(folder, "reset", "-q", "--hard"),
    "clean": lambda folder: git(folder, "clean", "-qfd"),
    "both": lambda folder: (git(folder, "reset", "-q", "--hard"), git(folder, "clean", "-qfd")),
    "checkout": lambda folder: git(folder, "checkout", "-q", "--", "."),
    "remove": lambda folder: [
        shutil.rmtree(each) if each.is_dir() and not each.is_symlink() else each.unlink()
        for each in folder.iterdir()
        if each.name != ".git"
    ],
    "orphan": lambda folder: (
        git(folder, "checkout", "-q", "--orphan", "t"),
        git(folder, "rm", "-rqf", "."),
    ),
    "stash": lambda folder: (git(folder, "stash", "-qu"), git(folder, "stash", "drop", "-q")),
    "nothing": lambda folder: None,
}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.sample(2)
def test_what_was_lost_comes_back_byte_for_byte(repo, loss):
    dirty(repo)
    before, told = state(repo), status(repo)
    taken = take_snapshot(repo, "test")
    assert taken.left_out == ()
    LOSSES[loss](repo)
    done = restore(repo)
    assert done.snapshot.id == taken.id
    assert state(repo) == before
    assert status(repo) == told


def test_the_index_of_the_user_is_not_touched(repo):
    dirty(repo)
    file = repo / ".git/index"
    before, info = hashlib.sha256(file.read_bytes()).digest(), file.stat()
    take_snapshot(repo)
    assert hashlib.sha256(file.read_bytes()).digest() == before
    assert file.stat().st_mtime_ns == info.st_mtime_ns
    assert not list((repo / ".git").glob("guild-undo-*"))
    assert not (repo / ".git/index.lock").exists()


def test_commits_that_a_reset_left_behind_come_back_with_the_branch(repo):
    (repo / "kept.txt").write_text("second\n")
    git(repo, "commit", "-qam", "second")
    head = git(repo, "rev-parse", "HEAD")
    (repo / "kept.txt").write_text("not committed\n")
    before, told = state(repo), status(repo)
    take_snapshot(repo)
    git(repo, "reset", "-q", "--hard", "HEAD~1")
    restore(repo)
    assert git(repo, "rev-parse", "HEAD") == head
    assert (state(repo), status(repo)) == (before, told)


def test_an_undo_can_be_undone_and_later_files_stay(repo):
    dirty(repo)
    take_snapshot(repo)
    git(repo, "reset", "-q", "--hard")
    (repo / "later.txt").write_text("made after it\n")
    lost = state(repo)
    done = restore(repo)
    assert (repo / "later.txt").read_text() == "made after it\n"
    restore(repo, done.before.id)
    assert state(repo) == lost | {
        path: kept for path, kept in state(repo).items() if path not in lost
    }
    assert all(state(repo)[path] == kept for path, kept in lost.items())


def test_only_the_named_files_come_back_where_some_are_named(repo, monkeypatch):
    monkeypatch.chdir(repo)
    dirty(repo)
    take_snapshot(repo)
    git(repo, "reset", "-q", "--hard")
    index = (repo / ".git/index").read_bytes()
    done = restore(repo, "", ["changed.txt"])
    assert done.written == ("changed.txt",)
    assert (repo / "changed.txt").read_bytes() == b"other\r\nbytes\x00\xff"
    assert (repo / "staged.txt").read_text() == "staged.txt\n"
    assert (repo / ".git/index").read_bytes() == index
    with pytest.raises(UsageError, match="outside"):
        restore(repo, "", ["../other"])
    with pytest.raises(UsageError, match="nothing at"):
        restore(repo, "", ["no/such"])


def test_a_repository_without_a_commit(tmp_path):
    git(tmp_path, "init", "-q")
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")
    git(tmp_path, "add", "a")
    before, told = state(tmp_path), status(tmp_path)
    take_snapshot(tmp_path)
    git(tmp_path, "rm", "-qf", "a")
    (tmp_path / "b").unlink()
    restore(tmp_path)
    assert (state(tmp_path), status(tmp_path)) == (before, told)


def test_a_repository_without_an_index(tmp_path):
    git(tmp_path, "init", "-q")
    (tmp_path / "a").write_text("a")
    take_snapshot(tmp_path)
    (tmp_path / "a").unlink()
    restore(tmp_path)
    assert (tmp_path / "a").read_text() == "a"


def test_hashes_of_the_other_kind(tmp_path):
    git(tmp_path, "init", "-q", "--object-format=sha256")
    (tmp_path / "a").write_text("a")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "x")
    (tmp_path / "a").unlink()
    (tmp_path / "b").write_text("b")
    before = state(tmp_path)
    take_snapshot(tmp_path)
    git(tmp_path, "reset", "-q", "--hard")
    (tmp_path / "b").unlink()
    restore(tmp_path)
    assert state(tmp_path) == before


def test_linked_worktrees_have_snapshots_of_their_own(repo, tmp_path):
    other = tmp_path / "linked"
    git(repo, "worktree", "add", "-q", "-b", "other", str(other))
    (other / "changed.txt").write_text("there\n")
    (repo / "changed.txt").write_text("here\n")
    take_snapshot(other)
    take_snapshot(repo)
    git(other, "reset", "-q", "--hard")
    git(repo, "reset", "-q", "--hard")
    restore(other)
    restore(repo)
    assert (other / "changed.txt").read_text() == "there\n"
    assert (repo / "changed.txt").read_text() == "here\n"
    assert git(other, "symbolic-ref", "HEAD") == "refs/heads/other"


def test_submodules_come_back_with_their_own_work(repo, tmp_path):
    git(tmp_path, "clone", "-q", str(repo), "origin")
    git(repo, "submodule", "--quiet", "add", str(tmp_path / "origin"), "mod")
    git(repo, "commit", "-qm", "with a submodule")
    (repo / "mod/changed.txt").write_text("inside\n")
    (repo / "mod/untracked").write_text("new inside\n")
    before = state(repo)
    taken = take_snapshot(repo)
    assert list(taken.submodules) == ["mod"]
    shutil.rmtree(repo / "mod")
    restore(repo)
    assert state(repo) == before
    assert git(repo / "mod", "status", "--porcelain") == "M changed.txt\n?? untracked"


def test_a_merge_in_conflict_stays_one(repo):
    git(repo, "switch", "-qc", "side")
    (repo / "kept.txt").write_text("side\n")
    git(repo, "commit", "-qam", "side")
    git(repo, "switch", "-q", "main")
    (repo / "kept.txt").write_text("main\n")
    git(repo, "commit", "-qam", "main")
    git(repo, "merge", "-q", "side", check=False)
    before, told = state(repo), git(repo, "ls-files", "-u")
    assert told
    take_snapshot(repo)
    git(repo, "reset", "-q", "--hard")
    git(repo, "gc", "-q", "--prune=now")
    restore(repo)
    assert (state(repo), git(repo, "ls-files", "-u")) == (before, told)


@pytest.mark.parametrize("setting", ["autocrlf", "attributes", "filter"])
def test_line_ends_and_filters_change_no_byte(repo, setting):
    if setting == "autocrlf":
        git(repo, "config", "core.autocrlf", "true")
    else:
        rule = "* text=auto eol=crlf\n" if setting == "attributes" else "* filter=up\n"
        (repo / ".gitattributes").write_text(rule)
    if setting == "filter":
        git(repo, "config", "filter.up.clean", "touch ran; tr a-z A-Z")
        git(repo, "config", "filter.up.smudge", "touch ran; tr A-Z a-z")
    (repo / "changed.txt").write_bytes(b"mixed\r\nends\n")
    before = state(repo)
    take_snapshot(repo)
    LOSSES["remove"](repo)
    restore(repo)
    assert state(repo) == before
    assert "ran" not in before


def test_a_file_changed_in_the_second_of_its_commit_is_kept(repo):
    git(repo, "config", "core.trustctime", "false")  # a test cannot set that time
    file, second = repo / "kept.txt", 1_700_000_000
    os.utime(file, (second, second))
    git(repo, "add", "kept.txt")
    file.write_text(file.read_text().upper())  # as long as before
    for each in (file, repo / ".git" / "index"):
        os.utime(each, (second, second))
    before = state(repo)
    take_snapshot(repo)
    LOSSES["remove"](repo)
    restore(repo)
    assert state(repo) == before


def test_ignored_files_are_kept_when_they_are_at_stake(repo):
    (repo / "app.log").write_text("ignored\n")
    assert take_snapshot(repo, ignored=True).changed == 1
    git(repo, "clean", "-qfdx")
    restore(repo)
    assert (repo / "app.log").read_text() == "ignored\n"


def test_what_is_too_large_or_a_repository_of_its_own_is_named(repo):
    (repo / "large").write_bytes(b"x" * 5000)
    (repo / "small").write_bytes(b"y")
    git(repo, "init", "-q", "nested")
    (repo / "nested/file").write_text("z")
    taken = take_snapshot(repo, most=1000)
    assert set(taken.left_out) == {"large", "nested/"}
    restore(repo)
    assert (repo / "large").exists()


def test_the_same_state_is_kept_once(repo):
    (repo / "changed.txt").write_text("x")
    first, second = take_snapshot(repo), take_snapshot(repo)
    assert first.id == second.id
    (repo / "changed.txt").write_text("y")
    assert take_snapshot(repo).id != first.id
    assert len(snapshots(repo)) == 2
    drop(repo, first.id)
    assert len(snapshots(repo)) == 1


def test_outside_of_a_repository_nothing_can_be_kept(tmp_path):
    with pytest.raises(TargetError, match="in no working tree"):
        take_snapshot(tmp_path)


def test_a_name_that_means_nothing_is_told(repo):
    with pytest.raises(UsageError, match="no snapshot"):
        find_snapshot(repo)
    (repo / "changed.txt").write_text("x")
    take_snapshot(repo)
    with pytest.raises(UsageError, match="no snapshot zzz"):
        find_snapshot(repo, "zzz")
    git(repo, "checkout", "-q", ".")
    assert shown(repo)[1] == ["write changed.txt"]


def test_a_link_that_came_later_leads_nothing_out(repo, tmp_path):
    (repo / "new").mkdir()
    (repo / "new/file").write_text("inside\n")
    take_snapshot(repo)
    shutil.rmtree(repo / "new")
    outside = tmp_path / "outside"
    outside.mkdir()
    (repo / "new").symlink_to(outside)
    restore(repo)
    assert list(outside.iterdir()) == []
    assert (repo / "new/file").read_text() == "inside\n"


def test_hooks_and_monitors_of_the_repository_do_not_run(repo, tmp_path):
    mark = tmp_path / "ran"
    for name in ("reference-transaction", "post-index-change", "pre-commit"):
        hook = repo / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
        hook.chmod(0o755)
    git(repo, "config", "core.fsmonitor", f"touch {mark}; false")
    (repo / "changed.txt").write_text("x")
    take_snapshot(repo)
    restore(repo)
    assert not mark.exists()


def test_a_full_disk_is_told_and_nothing_is_left_half_done(repo, monkeypatch):
    import resource

    (repo / "big").write_bytes(os.urandom(2_000_000))
    code = (
        "import resource,signal,sys; from pathlib import Path;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE,(100000,100000));"
        "from guildmoot.guard.undo.snapshot import take_snapshot;"
        "take_snapshot(Path(sys.argv[1]))"
    )
    assert resource
    done = subprocess.run(
        [sys.executable, "-c", code, str(repo)], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert InfrastructureError.__name__ in done.stderr
    assert snapshots(repo) == []
    assert status(repo)
    assert take_snapshot(repo).changed == 1


@pytest.mark.slow  # starts and kills a process forty times
def test_killed_at_any_moment_the_snapshot_is_whole_or_not_there(repo):
    dirty(repo)
    before, index = state(repo), (repo / ".git/index").read_bytes()
    code = (
        "import sys; from pathlib import Path;"
        "from guildmoot.guard.undo.snapshot import take_snapshot;"
        "print('go', flush=True); take_snapshot(Path(sys.argv[1]))"
    )
    whole = 0
    for step in range(40):
        process = subprocess.Popen([sys.executable, "-c", code, str(repo)], stdout=subprocess.PIPE)
        process.stdout.readline()
        until = time.monotonic() + step * 0.004
        while time.monotonic() < until and process.poll() is None:
            pass
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert (repo / ".git/index").read_bytes() == index
        if snapshots(repo):
            whole += 1
            break
    taken = take_snapshot(repo)
    LOSSES["both"](repo)
    restore(repo, taken.id)
    assert state(repo) == before


NAMES = st.text(
    st.characters(blacklist_categories=("Cs",), blacklist_characters="/\0"), min_size=1, max_size=8
).filter(lambda name: name not in (".", "..") and name.lower() not in (".git", ".gitignore", ".gitattributes", ".gitmodules") and len(name.encode()) < 200)  # fmt: skip


@pytest.mark.slow  # makes many repositories
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.dictionaries(NAMES, st.binary(max_size=50), max_size=4),
    st.dictionaries(NAMES, st.binary(max_size=50), max_size=4),
    st.sampled_from(["reset", "clean", "both", "remove"]),
)
def test_whatever_was_there_comes_back(tmp_path_factory, committed, worked, loss):
    folder = tmp_path_factory.mktemp("r")
    git(folder, "init", "-q")
    for name, data in committed.items():
        (folder / name).write_bytes(data)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "x", "--allow-empty")
    for name in list(committed)[::2]:
        (folder / name).unlink()
    for name, data in worked.items():
        (folder / name).write_bytes(data)
    before, told = state(folder), status(folder)
    take_snapshot(folder)
    LOSSES[loss](folder)
    restore(folder)
    assert (state(folder), status(folder)) == (before, told)
