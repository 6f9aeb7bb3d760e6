"""The web page: alone, accessible, and never more than text to hostile text."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guildmoot.model.report import RunReport
from guildmoot.reports import render
from guildmoot.reports.html import style_sheet
from guildmoot.text.clean import one_line

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)
TAGS = {
    *("html", "head", "meta", "title", "style", "body", "main", "header", "footer", "section"),
    *("article", "fieldset", "legend", "label", "input", "h1", "h2", "h3", "p", "ul", "li", "dl"),
    *("dt", "dd", "small", "span", "b", "code", "pre", "a", "details", "summary", "div", "table"),
    *("caption", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {
    *("lang", "charset", "http-equiv", "content", "name", "class", "id", "type", "checked"),
    *("href", "rel", "scope", "tabindex", "aria-hidden"),
}
VOID = {"meta", "input"}


class Page(HTMLParser):
    """What a browser would make of the page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"comment: {data}")

    def handle_data(self, data: str) -> None:
        self.text += data


def check_page(report: RunReport) -> Page:
    page = Page(render(report, ".html").encode().decode())
    assert page.open == []
    assert set(page.tags) <= TAGS
    assert {name for name, _ in page.attributes} <= ATTRIBUTES
    links = [value or "" for name, value in page.attributes if name == "href"]
    assert all(re.match("https?://", link) for link in links)
    return page


def test_the_file_is_what_was_agreed(report: RunReport, golden: Callable[[str, str], None]) -> None:
    golden("report.html", render(report, ".html"))


@pytest.mark.parametrize("name", ["report", "approved", "conflicting"])
def test_tags_are_balanced_and_headings_do_not_skip_a_level(
    name: str, request: pytest.FixtureRequest
) -> None:
    page = check_page(request.getfixturevalue(name))
    levels = [int(tag[1]) for tag in page.tags if tag in ("h1", "h2", "h3")]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert page.tags.count("table") == page.tags.count("caption")


def test_it_needs_nothing_from_elsewhere(report: RunReport) -> None:
    text = render(report, ".html")
    assert not re.search(r"<(script|link|img|iframe)\b|\bsrc=|@import|url\(|\sstyle=", text)


def test_the_policy_allows_exactly_the_style_of_the_page(report: RunReport) -> None:
    text = render(report, ".html")
    style = text.split("<style>")[1].split("</style>")[0]
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
    assert policy is not None
    assert policy[1].startswith(f"default-src 'none'; style-src 'sha256-{digest}';")


def test_everything_that_was_said_is_on_the_page(report: RunReport) -> None:
    page = check_page(report)
    shown = " ".join(page.text.split())
    for finding in (*report.blocking, *report.advisory):
        for said in (finding.title, finding.why, finding.fix, finding.code, finding.seat):
            assert one_line(said.replace("`", "")) in shown


def test_hostile_text_stays_text(hostile: str, with_text: Callable[[str], RunReport]) -> None:
    check_page(with_text(hostile))


@settings(max_examples=60, deadline=None)
@given(text=ANY_TEXT)
def test_any_text_stays_text(text: str, with_text: Callable[[str], RunReport]) -> None:
    page = check_page(with_text(text))
    assert one_line(text.replace("`", "")) in one_line(page.text.replace("`", ""))


def luminance(colour: str) -> float:
    full = colour if len(colour) == 7 else "#" + "".join(2 * digit for digit in colour[1:])
    parts = [int(full[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("number", [0, 1, 2], ids=["light", "dark", "print"])
def test_every_colour_of_text_can_be_read(number: int) -> None:
    block = re.findall(r":root \{(.*?)\}", style_sheet(), re.DOTALL)[number]
    colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{3,6});", block))
    inks = ("text", "muted", "link", "good", "bad", "unsure", "critical", "high", "medium", "low")
    for ink in inks:
        for paper in ("page", "card", "code"):
            assert contrast(colours[ink], colours[paper]) >= 4.5, (ink, paper)
    for tone in ("critical", "high", "medium", "low"):
        assert contrast(colours["on-colour"], colours[tone]) >= 4.5, tone
