"""Reads the Markdown and YAML documents of the lifecycle: front matter, headings, bullets, each with its line.

What a kind of document must hold is in the module of that kind. Text inside code fences is never structure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from typing import NamedTuple

from guildmoot.agents.frontmatter import parse
from guildmoot.agents.plainyaml import FrontMatterError, Value, YamlTree
from guildmoot.text.patterns import lazy

_FENCE = lazy(r" {0,3}(`{3,}|~{3,})[ \t]*(\S*)")
_HEADING = lazy(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*")
_BULLET = lazy(r"(\s*)[-*+][ \t]+(.*\S)\s*")
_NOTHING = frozenset(("none", "nothing", "n/a", "-", "none.", "(none)", "_none_"))


class Problem(NamedTuple):
    """One thing that is wrong with a document, and how to mend it."""

    line: int
    code: str
    message: str


class TextLine(NamedTuple):
    """A line of a document, by its number in the file."""

    number: int
    text: str


class MarkdownSection(NamedTuple):
    """A heading and the lines below it, up to the next heading of its level or above."""

    title: str
    level: int
    line: int
    lines: tuple[TextLine, ...]

    @property
    def text(self) -> str:
        """What stands in it, headings below it included."""
        return "\n".join(line.text for line in self.lines).strip()

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing at all; 'none' says something."""
        return not self.text

    @property
    def says_none(self) -> bool:
        """Whether it says that there is nothing to tell."""
        return self.text.lstrip("-*+ \t").strip().casefold() in _NOTHING

    def bullets(self) -> tuple[TextLine, ...]:
        """The bullets of the outer level, each with the lines that go on with it."""
        return tuple(_bullets(self.lines))


class CodeBlock(NamedTuple):
    """A fenced block."""

    tag: str
    line: int
    text: str


class SourceDocument(NamedTuple):
    """A Markdown file: what it says about itself, and its sections."""

    data: dict[str, Value]
    lines: dict[tuple[str | int, ...], int]
    sections: tuple[MarkdownSection, ...]
    fences: tuple[CodeBlock, ...]
    body: str
    end: int
    """The last line."""

    def line_of(self, *where: str | int) -> int:
        """The line of a value of the front matter, or of the nearest thing around it."""
        while where and where not in self.lines:
            where = where[:-1]
        return self.lines.get(where, 1)

    def section(self, title: str) -> MarkdownSection | None:
        """The first section with this heading, whatever its case."""
        wanted = title.casefold()
        return next((each for each in self.sections if each.title.casefold() == wanted), None)


def read_markdown(text: str, *, headless: bool = False) -> SourceDocument:
    """Read a whole file. Raises :class:`FrontMatterError` when its head cannot be read.

    ``headless``: front matter may be missing altogether.
    """
    rows = _rows(text)
    bare = headless and rows[0].rstrip() != "---"
    matter = None if bare else parse(text)
    start = 0 if bare else _body_start(rows)
    lines = [TextLine(at + 1, row) for at, row in enumerate(rows) if at >= start]
    outside, fences = without_fences(lines)
    return SourceDocument(
        data=matter.data if matter else {},
        lines=dict(matter.lines) if matter else {},
        sections=tuple(_sections(lines, outside)),
        fences=tuple(fences),
        body="\n".join(line.text for line in lines),
        end=len(rows),
    )


def read_yaml(text: str) -> SourceDocument:
    """A whole file of YAML. Raises :class:`FrontMatterError`."""
    tree = YamlTree(text.removeprefix("\ufeff"), 1)
    return SourceDocument(tree.data, dict(tree.lines), (), (), "", text.count("\n") + 1)


def _rows(text: str) -> list[str]:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _body_start(rows: Sequence[str]) -> int:
    marks = (at for at, row in enumerate(rows) if row.rstrip() == "---")
    next(marks)
    return next(marks) + 1


def without_fences(lines: Iterable[TextLine]) -> tuple[list[TextLine], list[CodeBlock]]:
    """The lines outside of fences and HTML comments, and the fences; one that is never closed hides what follows it."""
    outside: list[TextLine] = []
    fences: list[CodeBlock] = []
    mark, tag, begin = "", "", 0
    inside: list[str] = []
    comment = False
    for line in lines:
        if not mark and (comment or line.text.lstrip().startswith("<!--")):
            comment = "-->" not in line.text
            continue
        found = _FENCE.match(line.text)
        if mark:
            if found and found[1].startswith(mark) and not line.text.strip().strip(mark[0]):
                fences.append(CodeBlock(tag, begin, "\n".join(inside)))
                mark = ""
            else:
                inside.append(line.text)
        elif found:
            mark, tag, begin, inside = found[1], found[2], line.number, []
        else:
            outside.append(line)
    if mark:
        fences.append(CodeBlock(tag, begin, "\n".join(inside)))
    return outside, fences


def _sections(lines: Sequence[TextLine], outside: Sequence[TextLine]) -> Iterator[MarkdownSection]:
    heads = [
        (len(found[1]), found[2].strip(), line.number)
        for line in outside
        if (found := _HEADING.fullmatch(line.text))
    ]
    first = lines[0].number if lines else 0
    open_heads: list[int] = []
    ends = [len(lines)] * len(heads)
    for at, (level, _, number) in enumerate(heads):
        while open_heads and heads[open_heads[-1]][0] >= level:
            ends[open_heads.pop()] = number - first
        open_heads.append(at)
    for (level, title, number), end in zip(heads, ends, strict=True):
        yield MarkdownSection(title, level, number, tuple(lines[number - first + 1 : end]))


def _bullets(lines: Iterable[TextLine]) -> Iterator[TextLine]:
    """Bullets at the smallest indent; deeper ones and plain lines go on with the one above."""
    outside, _ = without_fences(lines)
    found = [(line, _BULLET.fullmatch(line.text)) for line in outside]
    indents = [len(match[1]) for _, match in found if match]
    if not indents:
        return
    least = min(indents)
    number, words = 0, ""
    for line, match in found:
        if match and len(match[1]) == least:
            if number:
                yield TextLine(number, words)
            number, words = line.number, match[2]
        elif number and line.text.strip() and not line.text.startswith("#"):
            words += "\n" + line.text.strip()
    if number:
        yield TextLine(number, words)


class Checker:
    """Collects what is wrong with one document."""

    def __init__(self, document: SourceDocument) -> None:
        self.document = document
        self.problems: list[Problem] = []

    def tell(self, line: int, code: str, message: str) -> None:
        """Note one problem."""
        self.problems.append(Problem(line, code, message))

    def text(self, key: str, *, needed: bool = True) -> str:
        """A line of text of the front matter; missing or another form is a problem."""
        value = self.document.data.get(key)
        if isinstance(value, str):
            return value.strip()
        if value is not None:
            self.tell(self.document.line_of(key), "bad-value", f"{key} must be text")
        elif needed:
            self.tell(1, "missing-key", f"the front matter lacks {key}: add a line '{key}: ...'")
        return ""

    def word(self, key: str, allowed: Sequence[str], *, needed: bool = True) -> str:
        """One of a few words."""
        found = self.text(key, needed=needed)
        if found and found not in allowed:
            wanted = ", ".join(allowed)
            self.tell(self.document.line_of(key), "bad-value", f"{key} must be one of: {wanted}")
            return ""
        return found

    def words(self, key: str, *, needed: bool = True) -> tuple[str, ...]:
        """A list of texts; one text counts as a list of one."""
        value = self.document.data.get(key)
        if value is None:
            if needed and key not in self.document.data:
                self.tell(1, "missing-key", f"the front matter lacks {key}: add '{key}: []'")
            return ()
        if isinstance(value, str):
            return (value,)
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            return tuple(str(each) for each in value)
        self.tell(self.document.line_of(key), "bad-value", f"{key} must be a list of texts")
        return ()

    def day(self, key: str, *, needed: bool = True) -> None:
        """A date, or a time in ISO form."""
        found = self.text(key, needed=needed)
        if found and not _is_time(found):
            self.tell(
                self.document.line_of(key), "bad-value", f"{key} must be a date such as 2026-11-01"
            )

    def filled(self, titles: Iterable[str]) -> None:
        """Sections that must be there and say something."""
        for title in titles:
            section = self.document.section(title)
            if section is None:
                self.tell(
                    self.document.end,
                    "missing-section",
                    f"there is no section '## {title}': add it",
                )
            elif section.is_empty:
                self.tell(
                    section.line,
                    "empty-section",
                    f"'## {title}' says nothing: fill it in, or write 'none'",
                )


def _is_time(text: str) -> bool:
    for read in (date.fromisoformat, datetime.fromisoformat):
        try:
            read(text)
        except ValueError:
            continue
        return True
    return False


__all__ = [
    "Checker",
    "CodeBlock",
    "FrontMatterError",
    "MarkdownSection",
    "Problem",
    "SourceDocument",
    "TextLine",
]
