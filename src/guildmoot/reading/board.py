"""The grammar of a whiteboard: rounds of sections, each under the name of who wrote it. Pure.

    # Whiteboard: <topic>          or "# Plan: <topic>"
    ## Decisions                   what people decided; older readers take it for a preamble
    ## Round <N>
    ### From <engineer>
    <text>

Lines end at LF, and white space is what the seeds' program takes for it. Text before the first
round, and in a round before its first section, belongs to nobody. Boards are read as bytes, because
they may be large and every byte that is not ours must stay as it is.

A section cannot forge a heading. When its text holds one, or its name is not one word, the section
is written encoded: a comment under its heading says so, its headings get a backslash more (GitHub
shows them as plain text) and the odd characters of its name are percent-encoded. Only sections with
the comment are decoded, so a board that anybody else wrote is read as it stands.

The decisions that people wrote stand in a section of the preamble, every line of a person's text behind
``>``, so none can be taken for a heading. Entries are only ever added: the last one for an id counts,
the earlier ones are its history.

    ### Decision <id>
    > the choice
    Why:
    > the reason
    Date: 2026-01-31

Changing a board is left to ``practices.whiteboard.board_edits``.
"""

from __future__ import annotations

import re

from guildmoot.reading.blocks import SPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NamedTuple
else:
    from guildmoot.model.verdict import NamedTuple

BLANK = SPACE + "\n\r\u2028\u2029"
ENCODED = "<!-- guild:encoded -->"
_RULING = r"^<!-- clerk: ([0-9a-f]{16}) ([0-9a-f]{16}) (contradict|compatible) -->\r?$"
TITLES = ("Whiteboard", "Plan")
DIGITS = 15
"""A longer number is no round's: programs that count in floating point would take it for another."""

_LIKELY = re.compile(rb"##(?<![^\n]##)#?[^#\n][^\n]*")  # the literal comes first: it is sought fast
_DECISIONS = rb"(?m)^##[ \t]+Decisions[ \t\r]*$"
_NEXT = rb"(?m)^##?[ \t]"
_ENTRY = r"(?m)^###[ \t]+Decision[ \t]+(\S+)[ \t\r]*$"
_TO_SPACE = dict.fromkeys(map(ord, BLANK), " ")


class BoardSection(NamedTuple):
    """What one engineer wrote in one round."""

    engineer: str
    section: str


class BoardRound(NamedTuple):
    """The sections of one round, in the board's order."""

    number: int
    sections: tuple[BoardSection, ...]


class BoardDecision(NamedTuple):
    """What a person chose, and why."""

    id: str
    choice: str
    why: str
    date: str


class Board(NamedTuple):
    """A whole board."""

    topic: str
    rounds: tuple[BoardRound, ...]
    decisions: tuple[BoardDecision, ...] = ()
    """The newest for each id, in the order in which the ids were first decided."""
    superseded: tuple[BoardDecision, ...] = ()
    """Earlier choices for the same ids, oldest first."""
    rulings: tuple[tuple[str, str, bool], ...] = ()
    """What a clerk ruled: the marks of two statements, and whether they contradict."""


class BoardHeading:
    """Where a heading stands in the board's bytes, and what it opens: a round, or a section."""

    __slots__ = ("end", "number", "start", "word")  # a named tuple takes longer to make

    def __init__(self, start: int, end: int, number: int | None, word: str) -> None:
        self.start = start
        self.end = end
        self.number = number
        self.word = word
        """The engineer as the heading has it."""


def read_board_bytes(data: bytes) -> Board:
    """The board in a file's bytes; what is not UTF-8 is replaced."""
    preamble = data[: preamble_end(data)]
    standing, superseded = read_decisions(preamble)
    return Board(
        _topic(preamble), tuple(rounds(data)), standing, superseded, read_rulings(preamble)
    )


def read_rulings(preamble: bytes) -> tuple[tuple[str, str, bool], ...]:
    """What a clerk ruled on pairs of statements, as the comments before the first round keep it."""
    if b"<!-- clerk" not in preamble:
        return ()
    found = re.findall(_RULING, preamble.decode("utf-8", "replace"), re.MULTILINE)
    return tuple((a, b, word == "contradict") for a, b, word in found)


def mark_of(engineer: str, text: str) -> str:
    """The mark of a statement: a ruling holds as long as somebody says the same words."""
    from hashlib import sha256

    return sha256(f"{engineer}\0{text}".encode("utf-8", "replace")).hexdigest()[:16]


def ruling_line(a: str, b: str, contradict: bool) -> str:
    """A clerk's ruling as it stands on a board."""
    return f"<!-- clerk: {a} {b} {'contradict' if contradict else 'compatible'} -->"


def read_decisions(preamble: bytes) -> tuple[tuple[BoardDecision, ...], tuple[BoardDecision, ...]]:
    """The decisions before the first round that stand, and those that later ones replaced."""
    if b"Decisions" not in preamble:
        return (), ()
    start, stop = find_decisions(preamble)
    parts = re.split(_ENTRY, preamble[start:stop].decode("utf-8", "replace"))
    standing: dict[str, BoardDecision] = {}
    superseded: list[BoardDecision] = []
    for word, text in zip(parts[1::2], parts[2::2], strict=True):
        decision = _decision(decode_name(word), text)
        if decision.id in standing:
            superseded.append(standing[decision.id])
        standing[decision.id] = decision
    return tuple(standing.values()), tuple(superseded)


def find_decisions(preamble: bytes) -> tuple[int, int]:
    """Where the section with the decisions begins and ends; both the preamble's end without one."""
    head = re.search(_DECISIONS, preamble)
    if not head:
        return len(preamble), len(preamble)
    after = re.compile(_NEXT).search(preamble, head.end())
    return head.start(), after.start() if after else len(preamble)


def rounds(data: bytes) -> Iterator[BoardRound]:
    """The rounds one by one, so that a large board need not be held twice."""
    number = None
    sections: list[BoardSection] = []
    for heading, stop in spans(data):
        if heading.number is None:
            sections.append(read_section(heading.word, data[heading.end : stop]))
            continue
        if number is not None:
            yield BoardRound(number, tuple(sections))
        number, sections = heading.number, []
    if number is not None:
        yield BoardRound(number, tuple(sections))


def next_round(data: bytes) -> int:
    """The number after the highest one."""
    numbers = (heading.number for heading in headings(data) if heading.number is not None)
    return max(numbers, default=0) + 1


def preamble_end(data: bytes) -> int:
    """Where the first round begins."""
    first = next(headings(data), None)
    return first.start if first else len(data)


def spans(data: bytes) -> Iterator[tuple[BoardHeading, int]]:
    """Every heading with the place where what it opens ends."""
    before = None
    for heading in headings(data):
        if before:
            yield before, heading.start
        before = heading
    if before:
        yield before, len(data)


def headings(data: bytes) -> Iterator[BoardHeading]:
    """The headings of rounds, and of sections inside them."""
    inside = False
    for match in _LIKELY.finditer(data):
        number, word = read_heading(match[0].decode("utf-8", "replace"))
        inside = inside or number is not None
        if inside and (word or number is not None):
            yield BoardHeading(match.start(), match.end(), number, word)


def read_heading(line: str) -> tuple[int | None, str]:
    """The number of the round, or the name of the engineer, that the line opens; else neither."""
    words = [word for word in line.translate(_TO_SPACE).split(" ") if word]
    if len(words) != 3 or line[:1] != "#":
        return None, ""
    mark, kind, word = words
    if mark == "###" and kind == "From":
        return None, word
    digits = word.lstrip("0")
    if mark != "##" or kind.lower() != "round" or not (word.isascii() and word.isdigit()):
        return None, ""
    return (int(digits or "0"), "") if len(digits) <= DIGITS else (None, "")


def read_section(word: str, body: bytes) -> BoardSection:
    """A section from the word in its heading and the bytes under it."""
    text = trimmed(body.decode("utf-8", "replace"))
    first, _, rest = text.partition("\n")
    if first.rstrip(BLANK) != ENCODED:
        return BoardSection(word, text)
    return BoardSection(decode_name(word), unescape(trimmed(rest)))


def trimmed(text: str) -> str:
    """The text as a section keeps it: without blank lines before it and blanks after it."""
    lead = len(text) - len(text.lstrip(BLANK))
    return text[text.rfind("\n", 0, lead) + 1 :].rstrip(BLANK)


def unescape(text: str) -> str:
    """What ``escape`` was given."""
    lines = text.split("\n")
    return "\n".join(
        line[1:] if line[:1] == "\\" and is_heading(line.lstrip("\\")) else line for line in lines
    )


def decode_name(word: str) -> str:
    """What ``encode_name`` was given; a percent sign that encodes nothing stands for itself."""
    data = word.encode("utf-8", "surrogatepass")
    plain = re.sub(rb"%([0-9A-Fa-f]{2})", lambda found: bytes.fromhex(found[1].decode()), data)
    return plain.decode("utf-8", "replace")


def is_heading(line: str) -> bool:
    """Whether the line opens a round or a section."""
    return line[:2] == "##" and read_heading(line) != (None, "")


def _decision(name: str, text: str) -> BoardDecision:
    quoted: dict[str, list[str]] = {"choice": [], "why": []}
    part, date = "choice", ""
    for line in text.replace("\r\n", "\n").split("\n"):
        if line[:1] == ">":
            quoted[part].append(line[1:].removeprefix(" "))
        elif line.strip().lower() == "why:":
            part = "why"
        elif line[:5] == "Date:":
            date = line[5:].strip()
    return BoardDecision(name, "\n".join(quoted["choice"]), "\n".join(quoted["why"]), date)


def _topic(preamble: bytes) -> str:
    """What the first heading of the first level says, without the word for the kind of board."""
    for line in preamble.decode("utf-8", "replace").lstrip("\ufeff").split("\n"):
        if line[:1] == "#" and line[1:2] in BLANK:
            said = line[1:].strip(BLANK)
            kind, _, topic = said.partition(":")
            return topic.strip(BLANK) if kind in TITLES else said
    return ""
