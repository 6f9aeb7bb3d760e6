"""Programs that a repository's git settings name: none of them runs, whatever is asked of git.

A row is a name, the settings of ``.git/config`` (``{booby}`` is a program that must never run) and the attributes
of every file.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from conftest import Shop
from guildmoot.errors import TargetError
from guildmoot.system.git import find_root
from judges import add_council_judge, add_judge, verdict

pytestmark = pytest.mark.slow  # a process or more for each row of a long table

ROWS = [
    ("filter.clean", {"filter.x.clean": "{booby}"}, "filter=x"),
    ("filter.process", {"filter.x.process": "{booby}", "filter.x.required": "true"}, "filter=x"),
    ("filter.smudge", {"filter.x.smudge": "{booby}", "filter.x.clean": "{booby}"}, "filter=x"),
    ("filter.lfs", {"filter.lfs.clean": "{booby}", "filter.lfs.required": "true"}, "filter=lfs"),
    ("a filter with dots", {"filter.a.b.c.clean": "{booby}"}, "filter=a.b.c"),
    ("a filter with capitals", {"filter.ReD.clean": "{booby}"}, "filter=ReD"),
    ("fsmonitor", {"core.fsmonitor": "{booby}"}, ""),
    ("hooks", {"core.hooksPath": "{hooks}"}, ""),
    ("textconv", {"diff.x.textconv": "{booby}"}, "diff=x"),
    ("a diff driver", {"diff.x.command": "{booby}"}, "diff=x"),
    ("an external diff", {"diff.external": "{booby}"}, ""),
    ("a pager", {"core.pager": "{booby}", "pager.diff": "{booby}"}, ""),
    ("ssh of a partial clone", {"core.sshCommand": "{booby}", "remote.o.url": "ssh://x/y",
     "remote.o.promisor": "true", "extensions.partialClone": "o",
     "core.repositoryFormatVersion": "1", "protocol.allow": "always"}, ""),
]  # fmt: skip
VERBS = [
    ("validate", "--diff", "--agents", "kind"),
    ("validate", "--staged", "--agents", "kind"),
    ("validate", ".", "--agents", "kind"),
    ("vibe", "--agents", "calm"),
]


@pytest.fixture
def booby(shop: Shop) -> str:
    program = shop.home / "booby"
    program.write_text(f"#!/bin/sh\ntouch '{shop.home}/BOOBY'\ncat\n")
    program.chmod(0o755)
    hooks = shop.home / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "fsmonitor-watchman", "reference-transaction"):
        (hooks / name).symlink_to(program)
    add_judge(shop, "kind", "VERDICT: approved")
    add_council_judge(shop, "calm", verdict("PASS"))
    return str(program)


@pytest.mark.parametrize(("name", "settings", "attributes"), ROWS, ids=lambda each: str(each)[:20])
def test_no_program_of_git_settings_runs(shop: Shop, booby: str, name, settings, attributes):
    shop.write("a.py", "x = 1\n")
    shop.write("b.py", "y = 1\n")
    shop.write(".gitattributes", f"*.py {attributes}\n" if attributes else "")
    shop.commit()
    shop.write("a.py", "x = 2\n")
    shop.git("add", "a.py")
    shop.write("a.py", "x = 3\n")
    os.utime(shop.root / "b.py", (1, 1))  # git has to look into it
    for key, value in settings.items():
        shop.git("config", key, value.format(booby=booby, hooks=shop.home / "hooks"))
    for verb in VERBS:
        ran = shop.guild(*verb)
        assert ran.code in (0, 3), ran
        assert not (shop.home / "BOOBY").exists(), verb


def test_a_filter_that_cannot_be_switched_off_is_refused(shop: Shop, booby: str):
    shop.write("a.py", "x = 1\n")
    shop.write(".gitattributes", "*.py filter=x=y\n")
    shop.commit()
    shop.git("config", "filter.x=y.clean", booby)
    shop.write("a.py", "x = 2\n")
    ran = shop.guild("validate", "--diff", "--agents", "kind")
    assert (ran.code, "cannot be switched off" in ran.err) == (64, True), ran
    assert not (shop.home / "BOOBY").exists()


def test_with_a_filter_off_a_changed_file_is_judged_as_it_lies_there(shop: Shop, booby: str):
    shop.write("a.py", "x = 1\n")
    shop.write(".gitattributes", "*.py filter=lfs\n")
    shop.commit()
    shop.git("config", "filter.lfs.clean", "sed s/secret/pointer/")
    heard = shop.home / "heard"
    shop.agent("ear.md", "---\nname: ear\ndescription: d\nbackend: command\n"
               f"command: [sh, -c, \"cat > '{heard}'; echo VERDICT: approved\"]\n---\nJudge.\n")  # fmt: skip
    shop.write("a.py", "word = 'secret'\n")
    shop.guild("validate", "--diff", "--agents", "ear")
    assert "'secret'" in heard.read_text()


@pytest.mark.parametrize("to", ["{home}", "/", "{root}/.."])
@pytest.mark.parametrize("bare", [False, True])
def test_a_folder_that_says_where_its_working_tree_is_does_not_choose_what_is_judged(
    shop: Shop, tmp_path: Path, to: str, bare: bool
):
    shop.write("a.py", "x = 1\n")
    shop.commit()
    inner = shop.root / "inner"
    inner.mkdir()
    where = ("--bare", str(inner)) if bare else (str(inner),)
    shop.git("init", "-q", *where)
    config = (inner if bare else inner / ".git") / "config"
    target = to.format(home=shop.home, root=shop.root)
    config.write_text(
        f"[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = {target}\n"
    )
    try:
        root = find_root(inner)
    except TargetError:
        return
    assert root in (shop.root, inner)
