"""What was accepted covers what stood there, and nothing that a change puts beside, below or in place of it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from guildmoot.api.baseline import draw_baseline
from guildmoot.api.findings import decide_finding
from guildmoot.guard.nonce import is_proven, make_proof
from guildmoot.guard.trust import Trust
from guildmoot.memory import baseline, calibration
from guildmoot.practices.dispositions import DispositionRequest
from practices.test_ignores import Commit, codes, commit, judged, write

__all__ = ["commit"]

NAME = "def f():\n    return undefined_name\n"
CALL = "    return subprocess.run(\n        {what},\n        shell=True,\n    )\n"
SHELL = "import subprocess\n\n\ndef f(cmd):\n" + CALL.format(what="cmd")
COPIES = {
    "a name": (NAME, "\n\ndef g():\n    return undefined_name\n"),
    "a call": (SHELL, "\n\ndef web(request):\n" + CALL.format(what="request.args['q']")),
}


def accept_baseline(root: Path) -> None:
    asyncio.run(draw_baseline(cwd=root))


def dismiss(root: Path) -> None:
    report = judged(root, ".")
    for found in (*report.blocking, *report.advisory):
        asyncio.run(decide_finding(DispositionRequest(found.id, "dismissed", "ours"), root))


@pytest.mark.parametrize("accept", [accept_baseline, dismiss])
@pytest.mark.parametrize("name", COPIES)
@pytest.mark.sample(2)
def test_a_second_copy_counts(tmp_path: Path, commit: Commit, name: str, accept) -> None:
    text, more = COPIES[name]
    commit({"n.py": text})
    accept(tmp_path)
    write(tmp_path, {"n.py": "# moved\n" + text})
    assert codes(judged(tmp_path)) == set()
    write(tmp_path, {"n.py": text + more})
    assert judged(tmp_path).exit_code == 2


def test_a_second_copy_can_be_dismissed_too(tmp_path: Path, commit: Commit) -> None:
    text, more = COPIES["a name"]
    commit({"n.py": text})
    write(tmp_path, {"n.py": text + more})
    (found,) = judged(tmp_path).blocking
    asyncio.run(decide_finding(DispositionRequest(found.id, "dismissed", "ours"), tmp_path))
    assert judged(tmp_path).exit_code == 0
    write(tmp_path, {"n.py": text + more + more.replace("g()", "h()")})
    assert judged(tmp_path).exit_code == 2


GOOD = "import os\n\n\ndef good():\n    return os.getcwd(){after}\n"
EVIL = "import subprocess\nimport sys\n\n\ndef evil():\n    return subprocess.run(sys.argv[1], shell=True){after}\n"
GUARD = "if not allowed('me'):  # noqa\n    raise SystemExit\n"
ABOVE = "def f():\n    # guild: ignore[F821] the host sets it\n    return {what}\n"
DOC = '"""Lines with # ruff: noqa are skipped."""\n'
QUIET = NAME.replace("name", "name  # noqa")
UNDER = {
    "rewritten": (GOOD.format(after="  # noqa"), EVIL.format(after="  # noqa")),
    "nosec": (GOOD.format(after="  # nosec"), EVIL.format(after="  # nosec")),
    "file, ruff": ("# ruff: noqa\nA = 1\n", "# ruff: noqa\nA = 1\n" + NAME),
    "file, flake8": ("# flake8: noqa\nA = 1\n", "# flake8: noqa\nA = 1\n" + NAME),
    "docstring": (DOC, DOC + NAME),
    "line above": (ABOVE.format(what="host"), ABOVE.format(what="undefined_name")),
    "import gone": ("from me import allowed\n\n" + GUARD, GUARD),
    "copied": (QUIET, QUIET + "\n\n" + QUIET.replace("f()", "g()")),
}


@pytest.mark.parametrize("name", UNDER)
@pytest.mark.sample(3)
def test_an_old_comment_does_not_cover_what_is_new(
    tmp_path: Path, commit: Commit, name: str
) -> None:
    before, after = UNDER[name]
    commit({"n.py": before})
    write(tmp_path, {"n.py": after})
    report = judged(tmp_path)
    assert report.exit_code == 2
    assert any("not heeded in a change" in each.note for each in report.blocking)


@pytest.mark.parametrize(
    "text",
    [
        QUIET,
        "# ruff: noqa\n" + NAME,
        ABOVE.format(what="undefined_name"),
        SHELL.replace("run(", "run(  # nosec"),
    ],
)
def test_what_stood_under_its_comment_stays_silent(
    tmp_path: Path, commit: Commit, text: str
) -> None:
    commit({"n.py": text})
    write(tmp_path, {"n.py": "A = 1\n\n\n" + text.replace("f()", "f(x)")})
    assert judged(tmp_path).exit_code == 0


def forge_baseline(root: Path) -> str:
    accept_baseline(root)
    Trust(root).revoke()
    return baseline.FILE


def forge_dismissal(root: Path) -> str:
    dismiss(root)
    file = root / calibration.FILE
    (row,) = map(json.loads, file.read_text().splitlines())
    file.write_text(json.dumps({**row, "proof": "0" * len(row["proof"])}) + "\n")
    return calibration.FILE.as_posix()


@pytest.mark.parametrize("forge", [forge_baseline, forge_dismissal])
def test_what_a_patch_brings_is_not_the_users_word(tmp_path: Path, commit: Commit, forge) -> None:
    commit({"a.py": "A = 1\n"})
    write(tmp_path, {"n.py": NAME})
    name = forge(tmp_path)
    for report in (judged(tmp_path), judged(tmp_path, ".")):
        assert report.exit_code == 2
        assert any(name in reason for reason in report.header.reasons)


@pytest.mark.parametrize("accept", [accept_baseline, dismiss])
@pytest.mark.parametrize("committed", [True, False])
def test_what_the_user_accepted_counts(
    tmp_path: Path, commit: Commit, committed: bool, accept
) -> None:
    write(tmp_path, {"n.py": NAME})
    if committed:
        commit({})
    accept(tmp_path)
    assert judged(tmp_path, ".").exit_code == 0


def test_a_proof_is_for_one_content() -> None:
    row = {"kind": "disposition", "why": "é"}
    proven = {**row, "proof": make_proof(row)}
    assert is_proven(proven)
    for other in (row, {**proven, "why": "e"}, {**proven, "proof": 1}, {**proven, "proof": "é"}):
        assert not is_proven(other)
