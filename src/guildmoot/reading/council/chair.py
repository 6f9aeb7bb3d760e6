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


_APPROVES = re.compile(
    r"\b(?:judges|council|panel|all|both|everyone|everybody)\b.{0,40}\b(?:pass(?:es|ed)?|approves?d?|accepts?)\b"
    r"|\beverything is (?:fine|in order|well)\b|\bnothing (?:blocks|is wrong|to (?:fix|mend|change))\b"
    r"|\b(?:can|may|should|is (?:safe|ready|fit) to|ready to) (?:safely )?(?:be )?"
    r"(?:merged?|shipped|ship|released?|deploy(?:ed)?|go out)\b|\bsafe to (?:merge|ship|release)\b|\bLGTM\b",
    re.IGNORECASE,
)
"""Words of approval; under any other verdict a sentence with them is not the council's."""
_DENIED = re.compile(
    r"\b(?:not|never|cannot|before|until|unless|(?<!at )once|only|after|one of|while|whereas|but"
    r"|fail\w*|block\w*|warn\w*|disagree\w*)\b|n't\b",
    re.IGNORECASE,
)
_REFUSES = re.compile(
    r"\b(?:must|should|can|may) ?not (?:be )?(?:merged?|shipped|ship|released?|deploy(?:ed)?)\b"
    r"|\bdo not (?:merge|ship|release|deploy)\b",
    re.IGNORECASE,
)
_JUDGE = re.compile(
    r"\b(?:judge )?([a-z][a-z0-9]*(?:-[a-z0-9]+)*-\d{1,2})\b(?![./])", re.IGNORECASE
)
_VENDORS = ("judge", "claude", "anthropic", "openai", "codex", "gpt", "gemini", "google")
_FILE = re.compile(r"[\w@+-][\w./@+-]*\.[A-Za-z]\w{0,5}(?::\d+)?(?![\w/])")


class ChairReading(NamedTuple):
    """The sentences that hold, and what was wrong with the others."""

    sentences: tuple[SummarySentence, ...] = ()
    problem: str = ""


class ChairFacts(NamedTuple):
    """What a sentence is checked against."""

    ids: Collection[str]
    """Of the issues that there are."""
    outcome: str = ""
    """The verdict that was computed; empty where nothing was voted on."""
    judges: Collection[str] = ()
    """The names of who sits."""
    said: str = ""
    """All that the chair was shown: a file or a place that does not stand in it was made up."""


def read_chair(text: str, facts: ChairFacts) -> ChairReading:
    """The sentences that rest on known issues, and name no verdict, judge or file but those that there are."""
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
        unknown = [each for each in named if each not in facts.ids]
        if not named:
            wrong.append(f"{sentence!r} names no issue")
        elif unknown:
            wrong.append(f"{sentence!r} names issues that do not exist: {', '.join(unknown)[:80]}")
        elif _claims_another(sentence, facts.outcome):
            wrong.append(f"{sentence!r} claims another verdict than {facts.outcome}")
        elif made_up := _made_up(sentence, facts):
            wrong.append(f"{sentence!r} names what is in no issue: {', '.join(made_up)[:80]}")
        else:
            kept.append(SummarySentence(sentence, named))
    if not kept and not wrong:
        wrong.append("there is no sentence")
    return ChairReading(tuple(kept), "; ".join(wrong))


def _made_up(sentence: str, facts: ChairFacts) -> list[str]:
    """Judges that do not sit, and files and places that nobody named."""
    stems = {*_VENDORS, *(name.rpartition("-")[0] for name in facts.judges)}
    numbered = [each.casefold() for each in _JUDGE.findall(sentence)]
    judges = [
        each
        for each in numbered
        if each not in facts.judges and each not in facts.said and each.rpartition("-")[0] in stems
    ]
    files = [each for each in _FILE.findall(sentence) if each.strip(".") not in facts.said]
    return [*(judges if facts.judges else ()), *files]


def _claims_another(sentence: str, outcome: str) -> bool:
    if outcome in ("FAIL", "DISAGREE", "INCOMPLETE") and _APPROVES.search(sentence):
        return not _DENIED.search(sentence)
    if outcome == "PASS" and _REFUSES.search(sentence):
        return True
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
