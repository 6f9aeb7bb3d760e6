"""The commit hook judges what is staged once, and is fast where nothing changed."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from guildmoot.cli.guild.places.completion import manual_page
from guildmoot.cli.main import GUILD_VERBS
from guildmoot.errors import UsageError
from guildmoot.places.commit_hook import plan_hook, put_hook
from guildmoot.places.hook_targets import WHOLE, pushed_commits, to_commit, to_push
from guildmoot.places.shells import SHELLS, completion

ROOT = Path(__file__).parents[2]
GOOD = "def area(width, height):\n    return width * height\n"
BAD = GOOD.replace("height\n", "heigth\n")
KNOWN = "nothing has changed since this was judged"


@pytest.mark.slow  # four commands
def test_the_same_staged_files_under_the_same_settings_are_judged_once(shop):
    shop.write("shape.py", GOOD)
    shop.commit()
    shop.write("shape.py", BAD)
    shop.git("add", "-A")
    first = shop.guild("pre-commit")
    again = shop.guild("pre-commit")
    assert (first.code, again.code, KNOWN in first.err, KNOWN in again.err) == (2, 2, False, True)
    assert first.out == again.out
    shop.settings('[panel]\nfail_on = "warn"\n')  # another policy is another question
    assert KNOWN not in shop.guild("pre-commit").err
    shop.write("shape.py", GOOD)
    shop.git("add", "-A")
    ran = shop.guild("pre-commit")
    assert (ran.code, KNOWN in ran.err) == (0, False)


@pytest.mark.slow  # it starts Python itself several times
def test_a_hit_costs_less_than_80_ms_of_processor_time(shop):
    shop.write("shape.py", GOOD)
    shop.commit()
    shop.write("shape.py", BAD)
    shop.git("add", "-A")
    argv = [sys.executable, "-P", "-m", "guildmoot", "pre-commit"]
    runs = []
    for _ in range(6):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(argv, cwd=shop.root, env=shop.env, capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        runs.append((KNOWN in done.stderr, spent))
    assert [hit for hit, _ in runs] == [False, *[True] * 5]
    assert min(spent for hit, spent in runs if hit) < 0.080


def test_a_hook_is_put_and_taken_away_and_nobody_elses_is_touched(shop):
    hook = plan_hook("pre-commit", shop.root)
    put_hook(hook)
    assert os.access(hook.path, os.X_OK)
    assert subprocess.run(["sh", "-n", hook.path], check=False).returncode == 0
    assert plan_hook("pre-commit", shop.root).before == hook.after
    put_hook(plan_hook("pre-commit", shop.root, uninstall=True))
    assert not hook.path.exists()
    for lay in (
        lambda: hook.path.symlink_to("/nowhere/pre-commit"),
        lambda: hook.path.write_text("#!/bin/sh\nmake lint\n"),
    ):
        hook.path.unlink(missing_ok=True)
        lay()
        for uninstall in (False, True):
            with pytest.raises(UsageError):
                plan_hook("pre-commit", shop.root, uninstall=uninstall)


def test_a_folder_of_hooks_that_others_share_is_left_to_its_owner(shop, tmp_path):
    inner = shop.root / "a" / "b"
    inner.mkdir(parents=True)
    shop.git("config", "core.hooksPath", ".githooks")
    hook = plan_hook("pre-commit", inner)
    assert hook.path.resolve() == (shop.root / ".githooks/pre-commit").resolve()
    shop.git("config", "core.hooksPath", str(tmp_path / "everybodys"))
    with pytest.raises(UsageError, match="share"):
        plan_hook("pre-commit", shop.root)


def knows(**answers):
    """A git that has these answers, by the last word that it is asked with."""
    return lambda *words: answers.get(re.sub(r"\W", "_", words[-1]), "")


@pytest.mark.parametrize(
    ("env", "git", "words"),
    [
        ({}, knows(), ("--staged",)),
        ({"PRE_COMMIT": "1"}, knows(write_tree="t2", HEAD__tree_="t1"), ("--staged",)),
        ({"PRE_COMMIT": "1"}, knows(write_tree="t1", HEAD__tree_="t1"), WHOLE),  # --all-files
        ({"PRE_COMMIT_FROM_REF": "a", "PRE_COMMIT_TO_REF": "b"}, knows(), ("--diff", "a...b")),
    ],
)
def test_a_commit_hook_judges_what_it_was_called_for(env, git, words):
    assert to_commit(env, git) == words


def test_a_push_is_judged_for_what_it_brings_whatever_is_checked_out():
    git = knows(
        a1__commit_="a1", v1__commit_="a1", refs_heads_f__commit_="f1",
        refs_remotes_origin_main__commit_="m1", HEAD="h1", a1="met",
    )  # fmt: skip
    lines = ["refs/heads/f a1 refs/heads/f 0", "refs/tags/v v1 x 0", f"(delete) {'0' * 40} x y", ""]
    assert pushed_commits(lines, {}, git) == ["a1"]
    assert pushed_commits([], {"PRE_COMMIT_LOCAL_BRANCH": "refs/heads/f"}, git) == ["f1"]
    assert pushed_commits([], {"PRE_COMMIT": "1"}, knows(HEAD__commit_="h1")) == ["h1"]
    assert to_push("a1", "origin", git) == ("--diff", "m1...a1")
    assert to_push("h1", "fork", git) == WHOLE  # the first push to a place that nothing is known of
    with pytest.raises(UsageError):
        to_push("a1", "fork", git)
    git = knows(HEAD="h1", _dev_null="t0", t0="e1")
    assert to_push("a1", "fork", git) == ("--diff", "e1..a1")
    dirty = knows(HEAD="h1", _dev_null="t0", t0="e1", _uno="M shape.py")
    assert to_push("h1", "fork", dirty) == ("--diff", "e1..h1")  # the mend is not what is pushed


@pytest.mark.slow  # four pushes
def test_a_branch_that_is_not_checked_out_is_held_back_by_its_own_fault(shop):
    shop.write("shape.py", GOOD)
    shop.commit()
    shop.git("init", "-q", "--bare", "../there.git")
    shop.git("remote", "add", "origin", "../there.git")
    put_hook(plan_hook("pre-push", shop.root))

    def push(*names):
        done = subprocess.run(["git", "push", "-q", "origin", *names], cwd=shop.root, env=shop.env, capture_output=True, text=True)  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    main = shop.git("branch", "--show-current").strip()
    shop.write("shape.py", BAD)
    shop.commit()
    shop.write("shape.py", GOOD)  # mended, but what is pushed is not
    code, said = push(f"{main}:main")
    assert (code, "heigth" in said) == (1, True), said
    shop.commit()
    assert push(f"{main}:main")[0] == 0
    shop.git("switch", "-q", "-c", "fault")
    shop.write("shape.py", BAD)
    shop.commit()
    shop.git("switch", "-q", main)
    code, said = push("fault")
    assert (code, "heigth" in said) == (1, True), said
    shop.write("shape.py", BAD)  # not committed, so not pushed
    assert push(f"{main}:other")[0] == 0


def test_the_definition_for_pre_commit_calls_verbs_that_are_there():
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert [hook["id"] for hook in hooks] == ["guild", "guild-branch"]
    for hook in hooks:
        program, verb, *_ = hook["entry"].split()
        assert (program, hook["language"], hook["pass_filenames"]) == ("guild", "python", False)
        assert verb in GUILD_VERBS


def test_shells_learn_every_verb_and_the_manual_page_is_what_the_verbs_say():
    verbs = {verb: row[1] for verb, row in GUILD_VERBS.items()}
    for shell in SHELLS:
        script = completion(shell, verbs)
        assert all(verb in script for verb in verbs)
    checked = subprocess.run(["bash", "-n"], input=completion("bash", verbs), text=True, check=True)
    assert checked.returncode == 0
    asked = "COMP_WORDS=(guild va); COMP_CWORD=1; _guild; echo ${COMPREPLY[@]}"
    done = subprocess.run(
        ["bash", "-c", f"{completion('bash', verbs)}\n{asked}"], capture_output=True, text=True
    )
    assert done.stdout == "validate\n"
    kept = (ROOT / "docs" / "guild.1").read_text()
    named = [re.findall(r"^\.B (\S+)$", page, re.MULTILINE) for page in (kept, manual_page())]
    assert named[0] == named[1], "run: guild completion man > docs/guild.1"
