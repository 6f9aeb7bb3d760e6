"""One pass over a reply: the verdicts it states, its confidence, escalation and sections."""

from __future__ import annotations

from guildmoot.reading.items import bullet_text, says_none
from guildmoot.reading.labels import (
    ADVISORY,
    ASIDE,
    CONFIDENCE,
    ESCALATION,
    REASONS,
    Label,
    is_remedy_of_one,
    read_label,
)
from guildmoot.reading.layout import DOUBTFUL, OWN, SPACE, Line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Confidence = Literal["high", "medium", "low"]

PREAMBLE, BODY, UNKNOWN = "preamble", "body", "unknown"
UNREADABLE = "?"
"""A verdict line whose word is none that we know."""
_OWNERS = ("final ", "overall ", "my ")
_VALUES = ("approved", "flagged", "flagged-conflict", "recused", "operator-judgment-required")
_CONFIDENCES: dict[str, Confidence] = {"high": "high", "medium": "medium", "low": "low"}
_LISTS = (REASONS, ADVISORY)
_DEEP = 4
"""Columns from which on Markdown takes a line for code."""


class Section:
    """The lines under one heading, with what stood beside it on the same line as the first."""

    __slots__ = ("blocking", "inline", "kind", "level", "lines")

    def __init__(self, kind: str, label: Label | None = None) -> None:
        self.kind = kind
        self.inline = label.rest if label else ""
        self.level = label.level if label else 0
        self.blocking = bool(label and label.blocking)
        self.lines: list[Line] = [(OWN, self.inline)] if self.inline else []


class Scan:
    """What one pass over the lines found."""

    def __init__(self, lines: list[Line]) -> None:
        self.standing: list[str] = []
        """Verdicts on lines of their own."""
        self.weak: list[str] = []
        """Verdicts in a list or deeply indented: they count when there is no standing one."""
        self.doubtful: list[str] = []
        """Verdicts in a fence that is never closed: they may contradict, not decide."""
        self.confidence: Confidence | None = None
        self.escalation = ""
        self.sections = [Section(PREAMBLE)]
        self._lines = lines
        for number, line in enumerate(lines):
            self._take(number, line)

    def of(self, *kinds: str) -> list[Section]:
        """The sections of these kinds, in order."""
        return [section for section in self.sections if section.kind in kinds]

    def _take(self, number: int, line: Line) -> None:
        kind, row = line
        text = row.strip(SPACE)
        if kind not in (OWN, DOUBTFUL) or not text:
            self.sections[-1].lines.append(line)
        elif not (("erdict" in text or "ERDICT" in text) and self._verdict(number, line, text)):
            self._plain(number, line, text)

    def _verdict(self, number: int, line: Line, text: str) -> bool:
        """Whether the line states a verdict and nothing else, so that a section ends here."""
        kind, row = line
        listed = bullet_text(text)
        value = self._value(number, listed or text)
        if not value:
            return False
        weak = bool(listed) or _columns(row) >= _DEEP
        (self.doubtful if kind == DOUBTFUL else self.weak if weak else self.standing).append(value)
        if weak and self.sections[-1].kind not in (PREAMBLE, BODY):
            return False  # in a list of reasons it is only cited
        self.sections.append(Section(BODY))
        return True

    def _value(self, number: int, text: str) -> str:
        """The verdict's word; nothing for a template or a heading that no verdict follows."""
        said = _after_label(text)
        if said is None:
            return ""
        if said:
            return read_value(said)
        following = read_value(self._next(number))
        return following if following in _VALUES else ""

    def _next(self, number: int) -> str:
        """The next line that says something, if it is the judge's own."""
        for kind, row in self._lines[number + 1 : number + 6]:
            if row.strip(SPACE):
                return row.strip(SPACE) if kind == OWN else ""
        return ""

    def _plain(self, number: int, line: Line, text: str) -> None:
        label = _label(text)
        section = self.sections[-1]
        if label is None or (section.kind in _LISTS and is_remedy_of_one(text)):
            self._unlabelled(line, text)
        elif label.kind == CONFIDENCE:
            self.confidence = self.confidence or _confidence(label, self._next(number))
        elif label.kind == ESCALATION:
            if label.rest and not self.escalation and not says_none(label.rest):
                self.escalation = label.rest
        else:
            self.sections.append(Section(label.kind, label))

    def _unlabelled(self, line: Line, text: str) -> None:
        """An unknown heading ends a section unless it is one level deeper, which only groups."""
        level = len(text) - len(text.lstrip("#"))
        section = self.sections[-1]
        if 0 < level <= (section.level or 2) and section.kind not in (PREAMBLE, BODY):
            self.sections.append(Section(UNKNOWN))
        self.sections[-1].lines.append(line)


def _label(text: str) -> Label | None:
    """The line's label. One set as an item of a list is a heading only if it stands alone."""
    listed = bullet_text(text)
    if not listed:
        return read_label(text)
    label = read_label(listed) if listed.endswith((":", "*")) else None
    return label if label and not label.rest and label.kind != ASIDE else None


def _confidence(label: Label, following: str) -> Confidence | None:
    """Only the plain form, ``Confidence: high``, since the seeds read no heading and no list."""
    said = (label.rest or following).lstrip("*`").lower()
    word = next((word for word in _CONFIDENCES if said.startswith(word)), "")
    goes_on = said[len(word) :][:1].isalnum() or said[len(word) :][:1] == "_"
    return None if label.level or goes_on else _CONFIDENCES.get(word)


def _after_label(text: str) -> str | None:
    """What follows ``VERDICT:``, ``## Final verdict -`` and the like; None when it is no label."""
    bare = text.lstrip("#*_ \t")
    for owner in _OWNERS:
        if bare[: len(owner)].lower() == owner:
            bare = bare[len(owner) :].lstrip()
    if bare[:7].lower() != "verdict":
        return None
    rest = bare[7:].lstrip("*_ \t")
    for sign in (":", "=", "-", "–", "—", "is "):
        if rest.startswith(sign):
            return rest[len(sign) :].strip("-*_ \t")
    return None if rest else ""


def read_value(text: str) -> str:
    """One of the five verdicts; ``?`` when it is another word; nothing for an unfilled template."""
    spaced = "".join(mark if mark.isalnum() else " " for mark in text.lower())
    words = spaced.replace("judgement", "judgment").split()
    if any(mark in text for mark in "|<{") or ("/" in text and _names_several(words)):
        return ""
    value = "-".join(words)
    if value == "operator-judgment":
        value = "operator-judgment-required"
    if value in _VALUES and "?" not in text:
        return value
    return "flagged" if words[:1] == ["flagged"] and not _names_several(words) else UNREADABLE


def _names_several(words: list[str]) -> bool:
    return any(word in ("approved", "recused", "operator", "conflict") for word in words[1:])


def _columns(row: str) -> int:
    return len(row.expandtabs(4)) - len(row.expandtabs(4).lstrip(SPACE))
