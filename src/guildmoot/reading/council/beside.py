"""What a judge says beside its verdict: the prose that no finding, insight or recommendation of it carries.

A judge that gives its reasons in paragraphs around a short list of findings means both. Nothing here is read into a
vote; it is kept so that whoever reads the report can.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from guildmoot.model.council_verdict import CouncilVerdict
from guildmoot.reading.blocks import OWN, lay_out
from guildmoot.reading.council.statements import FIELD, LABEL
from guildmoot.reading.reply_json import BLANK, OBJECT, find_json, parse_whole
from guildmoot.text.told import LEAST_WORDS, is_new, sentences, words_told

_ITEM = re.compile(r"[-*•|]\s|\(?\d{1,3}[.)]\s")
_RULE = re.compile(r"\|?[\s:|-]*---[\s:|-]*$")
_HEAD = re.compile(r"[*_]{2}[^*_]{1,60}[*_]{2}:?|[^.!?]{1,40}:")
_LONGEST = 4_000


def said_beside(text: str, verdict: CouncilVerdict, least: int = LEAST_WORDS) -> str:
    """The paragraphs and items of a reply that say what its verdict does not; empty where that has it all.

    ``least`` is of how many words a sentence must be to be missed.
    """
    text = text.strip(BLANK)
    if parse_whole(text):
        return ""
    told = words_told(*_carried(verdict))
    kept = [
        each
        for each in _paragraphs(text)
        if any(is_new(said, told, least) for said in sentences(each))
    ]
    return "\n\n".join(kept)[:_LONGEST]


def _carried(verdict: CouncilVerdict) -> Iterator[str]:
    yield verdict.key_insight
    yield verdict.recommendation
    for each in verdict.findings:
        yield from (each.description, each.recommendation, each.fix or "", each.why or "")
        yield from (each.category, each.location, each.ref or "", each.severity)


def _paragraphs(text: str) -> Iterator[str]:
    """Blocks between blank lines, and items of lists, outside of fences and JSON."""
    block: list[str] = []
    lines = [*lay_out(_without_json(text))[0], (OWN, "")]
    for (kind, row), (_, below) in pairwise([*lines, (OWN, "")]):
        plain = row.strip()
        silent = kind != OWN or not plain or _is_label(plain) or _RULE.match(below.strip())
        if block and (silent or _ITEM.match(plain)):
            yield " ".join(block)
            block = []
        if not silent:
            block.append(plain)


def _is_label(plain: str) -> bool:
    said = FIELD.fullmatch(plain) or LABEL.fullmatch(plain) or _HEAD.fullmatch(plain)
    return said is not None or plain.startswith(("#", "```", "~~~"))


def _without_json(text: str) -> str:
    """The reply without its objects: what they say was read as JSON."""
    spans = list(find_json(text, lambda parsed: [(parsed.start, parsed.end)], opens=OBJECT))
    for start, end in reversed(spans):
        text = f"{text[:start]}\n{text[end:]}"
    return text
