"""Whether a reply judges at all: only then may one line more settle its form.

A verdict in whatever form, a finding, an insight, a recommendation or a place in the work make a review. What is
empty, greets, praises, asks back or says what it is going to do is none, and whoever gave it is asked the
whole question once more. What this misses costs one question; what it takes for a review could become a PASS.
"""

from __future__ import annotations

from guildmoot.reading.blocks import OWN, cut
from guildmoot.reading.council.documents import find_documents
from guildmoot.reading.council.opposing import says_something
from guildmoot.reading.council.statements import FIELD, Statement, find_statements
from guildmoot.reading.places import find_anchor
from guildmoot.reading.refusal import not_a_vote
from guildmoot.reading.reply_json import BLANK
from guildmoot.text.patterns import lazy

_OBJECTS = lazy(r"\{[^{}]*\}")
_VERDICT = lazy(
    r"\b(?:PASS(?:ED|ES)?|WARN(?:ING)?|FAIL(?:ED|S)?|LGTM|APPROVED?|REJECT(?:ED)?|FLAGGED|BLOCK(?:ED|ING)|NO-GO)\b"
    r"|(?im:^\W{0,12}(?:(?:[\w ]{0,20}\s)?(?:verdict|decision|assessment|outcome|conclusion)\W{1,6}(?:is\s)?\w"
    r"|(?:conditional(?:ly)? )?(?:pass|warn|fail|approve|reject|flag|lgtm|ship it|request changes|needs work)))"
    r"|(?i:\b(?:approve (?:it|this|the)|(?:good|ready|safe|fine) to (?:merge|ship|go|land)|looks good to me)\b|👍)"
    r"|(?i:\b(?:approved|flagged|rejected|thumbs (?:up|down)|(?:no|without) (?:blocking |serious |real )?"
    r"(?:issues|problems|findings|concerns|objections|defects)))\b"
)
AHEAD = lazy(r"(?im)(?:^|[.!?]\s)[^.!?\n]*\?|(?:I['’]ll|I will|let me|before I)\b[^.!?\n]*")
"""Questions, and what somebody is about to do."""


def is_review(text: str) -> bool:
    """Whether the reply says something of the work that a verdict could rest on."""
    if not_a_vote(text):
        return False
    parts = cut(text.strip(BLANK))
    said = [each for part in parts.counting for each in find_statements(part)]
    if any(map(_judges, said)) or find_documents(parts.counting):
        return True
    prose = "\n".join(row for kind, row in parts.prose if kind == OWN)
    prose = AHEAD.sub(" ", _OBJECTS.sub(" ", prose))
    rows = prose.split("\n")
    return bool(
        _VERDICT.search(prose) or any(find_anchor(row)[0] or FIELD.fullmatch(row) for row in rows)
    )


def _judges(said: Statement) -> bool:
    """An object that judges in its own name; a PASS must say something of the work beside it."""
    if said.is_echo or said.is_signal or said.cited:
        return False
    return said.word != "PASS" or says_something(said.value)
