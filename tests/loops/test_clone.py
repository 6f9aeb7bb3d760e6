"""Nothing that happens in a clone reaches the user's files, and nothing outside of it is read or kept."""

from __future__ import annotations

import json
import os

import pytest

from conftest import mainly
from guildmoot.errors import UsageError
from guildmoot.loops.copies import check_copies
from loops.bench import VERIFY, green, loop
from loops.test_interactive import CLEAR, pair
from projects.test_many_writers import git

SPOIL = "sh -c 'rm -rf out/*; mkdir -p out; echo bad > out/y; sed -i s/sys/sys/ {files}'"
IN_PLACE = "sh -c 'for f in {files}; do grep -q new $f || echo \"# new\" >> $f; done'"


def told(done):
    return json.loads(done.stdout)


def commit_all(work):
    git(work, "add", "-A")
    git(work, "commit", "-q", "--allow-empty", "-m", "more")


@pytest.mark.parametrize("how", mainly((), ("--dry-run",), ("--with=out",)))
def test_an_ignored_folder_is_never_changed_through_the_clone(work, how):
    (work / "out").mkdir()
    (work / "out" / "x").write_text("keep")
    (work / ".gitignore").write_text("out/\n")
    commit_all(work)
    loop(work, *how, transform=SPOIL, verify="true")
    assert (work / "out" / "x").read_text() == "keep"
    assert os.listdir(work / "out") == ["x"]


@pytest.mark.parametrize(
    "ignored", mainly("node_modules/\n", "node_modules\n", "/node_modules/\n", "")
)
@pytest.mark.slow  # whole loops, in more situations
def test_a_checkout_with_packages_and_caches_works(work, ignored):
    (work / "node_modules").mkdir()
    (work / "node_modules" / "lib").write_text("ok")
    if ignored:
        (work / ".gitignore").write_text(ignored)
    else:  # a cache that brings its own
        (work / "node_modules" / ".gitignore").write_text("*\n")
    commit_all(work)
    done = told(loop(work, "--with=node_modules", verify=f"{VERIFY} && cat node_modules/lib"))
    assert (done["status"], len(done["landed"])) == ("completed", 5), done
    assert green(work)


@pytest.mark.slow
def test_the_check_that_proves_is_the_one_from_before_the_change(work):
    """The transform swaps the check that is in an ignored folder."""
    (work / "tools").mkdir()
    (work / "tools" / "check.py").write_text((work / "check.py").read_text())
    (work / ".gitignore").write_text("tools\n")
    commit_all(work)
    swap = "sh -c 'sed -i \"/^import os$/d\" {files}; echo > tools/check.py'"
    done = told(loop(work, "--with=tools", transform=swap, verify="python tools/check.py"))
    assert [each["item"] for each in done["quarantined"]] == ["src/special.py"], done
    assert "assert" in (work / "tools" / "check.py").read_text()


def test_a_tracked_link_out_of_the_tree_is_neither_read_nor_written_nor_committed(work):
    private = work.parent / "private.txt"
    private.write_text("the merger\n")
    (work / "src" / "notes.py").symlink_to(private)
    (work / "src" / "inner.py").symlink_to("clean.py")
    commit_all(work)
    done = told(loop(work, "--tier=src/*=1", "--dry-run", transform=IN_PLACE, verify="true"))
    assert done["status"] == "planned", done
    done = told(loop(work, "--tier=src/*=1", transform=IN_PLACE, verify="true"))
    assert done["status"] == "completed", done
    assert done["routed"] == ["src/inner.py", "src/notes.py"]
    assert private.read_text() == "the merger\n"
    assert git(work, "ls-tree", "HEAD", "src/notes.py").startswith("120000")
    assert os.readlink(work / "src" / "notes.py") == str(private)
    assert not git(work, "status", "--porcelain")


@pytest.mark.slow  # whole loops, in one more situation
@pytest.mark.parametrize("target", ["fifo", "/dev/zero", "../../../check.py", ".git/config"])
def test_a_link_to_a_pipe_a_device_or_the_checkout_is_not_opened(work, target):
    if target == "fifo":
        os.mkfifo(work.parent / "fifo")
        target = str(work.parent / "fifo")
    (work / "src" / "zz.py").symlink_to(target)
    commit_all(work)
    before = (work / "check.py").read_bytes()
    done = told(loop(work, "--dry-run", transform=IN_PLACE, verify="true"))
    assert (done["status"], done["routed"]) == ("planned", ["src/zz.py"]), done
    assert (work / "check.py").read_bytes() == before


@pytest.mark.slow  # whole loops, in one more situation
@pytest.mark.parametrize(
    "make", ["ln -sf clean.py src/m1.py", "rm src/m1.py; mkfifo src/m1.py", "ln -sf / src/m1.py"]
)
def test_a_file_that_becomes_something_else_is_refused(work, make):
    done = told(loop(work, transform=f"sh -c '{make}; {{files}}' || :", verify="true"))
    reasons = {each["reason"] for each in done["quarantined"]}
    assert "the transform made what is no plain file: src/m1.py" in reasons, done
    assert (work / "src" / "m1.py").read_text().startswith("import os")


@pytest.mark.slow  # whole loops, in one more situation
def test_a_file_that_a_transform_deletes_is_judged_as_the_rest(work):
    remove = "sh -c 'for f in {files}; do case $f in *m1.py) rm $f;; *) sed -i s/sys/re/ $f;; esac; done'"
    done = told(loop(work, transform=remove, verify="true"))
    assert done["status"] == "completed", done
    assert "src/m1.py" in done["landed"]
    assert not (work / "src" / "m1.py").exists()


@pytest.mark.parametrize("name", ["../x", "/etc", ".git", ".guild", ".", "absent", "link", "src"])
def test_what_is_copied_is_ignored_and_inside(tmp_path, name):
    (tmp_path / "src").mkdir()
    (tmp_path / "link").symlink_to("/etc")
    with pytest.raises(UsageError):
        check_copies(tmp_path, [name], ["src/a.py"])


@pytest.mark.slow  # whole loops, in one more situation
def test_the_paired_loop_copies_what_it_needs_too(repo):
    (repo / "tools").mkdir()
    (repo / "tools" / "check").write_text("exit 0\n")
    (repo / ".gitignore").write_text("tools/\n")
    commit_all(repo)
    verify = "echo >> tools/check; . ./tools/check"
    refused = pair(repo, *CLEAR, verify=verify)
    assert "red before" in refused["reason"] or "fails" in refused["reason"], refused
    assert "--done" in pair(repo, *CLEAR, "--with=tools", verify=verify)["next_action"]
    assert (repo / "tools" / "check").read_text() == "exit 0\n"
