"""Salvages a verdict from a reply without JSON: ``CouncilWord: FAIL``, ``**CouncilWord** — WARN``, headings.

Only lines that begin with the word count, and PASS only where nothing qualifies it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from guildmoot.model.council_verdict import CouncilWord
from guildmoot.model.verdict import Finding
from guildmoot.reading.council.excuses import is_placeholder
from guildmoot.reading.council.scales import read_verdict_word
from guildmoot.reading.items import read_items, says_none
from guildmoot.reading.labels import ADVISORY, REASONS
from guildmoot.reading.layout import SPACE, Line
from guildmoot.reading.reasons import DEFAULT_CODE, read_reason
from guildmoot.reading.scan import Scan

_LABEL = re.compile(
    r"(?P<lead>[#*_|\-+•\s]{0,20}(?:\d{1,3}[.)]\s{1,4})?[*_]{0,4})"
    r"(?:(?:the|my|our|final|overall|council|quick|consensus)\s{1,4}){0,3}verdict"
    r"(?P<sign>[*_\s]*(?::|：|=|\||→|->|-\s|–\s|—\s|\bis\b)[*_\s|]*|[*_]+\s*|\s*$|\s+(?=(?:PASS|WARN|FAIL)\W*$))"
    r"(?P<rest>.*)",
    re.IGNORECASE,
)
_SIGNS = "*_`'\"[]( \t✅❌⚠️🟢🟡🔴🛑✔✖🚫"
_WORD = re.compile(r"(PASS|WARN|FAIL)(?!\w|[-'’]\w)(.*)", re.IGNORECASE | re.DOTALL)
_ANY_WORD = re.compile(r"\b(?:PASS|WARN|FAIL)\b")
_CONDITION = re.compile(
    r"\b(?:but|unless|if|except|once|provided|providing|after|pending|subject|conditional|however"
    r"|although|though|assuming|until|when|with|not|needs?|requires?|only)\b",
    re.IGNORECASE,
)
_CONFIDENCE = re.compile(
    r"\b(high|medium|low)\b[ \w-]{0,12}\bconfidence\b"
    r"|\bconfidence\b\W{0,6}(?:is |level )?\W{0,4}(high|medium|low|0?\.\d+|1\.0|\d{1,3} ?%)"
    r"|^\W*\(\W*(high|medium|low)\W*\)",
    re.IGNORECASE,
)
_FIELD = re.compile(
    r"[#*_|\-+•\s]{0,20}(?:\d{1,3}[.)]\s{1,4})?[*_]{0,4}(?:overall |final )?"
    r"(?P<name>confidence|key[ _-]insight|recommendation|next step)s?[*_\s]*"
    r"(?:[:：=|–—]|-\s|$)[*_\s|]*(?P<rest>.*)",
    re.IGNORECASE,
)
_NAMES = {"next_step": "recommendation"}
_RATINGS = {"critical": "critical", "high": "significant", "medium": "medium", "low": "minor"}


class Said(NamedTuple):
    """One line that states a verdict, or seems to."""

    word: CouncilWord | None
    """None when what follows the label is not a plain PASS, WARN or FAIL."""
    line: str
    template: bool = False
    """It offers the words of the prompt to choose from."""


def stated(lines: Sequence[Line]) -> list[Said]:
    """Every line that begins with ``CouncilWord``; under a bare heading, the next line counts."""
    found = []
    for number, (_, row) in enumerate(lines):
        label = _LABEL.fullmatch(row.strip(SPACE))
        if not label:
            continue
        rest = label["rest"].strip(SPACE) or _below(lines, number)
        said = Said(_word(rest), f"{row.strip(SPACE)}", is_placeholder(rest.strip(_SIGNS + "|)")))
        in_table = "|" in label["lead"]
        if said.word or (label["rest"].strip() and not in_table):
            found.append(said)
    return found


def _below(lines: Sequence[Line], number: int) -> str:
    rows = (row.strip(SPACE) for _, row in lines[number + 1 : number + 5])
    return next((row for row in rows if row), "")


def _word(rest: str) -> CouncilWord | None:
    """The verdict that the text begins with. A qualified PASS is none."""
    found = _WORD.match(rest.lstrip(_SIGNS))
    if not found or _ANY_WORD.search(found[2]):
        return None
    word = read_verdict_word(found[1])
    after = found[2].strip(SPACE + "*_`'\"])|")
    # a comma at the end is a piece of broken JSON, whose findings nobody has read
    plain = not after or not (after[0].isalnum() or after == "," or _CONDITION.search(after))
    return word if plain or word != "PASS" else None


def gather(lines: Sequence[Line], said: Said) -> dict[str, object]:
    """What else the prose says, under the names of the JSON verdict."""
    value: dict[str, object] = {"verdict": said.word, "findings": _findings(lines)}
    for number, (_, row) in enumerate(lines):
        field = _FIELD.fullmatch(row.strip(SPACE))
        if field:
            name = field["name"].lower().replace(" ", "_").replace("-", "_")
            text = field["rest"].strip(SPACE + "*_|") or _below(lines, number)
            value.setdefault(_NAMES.get(name, name), text)
    confidence = _CONFIDENCE.search(_WORD.sub(r"\2", said.line.partition(":")[2].lstrip(_SIGNS)))
    if confidence and "confidence" not in value:
        value["confidence"] = next(group for group in confidence.groups() if group)
    return value


def _findings(lines: Sequence[Line]) -> list[object]:
    sections = Scan(list(lines)).of(REASONS, ADVISORY)
    items = [item for section in sections for item in read_items(section.lines)]
    reasons = [read_reason(item, "", "") for item in items if item.text]
    return [_plain(reason) for reason in reasons if reason.title and not says_none(reason.title)]


def _plain(reason: Finding) -> dict[str, object]:
    span = f"-{reason.end_line}" if reason.end_line > reason.line else ""
    return {
        "severity": _RATINGS[reason.severity],
        "category": "" if reason.code == DEFAULT_CODE else reason.code,
        "description": reason.title,
        "location": f"{reason.path}:{reason.line}{span}" if reason.line else reason.path,
        "recommendation": "",
        "fix": reason.fix or None,
        "why": reason.why or None,
    }
