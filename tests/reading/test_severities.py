"""Severities as models write them, and what only looks like one."""

from __future__ import annotations

import pytest

from guildmoot.reading.blocks import OWN
from guildmoot.reading.reasons import read_marks
from guildmoot.reading.words.doubts import doubt


@pytest.mark.parametrize("said", ["HIGH", "**High**", "MEDIUM"])
def test_a_confidence_under_its_heading_is_no_severity(said):
    lines = [(OWN, row) for row in f"### Confidence\n\n{said}\n\n### Findings\n\nNone.".split("\n")]
    assert doubt(lines, []) == ""


@pytest.mark.parametrize(
    ("text", "severity", "rest"),
    [
        ("CRITICAL (src/a.py:6): built from input", "critical", "src/a.py:6: built from input"),
        ("MINOR (src/a.py:5): a name", "low", "src/a.py:5: a name"),
        ("🔴 **Critical** – built from input", "critical", "built from input"),
        ("🟡 **Minor** – a name", "low", "a name"),
        ("🔴 Critical: built from input", "critical", "built from input"),
        ("🟡 Minor: a name", "low", "a name"),
        ("HIGH (I think) is the load", None, "HIGH (I think) is the load"),
    ],
)
def test_a_severity_before_a_place_or_behind_a_picture_is_read(text, severity, rest):
    marks = read_marks(text)
    assert (marks.severity, marks.text) == (severity, rest)


def test_a_severity_under_another_heading_is_one():
    lines = [(OWN, row) for row in ["### Rating of what I found", "", "CRITICAL: it leaks"]]
    assert doubt(lines, [])
