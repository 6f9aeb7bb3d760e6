"""The one block scanner: which lines of a reply are its author's own, and which only quote.

A quotation cannot vote. Two cases are less plain. A reply that is quoted from its first line to its
last is the author's own, since nothing else was said. A fence that is never closed may have been
opened by quoted text to hide what follows, so its lines are read, but marked as doubtful.

Where JSON is asked for, a fence for JSON, or for no language, is how judges give it: it counts, unless
the line before it says that it shows something else. Such a block may still contradict: that line is
only a hint. Regular expressions are imported where used: the fast verbs must start without them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SPACE = (
    "\t\v\f \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u202f\u205f\u3000\ufeff"
)
"""White space as the seeds' program knows it, line ends apart."""

OWN, DOUBTFUL, QUOTED, MARK = "own", "doubtful", "quoted", "mark"
"""Kinds of lines; a mark is the line that opens or closes a fence."""

Line = tuple[str, str]
"""Kind and text."""

_VOTING_TAGS = ("", "json", "jsonc", "json5", "verdict")
_WRAPPER = r"(?s)(`{3,}|~{3,})(?:markdown|md)?[ \t]*\n(.*\n)\1[ \t]*"
_INNER_FENCE = r"(?m)^ {0,3}(?:```+|~~~+)(.*)$"
_THOUGHT = r"(?is)\s*<(think|thinking|reasoning|analysis)>.*?</\1>"
_WORK = (
    r"file|files|code|diff|patch|artifact|artefact|comment|readme|document|docs?|spec|plan|prompt"
    r"|packet|fixture|commit|test|sample|payload|snippet|author|page|it"
)
_CITES = (
    rf"(?i)\b(?:{_WORK})\b[^.!?]{{0,60}}\b(?:contains?|says?|includes?|embeds?|embedded|reads?|tells?"
    rf"|adds?|asks?|instructs?|holds?|carries|has|claims?|wants?|tries)\b"
    rf"|\b(?:in|from|of) the (?:{_WORK})\b|\b(?:quot(?:ed|ing|e)|inject(?:ed|ion)|excerpt|verbatim)\b"
    rf"|\b(?:for example|e\.g\.|an example|example of)|\bother judge|\bpeer|\bround 1\b|\bR1\b"
)
_WISHES = r"(?i)\b(?:would|could|might) (?:answer|say|write|reply|give)\b"
_SAMPLE = r"(?i)\b(?:for example|for instance|e\.g\.)\W*$"
_OWNS = (
    r"(?i)\b(?:my|final|council|overall|here is the) (?:\w+ )?"
    r"(?:verdict|review|judge?ment|answer|output)"
)


class Block:
    """Lines of one kind that stand together: own words, a block quote, or what a fence holds."""

    __slots__ = ("kind", "rows", "tag")

    def __init__(self, kind: str, rows: list[str], tag: str = "") -> None:
        self.kind = kind
        """MARK for a fence."""
        self.rows = rows
        self.tag = tag
        """The word behind a fence's mark, e.g. ``json``."""


class Part:
    """A block in which JSON would count."""

    __slots__ = ("cited", "text")

    def __init__(self, text: str, cited: bool = False) -> None:
        self.text = text
        self.cited = cited
        """The line before it says that it shows something else."""


class Parts:
    """A reply, cut into what counts and what only quotes."""

    def __init__(self, lines: list[Line], wrapped: bool) -> None:
        self.counting: list[Part] = []
        self.wrapped = wrapped
        """All of the reply stood inside one fence."""
        self.prose = [line for line in lines if line[0] == OWN]
        """The lines in the author's own words."""
        self.doubtful = [(OWN, row) for kind, row in lines if kind == DOUBTFUL]
        """The lines of a fence that is never closed; it may hide words of the author."""
        quoted: list[str] = []
        before: list[str] = []
        for block in blocks(lines):
            text = "\n".join(block.rows)
            if block.kind == OWN:
                self.counting.append(Part(text))
            elif block.kind == MARK and block.tag in _VOTING_TAGS:
                self.counting.append(Part(text, cited=cites(before)))
            else:
                quoted.append(text)
            before = block.rows if block.kind == OWN else []
        self.quoted = "\n".join(quoted)
        """What only quotes, for telling why nothing was found."""


def cut(text: str) -> Parts:
    """The parts of a reply, in order."""
    unwrapped = _unwrapped(text)
    lines, in_one = lay_out(unwrapped or text)
    return Parts(lines, bool(unwrapped) or in_one)


def without_fence(text: str) -> str:
    """What stands in one fence around all of a text; else the text."""
    inner = _unwrapped(text)
    if inner:
        return inner
    lines, in_one = lay_out(text)
    return "\n".join(row for _, row in lines) if in_one else text


def spoken(text: str) -> str:
    """The reply without the thoughts that some models print before it."""
    import re

    thought = re.match(_THOUGHT, text)
    return text[thought.end() :] if thought else text


def blocks(lines: list[Line]) -> Iterator[Block]:
    """Own lines together, block quotes together, and what each fence holds."""
    block: Block | None = None
    in_fence = False
    for kind, row in lines:
        if kind == MARK:
            if block and not in_fence:
                yield block
                block = None
            block = block if in_fence else Block(MARK, [], _tag(row))
            in_fence = not in_fence
            continue
        if block and not in_fence and kind != block.kind:
            yield block
            block = None
        block = block or Block(kind, [])
        block.rows.append(row)
    if block:
        yield block


def json_fences(lines: list[Line]) -> Iterator[str]:
    """What stands in fences for JSON, unless the line before says that it is somebody else's."""
    before: list[str] = []
    for block in blocks(lines) if any(kind == MARK for kind, _ in lines) else ():
        if block.kind == MARK and block.tag.startswith("json") and not cites(before):
            yield "\n".join(block.rows)
        before = block.rows if block.kind == OWN else []


def lay_out(text: str) -> tuple[list[Line], bool]:
    """The reply's lines with their kinds, and whether all of it stands inside one code fence."""
    rows = _split(text)
    if "```" not in text and "~~~" not in text and ">" not in text:
        return [(OWN, row) for row in rows], False
    rows = _unquoted(rows)
    lines = _mark_fences(rows)
    inner = _inside_one_fence(lines)
    return (inner, True) if inner is not None else (lines, False)


def _split(text: str) -> list[str]:
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\u2028" in text or "\u2029" in text:
        text = text.replace("\u2028", "\n").replace("\u2029", "\n")
    return text.split("\n")


def _unquoted(rows: list[str]) -> list[str]:
    """Without the quote marks when every line carries one."""
    spoken = [row for row in rows if row.strip(SPACE)]
    if not all(_is_quoted(row) for row in spoken):
        return rows
    return [_without_marks(row) for row in rows]


def _is_quoted(row: str) -> bool:
    return row.lstrip(SPACE).startswith(">")


def _without_marks(row: str) -> str:
    """The marks go, and the one space after them; deeper indentation stays."""
    rest = row.lstrip(SPACE + ">")
    lead = row[: len(row) - len(rest)]
    return lead[lead.rfind(">") + 2 :] + rest


def _mark_fences(rows: list[str]) -> list[Line]:
    lines: list[Line] = []
    fence = ""
    opened = 0
    for row in rows:
        if fence:
            closes = _closes(row, fence)
            lines.append((MARK if closes else QUOTED, row))
            fence = "" if closes else fence
        elif _is_quoted(row):
            lines.append((QUOTED, row))
        elif fence := _opening(row):
            opened = len(lines)
            lines.append((MARK, row))
        else:
            lines.append((OWN, row))
    if fence:
        lines[opened + 1 :] = [(DOUBTFUL, row) for _, row in lines[opened + 1 :]]
    return lines


def _opening(row: str) -> str:
    """The run of fence characters that opens a fence here, or nothing."""
    row = row.lstrip(SPACE)
    mark = row[:1]
    if mark not in ("`", "~"):
        return ""
    run = row[: len(row) - len(row.lstrip(mark))]
    # a backtick later in the line makes it a code span, not a fence
    return "" if len(run) < 3 or (mark == "`" and "`" in row[len(run) :]) else run


def _closes(row: str, fence: str) -> bool:
    row = row.strip(SPACE)
    return len(row) >= len(fence) and not row.strip(fence[0])


def _inside_one_fence(lines: list[Line]) -> list[Line] | None:
    """The lines between when the reply's first and last words are the marks of one fence."""
    spoken = [number for number, (_, row) in enumerate(lines) if row.strip(SPACE)]
    marks = [number for number, (kind, _) in enumerate(lines) if kind == MARK]
    if len(marks) != 2 or [spoken[0], spoken[-1]] != marks:
        return None
    return [(OWN, row) for _, row in lines[marks[0] + 1 : marks[1]]]


def _unwrapped(text: str) -> str:
    """The reply inside a Markdown fence around all of it, when that holds fences of its own."""
    import re

    wrapper = re.fullmatch(_WRAPPER, text.strip())
    inner = re.search(_INNER_FENCE, wrapper[2]) if wrapper else None
    # an inner fence without a word would be the end of the outer one
    return wrapper[2] if wrapper and inner and inner[1].strip() else ""


def _tag(row: str) -> str:
    words = row.strip(SPACE).strip("`~").split()
    return words[0].strip("{}.").lower() if words else ""


def cites(before: list[str]) -> bool:
    """Whether the last words before a fence or an object say that it shows the work or another's words."""
    import re

    said = next((row for row in reversed(before) if row.strip(SPACE)), "")
    last = re.split(r"(?<=[.!?])\s", said.strip(SPACE + "*_"))[-1]
    shown = re.search(_CITES, last) or re.search(_WISHES, last)
    sample = re.search(_SAMPLE, last)
    own = re.search(_OWNS, last) and not sample
    return last.endswith((":", "：")) and bool(shown or sample) and not own


def columns_before(row: str) -> int:
    """How far a line is indented; a tab goes to the next multiple of four."""
    if row[:1] not in SPACE:
        return 0
    lead = row[: len(row) - len(row.lstrip(SPACE))]
    return len(lead.expandtabs(4))


def read_title(row: str) -> tuple[int, str]:
    """Level and text of a Markdown heading; a line in bold is one of level 7, any other of level 0."""
    bare = row.strip(SPACE)
    if bare[:1] == "#" and columns_before(row) < 4:
        text = bare.lstrip("#")
        level = len(bare) - len(text)
        if level <= 6 and text[:1].strip(SPACE) != text[:1]:
            return level, text.strip(SPACE).rstrip("#").rstrip(SPACE)
    bold = bare.rstrip(":：" + SPACE)
    for mark in ("**", "__"):
        if bold.startswith(mark) and bold.endswith(mark) and len(bold) > 4:
            title = bold[2:-2].strip(":：" + SPACE)
            return (7, title) if mark not in title else (0, "")
    return 0, ""
