"""Findings are checked before they count: the file, the line and the quote must be real."""

import time
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
        ({"line": 4, "quote": "os.system(path)", "firm": True}, "quote-not-found"),
    ],
)
def test_an_opinion_about_an_unreal_place_cannot_block(changes, grounding):
    checked = ground(claim(**changes), TEXTS)
    assert checked.grounding == grounding
    assert not checked.blocking
    assert checked.note


@pytest.mark.parametrize("line", [99, -3])
def test_a_line_that_the_file_does_not_have_leaves_the_finding_with_its_file(line):
    checked = ground(claim(line=line), TEXTS)
    assert (checked.grounding, checked.path) == ("line-out-of-range", "app.py")
    assert checked.blocking
    assert str(line) in checked.note


LONG = "def load(path):\n    check(path)\n" + "    step()\n" * 9 + "    return open(path).read()\n"


@pytest.mark.parametrize(
    "quote",
    [
        "def load(path): ... return open(path).read()",
        "def load(path):\n    …\n    return open(path).read()",
        "def load(path): [...] return open(path).read()",
        "+def load(path):\n+    check(path)",
        "    1| def load(path):\n    2|     check(path)",
        "1: def load(path): check(path)",
        "> def load(path):",
        "def load( path ) : check(path)",
        "Def Load(Path):",
        "def … :",
        "def load\u200b(path):",
        "def load⟦U+200B⟧(path):",
    ],
)
def test_a_quote_is_found_as_judges_copy(quote):
    texts = Texts([PacketFile("app.py", LONG, "")])
    checked = ground(claim(line=2, quote=quote, firm=True), texts)
    assert (checked.grounding, checked.line, checked.blocking) == ("moved", 1, True)


@pytest.mark.parametrize(
    "quote", ["def save(path): ... return open(path).read()", "… ...", "x", "load() … def"]
)
def test_a_quote_that_is_not_there_is_not_found_by_its_dots(quote):
    texts = Texts([PacketFile("app.py", LONG, "")])
    assert ground(claim(line=2, quote=quote, firm=True), texts).grounding == "quote-not-found"


def test_many_findings_with_quotes_are_looked_up_in_seconds():
    lines = [f"value_{number} = compute({number})" for number in range(1000)]
    texts = Texts([PacketFile("app.py", "\n".join(lines), "")])
    started = time.process_time()
    for number in range(20_000):
        ground(claim(line=number % 1000 + 1, quote="value_7 = compute", firm=True), texts)
    assert time.process_time() - started < 10


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
