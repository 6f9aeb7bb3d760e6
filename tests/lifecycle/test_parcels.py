"""What travels between machines: jobs and results that anybody may have written to the shared database."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.lifecycle.executions import git

from guildmoot.lifecycle.execution.workers.packs import Scratch, make_pack
from guildmoot.lifecycle.execution.workers.parcel import (
    LaneParcel,
    ParcelError,
    SentFile,
    as_text,
    gather,
    lay_out,
    read_outcome,
    read_parcel,
    wrong_path,
)

GOOD = LaneParcel("run-1", "T1-backend", "backend", 1, "a" * 40, "b" * 40, "mid")


def sent(kind: str, data: bytes) -> SentFile:
    return SentFile(kind, base64.b64encode(data).decode())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "../x", "a/../../x", "a/./b", "a//b", "", "a/", ".git", ".git/config", ".GIT/config",
     "a/.Git/hooks/x", "git~1/config", ".git./config", ".git /config", ".git::$INDEX_ALLOCATION/x",
     ".g\u200cit/config", "a\0b", "x" * 300, "app/a/\ud800"],
)  # fmt: skip
def test_a_path_that_leads_out_or_into_git_is_none(path: str) -> None:
    assert wrong_path(path)
    with pytest.raises(ParcelError):
        read_outcome(json.dumps({"files": {path: None}}))


@pytest.mark.parametrize("code", [1 << 40, -(1 << 40), 10**4000])
def test_an_exit_code_of_no_system_is_refused(code: int) -> None:
    with pytest.raises(ParcelError, match="exit code"):
        read_outcome(json.dumps({"exit_code": code}))


@pytest.mark.parametrize("path", ["a.py", "a/b/c", ".gitignore", ".github/x", "é/ü", "a b", "..a"])
def test_a_usual_path_is_taken(path: str) -> None:
    assert not wrong_path(path)


@pytest.mark.parametrize(
    "change",
    [{"task": "../T1"}, {"run": "a/b"}, {"owner": ""}, {"task": "a..b"}, {"base": "HEAD"}, {"start": "--all"},
     {"attempt": 0}, {"seconds": -1.0}, {"tier": "root"}, {"environment": {"PATH": "/evil"}},
     {"environment": {"GUILD_RECEIPT": "/etc/passwd"}}, {"model": "a\0b"}],
)  # fmt: skip
def test_a_job_that_names_places_or_variables_of_this_machine_is_refused(
    change: dict[str, object],
) -> None:
    assert read_parcel(as_text(GOOD)) == GOOD
    with pytest.raises(ParcelError):
        read_parcel(as_text(GOOD._replace(**change)))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "[]", "null", '{"files": []}', "[" * 100_000, '{"files": {"a": {"kind": "device", "data": ""}}}'])  # fmt: skip
def test_what_is_no_result_is_refused(text: str) -> None:
    with pytest.raises(ParcelError):
        read_outcome(text)


def test_files_arrive_as_they_were(tmp_path: Path) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    for folder in (there, here):
        (folder / "d").mkdir(parents=True)
        (folder / "gone").write_text("x")
        os.symlink("d", folder / "was-link")
    (there / "gone").unlink()
    (there / "was-link").unlink()
    (there / "was-link").mkdir()
    (there / "was-link" / "f").write_bytes(b"\0\r\n\xff")
    (there / "run").write_text("#!/bin/sh\n")
    (there / "run").chmod(0o755)
    os.symlink("/nowhere", there / "out")
    names = ["gone", "was-link", "was-link/f", "run", "out"]
    files = gather(there, names) | {"was-link": None}
    lay_out(here, files)
    assert not (here / "gone").exists()
    assert (here / "was-link" / "f").read_bytes() == b"\0\r\n\xff"
    assert os.access(here / "run", os.X_OK)
    assert (
        os.readlink(here / "out") == "/nowhere"
    )  # judged as a link that leads out, like any other


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    outside, here = tmp_path / "outside", tmp_path / "here"
    outside.mkdir()
    here.mkdir()
    os.symlink(outside, here / "old")
    for files in (
        {"new": sent("link", os.fsencode(outside)), "new/x": sent("file", b"x")},
        {"old/x": sent("file", b"x")},
    ):
        with pytest.raises(ParcelError):
            lay_out(here, files)
    lay_out(here, {"old/y": None})
    assert list(outside.iterdir()) == []


def repository(place: Path) -> tuple[Path, str]:
    place.mkdir()
    git(place, "init", "-q")
    (place / "a.py").write_text("A = 1\n")
    git(place, "add", "-A")
    git(place, "commit", "-q", "-m", "one")
    return place, git(place, "rev-parse", "HEAD")


def test_commits_travel_as_far_as_the_other_side_does_not_have_them(tmp_path: Path) -> None:
    here, first = repository(tmp_path / "here")
    whole = make_pack(here, [first], ["e" * 40])
    scratch = Scratch(tmp_path / "scratch")
    scratch.open()
    scratch.take(whole, first)
    assert scratch.commits == (first,)
    assert git(tmp_path / "scratch", "show", f"{first}:a.py") == "A = 1"
    assert make_pack(here, [first], scratch.commits) == b""
    git(tmp_path, "clone", "-q", str(here), "clone")
    borrows = Scratch(tmp_path / "other", [str(tmp_path / "clone")])
    borrows.open()
    borrows.take(b"", first)


def test_a_pack_that_is_none_or_hides_a_repository_is_refused(tmp_path: Path) -> None:
    here, first = repository(tmp_path / "here")
    scratch = Scratch(tmp_path / "scratch")
    scratch.open()
    blob = git(here, "rev-parse", f"{first}:a.py")
    (tmp_path / "tree").write_text(f"100644 blob {blob}\t.git\n")
    with (tmp_path / "tree").open() as stream:
        words = ["git", "mktree"]
        tree = subprocess.run(words, cwd=here, stdin=stream, capture_output=True, text=True, check=True)  # fmt: skip
    evil = git(here, "commit-tree", tree.stdout.strip(), "-m", "evil")
    for pack, base in (
        (b"PACK of nothing", first),
        (b"", first),
        (make_pack(here, [evil], []), evil),
    ):
        with pytest.raises(ParcelError):
            scratch.take(pack, base)
    assert scratch.commits == ()
