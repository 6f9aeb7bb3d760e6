"""What a report says, apart from how it looks: small values that the writers turn into text.

A string is anybody's words. Every writer makes it harmless, keeps it on one line, and lets `code` in
backticks keep its look; so a builder never escapes anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from guildmoot.named import NamedTuple

Style = Literal["strong", "code", "muted", "vote", "break", "mark"]
Tone = Literal["", "good", "bad", "unsure", "critical", "high", "medium", "low"]


class StyledText(NamedTuple):
    """A piece of a line that looks different from the rest."""

    text: str
    style: Style


Text = str | StyledText | tuple[str | StyledText, ...]
"""One line; a name and what it said are kept apart so that neither can change how the other looks."""

BREAK = StyledText("", "break")
"""A new line inside a cell, where the writer has one."""


def strong(text: str) -> StyledText:
    """What a reader's eye should find first."""
    return StyledText(text, "strong")


def code(text: str) -> StyledText:
    """A path, a command or an id, exactly as it is."""
    return StyledText(text, "code")


def muted(text: str) -> StyledText:
    """What is there for completeness."""
    return StyledText(text, "muted")


def vote(word: str | None) -> StyledText:
    """A verdict's word, in its colour where there is one."""
    return StyledText(word or "none", "vote")


def mark(text: str) -> StyledText:
    """A sign of ours between two texts, which Markdown must not escape."""
    return StyledText(text, "mark")


def parts(text: Text) -> tuple[str | StyledText, ...]:
    """The pieces of a line."""
    return text if isinstance(text, tuple) and not isinstance(text, StyledText) else (text,)


def joined(texts: Iterable[Text], by: str = " · ") -> Text:
    """Several pieces as one line; empty ones are left out."""
    line: list[str | StyledText] = []
    for text in texts:
        if text:
            line += [*([by] if line else []), *parts(text)]
    return tuple(line)


class SectionHeading(NamedTuple):
    """The beginning of a section; level 4 begins a part of one."""

    title: Text
    level: int = 3
    remark: str = ""
    """Belongs to the heading, e.g. a count."""
    note: str = ""
    """Explains the section to people; left out of Markdown, where tools look for the heading."""
    tone: Tone = ""


class Paragraph(NamedTuple):
    """A sentence or several; a callout warns, an answer follows a quotation or a disputed point."""

    text: Text
    kind: Literal["", "muted", "callout", "answer", "disputed"] = ""


class Bullets(NamedTuple):
    """A list."""

    items: tuple[Text, ...]


class Facts(NamedTuple):
    """Names and values, one pair a line; those without a value are not shown."""

    pairs: tuple[tuple[str, Text], ...]


class Table(NamedTuple):
    """Rows under headings; the first cell names its row."""

    heads: tuple[Text, ...]
    rows: tuple[tuple[Text, ...], ...]
    caption: str = ""
    numbers: range = range(0)
    """Which columns hold numbers."""


class Quote(NamedTuple):
    """What somebody said, word for word and line by line, with who said it to whom."""

    text: str
    lead: Text = ""
    kind: str = ""
    """How it is marked on a page: ``challenge``, ``acknowledge``, ``steel-man``, ``answer``."""


class Lines(NamedTuple):
    """A foreign text of several lines, each of them a point of its own."""

    text: str


class Code(NamedTuple):
    """Text as it stands in a file."""

    text: str
    language: str = "text"


class Fold(NamedTuple):
    """A long list that a page shows on demand and a terminal only counts."""

    summary: str
    items: tuple[Text, ...]


class FindingCard(NamedTuple):
    """One finding as a reader sees it."""

    title: str
    place: str
    """Empty when it is about the work as a whole."""
    label: str
    """The flag code or rule, or the severity in the council's words."""
    who: str
    blocking: bool
    tone: Tone = ""
    url: str = ""
    """Where the rule is documented."""
    link: str = ""
    """The place on the code host."""
    quote: str = ""
    line: int = 0
    """Of the quote's first line; 0 when unknown."""
    patch: str = ""
    others: tuple[str, ...] = ()
    """Further places of which the same is said."""
    details: tuple[tuple[str, Text], ...] = ()


class FindingCards(NamedTuple):
    """Findings, and how a text shows them: under headings, in a line each, or as quotations."""

    items: tuple[FindingCard, ...]
    form: Literal["headed", "listed", "verbatim"] = "headed"
    table: Table | None = None
    """Shown by Markdown instead, where tools look things up by column."""


class Filter(NamedTuple):
    """Boxes by which a page shows and hides findings: name and number."""

    boxes: tuple[tuple[str, int], ...]


Block = (
    SectionHeading
    | Paragraph
    | Bullets
    | Facts
    | Table
    | Quote
    | Lines
    | Code
    | Fold
    | FindingCards
    | Filter
)


class Banner(NamedTuple):
    """What comes first: the outcome, what it rests on and why."""

    symbol: str
    word: str
    rest: str = ""
    tone: Tone = ""
    facts: tuple[tuple[str, Text], ...] = ()
    """Name and value; without names they stand on one line."""
    reasons: tuple[str, ...] = ()
    head: tuple[tuple[str, Text], ...] = ()
    """Where and when the run was made, of what, by which command."""
    title: Text = ""
    """The heading of a Markdown file, where it is not symbol, word and rest."""
    level: int = 1


class Document(NamedTuple):
    """One report."""

    title: str
    blocks: tuple[Block, ...]
    banner: Banner | None = None
    footer: Text = ""
    front: tuple[tuple[str, str | tuple[str, ...]], ...] = ()
    """Front matter of a Markdown file."""
    closing: Banner | None = None
    """Said again at the end of a long text on a terminal."""


class Screen(NamedTuple):
    """What is printed on a terminal; a file has room for everything."""

    show_all: bool = False
    limit: int = 8
    """Lines of advice in each group; the rest is summed up."""
    existing: bool = False
    """Whether what was there before a change is listed too."""
    offers: tuple[tuple[str, str], ...] = ()
    """Further commands that could follow, each with what it does."""
