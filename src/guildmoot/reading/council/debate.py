"""Reads what a debate adds: a judge's restated position, and on what it rests a second verdict.

A restatement is no vote: whatever word stands there, the first round's counts. The grounds of a second
verdict are places, admitted errors and named missing cases, in the judge's own words alone: what it
quotes of others (a steel man, what it challenges) is none, and neither is its answer to a challenge,
since every answer must hold one. Whether a ground is new and real is for ``consensus.debate``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from guildmoot.model.council_verdict import CouncilFinding, CouncilVerdict
from guildmoot.model.verdict import Finding
from guildmoot.reading.blocks import spoken, without_fence
from guildmoot.reading.council.judgement import read_location
from guildmoot.reading.json_repair import Broken, parse, snake
from guildmoot.reading.places import find_anchor, find_anchors
from guildmoot.reading.refusal import not_a_vote
from guildmoot.reading.reply_json import JsonFields, as_text

ERROR, MISSING = "R1 ERROR:", "MISSING CASE:"
"""How a judge is asked to mark them; plain English is understood as well."""

MOST = 1_200
"""Characters that are kept of a restatement; two or three sentences were asked for."""

_NAMES = ("restatement", "restated", "position", "summary", "text", "key_insight")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_OWN_ERROR = re.compile(
    r"\b(?:R1|first[- ]round) (?:error|mistake|miss)\b"
    r"|\bI (?:had |have |also |simply |clearly )*(?:miss(?:ed)?|overlook(?:ed)?|misread|misjudged"
    r"|misunderstood|mistook|misattributed|wrongly|incorrectly|mistakenly|failed to"
    r"|did(?: not|n['’]t) (?:see|notice|check|consider|account|look))\b"
    r"|\bI (?:was|had been) (?:wrong|mistaken|incorrect)\b"
    r"|\bmy (?:own )?(?:R1|first|initial|earlier|original|previous)\b[^.;\n]{0,60}"
    r"\b(?:wrong|mistaken|incorrect|false|missed|overlooked|misread|in error)\b",
    re.IGNORECASE,
)
_MISSING_CASE = re.compile(
    r"\bmissing (?:\w+ )?(?:case|test|check)s?\b|\bedge[- ]case\b|\b(?:untested|uncovered)\b"
    r"|\b(?:no|lacks?|without|needs?)(?: an?| any)?(?: \w+){0,2} tests?\b"
    r"|\b(?:not|never|n['’]t) (?:tested|covered|handled)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:not|never|no|nothing|deny|denies)\b|n['’]t\b", re.IGNORECASE)


class Grounds(NamedTuple):
    """What a verdict says for itself."""

    places: tuple[tuple[str, int, int], ...] = ()
    """Path, first and last line, as written; 0 where no line is named."""
    admitted: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    remarks: tuple[Finding, ...] = ()
    """What it says outside its findings, as claims that can be compared with findings."""
    reason: str = ""
    """Why it holds or changes its view, in its own words."""


def read_grounds(verdict: CouncilVerdict, seat: str = "") -> Grounds:
    """The grounds in a second verdict; nothing is judged here."""
    beside = [text for text in _beside(verdict) if text.strip()]
    notes = verdict.debate_notes
    answers = [challenge.response for challenge in notes.challenges] if notes else []
    within = [text for finding in verdict.findings for text in _texts(finding)]
    located = [read_location(finding.location) for finding in verdict.findings]
    named = [place for text in (*beside, *within) for place in find_anchors(text)]
    sentences = [s.strip() for text in (*beside, *within) for s in _SENTENCE.split(text)]
    return Grounds(
        places=tuple(dict.fromkeys(place for place in (*located, *named) if place[0])),
        admitted=tuple(_saying(sentences, ERROR, _OWN_ERROR)),
        missing=tuple(_saying(sentences, MISSING, _MISSING_CASE)),
        remarks=tuple(_remark(text, seat) for text in (*beside, *answers) if text.strip()),
        reason=_reason(verdict),
    )


def _beside(verdict: CouncilVerdict) -> Iterator[str]:
    """The judge's own words outside its findings."""
    yield verdict.key_insight
    yield verdict.recommendation
    notes = verdict.debate_notes
    if notes:
        for point in notes.acknowledgments:
            yield point.impact
            yield point.point
        yield from (value for _, value in notes.extras)
    yield from (value for _, value in verdict.extras)


def _texts(finding: CouncilFinding) -> tuple[str, ...]:
    why, ref, fix = finding.why or "", finding.ref or "", finding.fix or ""
    return finding.description, why, ref, fix


def _saying(sentences: list[str], label: str, pattern: re.Pattern[str]) -> Iterator[str]:
    for sentence in dict.fromkeys(sentences):
        marked = sentence.upper().find(label)
        if marked >= 0:
            yield sentence[marked + len(label) :].strip()
            continue
        found = pattern.search(sentence)
        if found and not _DENIED.search(sentence[: found.start()]):
            yield sentence


def _remark(text: str, seat: str) -> Finding:
    path, line, end_line = find_anchor(text)
    return Finding(seat, "", text, path=path, line=line, end_line=end_line)


def _reason(verdict: CouncilVerdict) -> str:
    notes = verdict.debate_notes
    own = [point.impact for point in notes.acknowledgments] if notes else []
    answers = [challenge.response for challenge in notes.challenges] if notes else []
    said = (*own, verdict.key_insight, *answers) if notes and notes.revised_from else ()
    return next((text for text in (*said, verdict.key_insight, *own, *answers) if text.strip()), "")


class Restatement(NamedTuple):
    """The judge's own view, or why there is none."""

    text: str = ""
    problem: str = ""


def read_restatement(text: str) -> Restatement:
    """The position in a reply; never raises."""
    said = without_fence(spoken(text).strip()).strip()
    problem = not_a_vote(said)
    if problem:
        return Restatement(problem=problem)
    if said.startswith("{"):
        said = _from_json(said)
        if not said.strip():
            return Restatement(problem="the reply is an object without a position")
    return Restatement(shortened(" ".join(said.split())))


def shortened(text: str, most: int = MOST) -> str:
    """The text, cut at a word when it is longer than asked for, and marked so."""
    if len(text) <= most:
        return text
    head, blank, _ = text[: most - 1].rpartition(" ")
    return f"{head if blank and len(head) > most // 2 else text[: most - 1]}…"


def _from_json(text: str) -> str:
    try:
        value = parse(text).value
    except Broken:
        return text
    if not isinstance(value, dict):
        return text
    fields = JsonFields(value)
    named = next((as_text(fields.get(name)) for name in _NAMES if name in fields), "")
    if named.strip():
        return named
    return " ".join(item for key, item in value.items() if isinstance(item, str) and _is_prose(key))


def _is_prose(key: str) -> bool:
    return snake(key) not in ("verdict", "confidence", "type", "schema_version")
