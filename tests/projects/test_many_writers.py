"""Any number of processes and branches write at once: nothing is lost, doubled or half-written."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from guildmoot.projects.events import append_event
from guildmoot.projects.store import Project
from projects.conftest import SLUG, checkin, make_project

WRITER = """
import sys
from guildmoot.projects.events import append_event
from guildmoot.projects.store import Project
who, count, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
for number in range(count):
    append_event(Project(folder), "note", {"who": who, "number": number}, f"{who}-{number}")
    print(number, flush=True)
"""


def git(folder: Path, *argv: str) -> str:
    who = {
        f"GIT_{role}_{what}": "t@e"
        for role in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    done = subprocess.run(
        ["git", *argv], cwd=folder, capture_output=True, text=True, env={**os.environ, **who}
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def writer(who: str, count: int, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, who, str(count), str(folder)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def notes(folder: Path) -> list[tuple[str, int]]:
    events = Project(str(folder)).read()["events"]
    return [
        (event["detail"]["who"], event["detail"]["number"])
        for event in events
        if event["event"] == "note"
    ]


@pytest.mark.parametrize(
    ("processes", "each"),
    [(8, 25), pytest.param(64, 50, marks=pytest.mark.slow)],  # 64 interpreters take half a minute
)
def test_no_event_of_many_processes_is_lost_or_refused(project, processes, each):
    running = [writer(f"w{number}", each, project) for number in range(processes)]
    for process in running:
        assert process.communicate()[1] == ""
        assert process.returncode == 0
    found = notes(project)
    assert len(found) == len(set(found)) == processes * each
    Project(str(project)).compact()
    stored = tomllib.loads((project / "manifest.toml").read_text())["events"]
    assert len(stored) == processes * each + 1


@pytest.mark.slow  # four work trees, and processes that are killed again and again
def test_writers_that_are_killed_in_four_worktrees_lose_and_double_nothing(tmp_path):
    main = tmp_path / "main"
    main.mkdir()
    git(main, "init", "-q", "-b", "main")
    make_project(main)
    git(main, "add", "-A")
    git(main, "commit", "-qm", "begin")
    trees = []
    for number in range(4):
        tree = tmp_path / f"tree{number}"
        git(main, "worktree", "add", "-q", "-b", f"work/{number}", str(tree))
        trees.append(tree)
    chance = random.Random(7)
    for number in range(8):
        folder = trees[number % 4] / "projects" / SLUG
        while True:  # a killed writer is started again, and asks for all of its events once more
            process = writer(f"w{number}", 40, folder)
            time.sleep(chance.uniform(0.05, 0.6))
            if process.poll() is not None:
                assert process.communicate()[1] == ""
                break
            process.send_signal(signal.SIGKILL)
            process.communicate()
            append_event(Project(str(folder)), "alive", {"after": number})
            if chance.random() < 0.2:
                assert writer(f"w{number}", 40, folder).communicate()[1] == ""
                break
    for tree in trees:
        git(tree, "add", "-A")
        git(tree, "commit", "-qm", "events")
    for number in range(4):
        git(main, "merge", "-q", "--no-edit", f"work/{number}")
    found = notes(main / "projects" / SLUG)
    assert sorted(found) == sorted(
        (f"w{number}", each) for number in range(8) for each in range(40)
    )


def test_two_branches_with_many_events_and_checkins_merge_without_a_conflict(project, monkeypatch):
    work = project.parents[1]
    git(work, "init", "-q", "-b", "main")
    git(work, "add", "-A")
    git(work, "commit", "-qm", "begin")
    from guildmoot.projects.checkins import write_checkin

    for branch in ("one", "two"):
        git(work, "checkout", "-q", "main")
        git(work, "checkout", "-q", "-b", branch)
        for number in range(100):
            append_event(Project(str(project)), "note", {"who": branch, "number": number})
        write_checkin(Project(str(project)), checkin(branch=branch))
        git(work, "add", "-A")
        git(work, "commit", "-qm", branch)
    git(work, "checkout", "-q", "main")
    append_event(Project(str(project)), "note", {"who": "main", "number": 0})
    git(work, "commit", "-qam", "main")
    for branch in ("one", "two"):
        git(work, "merge", "-q", "--no-edit", branch)
    assert len(set(notes(project))) == 201
    before = Project(str(project)).read()
    assert Project(str(project)).compact() > 200
    assert not list((project / "records").glob("*"))
    after = Project(str(project)).read()
    assert [event["detail"] for event in after["events"]] == [
        event["detail"] for event in before["events"]
    ]
    assert {row["branch"] for row in after["checkins"]} == {"one", "two"}
    assert Project(str(project)).compact() == 0


def test_what_a_branch_put_down_says_so_until_it_is_merged_and_is_not_compacted_before(
    project, loom
):
    work = project.parents[1]
    git(work, "init", "-q", "-b", "main")
    git(work, "add", "-A")
    git(work, "commit", "-qm", "begin")
    git(work, "checkout", "-q", "-b", "side")
    assert loom("events", "append", SLUG, "--event=note", "--detail={}").code == 0
    (event,) = loom("events", "read", SLUG, "--event=note").json
    assert event["branch"] == "side"
    assert loom("identity", SLUG).json["staged"] is True
    refused = loom("compact", SLUG)
    assert (refused.code, json.loads(refused.err)["error"]) == (1, "compact-on-branch")


def test_the_same_key_puts_an_event_down_once_and_equal_events_without_a_key_each(project, loom):
    for _ in range(3):
        loom("events", "append", SLUG, "--event=panel", '--detail={"round": 1}')
    assert len(loom("events", "read", SLUG, "--event=panel").json) == 3
    first = loom("events", "append", SLUG, "--event=paid", "--key=call-7").json
    again = loom("events", "append", SLUG, "--event=paid", "--key=call-7").json
    assert first["at"] == again["at"]
    assert len(loom("events", "read", SLUG, "--event=paid").json) == 1


@pytest.mark.slow  # a history of ten thousand events is read whole three times
def test_one_event_more_costs_the_same_in_a_long_history(project, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    record = Project(str(project))

    def cost() -> float:
        times = []
        for _ in range(15):
            start = time.process_time()
            append_event(record, "tick", {"at": os.urandom(4).hex()})
            times.append(time.process_time() - start)
        return min(times)

    for number in range(100):
        append_event(record, "fill", {"number": number})
    early = cost()
    block = "".join(f'\n[[events]]\nat = "2026-01-05T00:00:00.000Z"\nevent = "fill"\ndetail = {{ number = {number} }}\n'
                    for number in range(100, 10_000))  # fmt: skip
    file = project / "manifest.toml"
    file.write_text(file.read_text() + block)
    cost()  # reads the whole once
    assert cost() < 5 * early + 0.01  # reading and writing a megabyte; parsing it takes a second
    assert len(record.read()["events"]) > 10_000


@pytest.mark.parametrize("place", ["main", "linked", "moved"])
def test_a_project_is_the_same_in_every_work_tree_and_wherever_a_clone_is_moved(
    tmp_path, place, monkeypatch, loom
):
    main = tmp_path / "main"
    main.mkdir()
    git(main, "init", "-q", "-b", "main")
    make_project(main)
    git(main, "add", "-A")
    git(main, "commit", "-qm", "begin")
    root = git(main, "rev-list", "--max-parents=0", "HEAD").strip()
    folder = main
    if place == "linked":
        folder = tmp_path / "linked"
        git(main, "worktree", "add", "-q", "-b", "side", str(folder))
    elif place == "moved":
        folder = tmp_path / "elsewhere" / "clone"
        git(tmp_path, "clone", "-q", str(main), str(tmp_path / "clone"))
        folder.parent.mkdir()
        (tmp_path / "clone").rename(folder)
    monkeypatch.chdir(folder / "projects" / SLUG)
    monkeypatch.setenv("LOOM_PROJECTS_ROOT", str(folder / "projects"))
    known = loom("identity").json
    assert (known["slug"], known["root"]) == (SLUG, root)
    if place != "moved":
        assert known["common"] == str(main / ".git")


def test_a_submodule_is_a_repository_of_its_own(tmp_path, monkeypatch, loom):
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    for folder in (inner, outer):
        folder.mkdir()
        git(folder, "init", "-q", "-b", "main")
        make_project(folder)
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", folder.name)
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "part")
    roots = {}
    for folder in (outer, outer / "part"):
        monkeypatch.setenv("LOOM_PROJECTS_ROOT", str(folder / "projects"))
        roots[folder.name] = loom("identity", SLUG).json["root"]
    assert roots["outer"] != roots["part"]
    assert roots["part"] == git(inner, "rev-parse", "HEAD").strip()
