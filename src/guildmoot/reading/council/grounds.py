"""Reads on what a judge rests a second verdict: places, admitted errors, named missing cases.

Only the judge's own words are looked at. What it quotes of others (a steel man, what it challenges)
is none of its grounds, and neither is its answer to a challenge: every answer must hold one, so it
would carry any change. Whether a ground is new and real is for ``consensus.debate``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from guildmoot.model.council_verdict import CouncilFinding, CouncilVerdict
from guildmoot.model.verdict import Finding
from guildmoot.reading.anchors import find_anchor, find_anchors
from guildmoot.reading.council.judgement import read_location

ERROR, MISSING = "R1 ERROR:", "MISSING CASE:"
"""How a judge is asked to mark them; plain English is understood as well."""

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
