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


NOTED = """\
/**
 * What is kept.
 */
type Kept = number;

/*
 * What is made of it.
 */
export function made(kept: Kept) {
  return kept; /* all of it */
}
"""


@pytest.mark.parametrize("path", ["a.ts", "a.js", "a.java", "a.go", "a.php", "a.cs", "a.cpp"])
def test_a_comment_that_swallows_code_is_told(path: str) -> None:
    after = NOTED.replace("kept.\n */", "kept.\n *")
    assert [line for line, _ in new_faults(path, NOTED, after)][:1] == [3]
    after = NOTED.replace("kept.\n */\n", "kept.\n")
    assert [line for line, _ in new_faults(path, NOTED, after)] != []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/**\n * What is kept.\n */\n", ""),
        ("/**\n * What is kept.\n */\n", "// What is kept.\n"),
        (" * What is kept.\n */\n", " * What is kept. */\n"),
        (" */\ntype Kept = number;\n\n/*\n", ""),
        ("return kept; /* all of it */", "return kept;"),
    ],
)
def test_a_comment_that_ends_stays_quiet(old: str, new: str) -> None:
    assert old in NOTED
    assert list(new_faults("a.ts", NOTED, NOTED.replace(old, new, 1))) == []
