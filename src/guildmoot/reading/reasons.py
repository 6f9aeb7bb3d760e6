"""Turns one item of a judge's list into a finding: mark, code, evidence, place, quote, remedy."""

from __future__ import annotations

import re

from guildmoot.reading.items import Item
from guildmoot.words import Finding, Severity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from guildmoot.words import NamedTuple

DEFAULT_CODE = "criterion-unmet"
_NAME = r"([A-Za-z][A-Za-z0-9-]*[A-Za-z0-9])"
_ASIDE = r"\s*(?:\(([^)]*)\))?\s*"
_CODED = re.compile(
    rf"[`*_]{{0,4}}{_NAME}[`*_]{{0,4}}{_ASIDE}[*_]{{0,3}}:[*_]{{0,3}}\s*(\S.*)", re.DOTALL
)
_MARK_WORDS = re.compile(r"[\[(*_]{0,4}([A-Za-z-]+\d?)")
_RATINGS: dict[str, Severity] = {
    **dict.fromkeys(("critical", "severe", "p0"), "critical"),
    **dict.fromkeys(("high", "major", "p1"), "high"),
    **dict.fromkeys(("medium", "moderate", "p2"), "medium"),
    **dict.fromkeys(("low", "minor", "p3"), "low"),
}
_BLOCKING = ("blocking", "blocker")
_ADVISORY = ("advisory", "non-blocking", "nonblocking", "nit", "nitpick", "optional")
_PLAIN_MARKS = ("blocking", "advisory", "non-blocking")


class Marks(NamedTuple):
    """What stood before a reason, and the reason without it."""

    text: str
    blocking: bool | None = None
    severity: Severity | None = None


def read_reason(item: Item, seat: str, family: str) -> Finding:
    """The finding that an item states; it blocks unless it is marked as advisory."""
    marks = read_marks(item.text)
    marks = _with_field(marks, item.fields.get("severity", ""))
    code, aside, evidence = _read_code(marks.text)
    path, line, end_line, quote = _place(item, aside, evidence)
    blocking = marks.blocking is not False
    return Finding(
        seat=seat,
        code=item.fields.get("code", "").strip("`*_") or code,
        title=evidence,
        severity=marks.severity or ("high" if blocking else "low"),
        blocking=blocking,
        path=path,
        line=line,
        end_line=end_line,
        quote=quote,
        why=item.fields.get("why", ""),
        fix=item.fields.get("fix", ""),
        family=family,
    )


def read_marks(text: str) -> Marks:
    """Strip ``BLOCKING:``, ``**Advisory** -``, ``[critical]`` and the like from the front."""
    marks = Marks(text)
    for _ in range(3):
        word, rest = _mark(marks.text)
        if not rest:
            break
        marks = _marked(marks._replace(text=rest), word)
    if marks.severity is None and "everity" in marks.text:
        marks = marks._replace(severity=_said_severity(marks.text))
    return marks


def _mark(text: str) -> tuple[str, str]:
    """The mark at the front and the text after it; an empty text when there is no mark."""
    match = _MARK_WORDS.match(text)
    if not match:
        return "", ""
    word, after = match[1].lower(), text[match.end() :]
    decorated = match[0] != match[1]
    rating = word in _RATINGS or word in _ADVISORY or word in _BLOCKING
    if not rating or not (decorated or word in _PLAIN_MARKS or match[1].isupper()):
        return "", ""
    bare = after.lstrip("])*_ \t")
    if bare[:1] == ":" or (bare[:1] in ("-", "–", "—") and bare[1:2] == " "):
        bare = bare[1:]
    elif not (decorated and after[:1] in ("]", ")", "*", "_")):
        return "", ""
    return word, bare.lstrip("])*_ \t")


def _marked(marks: Marks, word: str) -> Marks:
    if word in _RATINGS:
        return marks._replace(severity=_RATINGS[word])
    return marks._replace(blocking=word in _BLOCKING)


def _with_field(marks: Marks, said: str) -> Marks:
    for word in said.lower().replace("*", " ").replace("`", " ").split():
        if word in _RATINGS or word in _ADVISORY or word in _BLOCKING:
            marks = _marked(marks, word)
    return marks


def _said_severity(text: str) -> Severity | None:
    match = re.search(r"everity\W{1,4}(critical|high|medium|low)\b", text, re.IGNORECASE)
    return _RATINGS[match[1].lower()] if match else None


def _read_code(text: str) -> tuple[str, str, str]:
    """Code, what stood in brackets after it, and the evidence."""
    coded = _CODED.match(text) or (text[:1] in ("`", "*", "[", "_") and _decorated_code(text))
    if not coded:
        return DEFAULT_CODE, "", text
    return coded[1], coded[2] or "", coded[3].rstrip()


def _decorated_code(text: str) -> re.Match[str] | None:
    """```code` - evidence``, ``**code** — evidence`` and ``[some-code] evidence``."""
    dashed = rf"[`*_]{{1,4}}{_NAME}[`*_]{{1,4}}{_ASIDE}[-–—]+\s+(\S.*)"
    boxed = rf"\[`?([A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)+)`?\]{_ASIDE}[-–—:]?\s*(\S.*)"
    return re.match(dashed, text, re.DOTALL) or re.match(boxed, text, re.DOTALL)


def _place(item: Item, aside: str, evidence: str) -> tuple[str, int, int, str]:
    from guildmoot.reading.anchors import find_anchor, find_quote

    where = item.fields.get("where", "")
    for text in (f"`{where.strip('`')}`" if where else "", aside, evidence):
        path, line, end_line = find_anchor(text) if text else ("", 0, 0)
        if path:
            break
    quote = "\n".join(item.quote).strip("\n") or item.fields.get("quote", "").strip("`")
    return path, line, end_line, quote or (find_quote(evidence) if path else "")
