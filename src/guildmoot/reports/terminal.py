"""Writes a document on a terminal or in a CI log.

Every word makes sense without colour, and nothing is drawn that a narrow window could break.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from guildmoot.model.report import RunReport
from guildmoot.reports import document as doc
from guildmoot.reports.console import AnsiText, Console, cell_len
from guildmoot.reports.pen import Pen
from guildmoot.text.clean import clean, count, first_lines, one_line

if TYPE_CHECKING:
    from guildmoot.model.council import CouncilReport

_COLOURS = {
    "good": "green",
    "bad": "red",
    "unsure": "yellow",
    "muted": "dim",
    "callout": "yellow",
    "critical": "magenta",
    "high": "red",
    "medium": "yellow",
    "low": "cyan",
    "PASS": "green",
    "FAIL": "red",
    "DISAGREE": "red",
}
DEFAULT = doc.Screen()
_LEAST_PROSE = 24
_WHOLE = 3
"""Entries of a list that are not cut to one line each."""
_LEAST_NAME = 14
"""Columns that the widest cell of a row needs to stand beside the others; a name beside numbers fewer."""
_SHORT = 30
_QUOTE_LINES = 6
_MOST_CARDS = 200
"""Findings that are printed one by one; nobody reads more on a terminal, and each takes milliseconds."""
_MOST_PLACES = 8
_INDENT = "    "


def print_report(
    report: RunReport | CouncilReport,
    console: Console,
    *,
    show_all: bool = False,
    limit: int = DEFAULT.limit,
    existing: bool = False,
    offers: tuple[tuple[str, str], ...] = (),
) -> None:
    """Print a report of either kind; of each group ``limit`` advisory findings, unless all are asked for."""
    screen = doc.Screen(show_all, limit, existing, offers)
    most = sys.maxsize if show_all else _MOST_CARDS
    if isinstance(report, RunReport):
        from guildmoot.reports.panel import panel_document

        print_document(panel_document(report, screen), console, most)
    else:
        from guildmoot.reports.council.builder import council_document

        print_document(council_document(report, screen), console, most)


def print_document(document: doc.Document, console: Console, most: int = _MOST_CARDS) -> None:
    """Print within the console's width and character set, ``most`` findings one by one."""
    writer = _Writer(console, most)
    if document.banner:
        writer.banner(document.banner)
    for before, block in zip((None, *document.blocks), document.blocks, strict=False):
        if isinstance(block, doc.Paragraph) and (
            isinstance(before, doc.FindingCards)
            or (block.kind == "disputed" and not isinstance(before, doc.SectionHeading))
        ):
            writer.pen.gap()
        writer.block(block)
    if document.closing:
        writer.pen.gap()
        writer.banner(document.closing)


class _Writer:
    def __init__(self, console: Console, most: int) -> None:
        self.pen = Pen(console)
        self.width = console.width
        self.cards_left = most

    def inline(self, text: doc.Text, style: str = "") -> AnsiText:
        shown = AnsiText(style=style)
        for part in doc.parts(text):
            shown.add(self._part(part))
        return shown

    def _part(self, part: str | doc.StyledText) -> AnsiText:
        if isinstance(part, str):
            return self.pen.prose("".join(" " if mark.isspace() else mark for mark in clean(part)))
        if part.style in ("break", "mark"):
            return AnsiText(part.text or "\n")
        looks = {"strong": "bold", "code": "bold", "muted": "dim"}
        style = looks.get(part.style) or _COLOURS.get(part.text, "yellow")
        return self.pen.text(one_line(part.text), style)

    def say(self, lead: str, text: doc.Text, style: str = "") -> None:
        self.pen.hanging(self.pen.text(lead, style or "dim"), self.inline(text, style))

    def banner(self, banner: doc.Banner) -> None:
        colour = _COLOURS.get(banner.tone, "")
        head = self.pen.text(f"{banner.symbol} {banner.word}".strip(), f"bold {colour}".strip())
        self.pen.hanging(AnsiText(), AnsiText().add(head, self.pen.text(f"  {banner.rest}")))
        facts = " · ".join(self.inline(value).plain for _, value in banner.facts if value)
        if facts:
            self.pen.hanging(self.pen.text("  "), self.pen.text(facts, "dim"))
        origin = " · ".join(self.inline(value).plain for _, value in banner.head)
        if origin:
            self.pen.hanging(self.pen.text("  "), self.pen.text(origin, "dim"))
        for reason in banner.reasons:
            self.say("  ", one_line(reason))

    def block(self, block: doc.Block) -> None:
        match block:
            case doc.SectionHeading():
                self.heading(block)
            case doc.Paragraph(text, kind):
                lead = {"callout": "  ! ", "answer": _INDENT, "disputed": "≠ "}.get(kind, "  ")
                self.say(lead, text, _COLOURS.get(kind, ""))
            case doc.Bullets(items):
                for item in items:
                    self.say("  • ", item)
            case doc.Facts(pairs):
                for name, value in pairs:
                    if value:
                        self.say("  ", (doc.StyledText(name, "strong"), "  ", *doc.parts(value)))
            case doc.Table():
                self.table(block)
            case doc.Quote(text, lead):
                colon = ": " if lead and self.inline(lead).plain[-1:] not in ":?" else " "
                shown = (*doc.parts(lead), colon, one_line(text)) if lead else one_line(text)
                self.say("  ", shown)
            case doc.Lines(text):
                for line in filter(None, map(one_line, text.splitlines())):
                    self.say("  ", line)
            case doc.Code(text):
                for line in clean(text).strip("\n").split("\n"):
                    self.pen.cropped(self.pen.text(f"{_INDENT}│ ", "dim"), self.pen.text(line))
            case doc.Fold(summary):
                self.say("  ", summary)
            case doc.FindingCards(items, form):
                self.cards(items, brief=form == "listed")

    def heading(self, heading: doc.SectionHeading) -> None:
        self.pen.gap()
        colour = _COLOURS.get(heading.tone, "")
        title = self.inline(heading.title, "bold")
        if heading.level < 4:
            title = self.pen.text(title.plain.upper(), f"bold {colour}".strip())
        aside = "  ".join(filter(None, (heading.remark, heading.note)))
        note = self.pen.text(f"  {aside}" if aside else "", "dim")
        lead = AnsiText("" if heading.level < 4 else "  ")
        self.pen.hanging(lead, AnsiText().add(title, note))

    def cards(self, items: Sequence[doc.FindingCard], *, brief: bool) -> None:
        shown = items[: self.cards_left]
        self.cards_left -= len(shown)
        for number, claim in enumerate(shown):
            if brief:
                self._in_a_line(claim, whole=len(items) <= _WHOLE and self.width > 60)
                continue
            if number:
                self.pen.gap()
            self.claim(claim)
        if rest := len(items) - len(shown):
            self.say("  ", f"… {rest:,} more like these; --report out.html or --json has them all")

    def claim(self, claim: doc.FindingCard) -> None:
        self._where(claim)
        self.say(_INDENT, one_line(claim.title) or "No reason was given.")
        if claim.quote.strip():
            self._source(claim)
        at: list[tuple[str, doc.Text]] = [("At", _some_places(claim))] if claim.others else []
        for name, text in (*at, *claim.details):
            lead = self.pen.text(
                f"{_INDENT}{name.lower():<4} ", "green" if name == "Fix" else "dim"
            )
            self.pen.hanging(lead, self.inline(text))

    def _in_a_line(self, claim: doc.FindingCard, *, whole: bool) -> None:
        """Place, label and what is wrong, cut to a line in longer lists; the reasons are in every report file."""
        write = self.pen.hanging if whole else self.pen.cropped
        more = f" and {len(claim.others):,} more" if claim.others else ""
        where = self.pen.text(f"{claim.place or 'the work as a whole'}{more}", "bold")
        label = self.pen.text(f"  {one_line(claim.label)}  ", "cyan")
        place = AnsiText().add(self.pen.text("• ", "dim"), where)
        title = self.inline(one_line(claim.title) or "No reason was given.")
        if place.cell_len + label.cell_len + min(title.cell_len, _LEAST_PROSE) <= self.width:
            write(AnsiText().add(place, label), title)
        else:
            self.pen.line(place)
            write(AnsiText().add("  ", label), title)

    def _where(self, claim: doc.FindingCard) -> None:
        """Place, label and who; on two lines where one is too narrow."""
        mark, style = ("✗ ", "bold red") if claim.blocking else ("• ", "dim")
        where = self.pen.text(claim.place or "the work as a whole", "bold")
        who = self.pen.text(f"{one_line(claim.label)}  {one_line(claim.who)}".strip(), "cyan")
        head = self.pen.text(mark, style)
        if head.cell_len + where.cell_len + 2 + who.cell_len <= self.width:
            self.pen.line(head, where, self.pen.text("  "), who)
        else:
            self.pen.line(head, where)
            self.pen.hanging(self.pen.text(_INDENT), who)

    def _source(self, claim: doc.FindingCard) -> None:
        lines, left_out = first_lines(clean(claim.quote), _QUOTE_LINES)
        last = claim.line + len(lines) - 1
        for number, line in enumerate(lines, claim.line):
            gutter = f"{number:>{len(str(last))}} │ " if claim.line > 0 else "│ "
            self.pen.cropped(self.pen.text(_INDENT + gutter, "dim"), self.pen.text(line))
        if left_out:
            self.pen.line(self.pen.text(f"{_INDENT}… {count(left_out, 'more line')}", "dim"))

    def table(self, table: doc.Table) -> None:
        """Columns where all but the widest leave room for it, else a paragraph or a list a row."""
        heads = [self.inline(head).plain for head in table.heads]
        rows = [[self.inline(cell) for cell in row] for row in table.rows]
        widths = [
            max([cell_len(head), *(_widest(row[number]) for row in rows)])
            for number, head in enumerate(heads)
        ]
        widest = max(widths)
        room = self.width - (sum(widths) - widest + 2 * len(widths))
        if room >= min(widest, _LEAST_NAME if table.numbers else _LEAST_PROSE):
            widths[widths.index(widest)] = min(widest, room)
            self._grid(table, [[self.pen.text(head, "dim") for head in heads], *rows], widths)
        elif table.numbers and max(widths[1:], default=0) <= _SHORT:
            for first, *rest in rows:
                facts = ", ".join(_named(heads[1:], rest))
                self.say("• ", (doc.StyledText(first.plain, "strong"), f": {facts}"))
        else:
            longest = max(map(cell_len, heads[1:]))
            for first, *rest in rows:
                self.say("• ", doc.StyledText(first.plain.replace("\n", ", "), "strong"))
                for head, cell in zip(heads[1:], rest, strict=True):
                    if cell.plain.strip():
                        lead = self.pen.text(f"{_INDENT}{head:<{longest}}  ", "dim")
                        self.pen.hanging(lead, cell)

    def _grid(self, table: doc.Table, rows: list[list[AnsiText]], widths: list[int]) -> None:
        for row in rows:
            cells = [cell.wrap(width) for cell, width in zip(row, widths, strict=True)]
            for number in range(max(map(len, cells))):
                line = AnsiText("  ")
                for column, (lines, width) in enumerate(zip(cells, widths, strict=True)):
                    part = lines[number] if number < len(lines) else AnsiText()
                    gap = " " * (width - part.cell_len)
                    line.add(*((gap, part) if column in table.numbers else (part, gap)), "  ")
                self.pen.line(line.rstrip())


def _some_places(claim: doc.FindingCard) -> str:
    """Where the same is said; of the same file the lines alone."""
    path = claim.place.rpartition(":")[0]
    shown = ", ".join(each.removeprefix(path) for each in claim.others[:_MOST_PLACES])
    rest = len(claim.others) - _MOST_PLACES
    return f"{shown} and {rest:,} more" if rest > 0 else shown


def _widest(cell: AnsiText) -> int:
    return max(cell_len(line) for line in cell.plain.split("\n"))


def _named(heads: Iterable[str], cells: Iterable[AnsiText]) -> Iterable[str]:
    """Short cells for one line: a number says what it counts, and nothing is not said."""
    for head, cell in zip(heads, cells, strict=True):
        if cell.plain.isdigit() and cell.plain != "0":
            yield f"{cell.plain} {head.lower()}"
        elif cell.plain.strip() not in ("", "0", "–", "-"):
            yield cell.plain.strip().replace("\n", ", ")
