"""Killed before or after any change on disk, or with a full disk: the record is the old one or the new one."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import tomllib

import pytest

from durability.harness import FAIL_FROM, KILL_AFTER, KILL_BEFORE, build
from guildmoot.projects.store import Project
from projects.conftest import SLUG, checkin
from projects.test_many_writers import git

pytestmark = pytest.mark.slow  # some hundred processes, and a C compiler
STRUCK = """
import ctypes, os, sys
from guildmoot.cli.loom import records, main as loom, look, plans
from guildmoot.projects import checkins, commits, documents, events, folders, phases, store
watch, mode, at, error = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
ctypes.CDLL(None).fault_arm(watch.encode(), mode, at, error, -1, -1)
raise SystemExit(loom.main(sys.argv[5:]))
"""
VERBS = {
    "event": ("events", "append", SLUG, "--event=paid", "--key=k-1"),
    "repeat": ("events", "append", SLUG, "--event=project-initialized", "--key=k-1"),
    "phase": ("phase", "update", SLUG, "1", "--status=in-progress"),
    "checkin": ("checkin", "write", SLUG, "--checkin-file=c.json"),
    "revision": ("revise-plan", SLUG, "--revision-file=r.md", "--rationale=why", "--no-commit"),
    "compact": ("compact", SLUG),
    "archive": ("project", "archive", SLUG),
}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return build(tmp_path_factory.mktemp("fault"))


@pytest.fixture
def work(project):
    """A project with records beside its manifest, and what the verbs read."""
    folder = project.parents[1]
    (folder / "c.json").write_text(json.dumps(checkin()))
    (folder / "r.md").write_text((project / "PLAN.md").read_text() + "\n## Phase 3 — More\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "begin")
    git(folder, "checkout", "-q", "-b", "side")
    from guildmoot.projects.events import append_event

    append_event(Project(str(project)), "note", {"on": "a branch"})
    git(folder, "checkout", "-q", "main")
    return folder


def strike(library, folder, verb, mode, at, error=0):
    environment = {**os.environ, "LD_PRELOAD": str(library), "HOME": str(folder.parent / "home")}
    return subprocess.run(
        [sys.executable, "-c", STRUCK, str(folder / "projects"), str(mode), str(at), str(error), *VERBS[verb]],
        cwd=folder, env=environment, capture_output=True, text=True,
    )  # fmt: skip


def sections(folder) -> dict[str, int]:
    """How much of everything is on record, wherever the project lies; it must be readable."""
    places = [folder / "projects" / SLUG, folder / "projects" / "archive" / SLUG]
    (place,) = [place for place in places if (place / "manifest.toml").exists()]
    tomllib.loads((place / "manifest.toml").read_text())
    values = Project(str(place)).read()
    return {name: len(rows) for name, rows in values.items() if isinstance(rows, list)}


@pytest.mark.parametrize("verb", VERBS)
def test_killed_at_any_change_nothing_is_lost_or_doubled_and_doing_it_again_ends_the_same(
    library, work, verb, tmp_path
):
    whole = tmp_path / "whole"
    shutil.copytree(work, whole)
    before = sections(work)
    assert strike(library, whole, verb, KILL_BEFORE, 0).returncode == 0
    after = sections(whole)
    at = 0
    while True:
        at += 1
        ended = []
        for mode in (KILL_BEFORE, KILL_AFTER):
            place = tmp_path / f"{mode}-{at}"
            shutil.copytree(work, place)
            done = strike(library, place, verb, mode, at)
            ended.append(done.returncode)
            found = sections(place)
            assert all(before[name] <= found[name] <= after[name] for name in before), (at, found)
            if done.returncode < 0:
                again = strike(library, place, verb, KILL_BEFORE, 0)
                if verb in ("event", "repeat", "compact"):
                    assert again.returncode == 0, again.stderr
                    assert sections(place) == after
            shutil.rmtree(place)
        if ended == [0, 0]:
            break
    assert at > 2  # it did change something


@pytest.mark.parametrize("verb", VERBS)
def test_a_full_disk_is_told_and_the_record_stays_readable(library, work, verb, tmp_path):
    before = sections(work)
    for at in range(1, 8):
        place = tmp_path / str(at)
        shutil.copytree(work, place)
        done = strike(library, place, verb, FAIL_FROM, at, errno.ENOSPC)
        found = sections(place)
        assert all(before[name] <= found[name] for name in before)
        if done.returncode:
            assert json.loads(done.stderr.splitlines()[-1])["error"], done.stderr
        shutil.rmtree(place)
