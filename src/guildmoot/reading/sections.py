"""One pass over a reply: the verdicts it states, its confidence, escalation and labelled sections.

Labels come in every common form: ``Reasons``, ``Reasons:``, ``**Reasons:**``, ``**Reasons**:``,
``## Reasons (2)``, ``Reason: text``.
"""

from __future__ import annotations

from guildmoot.reading.blocks import DOUBTFUL, OWN, QUOTED, SPACE, Line, columns_before
from guildmoot.reading.list_items import bullet_text, says_none
from guildmoot.reading.words.approval import VALUES, announces, goes_on, read_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Confidence = Literal["high", "medium", "low"]

REASONS, REMEDIES, ADVISORY, RUNS = "reasons", "remedies", "advisory", "runs"
RATIONALE, ASIDE, CONFIDENCE, ESCALATION = "rationale", "aside", "confidence", "escalation"

_WORDS = {
    REASONS: "reasons|reason|flag reasons|flagged reasons|reasons for flagging|reason for flagging"
    "|reasons for the flag|findings|issues|issues found|problems|problems found|violations|defects",
    ADVISORY: "advisory|advisories|advisory notes|advisory note|advisory findings|advisory reasons"
    "|advisory issues|non-blocking|non-blocking notes|non-blocking findings|non-blocking issues"
    "|non-blocking reasons|nits|nitpicks",
    REMEDIES: "suggested remedies|suggested remedy|remedies|remedy|suggested fixes|suggested fix"
    "|fixes|proposed fixes|proposed remedies|recommended fixes|recommended remedies|remediation"
    "|recommended fix|recommended remedy|proposed fix|how to fix"
    "|recommendations|suggestions|recommended changes|suggested changes|required changes",
    RUNS: "cli runs|cli run|commands run",
    RATIONALE: "rationale|justification|explanation",
    ASIDE: "verification|checks|checks performed|what i checked|scope|summary|overview|notes"
    "|strengths|positives|what works|conclusion|next steps|references|context|open questions",
    CONFIDENCE: "confidence",
    ESCALATION: "escalation",
}
_BLOCKING = "blocking|blockers|blocking reasons|blocking findings|blocking issues|blocking problems"
_KINDS = {word: kind for kind, words in _WORDS.items() for word in words.split("|")}
_KINDS.update(dict.fromkeys(_BLOCKING.split("|"), REASONS))
_SINGULAR = ("remedy", "suggested remedy", "suggested fix", "remediation")
_LONGEST = max(map(len, _KINDS)) + 16
_DECORATION = "#*_ \t\u00a0"

PREAMBLE, BODY, UNKNOWN = "preamble", "body", "unknown"
_OWNERS = ("final ", "overall ", "my ")
_SIGNS = (":", "：", "=", "- ", "– ", "— ", "is ")
_CONFIDENCES: dict[str, Confidence] = {"high": "high", "medium": "medium", "low": "low"}
_SPOKEN = (OWN, DOUBTFUL)
_EMPTY = "[]"
"""A list of nothing, as data spells it."""
_LISTS = (REASONS, ADVISORY)
_DEEP = 4
"""Columns from which on Markdown takes a line for code."""


class Label:
    """One label: its kind, the text after it on the same line, and how it was set."""

    __slots__ = ("blocking", "kind", "level", "rest")

    def __init__(self, kind: str, rest: str, level: int, blocking: bool) -> None:
        self.kind = kind
        self.rest = rest
        self.level = level
        """1 to 6 for a Markdown heading, else 0."""
        self.blocking = blocking
        """The label itself says that what follows blocks."""


class ReplySection:
    """The lines under one heading, with what stood beside it on the same line as the first."""

    __slots__ = ("blocking", "columns", "inline", "kind", "level", "lines", "title")

    def __init__(self, kind: str, label: Label | None = None, title: str = "") -> None:
        self.kind = kind
        self.title = title
        """The line of the heading, as it was written."""
        self.inline = label.rest if label else ""
        self.level = label.level if label else 0
        self.columns = columns_before(title)
        self.blocking = bool(label and label.blocking)
        self.lines: list[Line] = [(OWN, self.inline)] if self.inline else []

    @property
    def said(self) -> list[Line]:
        """All its lines, the heading first."""
        return [(OWN, self.title), *self.lines[bool(self.inline) :]] if self.title else self.lines


class Scan:
    """What one pass over the lines found."""

    def __init__(self, lines: list[Line]) -> None:
        self.standing: list[str] = []
        """Verdicts on lines of their own."""
        self.weak: list[str] = []
        """Verdicts in a list or deeply indented: they count when there is no standing one."""
        self.listed: list[str] = []
        """Those of the weak ones that stand in a list: said, but perhaps as an example."""
        self.doubtful: list[str] = []
        """Verdicts in a fence that is never closed: they may contradict, not decide."""
        self.cited = False
        """An approval stands where the lines around it say that it is somebody else's."""
        self.confidence: Confidence | None = None
        self.escalation = ""
        self.sections = [ReplySection(PREAMBLE)]
        self._lines = lines
        self._before: Line = (OWN, "")
        """The last line that said something."""
        self._taken = -1
        """The line that holds the value of a verdict whose label stood above it."""
        for number, line in enumerate(lines):
            text = line[1].strip(SPACE)
            if not text or line[0] not in _SPOKEN:
                self.sections[-1].lines.append(line)
            elif number != self._taken:
                self._take(number, line, text)
            self._before = line if text else self._before

    def of(self, *kinds: str) -> list[ReplySection]:
        """The sections of these kinds, in order."""
        return [section for section in self.sections if section.kind in kinds]

    def _take(self, number: int, line: Line, text: str) -> None:
        if "erdict" in text or "ERDICT" in text:
            if self._verdict(number, line, text):
                return
        elif text[:2] == "- " and text[-1] not in ":*":  # most lines; spared the search for labels
            self.sections[-1].lines.append(line)
            return
        self._plain(number, line, text)

    def _verdict(self, number: int, line: Line, text: str) -> bool:
        """Whether the line states a verdict and nothing else, so that a section ends here."""
        kind, row = line
        listed = bullet_text(text)
        value = self._value(number, listed or text)
        if not value:
            sign, said = _after_label(listed or text)
            return sign == ":" and bool(said)  # a template that was not filled in says nothing
        deep = columns_before(row) >= _DEEP
        weak = bool(listed) or deep
        if weak and self.sections[-1].kind not in (PREAMBLE, BODY):
            return False  # in a list of reasons it is only cited
        if value == "approved" and self._is_cited(number, max(number, self._taken), deep):
            self.cited = True
            return False
        (self.doubtful if kind == DOUBTFUL else self.weak if weak else self.standing).append(value)
        if listed:
            self.listed.append(value)
        self.sections.append(ReplySection(BODY))
        return True

    def _is_cited(self, label: int, number: int, deep: bool) -> bool:
        """Whether the line before announces somebody's words, or the line after goes on about them."""
        kind, row = self._before
        if kind == QUOTED and row is self._lines[label - 1][1] and row.lstrip(SPACE)[:1] == ">":
            return True  # a line right below a block quote is part of it
        said = row.strip(SPACE) if kind == OWN else ""
        following = self._next(number)[0]
        return (
            announces(said)
            or goes_on(following)
            or (deep and bool(said) and said[-1] not in ".!)…*")
        )

    def _value(self, number: int, text: str) -> str:
        """The verdict's word; nothing for a template or a heading that no verdict follows."""
        sign, said = _after_label(text)
        if not sign:
            return ""
        if said:
            value = read_value(said)
            return value if value in VALUES or sign in ":：" else ""
        following, place = self._next(number)
        value = read_value(following)
        if value not in VALUES:
            return ""
        self._taken = place
        return value

    def _next(self, number: int) -> tuple[str, int]:
        """The next line that says something, if it is the judge's own, and its place."""
        for place in range(number + 1, len(self._lines)):
            kind, row = self._lines[place]
            if row.strip(SPACE):
                return (row.strip(SPACE), place) if kind == OWN else ("", -1)
        return "", -1

    def _plain(self, number: int, line: Line, text: str) -> None:
        label = _label(text)
        if label is None or (self.sections[-1].kind in _LISTS and self._is_part(line, text)):
            self._unlabelled(line, text)
        elif label.kind == CONFIDENCE:
            said = label.rest or self._next(number)[0]
            self.confidence = self.confidence or (None if label.level else _confidence(said))
        elif label.kind == ESCALATION:
            if label.rest and not self.escalation and not _is_needless(label.rest):
                self.escalation = label.rest
        else:
            empty = label.rest.replace(" ", "") == _EMPTY
            label.rest = "" if empty else label.rest
            self.sections.append(ReplySection(label.kind, label, line[1]))
            if empty:
                self.sections.append(ReplySection(BODY))  # what follows is no part of it

    def _is_part(self, line: Line, text: str) -> bool:
        """Whether a label only names a part of the item above: it is indented, or one remedy."""
        return _is_remedy_of_one(text) or columns_before(line[1]) > self.sections[-1].columns + 1

    def _unlabelled(self, line: Line, text: str) -> None:
        """An unknown heading ends a section unless it is one level deeper, which only groups."""
        level = len(text) - len(text.lstrip("#"))
        section = self.sections[-1]
        if 0 < level <= (section.level or 2) and section.kind not in (PREAMBLE, BODY):
            self.sections.append(ReplySection(UNKNOWN))
        self.sections[-1].lines.append(line)


def _is_needless(said: str) -> bool:
    """An escalation that says that there is none, and at most why."""
    first, _, why = (
        said.replace(". ", ", ").replace("; ", ", ").replace(" - ", ", ").partition(", ")
    )
    asks = any(word in why.lower() for word in ("?", "please", "decide", "but ", "ask", "however"))
    return says_none(first) and not asks


def _label(text: str) -> Label | None:
    """The line's label. One set as an item of a list is a heading only if it stands alone."""
    listed = bullet_text(text)
    if not listed:
        return _read_label(text)
    label = _read_label(listed) if listed.endswith((":", "*")) else None
    return label if label and not label.rest and label.kind != ASIDE else None


def _confidence(said: str) -> Confidence | None:
    """The word that the text begins with, if it is one of the three and does not go on."""
    said = said.lstrip("*`").lower()
    word = next((word for word in _CONFIDENCES if said.startswith(word)), "")
    goes_on = said[len(word) :][:1].isalnum() or said[len(word) :][:1] == "_"
    return None if goes_on else _CONFIDENCES.get(word)


def _after_label(text: str) -> tuple[str, str]:
    """The sign and the text after ``VERDICT:``, ``## Final verdict -`` and the like."""
    bare = text.lstrip("#*_ \t")
    for owner in _OWNERS:
        if bare[: len(owner)].lower() == owner:
            bare = bare[len(owner) :].lstrip()
    if bare[:7].lower() != "verdict":
        return "", ""
    rest = bare[7:].lstrip("*_ \t")
    sign = next((sign for sign in _SIGNS if rest.startswith(sign)), "")
    # a heading that says no more than "Verdict" has no sign; what counts is on the next line
    return (sign, rest[len(sign) :].strip("*_ \t")) if sign or rest else ("\n", "")


def _read_label(line: str) -> Label | None:
    """The label that a stripped line begins with, if it is one that we know."""
    bare = line.lstrip(_DECORATION)
    head, colon, rest = bare.partition(":")
    if len(head) > _LONGEST:
        return _opening(bare, 0)
    name = _name(head)
    kind = _KINDS.get(name)
    level = len(line) - len(line.lstrip("#"))
    if kind is None and level:
        name = _name(head.lstrip("0123456789.) "))
        kind = _KINDS.get(name)
    if kind is None:
        return _opening(bare, level)
    if not _stands(kind, name, colon, rest):
        return None
    opened_before = "*" in line[: len(line) - len(bare)] and "*" not in head
    said = rest.lstrip("*_ \t") if opened_before else rest.strip()
    return Label(kind, said, level, blocking=name.startswith("block"))


def _opening(bare: str, level: int) -> Label | None:
    """Two words that end a list in the seeds' grammar, whatever follows them on the line."""
    for word, kind in (("suggested remedies", REMEDIES), ("verification", ASIDE)):
        if bare[: len(word)].lower() == word and not bare[len(word) :][:1].isalnum():
            return Label(kind, "", level, blocking=False)
    return None


def _is_remedy_of_one(line: str) -> bool:
    """``Remedy: add a cap``: in a list of reasons it belongs to the reason above."""
    head, _, rest = line.lstrip(_DECORATION).partition(":")
    return _name(head) in _SINGULAR and bool(rest.strip(_DECORATION))


def _name(head: str) -> str:
    """The label's words alone: no decoration, no count in brackets."""
    name = head.strip(_DECORATION).lower()
    return name.rpartition("(")[0].rstrip(_DECORATION) if name.endswith(")") else name


def _stands(kind: str, name: str, colon: str, rest: str) -> bool:
    """Asides are labels only on a line of their own, since they are also ordinary words."""
    if kind == ASIDE:
        return name == "verification" or not rest.strip(_DECORATION)
    return bool(colon) or not rest
