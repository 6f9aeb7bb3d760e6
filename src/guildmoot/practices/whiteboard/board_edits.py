"""What a board becomes when a round or a decision is written on it: pure, bytes to bytes.

A change is a list of pieces of the new file. Everything that is not changed is the old file's own
bytes, line ends and mistakes included; new lines end as the board's first line does. A section's
text is written as it was given.
"""

from __future__ import annotations

import re

from guildmoot.errors import UsageError
from guildmoot.reading.board import (
    BLANK,
    DIGITS,
    ENCODED,
    BoardDecision,
    BoardHeading,
    BoardSection,
    find_decisions,
    headings,
    is_heading,
    next_round,
    preamble_end,
    read_decisions,
    read_rulings,
    read_section,
    ruling_line,
    spans,
    trimmed,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Pieces = list["bytes | memoryview"]

_FENCE = r"(?P<lead>\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?)(?P<run>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)"
_HTML = r"(?i) {0,3}(?:<!--|<(?P<tag>pre|script|style|textarea)\b)"
_DETAILS = r"(?i)<(/?)details\b"
_LISTED = 2
"""A fence that is indented so far stands in a list, and ends with it."""
_DECISIONS = "## Decisions"
_BREAKS = "\r\n|[\r\v\f\x85\u2028\u2029]"


def new_board(title: str, topic: str) -> bytes:
    """A board without rounds; a topic of several lines can forge neither a round nor a decision."""
    return _bytes(_escape_decisions(escape(f"# {title}: {topic}\n")))


def with_round(
    data: bytes, sections: Sequence[BoardSection], title: str, number: int | None = None
) -> tuple[int, Pieces | None]:
    """The round's number and the board with it; None when the board says all of it already.

    Without a number the round is a new one. A round that is there already is run again: a section
    takes the place of its engineer's earlier one, or is added; what others wrote there stays.
    """
    if any(not section.engineer for section in sections):
        raise UsageError("a section has no engineer; every section needs the name of who wrote it")
    number = next_round(data) if number is None else number
    if not 1 <= number < 10**DIGITS:
        raise UsageError(f"{number} is no number for a round; rounds are counted from 1")
    data = data or _bytes(f"# {title}\n")
    found = _round(data, number)
    if found:
        return number, _merged(data, found, sections)
    place = _before_later(data, number)
    return number, _inserted(data, place, format_round(number, sections, _newline(data)))


def with_decision(data: bytes, decision: BoardDecision) -> Pieces | None:
    """The board with the decision; None when that is what stands already."""
    if not decision.id.strip() or not decision.choice.strip():
        raise UsageError("a decision needs an id and a choice")
    place, lines = _place_decision(data[: preamble_end(data)], decision)
    newline = _newline(data)
    return _inserted(data, place, "".join(line + newline for line in lines)) if lines else None


def with_rulings(data: bytes, rulings: Mapping[tuple[str, str], bool]) -> Pieces | None:
    """The board with a clerk's rulings below its first line; None when all of them stand there."""
    preamble = data[: preamble_end(data)]
    known = {(a, b): word for a, b, word in read_rulings(preamble)}
    fresh = [ruling_line(*pair, word) for pair, word in rulings.items() if known.get(pair) != word]
    if not fresh:
        return None
    newline = _newline(data)
    place = preamble.find(b"\n") + 1 or len(preamble)
    return [data[:place], "".join(f"{line}{newline}" for line in fresh).encode(), data[place:]]


def format_round(number: int, sections: Sequence[BoardSection], newline: str = "\n") -> str:
    """A round as it stands on a board."""
    texts = [format_section(section, newline) for section in sections]
    return f"## Round {number}{newline}{newline}" + "".join(texts)


def format_section(section: BoardSection, newline: str = "\n") -> str:
    """A section as it stands on a board, encoded when it could be misread."""
    name, text = section.engineer, section.section.rstrip(BLANK)
    if _is_word(name) and not trimmed(text).startswith(ENCODED) and not _holds_heading(text):
        lines = [f"### From {name}", "", text, ""]
    else:
        lines = [f"### From {encode_name(name)}", "", ENCODED, "", escape(text), ""]
    return "".join(line + newline for line in lines)


def _holds_heading(text: str) -> bool:
    """Whether a line of the text would be read as a heading."""
    return any(map(is_heading, text.split("\n")))


def escape(text: str) -> str:
    """The text with a backslash more before each line that is a heading, or one behind backslashes."""
    lines = text.split("\n")
    return "\n".join("\\" + line if is_heading(line.lstrip("\\")) else line for line in lines)


def _merged(data: bytes, found: _Round, sections: Sequence[BoardSection]) -> Pieces | None:
    """The board with the sections put into a round that is there."""
    newline, end = _newline(data), found.stops[-1]
    waiting: dict[str, list[BoardSection]] = {}
    for section in map(_kept, sections):
        waiting.setdefault(section.engineer, []).append(section)
    pieces: Pieces = []
    done = 0
    for heading, stop in found.sections:
        old = read_section(heading.word, data[heading.end : stop])
        new = waiting[old.engineer].pop(0) if waiting.get(old.engineer) else old
        if new != old:
            pieces += [memoryview(data)[done : heading.start], _bytes(format_section(new, newline))]
            done = stop
    further = [section for rest in waiting.values() for section in rest]
    if not pieces and not further:
        return None
    pieces.append(memoryview(data)[done:end])
    if further:
        pieces.append(_gap(pieces, newline))
        pieces += [_bytes(format_section(section, newline)) for section in further]
    return [*pieces, memoryview(data)[end:]]


class _Round:
    """Where each part of a round ends, and its sections with the places where they end."""

    def __init__(self, stop: int) -> None:
        self.stops = [stop]
        self.sections: list[tuple[BoardHeading, int]] = []


def _round(data: bytes, number: int) -> _Round | None:
    """The last round of that number."""
    found = current = None
    for heading, stop in spans(data):
        if heading.number is not None:
            current = _Round(stop) if heading.number == number else None
            found = current or found
        elif current:
            current.stops.append(stop)
            current.sections.append((heading, stop))
    return found


def _before_later(data: bytes, number: int) -> int:
    """Where a new round belongs: before the first one that is later, or at the end."""
    later = (h.start for h in headings(data) if h.number is not None and h.number > number)
    return next(later, len(data))


def _inserted(data: bytes, place: int, text: str) -> Pieces:
    pieces: Pieces = [memoryview(data)[:place]]
    return [*pieces, _gap(pieces, _newline(data)), _bytes(text), memoryview(data)[place:]]


def _gap(pieces: Pieces, newline: str) -> bytes:
    """What is missing to a blank line after the pieces."""
    tail = b"".join(bytes(piece[-4:]) for piece in pieces[-3:]).replace(b"\r\n", b"\n")
    missing = 0 if tail.endswith(b"\n\n") else 1 if tail.endswith(b"\n") else 2
    return _bytes(newline * missing)


def _newline(data: bytes) -> str:
    return "\r\n" if data[: data.find(b"\n") + 1].endswith(b"\r\n") else "\n"


def _kept(section: BoardSection) -> BoardSection:
    """The section as it will be read."""
    engineer, text = map(well_formed, section)
    return BoardSection(engineer, trimmed(text))


def well_formed(text: str) -> str:
    """The text without halves of surrogate pairs, which no file in UTF-8 can hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _bytes(text: str) -> bytes:
    return well_formed(text).encode()


def encode_name(name: str) -> str:
    """Any name as one word, percent-encoded where it must be."""
    return "".join(_percent(mark) if mark == "%" or _is_odd(mark) else mark for mark in name)


def _is_word(name: str) -> bool:
    """Whether a heading can hold the name as it is."""
    return bool(name) and not any(map(_is_odd, name))


def _is_odd(mark: str) -> bool:
    return mark in BLANK or mark < " " or "\x7f" <= mark <= "\x9f"


def _percent(mark: str) -> str:
    return "".join(f"%{byte:02X}" for byte in mark.encode())


def _place_decision(preamble: bytes, decision: BoardDecision) -> tuple[int, list[str]]:
    """Where a further decision belongs, and its lines; no lines when it is what stands already."""
    decision = _plain(decision)
    before = next((old for old in read_decisions(preamble)[0] if old.id == decision.id), None)
    start, stop = find_decisions(preamble)
    if before and (before.choice, before.why) == (decision.choice, decision.why):
        return stop, []
    return stop, [*([] if start < stop else [_DECISIONS, ""]), *_lines(decision, before)]


def _escape_decisions(text: str) -> str:
    """A title's further lines with a backslash before what would be read as a decision."""
    return re.sub(r"(?m)^(?=##[ \t]+Decisions[ \t\r]*$)", r"\\", text)


def _plain(decision: BoardDecision) -> BoardDecision:
    choice, why = (re.sub(_BREAKS, "\n", text).strip() for text in (decision.choice, decision.why))
    return BoardDecision(decision.id, choice, why, " ".join(decision.date.split()))


def _lines(decision: BoardDecision, before: BoardDecision | None) -> list[str]:
    lines = [f"### Decision {encode_name(decision.id)}", "", *_quoted(decision.choice), ""]
    if decision.why:
        lines += ["Why:", "", *_quoted(decision.why), ""]
    if decision.date:
        lines += [f"Date: {decision.date}", ""]
    if before:
        lines += ["This replaces the earlier choice above.", ""]
    return lines


def _quoted(text: str) -> list[str]:
    return [f"> {line}".rstrip(" ") if not line else f"> {line}" for line in text.split("\n")]


def close_blocks(text: str) -> str:
    """The text with an end for every fence, comment and lasting tag that has none.

    Replies that were cut off end inside a fence, and on a board everything below would be shown as code.
    This follows how Markdown is shown; which words of a reply count is for ``reading.blocks``.
    """
    fence = html = ""
    folds = 0
    for row in text.split("\n"):
        if html:
            html = "" if html in row.lower() else html
            continue
        if fence and not _is_outside(row, fence):
            fence = "" if _closes(row, fence) else fence
            continue
        fence, html = _opened(row)
        marks = re.findall(_DETAILS, row) if not fence else []
        folds = max(0, folds + len(marks) - 2 * marks.count("/"))
    ends = [each for each in (fence, html, "</details>\n" * folds) if each]
    return "\n".join([text, *ends]).rstrip("\n") if ends else text


def _opened(row: str) -> tuple[str, str]:
    """What the line leaves open: the fence that would close it, or the end of some HTML."""
    if found := re.match(_FENCE, row):
        return " " * len(found["lead"]) + found["run"], ""
    if not (started := re.match(_HTML, row)):
        return "", ""
    end = f"</{started['tag'].lower()}>" if started["tag"] else "-->"
    return "", "" if end in row.lower()[started.end() - 2 :] else end


def _closes(row: str, fence: str) -> bool:
    run = fence.strip()
    return row.strip().startswith(run) and not row.strip().strip(run[0])


def _is_outside(row: str, fence: str) -> bool:
    """Whether the line has left the list in which the fence stands."""
    indent = len(fence) - len(fence.lstrip())
    return indent >= _LISTED and bool(row.strip()) and len(row) - len(row.lstrip()) < _LISTED
