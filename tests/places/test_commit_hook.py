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
    hook.path.write_text("#!/bin/sh\nmake lint\n")
    for uninstall in (False, True):
        with pytest.raises(UsageError):
            plan_hook("pre-commit", shop.root, uninstall=uninstall)


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
