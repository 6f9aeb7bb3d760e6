"""What a chair wrote: sentences that each name the issues they rest on; the rest is left out, with the reason."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from guildmoot.model.council import SummarySentence
from guildmoot.reading.reply_json import JsonFields, find_answer

CHAIR_SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {
        "sentences": {
            "type": "array",
            "description": "The summary, sentence by sentence.",
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string", "description": "One plain sentence."},
                    "issues": {
                        "type": "array",
                        "description": "The ids of the issues that the sentence rests on.",
                        "items": {"type": "string"},
                    },
                },
                "required": ["text", "issues"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["sentences"],
    "additionalProperties": False,
}
MOST_SENTENCES = 6
_LONGEST = 400
_CLAIM = re.compile(
    r"\b(?:verdict|outcome|decision|consensus|result|council)\b.{0,60}?"
    r"\b(PASS(?:ES|ED)?|WARN(?:S|ED)?|FAIL(?:S|ED)?|DISAGREES?|APPROVE[SD]?|REJECT(?:S|ED)?)\b",
    re.IGNORECASE,
)


class ChairReading(NamedTuple):
    """The sentences that hold, and what was wrong with the others."""

    sentences: tuple[SummarySentence, ...] = ()
    problem: str = ""


def read_chair(text: str, known: Collection[str], outcome: str) -> ChairReading:
    """The sentences that name only known issues, at least one, and no verdict but the one that was computed."""
    answer = find_answer(text, ("sentences",))
    rows = JsonFields(answer.value).get("sentences") if answer.value else None
    if not isinstance(rows, list):
        return ChairReading(problem=answer.problem or "there is no list of sentences")
    kept, wrong = [], []
    for row in rows[:MOST_SENTENCES]:
        said = row.get("text") if isinstance(row, dict) else None
        ids = row.get("issues") if isinstance(row, dict) else None
        if not isinstance(said, str) or not said.strip():
            wrong.append("a sentence is empty")
            continue
        sentence = " ".join(said.split())[:_LONGEST]
        named = tuple(dict.fromkeys(str(each) for each in ids)) if isinstance(ids, list) else ()
        unknown = [each for each in named if each not in known]
        if not named:
            wrong.append(f"{sentence!r} names no issue")
        elif unknown:
            wrong.append(f"{sentence!r} names issues that do not exist: {', '.join(unknown)[:80]}")
        elif _claims_another(sentence, outcome):
            wrong.append(f"{sentence!r} claims another verdict than {outcome}")
        else:
            kept.append(SummarySentence(sentence, named))
    if not kept and not wrong:
        wrong.append("there is no sentence")
    return ChairReading(tuple(kept), "; ".join(wrong))


def _claims_another(sentence: str, outcome: str) -> bool:
    said = _CLAIM.search(sentence)
    words = {"APPROVE": "PASS", "REJECT": "FAIL"}
    word = next(
        (
            w
            for w in ("PASS", "WARN", "FAIL", "DISAGREE", *words)
            if said and said[1].upper().startswith(w)
        ),
        "",
    )
    return bool(word) and words.get(word, word) != outcome
