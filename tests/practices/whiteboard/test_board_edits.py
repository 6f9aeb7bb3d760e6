"""What a section leaves open is closed, so that it cannot swallow the rest of a board."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from guildmoot.practices.whiteboard.board_edits import close_blocks
from guildmoot.reading.decisions import read_decisions

OPEN = [
    "cut off:\n\n```python\nprint(1",
    "~~~~\nx\n~~~",
    "text\n```",
    "- a list\n\n  ```\n  code",
    "<!-- a comment",
    "<pre>\ncode",
    "<script>\nalert(1)",
    "a\n\n```\n<!--\n```\n\n<!--",
    "<!--\n```\n-->\n\n~~~",
    "1. first\n\n   ```\n   code\n\nout of the list\n\n```",
]
WHOLE = [
    "plain text",
    "```\ncode\n```",
    "```\n<pre>\n```",
    "a\n\n```\n<details>\n```\n",
    "<!-- a note -->\n\ntext",
    "> ```\n> quoted",
    "> **No answer** (failed)",
    "1. first\n\n   ```\n   code\n\nout of the list",
    "<details>\n\nmore\n\n</details>",
    "",
]


def headings(text: str) -> list[str]:
    """What a reader of Markdown takes for headings."""
    tokens = MarkdownIt("commonmark").parse(text)
    return [
        tokens[n + 1].content for n, each in enumerate(tokens) if each.type == "heading_open"
    ]  # fmt: skip


@pytest.mark.parametrize("text", OPEN)
def test_what_is_open_would_hide_the_next_section_and_is_closed(text: str) -> None:
    assert headings(f"{close_blocks(text)}\n\n### From b\n") == ["From b"]
    assert close_blocks(text).startswith(text)


@pytest.mark.parametrize("text", WHOLE)
def test_what_is_whole_stays_as_it_is(text: str) -> None:
    assert close_blocks(text) == text


def test_a_folded_part_that_is_never_closed_is_closed() -> None:
    assert close_blocks("<details>\n\nmore").endswith("\n</details>")


def test_decisions_that_were_cut_off_are_still_read() -> None:
    cut = "So.\n\n```decisions\n- scope: cache\n  stance: adopt\n  text: Add a cache"
    assert read_decisions(close_blocks(cut)) == read_decisions(cut) != ()


@given(st.lists(st.sampled_from(["```", "~~~", "````", "word", "", "<!--", "-->", "# x"])))
def test_after_any_lines_the_next_section_is_seen(rows: list[str]) -> None:
    text = "\n".join(rows)
    assert headings(f"{close_blocks(text)}\n\n### From b\n")[-1:] == ["From b"]
    assert close_blocks(close_blocks(text)) == close_blocks(text)
