"""Markdown in which foreign text is only text."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from guildmoot.model.report import RunReport
from guildmoot.reports import render
from guildmoot.reports.markdown import inline
from guildmoot.text.clean import one_line

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)
MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
FORBIDDEN = {"link_open", "image", "html_block", "em_open", "s_open", "hr", "blockquote_open"}


def tokens_of(text: str) -> list[Token]:
    flat = []
    for token in MARKDOWN.parse(text):
        flat += [token, *(token.children or [])]
    return flat


def shape(report: RunReport) -> list[str]:
    """Headings and table cells: what foreign text must not be able to add to."""
    tokens = tokens_of(render(report, ".md").encode().decode())
    assert not {token.type for token in tokens} & FORBIDDEN
    html = {token.content for token in tokens if token.type == "html_inline"}
    assert html <= {"<!-- -->"}
    return [t.type + t.tag for t in tokens if t.type in ("heading_open", "td_open", "th_open")]


def test_the_file_is_what_was_agreed(report: RunReport, golden: Callable[[str, str], None]) -> None:
    golden("report.md", render(report, ".md"))


def test_hostile_text_adds_no_structure(
    hostile: str, with_text: Callable[[str], RunReport]
) -> None:
    assert shape(with_text(hostile)) == shape(with_text("harmless"))


@settings(max_examples=80, deadline=None)
@given(text=ANY_TEXT | st.text("`*_[]()<>!|#-+=~&@\\ \n1.a", max_size=30))
def test_any_text_adds_no_structure(text: str, with_text: Callable[[str], RunReport]) -> None:
    assert shape(with_text(text)) == shape(with_text("harmless"))


@settings(max_examples=200, deadline=None)
@given(text=st.text("`*_[]()<>!|#-+=~&@:$\\ 1.ab\u00e9", max_size=30))
def test_a_reader_sees_the_text_as_it_was_written(text: str) -> None:
    tokens = MARKDOWN.parse(inline(text))
    assert len(tokens) in (0, 3)  # one paragraph, or nothing
    children = [child for token in tokens for child in token.children or []]
    seen = "".join(child.content for child in children if child.type != "html_inline")
    assert one_line(seen).replace("`", "").replace(" ", "") == text.replace("`", "").replace(
        " ", ""
    )


def test_a_quotation_cannot_close_its_block(with_text: Callable[[str], RunReport]) -> None:
    tokens = tokens_of(render(with_text("```\n# no heading\n````\n~~~"), ".md"))
    quotes = [token.content for token in tokens if token.type == "fence"]
    assert quotes
    assert set(quotes) == {"```\n# no heading\n````\n~~~\n"}


def test_nobody_is_notified_by_a_name_in_a_finding() -> None:
    assert inline("ask @octocat") == "ask @<!-- -->octocat"
    assert inline("use `@property`") == "use `@property`"


def test_a_long_report_is_shortened_to_fit_a_comment_and_says_so(report: RunReport) -> None:
    one = report.blocking[1]
    many = tuple(one._replace(title=f"{one.title} {n}", line=n, why="w" * 300) for n in range(2000))
    whole = render(report._replace(blocking=many, advisory=many), ".md")
    assert len(whole.encode()) <= 60_000
    assert whole.startswith("# ✗ FLAGGED")
    assert "more like these" in whole
    assert "Shortened to fit a comment" in whole
    assert "Shortened" not in render(report, ".md")


def test_what_is_said_of_several_places_is_said_once(report: RunReport) -> None:
    same = tuple(report.blocking[1]._replace(line=n) for n in (3, 5, 8))
    text = render(report._replace(blocking=same, advisory=()), ".md")
    assert text.count("Undefined name") == 1
    assert "**Also at:** `src/billing/invoice.py:5`, `src/billing/invoice.py:8`" in text
