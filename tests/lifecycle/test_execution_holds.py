"""What a run is held to, whoever calls it next and whatever its lanes write."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest
from tests.lifecycle.executions import (
    SLUG,
    approve_plan,
    branches,
    execute,
    git,
    project,
    script,
    starts,
    states,
)

from guildmoot.api.learn import learn, reach_of_change
from guildmoot.api.lifecycle.execution import ask_of_run, clear_worktrees
from guildmoot.api.lifecycle.questions import open_questions
from guildmoot.errors import UndecidedError
from guildmoot.lifecycle.execution.control import ControlRequest
from guildmoot.lifecycle.places import WorkFolder
from guildmoot.lifecycle.view import look
from guildmoot.system import fence

pytestmark = pytest.mark.slow


NESTED = f"{sys.executable} -c \"import os; [(os.mkdir('d'), os.chdir('d')) for _ in range(1900)]; open('f', 'w')\""


@pytest.mark.parametrize(
    ("sh", "why"),
    [
        ("echo '*.py working-tree-encoding=NONSENSE' > .gitattributes; touch app/base.py", "failed to encode"),
        ("printf '*.txt working-tree-encoding=UTF-16' > .gitattributes; echo x > app/a.txt", "BOM is required"),
        (NESTED, "nested too deep"),
        ("p=$(printf %0200d 0); mkdir -p $p/$p/$p/$p/$p; echo x > $p/$p/$p/$p/$p/a", "is longer than"),
    ],
)  # fmt: skip
def test_what_git_or_a_checkout_cannot_hold_fails_its_lane_alone(
    sh: str, why: str, tmp_path: Path
) -> None:
    root = project(
        tmp_path / "p", {"T1-copywriter": (), "T2-seo": (), "T3-sales": ("T1-copywriter",)}
    )
    report = execute(root, script(root, T1={"sh": sh}))
    assert why in report.lanes[0].reason
    assert (report.status, states(report)) == (
        "failed", {"T1-copywriter": "failed", "T2-seo": "done", "T3-sales": "pending"}
    )  # fmt: skip
    asyncio.run(clear_worktrees("", root))
    assert list((root / ".guild" / "worktrees").glob("*")) == []


@pytest.mark.parametrize("path", ["app/GIT~1/x", "app/.GIT/config"])
def test_a_path_that_git_refuses_goes_back_once_and_then_fails_the_lane(
    path: str, tmp_path: Path
) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-seo": ()})
    report = execute(root, script(root, T1={"files": {path: "x\n"}}, T2={}))
    assert (report.status, states(report)) == (
        "failed", {"T1-copywriter": "failed", "T2-seo": "done"}
    )  # fmt: skip
    assert report.lanes[0].attempts == 2
    assert "invalid path" in report.lanes[0].reason
    execute(root, script(root, T1={}, T2={}))
    assert starts(root).count("T1-copywriter/2") == 1  # it is not started at every call


@pytest.mark.parametrize("kind", ["spec", "plan"])
def test_an_exit_code_that_a_criterion_asks_for_is_no_failure_and_any_other_is(
    kind: str, tmp_path: Path
) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-seo": (), "T3-sales": ()})
    folder = WorkFolder(root.resolve())
    file = folder.spec(SLUG) if kind == "spec" else folder.plan(SLUG)
    before, line, behind = file.read_text().partition("- `python -m unittest")
    row = "- `python -m app.words --bad` exits 5\n"
    file.write_text(f"{before}{row}{'  ' if kind == 'plan' else ''}{line}{behind}")
    approve_plan(folder)
    acts = {
        "T1": {"evidence": "- `python -m app.words --bad` exit code 5 as the criterion asks"},
        "T2": {"evidence": "- `python -m unittest` exit code 5"},
        "T3": {"evidence": "- `python -m app.words --bad` exit code 6"},
    }
    report = execute(root, script(root, **acts))
    assert states(report) == {"T1-copywriter": "done", "T2-seo": "failed", "T3-sales": "failed"}
    assert "tells of exit code 5, and the status is done" in report.lanes[1].reason
    assert "tells of exit code 6, and the status is done" in report.lanes[2].reason
    assert not [each for each in look(folder, SLUG).problems if "handoffs" in each.file]


def test_a_check_holds_until_the_run_is_done_and_one_that_comes_too_late_is_told(
    tmp_path: Path,
) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-seo": ("T1-copywriter",)})
    check = "test ! -e app/bad.py"
    bad = {"files": {"app/bad.py": "x = 1\n"}}
    first = execute(root, script(root, T1={}, T2={"crash": 3}), checks=(check,))
    assert first.status == "failed"
    worker = script(root, T1={}, T2=[{"crash": 3}, bad, {}])
    asyncio.run(ask_of_run("", ControlRequest("retry", "T2-seo"), root))
    again = execute(root, worker)  # without the check: the run knows it
    assert again.status == "done"
    assert starts(root)[-2:] == ["T2-seo/2", "T2-seo/3"]
    late = execute(root, worker, checks=("false",))
    assert (late.status, "`false` was not run" in late.notes[0]) == ("done", True)


def test_a_lane_cannot_write_what_is_the_users_own_nor_read_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    state = home / ".local" / "state" / "guildmoot"
    for folder in (state, home / ".config" / "guildmoot"):
        folder.mkdir(parents=True)
    keys = dict.fromkeys(("nonce-key", "cache.key", "ticket-key", "lanes-key"), "k" * 32)
    for name, text in {"trust.json": "{}", **keys}.items():
        (state / name).write_text(text)
    (home / ".gitconfig").write_text("[user]\nname = A\nemail = a@b\n")
    cache = home / ".cache" / "guildmoot"
    for folder in (home / "other" / ".git", cache, home / "mine"):
        folder.mkdir(parents=True)
    (cache / "agents.json").write_text("{}")
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    root = project(tmp_path / "p", {"T1-copywriter": ()})
    if not fence.works(str(root)):
        pytest.skip("no fence can be had here")
    tries = (
        "echo x > ~/.local/state/guildmoot/trust.json; cat ~/.local/state/guildmoot/*[.-]key > app/key.py;"
        " echo x > ~/.cache/guildmoot/agents.json; mv ~/.cache/guildmoot ~/.cache/old; touch ~/.cache/guildmoot/new;"
        " echo x > ~/.config/guildmoot/config.toml; echo x >> ~/.gitconfig; mv ~/.local ~/.other;"
        " mv ~/.local/state ~/.local/old; rm -f ~/.gitconfig; touch ~/.bashrc ~/other/file ~/other/.git/HEAD;"
        " touch ~/.cache/kept ~/mine/kept ~/.local/state/guildmoot/guard/ask;"
        f" {sys.executable} -m guildmoot trust --yes > app/said.py 2>&1; true"
    )
    act = {"sh": tries, "files": {"app/key.py": "", "app/said.py": ""}}
    report = execute(root, script(root, T1=act), settings={"work.writable": ("~/mine", "~/none")})
    assert (state / "trust.json").read_text() == "{}"
    assert all((state / name).read_text() == key for name, key in keys.items())
    assert {each.name: each.read_text() for each in cache.iterdir()} == {"agents.json": "{}"}
    assert list((home / ".config" / "guildmoot").iterdir()) == []
    assert (home / ".gitconfig").read_text().endswith("a@b\n")
    assert not (home / ".bashrc").exists()
    assert not [each for each in (home / "other").rglob("*") if each.is_file()]
    assert (home / ".cache" / "kept").is_file()  # what tools of a command keep
    assert (home / "mine" / "kept").is_file()  # as the settings say
    assert (state / "guard" / "ask").is_file()
    assert git(root, "show", f"{report.branch}:app/key.py") == ""
    assert "is a person's word" in git(root, "show", f"{report.branch}:app/said.py")


def test_programs_that_the_settings_of_git_name_are_not_run(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": ()})
    hooks, mark = tmp_path / "hooks", tmp_path / "ran"
    hooks.mkdir()
    for name in ("post-index-change", "post-checkout", "reference-transaction", "post-merge"):
        (hooks / name).write_text(f"#!/bin/sh\necho {name} >> {mark}\n")
        (hooks / name).chmod(0o755)
    git(root, "config", "filter.odd.clean", f"sh -c 'echo clean >> {mark}; cat'")
    git(root, "config", "core.hooksPath", str(hooks))
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "attributes").write_text("app/base.py filter=odd\n")
    os.utime(root / "app" / "base.py", (1, 1))  # git must look into it
    asyncio.run(learn(root))
    asyncio.run(reach_of_change("HEAD", root))
    assert not mark.exists()
    assert execute(root, script(root, T1={})).status == "done"
    assert not mark.exists()


def test_a_file_above_the_limit_is_refused_and_never_reaches_the_repository(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": ()})
    (root / ".gitignore").write_text("*.log\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "ignored")
    big = {"sh": "truncate -s 3M app/big.bin app/big.log", "files": {"app/big.bin": "x"}}
    small = {"sh": "rm -f app/big.bin", "files": {"app/a.py": "A = 1\n"}}
    limit = {"work.max_file_mb": 2}
    report = execute(root, script(root, T1=[big, small]), settings=limit)
    assert (report.status, report.lanes[0].attempts) == ("done", 2)
    (told,) = (root / ".guild" / "runs").glob("*/attempts/T1-copywriter-1/difference.md")
    assert "app/big.bin is larger than 2 MB (work.max_file_mb)" in told.read_text()


def test_what_git_ignores_below_our_folder_fails_no_lane(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": ()})
    (root / ".gitignore").write_text(".guild/\n")
    git(root, "add", ".gitignore")
    git(root, "commit", "-q", "-m", "ignored")
    act = {"sh": "mkdir -p .guild/runs && touch .guild/cache.txt .guild/runs/x"}
    report = execute(root, script(root, T1=act))
    assert (report.status, report.lanes[0].attempts) == ("done", 1)
    assert ".guild" not in git(root, "ls-tree", "-r", "--name-only", report.branch)


PLANTED = """import subprocess as s, sys, zlib, os
def said(*words): return s.check_output(words, text=True).strip()
store = said("git", "rev-parse", "--git-common-dir") + "/objects"
for name in ("app/base.py", "app/page.py"):
    oid = said("git", "hash-object", name)
    os.makedirs(f"{store}/{oid[:2]}", exist_ok=True)
    with open(f"{store}/{oid[:2]}/{oid[2:]}", "wb") as file:
        file.write(zlib.compress(b"blob 9\\0EVIL = 2\\n"))
s.run(["git", "replace", "-f", said("git", "rev-parse", "HEAD:app/base.py"), oid])
for name in ("objects/info/alternates", "info/grafts", "shallow"):
    try: open(store + "/../" + name, "w").write("/etc")
    except OSError: print("refused", name)
"""


def test_what_a_lane_plants_among_the_objects_is_in_no_other_worktree_and_no_result(
    tmp_path: Path,
) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-seo": ("T1-copywriter",)})
    file = tmp_path / "plant.py"
    file.write_text(PLANTED)
    act = {"files": {"app/page.py": "PAGE = 1\n"}, "sh": f"{sys.executable} {file}"}
    check = "! grep -rq EVIL app"
    report = execute(
        root, script(root, T1=act, T2={"sh": "cat app/*.py > app/seen.txt"}), checks=(check,)
    )
    assert report.status == "done", report
    for name, text in (("app/base.py", "BASE = 1"), ("app/page.py", "PAGE = 1")):
        assert git(root, "show", f"{report.branch}:{name}") == text
    assert "EVIL" not in git(root, "show", f"{report.branch}:app/seen.txt")
    git(root, "fsck", "--strict")
    assert git(root, "for-each-ref", "refs/replace") == ""


@pytest.mark.parametrize(
    "sh",
    [
        "truncate -s 300G app/base.py",
        "for i in $(seq 50); do truncate -s 1M app/$i.bin; done",
        "truncate -s 300G 'app/a \"b.bin'",
    ],
)
def test_a_file_of_holes_is_refused_before_anything_reads_it(sh: str, tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": ()})
    act = [{"sh": sh, "crash": 3}, {"sh": f"{sh}; echo kept > app/kept.txt"}]
    limits = {"work.max_file_mb": 2, "work.lane_attempts": 2}
    report = execute(root, script(root, T1=act), settings=limits)
    assert report.status == "failed"
    assert "work.max_file_mb" in report.lanes[0].reason
    (kept,) = asyncio.run(clear_worktrees("", root))
    assert git(root, "show", f"{kept}:app/kept.txt") == "kept"
    assert "G" not in git(root, "count-objects", "-H")


def test_what_a_run_goes_without_is_said(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": ()})
    (root / "guild.toml").write_text('[work]\nchecks = ["true"]\n')
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "settings")
    notes = " ".join(execute(root, script(root, T1={})).notes)
    assert "no checks are set" in notes
    assert "guild.toml" in notes  # brought by the repository, and nobody trusts it


def test_a_lane_waits_for_the_merge_where_a_check_fails_on_what_it_builds_on(
    tmp_path: Path,
) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-seo": ("T1-copywriter",)})
    bad = {"files": {"app/bad.py": "x = 1\n"}, "sh": "sleep 1"}
    good = {"files": {"app/good.py": "x = 1\n"}}
    check = "test ! -e app/bad.py"
    report = execute(root, script(root, T1=[bad, good], T2={}), checks=(check,))
    assert report.status == "done"
    assert starts(root) == ["T1-copywriter/1", "T1-copywriter/2", "T2-seo/1"]
    assert not any("before any lane" in note for note in report.notes)


def test_work_of_a_person_can_be_handed_in_again_after_it_was_mended(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": ()}, T1="Pages below app/.")
    report = execute(root, script(root, T1={"crash": 3}))
    place = root / ".guild" / "worktrees" / report.run / "T1-copywriter"

    def ask(verb: str) -> None:
        asyncio.run(ask_of_run("", ControlRequest(verb, "T1-copywriter"), root))  # type: ignore[arg-type]

    ask("take-over")
    (place / "stray.py").write_text("x = 1\n")
    ask("hand-in")
    assert "stray.py is outside of the lane's scope" in execute(root).lanes[0].reason
    (place / "stray.py").unlink()
    (place / "app" / "own.py").write_text("x = 1\n")
    ask("hand-in")
    done = execute(root)
    assert (done.status, git(root, "show", f"{done.branch}:app/own.py")) == ("done", "x = 1")


def test_what_a_blocked_lane_asks_is_in_the_inbox_with_its_issues(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": ()})
    asks = {"status": "blocked", "summary": "a key is missing", "issues": ["which bucket?"]}
    execute(root, script(root, T1={"files": {}, "envelope": asks}))
    (question,) = asyncio.run(open_questions(root))
    assert question.text == "blocked: a key is missing; which bucket?"


def test_behind_the_fence_no_lane_pushes_to_a_remote_that_is_a_folder(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": ()})
    if not fence.works(str(root)):
        pytest.skip("this system lets nobody put a fence up")
    remotes = [tmp_path / name for name in ("one.git", "two.git")]
    for remote in remotes:
        git(tmp_path, "init", "-q", "--bare", str(remote))
    git(root, "remote", "add", "origin", str(remotes[0]))
    git(root, "remote", "add", "other", f"file://{remotes[1]}")
    pushes = "; ".join(f"git push -q --no-verify {each} HEAD:stolen" for each in remotes)
    assert execute(root, script(root, T1={"sh": pushes})).status == "done"
    assert [branches(each) for each in remotes] == [set(), set()]
    git(root, "push", "-q", "origin", "main")
    assert branches(remotes[0]) == {"main"}


@pytest.mark.parametrize("how", ["refused", "changed"])
def test_a_run_whose_plan_is_no_longer_approved_dispatches_nothing_more(
    how: str, tmp_path: Path
) -> None:
    root = project(tmp_path / "p", {"T1-copywriter": (), "T2-seo": ("T1-copywriter",)})
    person = "env $(env | grep -o '^GUILD_[A-Z_]*' | sed 's/^/-u /')"  # not a lane's word
    words = f"{sys.executable} -m guildmoot work approve plan {SLUG} --no"
    plan = WorkFolder(root.resolve()).plan(SLUG)
    act = {
        "refused": f"cd {root} && {person} {words}",
        "changed": f"echo '<!-- more -->' >> {plan}",
    }[how]
    worker = script(root, T1={"sh": act}, T2={})
    report = execute(root, worker, settings={"work.fence": False})
    assert (report.status, states(report)) == (
        "paused", {"T1-copywriter": "done", "T2-seo": "pending"}
    )  # fmt: skip
    said = {"refused": "the plan was refused by A", "changed": "the plan is not what was approved"}
    assert any(f"paused before T2-seo: {said[how]}" in note for note in report.notes)
    with pytest.raises(UndecidedError):
        execute(root, worker)
    assert starts(root) == ["T1-copywriter/1"]
