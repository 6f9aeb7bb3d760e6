"""Decisions in plain prose, for a section that has no block of them.

Lists under headings such as "Recommendations" or "Open questions" are read first; without any, the
sentences that recommend, advise against or ask. It leans towards saying little: what is not plainly
a recommendation is left to the reader of the section.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from guildmoot.reading.blocks import OWN, SPACE, Line
from guildmoot.reading.decisions import Decision, Stance, make_decision
from guildmoot.reading.items import read_items

MOST_SENTENCES = 12

_HEADINGS: tuple[tuple[Stance, re.Pattern[str]], ...] = (
    ("open", re.compile(r"\b(open )?questions?\b|\bunknowns?\b|\bundecided\b", re.IGNORECASE)),
    (
        "reject",
        re.compile(
            r"\breject|\bagainst\b|\bavoid|\bnot to do\b|\bdo not\b|\bnon-goals?", re.IGNORECASE
        ),
    ),
    ("option", re.compile(r"\boptions?\b|\balternatives?\b", re.IGNORECASE)),
    (
        "adopt",
        re.compile(
            r"\bdecisions?\b|\brecommend|\bpropos|\bpositions?\b|\bconclusion", re.IGNORECASE
        ),
    ),
)
_HEADING = re.compile(r"#{1,6}\s+(?P<hash>.+)|\*\*(?P<bold>[^*]{3,60})\*\*:?$|"
                      r"(?P<label>[A-Z][A-Za-z ]{3,40}):$")  # fmt: skip
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'*(])")
_LEADS: tuple[tuple[Stance, re.Pattern[str]], ...] = (
    ("reject", re.compile(
        r"^(?:(?:I|we)\s+(?:would|should|must|do|will)\s*(?:not|n't)|(?:I|we)\s+(?:advise|argue)\s+against|"
        r"(?:I|we)'d\s+not|(?:we|you)\s+(?:shouldn't|mustn't)|I\s+wouldn't|do\s+not|don't|avoid|never|"
        r"let(?:'s|\s+us)\s+not)\s+", re.IGNORECASE)),
    ("adopt", re.compile(
        r"^(?:(?:so|therefore|thus|instead|finally|first|second|third),?\s+)?(?:(?:my|the)\s+"
        r"recommendation\s+is\s+(?:to\s+)?|let(?:'s|\s+us)\s+|(?:(?:I|we)\s+would|(?:I|we)'d)\s+"
        r"(?:rather\s+)?(?!be\b|like\b|love\b|say\b|expect\b|think\b|guess\b|have\b|argue\b|need\b|"
        r"want\b|recommend\b|propose\b|suggest\b|prefer\b|also\b|only\b|still\b|not\b|\w+ly\b)|"
        r"(?:I|we)\s+(?:would\s+|strongly\s+)?(?:recommend|propose|"
        r"suggest|prefer|should|must|need\s+to)\s+(?:that\s+we\s+|to\s+|we\s+)?)", re.IGNORECASE)),
)  # fmt: skip
_DUTY = re.compile(
    r"^(?!(?:I|we|you|they|he|she|it|this|that|these|those|there|one|who|what|which|nobody|somebody|if|when|"
    r"while|because|since|although|though|unless|until|whether|as|for|in|on|at|by|to)\b)"
    r"(?P<subject>[\w`'./ -]{2,60}?)\s+(?:should|must|shall|ought\s+to|ha(?:s|ve)\s+to|needs?\s+to)\s+\S",
    re.IGNORECASE,
)
_AGAINST = re.compile(r"^(?:reject|avoid|refuse)\s+(?=\S)", re.IGNORECASE)
_ASIDE = re.compile(r"\s*(?:[:;]|\s-+|\s?[\u2013\u2014])\s.*")
_SCOPED = re.compile(
    r"^(?:\*\*(?P<bold>[^*:]{2,60}):?\*\*:?|(?P<plain>[A-Za-z`][\w`./ -]{1,40}):)\s+"
)
_CODE = re.compile(r"`([^`\n]{2,60})`")


def read_prose(lines: list[Line]) -> list[Decision]:
    """What the engineer's own lines recommend, reject, weigh or ask."""
    found = [
        made for stance, items in _parts(lines) for text in items if (made := _made(stance, text))
    ]
    return found or list(_sentences(lines))[:MOST_SENTENCES]


def _parts(lines: list[Line]) -> Iterator[tuple[Stance, list[str]]]:
    """The lists under headings that say what the lists are."""
    stance: Stance | None = None
    body: list[Line] = []
    for kind, row in [*lines, (OWN, "# end")]:
        heading = _HEADING.match(row.strip(SPACE)) if kind == OWN else None
        if not heading:
            body.append((kind, row))
            continue
        if stance:
            yield stance, [item.text for item in read_items(body)]
        title = heading["hash"] or heading["bold"] or heading["label"] or ""
        stance = next((each for each, pattern in _HEADINGS if pattern.search(title)), None)
        body = []


def _sentences(lines: list[Line]) -> Iterator[Decision]:
    """Each sentence of the engineer's own that recommends, advises against or asks."""
    prose = "\n".join(row if kind == OWN else "" for kind, row in lines)
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)])\s)", prose):
        flat = re.sub(r"^(?:[-*+]|\d+[.)])\s+", "", " ".join(paragraph.split()))
        for sentence in _SENTENCE.split(flat):
            if made := _said(sentence):
                yield made


def _said(sentence: str) -> Decision | None:
    if sentence.endswith("?"):
        return make_decision(_scope(sentence), "open", sentence)
    for stance, lead in _LEADS:
        if found := lead.match(sentence):
            # What follows "do not do it:" is what to do instead.
            said = _ASIDE.sub("", sentence[found.end() :]) if stance == "reject" else ""
            said = (said or sentence[found.end() :]).strip().rstrip(".")
            return make_decision(_scope(said), stance, said)
    if found := _DUTY.match(sentence):
        return make_decision(
            _scope(found["subject"]) or found["subject"], "adopt", sentence.rstrip(".")
        )
    return None


def _made(stance: Stance, text: str) -> Decision | None:
    """A decision from an item; ``Storage: use SQLite`` names its scope itself."""
    text = text.strip().rstrip(".")
    found = _SCOPED.match(text)
    said = text[found.end() :] if found else text
    scope = (found["bold"] or found["plain"] or "").strip("` ") if found else _scope(text)
    if stance == "adopt" and (against := _AGAINST.match(said)):
        stance, said = "reject", said[against.end() :]
    return make_decision(scope, stance, said)


def _scope(text: str) -> str:
    """The first name in backticks; without one the decision's own words are its scope."""
    found = _CODE.search(text)
    return found[1] if found else ""
