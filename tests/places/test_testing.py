"""A panel as the judge of a test, and the ledger as a user reads it."""

from __future__ import annotations

import asyncio

import pytest

import guildmoot
from guildmoot.testing import assert_approved, score_text

GOOD = "def area(width, height):\n    return width * height\n"
BAD = GOOD.replace("* height", "* heigth")


@pytest.mark.slow  # three panels
def test_a_test_passes_or_fails_by_the_panels_verdict(tmp_path):
    (tmp_path / "shape.py").write_text(GOOD)
    assert assert_approved(tmp_path / "shape.py").verdict == "approved"
    (tmp_path / "shape.py").write_text(BAD)
    with pytest.raises(AssertionError, match=r"flagged:\n  shape.py:2 F821 .*heigth"):
        assert_approved(tmp_path)
    assert not (tmp_path / ".guild").exists()
    assert score_text(BAD, "answer.py").verdict == "flagged"


def test_an_empty_answer_is_no_right_answer():
    assert score_text(" \n", "answer.py").outcome == "nothing"  # inspect_ai: no answer


@pytest.mark.parametrize("name", ["", ".", "..", "../answer.py", "in/answer.py", "{}/answer.py"])
def test_a_text_is_written_nowhere_but_in_a_folder_of_its_own(tmp_path, name):
    with pytest.raises(guildmoot.GuildmootError):
        score_text(GOOD, name.format(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_inside_an_event_loop_the_other_verb_is_named():
    async def wait():
        assert_approved("shape.py")

    with pytest.raises(guildmoot.GuildmootError, match="event loop"):
        asyncio.run(wait())


def test_the_ledger_tells_who_was_asked_and_what_was_answered(shop):
    shop.write("shape.py", BAD)
    shop.commit()
    work = guildmoot.PacketRequest(targets=("shape.py",), cwd=shop.root)
    report = asyncio.run(guildmoot.validate(guildmoot.PanelRequest(work)))
    with guildmoot.Ledger.open(shop.root) as ledger:
        rows = {row.seat: row for row in ledger.calls(report.run_id)}
        assert rows["ruff"].state == "answered"
        assert rows["ruff"].reply is not None
        assert list(ledger.calls("no-such-run")) == []
