"""Findings are checked before they count: the file, the line and the quote must be real."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import finding
from guildmoot.grounding.anchors import Texts, ground
from guildmoot.model.packet import PacketFile

claim = partial(finding, path="app.py")

TEXT = "import os\n\ndef load(path):\n    data = open(path).read()\n    return data\n\nload('x')\n"
TEXTS = Texts([PacketFile("app.py", TEXT, "")])


def test_a_real_line_and_quote_are_grounded():
    checked = ground(claim(line=4, quote="data = open(path).read()"), TEXTS)
    assert checked.grounding == "grounded"
    assert checked.blocking


def test_a_wrong_line_is_moved_to_where_the_quote_really_is():
    checked = ground(claim(line=1, end_line=2, quote="data = open(path).read()"), TEXTS)
    assert (checked.grounding, checked.line, checked.end_line) == ("moved", 4, 5)
    assert "corrected from 1" in checked.note


def test_white_space_in_a_quote_is_forgiven():
    checked = ground(claim(line=3, quote="def  load(path):\n  data  =  open(path).read()"), TEXTS)
    assert (checked.grounding, checked.line) == ("grounded", 3)


def test_of_several_places_the_one_nearest_to_the_claimed_line_wins():
    texts = Texts([PacketFile("app.py", "x = 1\n" * 9, "")])
    assert ground(claim(line=6, quote="x = 1"), texts).line == 6


@pytest.mark.parametrize(
    ("changes", "grounding"),
    [
        ({"path": "gone.py", "line": 1}, "no-such-file"),
        ({"line": 99}, "line-out-of-range"),
        ({"line": -3}, "line-out-of-range"),
        ({"line": 4, "quote": "os.system(path)", "firm": True}, "quote-not-found"),
    ],
)
def test_an_opinion_about_an_unreal_place_cannot_block(changes, grounding):
    checked = ground(claim(**changes), TEXTS)
    assert checked.grounding == grounding
    assert not checked.blocking
    assert checked.note


def test_a_computed_fact_keeps_its_power_and_gets_its_line_quoted():
    checked = ground(claim(line=4, proven=True), TEXTS)
    assert checked.blocking
    assert checked.quote == "    data = open(path).read()"
    assert ground(claim(path="gone.py", proven=True), TEXTS).blocking


def test_a_finding_without_a_place_is_unanchored_and_may_block():
    checked = ground(claim(path=""), TEXTS)
    assert (checked.grounding, checked.blocking) == ("unanchored", True)


@given(st.text(), st.integers(), st.integers(), st.booleans())
def test_any_claim_is_answered_and_a_grounded_line_always_exists(quote, line, end, proven):
    checked = ground(claim(quote=quote, line=line, end_line=end, proven=proven), TEXTS)
    if checked.grounding in ("grounded", "moved"):
        assert 0 <= checked.line <= TEXT.count("\n") + 1
