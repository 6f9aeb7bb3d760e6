"""Front matter is read as people write it, and what cannot be read is named with its line."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guildmoot.agents.frontmatter import MAX_CHARACTERS, parse
from guildmoot.agents.plainyaml import FrontMatterError


def test_values_lines_and_body_are_told_apart() -> None:
    matter = parse("---\nname: x\nfiles:\n  - '*.py'\n  - '*.pyi'\n---\n\nBody\n---\nmore\n")
    assert matter.data == {"name": "x", "files": ["*.py", "*.pyi"]}
    assert matter.body == "Body\n---\nmore"
    assert matter.line_of("name") == 2
    assert matter.line_of("files", 1) == 5
    assert matter.line_of("files", 9) == 3
    assert matter.line_of("nothing") == 1


def test_every_scalar_stays_the_text_that_was_written() -> None:
    matter = parse("---\na: no\nb: 1.10\nc: 2026-01-31\nd: 0x10\ne:\nf: ''\n---\n")
    assert matter.data == {
        "a": "no",
        "b": "1.10",
        "c": "2026-01-31",
        "d": "0x10",
        "e": None,
        "f": "",
    }


def test_a_byte_order_mark_and_windows_line_ends_are_accepted() -> None:
    matter = parse("\ufeff---\r\nname: x\r\n---\r\nBody\r\nmore\r\n")
    assert (matter.data, matter.body) == ({"name": "x"}, "Body\nmore")


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (
            "description: Use this agent when: a change is done",
            "Use this agent when: a change is done",
        ),
        ("description: *important* work", "*important* work"),
        ("description: [draft] reviews: everything", "[draft] reviews: everything"),
        ('description: "quoted" and: then not', '"quoted" and: then not'),
        ("description: @mention first", "@mention first"),
        ("description: Use when: a\n  long line goes on", "Use when: a long line goes on"),
    ],
)
def test_a_line_that_strict_yaml_refuses_is_plain_text(line: str, value: str) -> None:
    matter = parse(f"---\nname: x\n{line}\nmodel: opus\n---\nBody")
    assert matter.data == {"name": "x", "description": value, "model": "opus"}
    assert matter.line_of("model") == 4 + line.count("\n")


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("# Title\n", 1, "must begin with ---"),
        ("", 1, "must begin with ---"),
        ("---\nname: x\n", 1, "never closed"),
        ("---\n---\n", 2, "empty"),
        ("---\n- a\n---\n", 2, "key: value"),
        ("---\nname: x\nname: y\n---\n", 3, "second time"),
        ("---\nname: x\nm: {a: 1, a: 2}\n---\n", 3, "second time"),
        ("---\nname: x\nfiles: [a,\n  b\nrole: y\n---\n", 3, "not closed"),
        ("---\nname: x\ncodes: {0: a: b}\n---\n", 3, ""),
        ("---\nbase: &b 1\nother: [*b]\n---\n", 3, "aliases"),
        ("---\nname: !!python/name:os.system {}\n---\n", 2, "tag"),
        ("---\nname: [!evil x]\n---\n", 2, "tag"),
        ("---\ndescription: x\n  model: y\n---\n", 3, "colon"),
        ("---\nname: x\n\tmodel: y\n---\n", 3, "tab"),
        ('---\nname: x\nmodel: "a\\0b"\n---\n', 3, "control character"),
        ("---\nname: x\n? [a]\n: b\n---\n", 3, "key must be text"),
        ("---\nname: x\n...\nmodel: y\n---\n", 4, ""),
        (f"---\nname: x\ndeep: {'[' * 200}{']' * 200}\n---\n", 3, "deeply"),
        (f"---\nname: {'x' * MAX_CHARACTERS}\n---\n", 1, "characters"),
        ("---\nname: x\nmodel: a\x07b\n---\n", 3, ""),
    ],
)
def test_what_cannot_be_read_is_named_with_line_and_reason(
    text: str, line: int, reason: str
) -> None:
    with pytest.raises(FrontMatterError) as caught:
        parse(text)
    assert caught.value.line == line
    assert reason in caught.value.reason


def test_aliases_cannot_be_piled_up() -> None:
    bomb = "a: &a [x,x]\n" + "".join(
        f"{c}: &{c} [*{p},*{p}]\n" for p, c in zip("abc", "bcd", strict=True)
    )
    with pytest.raises(FrontMatterError, match="aliases"):
        parse(f"---\n{bomb}---\n")


@settings(deadline=None)  # the first example may import what the others find there
@given(st.text(), st.text())
def test_any_text_is_read_or_refused(front: str, body: str) -> None:
    text = f"---\n{front}\n---\n{body}"
    try:
        said = list(parse(text).lines.values())
    except FrontMatterError as wrong:
        said = [wrong.line]
    assert all(1 <= line <= text.count("\n") + text.count("\r") + 3 for line in said)


@settings(deadline=None)  # the first example may import what the others find there
@given(st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z"))))
def test_a_quoted_value_comes_back_as_it_was(value: str) -> None:
    quoted = "'" + value.replace("'", "''") + "'"
    assert parse(f"---\nname: {quoted}\n---\n").data == {"name": value}
