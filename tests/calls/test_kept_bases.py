"""What tools said of a change's base is known the next time, and only then."""

from __future__ import annotations

import pytest

from builders import call
from guildmoot.calls.kept_bases import BaseAnswer
from guildmoot.model.call import Reply

RUFF = ("ruff", "check", ".")
LANGUAGES = ("{python}", "-P", "-m", "guildmoot.agents.tools.languages", ".")


def asked(folder, command=RUFF, seat="tool~before", **more):
    made = call("tool", "", seat, workdir=str(folder), command=command, origin="package", **more)
    return made._replace(manifest=str(folder.parent / "manifest.txt"))


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "first" / "files"
    place.mkdir(parents=True)
    (place / "a.py").write_text("import os\n")
    return place


@pytest.mark.parametrize("command", [RUFF, LANGUAGES])
def test_the_same_files_are_answered_from_another_folder(folder, tmp_path, command):
    said = f"{folder}/a.py:1: unused"
    BaseAnswer(asked(folder, command)).keep(Reply("tool~before", "answered", said, "", 1))
    again = folder.parent.rename(tmp_path / "second") / "files"
    kept = BaseAnswer(asked(again, command)).recalled()
    assert kept == Reply("tool~before", "answered", f"{again}/a.py:1: unused", "", 1)


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "a.py").write_text("import re\n"),
        lambda folder: (folder / "b.py").write_text(""),
        lambda folder: (folder.parent / "ruff.toml").write_text("line-length = 80\n"),
    ],
)
def test_what_may_change_the_answer_is_asked_again(folder, change):
    BaseAnswer(asked(folder)).keep(Reply("tool~before", "answered", "old", "", 1))
    change(folder)
    assert BaseAnswer(asked(folder)).recalled() is None


@pytest.mark.parametrize(
    "other",
    [{"seat": "tool"}, {"command": ("shellcheck", ".")}, {"run_in": "checkout"}],
)
def test_nothing_else_is_kept(folder, other):
    place = BaseAnswer(asked(folder, **other))
    place.keep(Reply("tool", "answered", "said", "", 0))
    assert place.recalled() is None


def test_what_was_no_answer_is_not_kept(folder):
    (folder / "never_answered.py").touch()
    place = BaseAnswer(asked(folder))
    place.keep(Reply("tool~before", "timeout"))
    assert place.recalled() is None
