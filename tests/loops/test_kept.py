"""No setting and no flag of git hides what a command did, in its clone or by an absolute path in the checkout."""

from __future__ import annotations

import json
import os

import pytest

from conftest import mainly
from guildmoot.loops.state import LoopState
from guildmoot.loops.trial import on_trial
from guildmoot.loops.units import why_refused
from guildmoot.loops.values import CommandResult, LoopStop
from guildmoot.loops.workshop import Workshop
from guildmoot.projects.errors import RecordError
from guildmoot.projects.sessions import list_retros, read_retro, write_retro
from guildmoot.projects.store import Project
from guildmoot.system import fence
from loops.bench import SLUG, loop
from projects.test_many_writers import git

SWAP = "echo pass > check.py"
SAME_SIZE = "R=$(mktemp); cp -p check.py $R; tr a-z x < $R > check.py; touch -r $R check.py; rm $R"
HIDE = {
    "a flag": f"git update-index --skip-worktree check.py; {SWAP}",
    "another flag": f"git update-index --assume-unchanged check.py; {SWAP}",
    "the clock": f"git config core.checkStat minimal; git config core.trustctime false; {SAME_SIZE}",
    "a sparse checkout": f"git sparse-checkout set --no-cone /src; {SWAP}",
    "another object": "git replace $(git rev-parse HEAD:check.py) $(echo pass | git hash-object -w --stdin);"
    " rm check.py; git checkout-index -f check.py",
    "another tree": f"git config core.worktree $(mktemp -d -p {{tmp}}); {SWAP}",
    "a lock": f"touch .git/index.lock; {SWAP}",
}


@pytest.fixture
def no_fence(monkeypatch):
    monkeypatch.setenv("GUILD_WORK_FENCE", "false")


@pytest.fixture
def shop(work):
    made = Workshop(work, "kept")
    made.open()
    yield made
    made.end()


@pytest.mark.parametrize("how", mainly(*HIDE))
def test_what_a_command_hides_from_git_in_its_clone_is_seen(shop, how):
    assert why_refused(shop, ["src/m0.py"]) == ""
    shop.run(HIDE[how].replace("{tmp}", str(shop.root.parent)), 20)
    assert "check.py" in why_refused(shop, ["src/m0.py"])
    shop.reset()
    assert (shop.folder / "check.py").read_bytes() == (shop.root / "check.py").read_bytes()


@pytest.mark.parametrize(
    "mends",
    mainly(
        "sed -i s/sys/re/ src/m0.py; sed -i s/re/sys/ src/m0.py",
        "git checkout -q HEAD~1 -- src; git checkout -q HEAD -- src",
        "git update-index --skip-worktree src/m0.py; echo > src/m0.py",
    ),
)
def test_a_check_that_changes_what_it_looks_at_for_a_moment_is_seen(shop, mends):
    (shop.folder / "src" / "m0.py").write_text("import sys\n")
    with on_trial(shop) as check:
        shop.run("cat src/m0.py; git diff HEAD~1", 20)
        check("looks")
        shop.run(mends, 20)
        with pytest.raises(LoopStop, match="changes what it looks at"):
            check(mends)


def test_behind_the_fence_only_the_clone_can_be_written_to(work):
    shop = Workshop(work, "fenced")
    shop.open()
    assert bool(shop.fence()) == fence.works(str(work))
    if not shop.fence():  # the watch of the tests below holds there
        shop.end()
        return
    places = ("check.py", "new.py", ".git/config", ".git/refs/heads/evil", ".guild/loops/plan.json")
    before = {place: (work / place).exists() and (work / place).read_bytes() for place in places}
    tries = "; ".join(f"echo x >> {work / place} && echo WROTE" for place in places)
    done = shop.run(
        f"{tries}; rm -rf {work}/.git; echo y >> check.py; git stash -q && git stash pop", 20
    )
    assert "WROTE" not in done.full
    assert done.full.count("Read-only") >= len(places)
    assert before == {
        place: (work / place).exists() and (work / place).read_bytes() for place in places
    }
    assert (shop.changed(), done.passed) == (["check.py"], True)
    shop.end()


def test_behind_the_fence_what_lies_outside_of_the_repository_is_read_only_but_for_what_is_temporary(
    work, tmp_path, monkeypatch
):
    home = tmp_path / "home"
    (home / ".cache").mkdir(parents=True)
    (home / "kept").mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    shop = Workshop(work, "fenced")
    shop.open()
    if not fence.works(str(work), whole=True):
        shop.end()
        pytest.skip("no fence can be had here")
    try:
        refused = shop.run("echo x > ~/.profile || echo x > ~/kept/notes || rm -rf ~/kept", 20)
        assert refused.full.count("Read-only") == 3
        assert ((home / ".profile").exists(), (home / "kept").is_dir()) == (False, True)
        fine = shop.run('echo x > ~/.cache/a && echo x > "$(mktemp)"', 20)
        assert fine.passed, fine.full
    finally:
        shop.end()


def test_behind_the_fence_no_signal_reaches_who_is_outside(work):
    shop = Workshop(work, "fenced")
    shop.open()
    try:
        done = shop.run(f"sleep 20 & kill $! && echo own; kill -0 {os.getpid()} || echo kept", 20)
    finally:
        shop.end()
    held = fence.works(str(work)) and fence.keeps_signals()
    assert done.full.split()[0] == "own", done.full
    assert ("kept" in done.full) == held, done.full


def test_how_long_a_verification_took_is_known_to_a_later_loop(tmp_path):
    (tmp_path / ".guild" / "loops").mkdir(parents=True)
    LoopState(tmp_path, "one").keep_seconds([CommandResult("pytest", 0, 2.5, "")])
    later = LoopState(tmp_path, "two")
    assert (later.seconds(["pytest"]), later.seconds(["pytest", "ruff"])) == (2.5, None)
    (tmp_path / ".guild" / "loops" / "seconds.json").write_text('{"pytest": "x"}')
    assert later.seconds(["pytest"]) is None


def test_without_a_fence_what_is_copied_into_the_clone_may_not_change_meanwhile(no_fence, work):
    (work / ".git" / "info" / "exclude").write_text("tools/\n")
    (work / "tools" / "__pycache__").mkdir(parents=True)
    (work / "tools" / "check").write_text("exit 1\n")
    shop = Workshop(work, "kept", copies=("tools",))
    shop.open()
    shop.run(f"echo x > {work}/tools/__pycache__/a.pyc", 20)
    shop.reset()
    shop.run(f"echo exit 0 > {work}/tools/check", 20)
    with pytest.raises(LoopStop, match="tools in the checkout, which --with copies, changed"):
        shop.reset()
    shop.end()


@pytest.mark.slow  # every place that steers git
def test_what_a_command_does_to_the_repository_itself_is_told_and_put_back(no_fence, shop):
    work = shop.root
    (work / "check.py").write_text("mine\n")
    git(work, "stash", "-q")
    shop.keep_repository()
    shop.run(f"cd {work}; git branch extra; git config branch.main.remote elsewhere", 20)
    shop.keep_repository()
    before = (work / ".git" / "config").read_bytes()
    for told, command in {
        "its config changed": "git config core.fsmonitor 'touch x; false'",
        "its info/attributes changed": "echo '* filter=x' > .git/info/attributes",
        "its hooks changed": "mkdir -p .git/hooks; echo x > .git/hooks/post-checkout",
        "no notice of check.py": "git update-index --skip-worktree check.py; echo >> check.py",
        "is gone (it was at ": "git stash clear",
        ".guild/loops was emptied": "rm -rf .guild/loops",
    }.items():
        with pytest.raises(LoopStop) as stop:
            shop.run(f"cd {work}; {command}", 20)
        assert told in stop.value.reason, command
        git(work, "update-index", "--no-skip-worktree", "check.py")
        assert (work / ".git" / "config").read_bytes() == before
    assert not (work / ".git" / "info" / "attributes").exists()
    assert not (work / ".git" / "hooks" / "post-checkout").exists()


def test_of_a_tier_that_is_run_again_the_newest_retro_counts(work):
    project = Project(str(work / "projects" / SLUG))
    retro = {"schema_version": 1, "type": "session", "phase": 1, "tier": 1, "findings": []}
    write_retro(project, {**retro, "created": "2026-01-05T10:00:00Z"})
    with pytest.raises(RecordError, match="written already"):
        write_retro(project, {**retro, "created": "2026-01-05T11:00:00Z"})
    write_retro(project, {**retro, "created": "2026-01-05T12:00:00Z"}, again=True)
    assert read_retro(project, ("session", 1, 1))["created"] == "2026-01-05T12:00:00Z"
    assert len(list_retros(project)) == 1


@pytest.mark.slow  # whole loops
def test_a_transform_that_is_not_done_in_one_go_closes_the_gate(work):
    more = {"transform": "for f in {files}; do echo >> $f; done"}
    first = json.loads(loop(work, **more).stdout)
    assert (first["status"], len(first["landed"])) == ("gated", 7), first
    assert "a second application would change 7 files" in first["reason"]
    assert len(first["second_application"]["changed"]) == 7
    assert first["next_action"].endswith("--resume")
    second = json.loads(loop(work, "--resume", **more).stdout)
    assert (second["status"], second["landed"]) == ("completed", first["landed"]), second
