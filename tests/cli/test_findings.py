"""``guild findings``: appended whole by any number of writers, and never outside of the project."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from guildmoot.projects.findings import signature

WHO = ("--evaluator=ev-x", "--code=c-one")


@pytest.fixture
def stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "projects" / "demo").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "projects" / "demo" / ".guild-findings.jsonl"


def add(guild: Any, evidence: str = "e", slug: str = "demo") -> Any:
    return guild("findings", "append", f"--slug={slug}", *WHO, f"--evidence={evidence}")


def count(guild: Any, evidence: str) -> str:
    out: str = guild("findings", "count", "--slug=demo", *WHO, f"--evidence={evidence}").out
    return out


def test_what_was_appended_is_counted_whatever_its_spacing(guild: Any, stream: Path) -> None:
    for evidence in ("The  loop\nhas no CAP", " the loop has no cap ", "something else"):
        assert add(guild, evidence).code == 0
    assert count(guild, "THE LOOP HAS NO CAP") == "2\n"
    assert count(guild, "nothing") == "0\n"


@pytest.mark.parametrize("slug", ["..", ".", "../demo", "a/b", "a\\b", "/etc", ""])
def test_a_slug_that_is_no_folder_name_is_refused(guild: Any, stream: Path, slug: str) -> None:
    ran = add(guild, slug=slug)
    assert ran.code == 1
    assert ran.err.startswith("findings-error: ")
    assert guild("findings", "count", f"--slug={slug}", *WHO, "--evidence=e").code == 1
    assert not list(stream.parents[2].rglob(".guild-findings.jsonl"))


def test_empty_evidence_is_allowed_but_an_empty_evaluator_is_not(guild: Any, stream: Path) -> None:
    assert add(guild, "").code == 0
    ran = guild("findings", "append", "--slug=demo", "--evaluator=", "--code=c", "--evidence=e")
    assert ran.code == 1
    assert "--evaluator is required" in ran.err


def test_a_value_may_follow_its_flag_as_a_word(guild: Any, stream: Path) -> None:
    words = ("--slug", "demo", "--evaluator", "x", "--code", "c", "--evidence", "--dashes")
    assert guild("findings", "append", *words).code == 0
    assert json.loads(stream.read_text())["evidence"] == "--dashes"
    assert guild("findings", "append", "--slug").code == 1


def test_broken_lines_are_skipped_and_a_torn_one_is_not_continued(guild: Any, stream: Path) -> None:
    mark = signature("ev-x", "c-one", "e")
    stream.write_text(f'not json\n[]\n{{"signature": "{mark}"}}\n{{"signature": "{mark}')
    assert add(guild).code == 0
    assert count(guild, "e") == "2\n"
    assert json.loads(stream.read_text().splitlines()[-1])["signature"] == mark


def test_many_writers_at_once_lose_nothing(stream: Path) -> None:
    program = (
        "import sys; from datetime import UTC, datetime; from pathlib import Path; "
        "from guildmoot.projects.findings import FindingRow, append; "
        "[append(Path.cwd(), FindingRow('demo', 'ev-x', 'c-one', 'e' * 9000 + str(n)), datetime.now(UTC)) "
        "for n in range(25)]"
    )
    writers = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(4)]
    assert [writer.wait() for writer in writers] == [0] * 4
    rows = [json.loads(line) for line in stream.read_text().splitlines()]
    assert len(rows) == 100
