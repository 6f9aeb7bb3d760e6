"""A baseline accepts what is there: later runs tell what is new, and nobody's change draws its own line."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from guildmoot.api.baseline import clear_baseline, draw_baseline, show_baseline
from guildmoot.api.judge import validate
from guildmoot.guard.trust import Trust
from guildmoot.memory.baseline import FILE
from guildmoot.model.report import RunReport
from guildmoot.packet import PacketRequest
from guildmoot.practices.panel import PanelRequest
from practices.test_ignores import Commit, codes, commit, judged, write

OLD = "def run(x):\n    launch(x)\n"

__all__ = ["commit"]


@pytest.fixture
def drawn(tmp_path: Path, commit: Commit) -> Path:
    commit({"m.py": OLD})
    asyncio.run(draw_baseline(cwd=tmp_path))
    return tmp_path


def without(root: Path) -> RunReport:
    packet = PacketRequest(targets=(".",), cwd=root)
    return asyncio.run(validate(PanelRequest(packet, settings={"panel.baseline": False})))


def test_what_was_there_is_listed_and_what_is_new_blocks(drawn: Path) -> None:
    report = judged(drawn, ".")
    assert (report.exit_code, codes(report)) == (0, set())
    assert [(each.by, each.finding.code) for each in report.ignored] == [("baseline", "F821")]
    assert report.ignored[0].when
    write(drawn, {"m.py": "# moved\n\n" + OLD + "\n\ndef more():\n    start()\n"})
    (new,) = judged(drawn, ".").blocking
    assert "start" in new.title


def test_as_often_as_it_was_there(drawn: Path) -> None:
    write(drawn, {"m.py": OLD + "    launch(x)\n"})
    assert codes(judged(drawn, ".")) == {"F821"}


def test_shown_switched_off_and_cleared(drawn: Path) -> None:
    found = asyncio.run(show_baseline(drawn))
    assert dict(found.codes) == {"F821": 1}
    assert codes(without(drawn)) == {"F821"}
    assert asyncio.run(clear_baseline(drawn))
    assert codes(judged(drawn, ".")) == {"F821"}
    assert not asyncio.run(clear_baseline(drawn))


def test_who_drew_it_trusts_it_also_when_it_is_committed(
    drawn: Path,
    commit: Commit,
) -> None:
    commit({})
    assert codes(judged(drawn, ".")) == set()


def test_one_that_the_repository_brings_counts_when_it_is_trusted(
    drawn: Path,
    commit: Commit,
) -> None:
    commit({})
    Trust(drawn).revoke()
    report = judged(drawn, ".")
    assert codes(report) == {"F821"}
    assert any(FILE in reason and "guild trust" in reason for reason in report.header.reasons)


def test_a_change_does_not_draw_its_own_line(
    tmp_path: Path,
    commit: Commit,
) -> None:
    commit({"a.py": "A = 1\n", FILE: json.dumps({"schema_version": 1, "findings": {}})})
    write(tmp_path, {"m.py": OLD})
    asyncio.run(draw_baseline(cwd=tmp_path))
    report = judged(tmp_path)
    assert codes(report) == {"F821"}
    assert any(each.code == "guarded-change" and each.path == FILE for each in report.advisory)


def test_a_damaged_one_holds_nothing_and_is_told(drawn: Path) -> None:
    (drawn / FILE).write_text("{")
    report = judged(drawn, ".")
    assert "F821" in codes(report)
    assert any("cannot be read" in reason for reason in report.header.reasons)


def test_a_call_over_several_lines_is_known_by_all_of_them(tmp_path: Path, commit: Commit) -> None:
    old = "import ssl\n\n\ndef f(a, b):\n    return '%s %s %s' % (\n        a,\n        b,\n    )\n"
    commit({"m.py": old})
    asyncio.run(draw_baseline(cwd=tmp_path))
    assert codes(judged(tmp_path, ".")) == set()
    write(tmp_path, {"m.py": old.replace("        b,\n", "        open(b).read(),\n")})
    assert codes(judged(tmp_path, ".")) == {"F507"}
