"""A statement without its end is told where the grammar reads nothing."""

from __future__ import annotations

import pytest

from guildmoot.agents.compiling.faults import new_faults

TEXT = """\
template EXPORT(PART) Part Slider(Option<int>);
template EXPORT(PART) Part Slider(Option<long>);  // the longer
template EXPORT(PART) Part Slider(Option<char>);

Q_THING;
DECLARE_ALL(Part);
int first = 1;
int second = 2;

int go(Part *part)
{
    part->draw(first);
    return second;
};
int past(int one);
"""


def told(old: str, new: str, path: str = "a.cpp") -> list[int]:
    assert old in TEXT
    return [line for line, _ in new_faults(path, TEXT, TEXT.replace(old, new, 1))]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("Slider(Option<int>);", "Slider(Option<int>)", 1),
        ("(Option<long>);", "(Option<long>)", 2),
        ("first = 1;", "first = 1", 7),
        ("draw(first);", "draw(first)", 12),
        ("return second;", "return second", 13),
    ],
)
def test_a_statement_that_lost_its_end_is_told(old: str, new: str, line: int) -> None:
    assert told(old, new) == [line]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Q_THING;", "Q_THING"),
        ("DECLARE_ALL(Part);", "DECLARE_ALL(Part)"),
        ("};", "}"),
        ("int past(int one);", "int past(int one)\n{\n    return one;\n}"),
        ("first = 1;", "first = 1\n    + 2;"),
        ("first = 1;", "first = 1,"),
        ("    return second;", "    return second\n        + 1;"),
    ],
)
def test_what_needs_no_end_stays_quiet(old: str, new: str) -> None:
    assert told(old, new) == []
