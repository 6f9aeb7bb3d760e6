"""What a chair wrote: sentences that each name the issues they rest on; the rest is left out, with the reason."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import NamedTuple, get_args

from guildmoot.model.council import SummarySentence
from guildmoot.model.council_verdict import CouncilOutcome
from guildmoot.reading.council.attribution import misattributed
from guildmoot.reading.council.contrary import contrary
from guildmoot.reading.council.fit import misfit
from guildmoot.reading.council.standing import IssueStanding, denial
from guildmoot.reading.reply_json import JsonFields, find_answer

_PROPERTIES: dict[str, object] = {
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
}
STANCES = ("states the problem", "tells what follows", "says what to do", "tells how judges stand")
"""What a sentence beside a verdict may do with its issues: none of these takes one back."""
CHAIR_SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": _PROPERTIES,
    "required": ["sentences"],
    "additionalProperties": False,
}
"""Of a council that gathers; where it votes, see ``voted_schema``."""
_OUTCOMES = get_args(CouncilOutcome)
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
    r"(?:merged?|shipped|ship|released?|deploy(?:ed)?|go out)\b|\bsafe to (?:merge|ship|release)\b|\bLGTM\b"
    r"|\b(?:ready|fit|good) for (?:merg\w+|shipping|releas\w+|production|deploy\w+)\b|\bgood to go\b"
    r"|\bgreen light\b|\bno blockers?\b|\bnothing stands in the way\b|\b(?:can|may) go (?:in|ahead|live)\b",
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


class ChairReading(NamedTuple):
    """The sentences that hold, and what was wrong with the others."""

    sentences: tuple[SummarySentence, ...] = ()
    problem: str = ""
    fault: str = ""
    """Why none of it is used, however much of it holds: it is of another verdict, or of issues there are not."""
    dropped: int = 0
    """Sentences that were left out because their issues do not bear them out."""


class ChairFacts(NamedTuple):
    """What a sentence is checked against."""

    issues: Mapping[str, str]
    """The id and the words of every issue: title, why, fix and place."""
    outcome: str = ""
    """The verdict that was computed; empty where nothing was voted on."""
    judges: Collection[str] = ()
    """The names of who sits."""
    target: str = ""
    """What was judged, which every sentence may name."""
    standing: Mapping[str, IssueStanding] = {}
    """How each issue was counted; empty where nothing was voted on."""
    gravest: str = ""
    """The highest severity of all issues."""
    sides: Mapping[str, str] = {}
    """The vendor of each judge that reads the whole work."""


def voted_schema() -> dict[str, object]:
    """The schema of a summary beside a verdict: it repeats the verdict that it sums up."""
    told = {"type": "string", "enum": [*_OUTCOMES], "description": "The verdict that was computed."}
    sentences = json.loads(json.dumps(_PROPERTIES["sentences"]))
    item = sentences["items"]
    item["properties"]["stance"] = {
        "type": "string",
        "enum": [*STANCES],
        "description": "What the sentence does with those issues.",
    }
    item["required"].append("stance")
    properties = {"verdict": told, "sentences": sentences}
    return {**CHAIR_SCHEMA, "properties": properties, "required": [*properties]}


def read_chair(text: str, facts: ChairFacts) -> ChairReading:
    """The sentences that fit the issues they name, and name no verdict or judge but those that there are.

    Beside a verdict none is used where the answer states another one, or where a sentence rests on no issue.
    """
    answer = find_answer(text, ("sentences",))
    fields = JsonFields(answer.value or {})
    rows = fields.get("sentences")
    if not isinstance(rows, list):
        return ChairReading(problem=answer.problem or "there is no list of sentences")
    stated = fields.get("verdict")
    if facts.outcome and stated is not None and str(stated).strip().upper() != facts.outcome:
        fault = f"stated the verdict {str(stated)[:20]!r}, and it is {facts.outcome}"
        return ChairReading(problem=f"it {fault}", fault=fault)
    kept, wrong, unfit, dropped = [], [], "", 0
    for row in rows[:MOST_SENTENCES]:
        said = row.get("text") if isinstance(row, dict) else None
        ids = row.get("issues") if isinstance(row, dict) else None
        if not isinstance(said, str) or not said.strip():
            wrong.append("a sentence is empty")
            continue
        sentence = " ".join(said.split())[:_LONGEST]
        named = tuple(dict.fromkeys(str(each) for each in ids)) if isinstance(ids, list) else ()
        unknown = [each for each in named if each not in facts.issues]
        if not named:
            unfit = unfit or "wrote a sentence that names no issue"
            wrong.append(f"{sentence!r} names no issue")
        elif unknown:
            unfit = unfit or "named issues that do not exist"
            wrong.append(f"{sentence!r} names issues that do not exist: {', '.join(unknown)[:80]}")
        elif _claims_another(sentence, facts.outcome):
            unfit = unfit or f"wrote as if the verdict were not {facts.outcome}"
            wrong.append(f"{sentence!r} claims another verdict than {facts.outcome}")
        elif made_up := _made_up(sentence, facts):
            wrong.append(f"{sentence!r} names judges who do not sit: {', '.join(made_up)[:80]}")
        elif stray := (
            _stance(row) or _stray(sentence, named, facts) or _denial(sentence, named, facts)
        ):
            wrong.append(f"{sentence!r} {stray}")
            dropped += 1
        else:
            kept.append(SummarySentence(sentence, named))
    if not kept and not wrong:
        wrong.append("there is no sentence")
    if unfit and facts.outcome:
        return ChairReading(problem="; ".join(wrong), fault=unfit)
    return ChairReading(tuple(kept), "; ".join(wrong), dropped=dropped)


def _made_up(sentence: str, facts: ChairFacts) -> list[str]:
    """Judges that do not sit."""
    if not facts.judges:
        return []
    stems = {*_VENDORS, *(name.rpartition("-")[0] for name in facts.judges)}
    shown = "\n".join(facts.issues.values()).casefold()
    return [
        each
        for each in (found.casefold() for found in _JUDGE.findall(sentence))
        if each not in facts.judges and each not in shown and each.rpartition("-")[0] in stems
    ]


def _stray(sentence: str, named: Collection[str], facts: ChairFacts) -> str:
    """What the sentence says that none of its issues does."""
    words = "\n".join(facts.issues[each] for each in named)
    known = " ".join((facts.target, *facts.judges))
    return misfit(sentence, words, known, max(len(facts.judges), len(facts.issues)))


def _stance(row: Mapping[str, object]) -> str:
    """What else than the form allows a sentence is said to do; who was not asked in the form says nothing of it."""
    said = JsonFields(dict(row)).get("stance")
    return "" if said is None or said in STANCES else f"has the stance {str(said)[:20]!r}"


def _denial(sentence: str, named: Collection[str], facts: ChairFacts) -> str:
    """What the sentence says against the count, or against the issues themselves."""
    counted = [facts.standing[each] for each in named if each in facts.standing]
    words = "\n".join(facts.issues[each] for each in named)
    if not counted:
        return ""
    return (
        denial(sentence, words, counted, facts.gravest)
        or contrary(sentence, words)
        or misattributed(sentence, words, counted, facts.sides)
    )


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
