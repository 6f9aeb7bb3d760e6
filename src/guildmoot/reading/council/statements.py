"""Finds the verdicts that a reply states: JSON objects with a verdict, and lines of prose.

Prose (``Verdict: FAIL``, ``**Verdict** — WARN``, headings) is what a verdict is salvaged from when no
JSON states one: only lines that begin with the word count, and PASS only where nothing qualifies it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from guildmoot.model.council_verdict import CouncilVerdict, CouncilWord
from guildmoot.model.verdict import Finding
from guildmoot.reading.blocks import OWN, SPACE, Line, Part
from guildmoot.reading.clerk.normal import word_for
from guildmoot.reading.council.documents import is_shown
from guildmoot.reading.council.scales import read_approval, read_verdict_word
from guildmoot.reading.council.ticked import read_ticked
from guildmoot.reading.grammar import is_polite, looks_like_reason, loose_items
from guildmoot.reading.json_repair import Broken, ParsedJson, snake
from guildmoot.reading.list_items import Item, match_remedies, read_items, says_none
from guildmoot.reading.reasons import DEFAULT_CODE, read_marks, read_reason
from guildmoot.reading.refusal import is_placeholder
from guildmoot.reading.reply_json import find_json, names_in
from guildmoot.reading.sections import (
    ADVISORY,
    ASIDE,
    BODY,
    PREAMBLE,
    RATIONALE,
    REASONS,
    REMEDIES,
    UNKNOWN,
    Scan,
)
from guildmoot.reading.words.approval import announces, approves, goes_on
from guildmoot.reading.words.lexicon import word_set

ROOT_KEYS = frozenset(CouncilVerdict._fields) - {"verdict", "extras"}
_QUOTE = "[\"'`“”„‘’]?"
_SAYS = re.compile(rf"{_QUOTE}\bverdict\b{_QUOTE}\s*:\s*{_QUOTE}(PASS|WARN|FAIL)\b", re.IGNORECASE)
_SPAN = re.compile(r"(?<!`)(`+)(?!`)[^\n]*?[^`\n]\1(?!`)")
_DEEPEST_WRAPPING = 2
WRAPPERS = word_set("""verdict result results response output answer review judgement judgment council council_verdict
    data final report content message value json body assessment evaluation""")
"""Keys under which a judge gives its answer; under any other key it shows something."""
LABEL = re.compile(
    r"(?P<lead>[#*_|\-+•\s]{0,20}(?:\d{1,3}[.)]\s{1,4})?[*_]{0,4})"
    r"(?:(?:the|my|our|final|overall|council|quick|consensus)\s{1,4}){0,3}verdict"
    r"(?P<sign>[*_\s]*(?::|：|=|\||→|->|-\s|–\s|—\s|\bis\b)[*_\s|]*|[*_]+\s*|\s*$|\s+(?=(?:PASS|WARN|FAIL)\W*$))"
    r"(?P<rest>.*)",
    re.IGNORECASE,
)
_SIGNS = "*_`'\"[]( \t✅❌⚠️🟢🟡🔴🛑✔✖🚫"
_WORD = re.compile(r"(PASS|WARN|FAIL)(?!\w|[-'’]\w)(.*)", re.IGNORECASE | re.DOTALL)
_ANY_WORD = re.compile(r"\b(?:PASS|WARN|FAIL)\b")
_CONFIDENCE = re.compile(
    r"\b(high|medium|low)\b[ \w-]{0,12}\bconfidence\b"
    r"|\bconfidence\b\W{0,6}(?:is |level )?\W{0,4}(high|medium|low|0?\.\d+|1\.0|\d{1,3} ?%)"
    r"|^\W*\(\W*(high|medium|low)\W*\)",
    re.IGNORECASE,
)
FIELD = re.compile(
    r"[#*_|\-+•\s]{0,20}(?:\d{1,3}[.)]\s{1,4})?[*_]{0,4}(?:overall |final )?"
    r"(?P<name>confidence|key[ _-]insight|recommendation|next step)s?[*_\s]*"
    r"(?:[:：=|–—]|-\s|$)[*_\s|]*(?P<rest>.*)",
    re.IGNORECASE,
)
_NO_FINDINGS = re.compile(
    r"(?:^|[.!;:,]\s)\s{0,4}(?:I\s+(?:have|found|find|see|saw|raise)|there\s+(?:are|were))\s+no\s+"
    r"(?:findings|issues|problems|concerns|objections)(?:\s+(?:here|at all|to (?:raise|report)))?\s{0,4}(?:[.!]|$)",
    re.IGNORECASE,
)
_FAULT = (
    r"(?:injectable|vulnerable|exploitable|unsafe|insecure|dangerous"
    r"|(?:an? )?(?:\w+ )?(?:bugs?|problems?|issues?|risks?|defects?|flaws?|vulnerabilit(?:y|ies)))\b"
)
_NO_FAULT = re.compile(
    rf"\W{{0,6}}I (?:(?:do not|don['’]t) (?:agree|think|believe)|disagree) that "
    rf"(?:[^.;:]|[.:]\w){{1,160}}\b(?:is|are) {_FAULT}"
    rf"|(?:[^.;:,]|[.:]\w){{1,120}}\b(?:is not|isn['’]t|are not|aren['’]t) {_FAULT}",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"[.!?;]\s+\S|\b(?:but|however|unless|until|yet|only|except|when|if|while|though|although|alone|just)\b",
    re.IGNORECASE,
)
_TICKS = ("✅", "✔", "✓", "☑", "👍")
_LONGEST_FIELD = 2_000
_NAMES = {"next_step": "recommendation"}
_RATINGS = {"critical": "critical", "high": "significant", "medium": "medium", "low": "minor"}


class Statement(NamedTuple):
    """One object that states a verdict."""

    value: dict[str, object]
    word: CouncilWord | None
    """None when its word is not PASS, WARN or FAIL."""
    parsed: ParsedJson
    whole: bool = False
    """It is all that the reply says."""
    cited: bool = False
    """It stands where the reply seems to quote: it may contradict, not decide."""
    broken: str = ""
    """Why it could not be read; then only its word is known, and it cannot decide."""

    def get(self, name: str) -> object:
        """The value of a key, whatever its spelling; None when it is missing."""
        return next((value for key, value in self.value.items() if snake(key) == name), None)

    @property
    def said(self) -> object:
        """The verdict as it was written."""
        return self.get("verdict")

    @property
    def keys(self) -> set[str]:
        return names_in(self.value)

    @property
    def is_echo(self) -> bool:
        """It is the prompt's template or schema rather than an answer."""
        if isinstance(self.said, dict):
            return bool({"type", "enum", "const", "$ref", "description"} & set(self.said))
        return is_placeholder(self.said) or is_placeholder(self.get("key_insight"))

    @property
    def is_signal(self) -> bool:
        """It is the notice by which a judge says in which file its verdict is."""
        keys = self.keys
        return "file" in keys and "findings" not in keys and self.get("type") == "verdict"


def state(parsed: ParsedJson, whole: bool = False, cited: bool = False) -> list[Statement]:
    """The verdicts in a JSON value: itself, what it wraps, or the items of an array."""
    statements = []
    for value, shown in _dig(parsed.value, _DEEPEST_WRAPPING):
        made = Statement(value, None, parsed, whole, cited)
        said = made.said
        if isinstance(said, list) and len(said) == 1:
            said = said[0]
        # a lone key is how the work would be quoted, and no verdict of a council
        lone = not whole and not made.keys & ROOT_KEYS
        word = read_verdict_word(said) or _in_other_words(said) or _in_full(made)
        lone = lone or (shown and word != "FAIL")
        statements.append(made._replace(word=word, cited=cited or lone))
    return statements


def _in_full(made: Statement) -> CouncilWord | None:
    """PASS where an object with all that a verdict has says "approved" for it."""
    return read_approval(made.said) if {"findings", "key_insight"} <= made.keys else None


def _in_other_words(said: object) -> CouncilWord | None:
    """CONDITIONAL PASS, REJECT and the like; "flagged" is a panel's word, whose object has another form."""
    plain = said.strip() if isinstance(said, str) else ""
    return word_for(plain) or None if plain.casefold() != "flagged" else None


def _dig(
    value: object, depth: int, shown: bool = False
) -> Iterator[tuple[dict[str, object], bool]]:
    """The objects with a verdict, and whether each is only shown, under a key that is no answer's."""
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict) and _has_verdict(item):
                yield item, shown
    elif isinstance(value, dict):
        if _has_verdict(value):
            # a verdict may be an object with the verdict in it
            own = next(child for key, child in value.items() if snake(key) == "verdict")
            nested = isinstance(own, dict) and _has_verdict(own)
            yield (own, shown) if isinstance(own, dict) and nested else (value, shown)
        for key, child in value.items() if depth else ():
            # lists inside an object are not looked into: they hold other judges, or history
            if isinstance(child, dict) and snake(key) != "verdict":
                yield from _dig(child, depth - 1, shown or snake(key) not in WRAPPERS)


def _has_verdict(value: dict[str, object]) -> bool:
    return any(snake(key) == "verdict" for key in value)


def find_statements(part: Part) -> Iterator[Statement]:
    """The objects in a part of a reply that state a verdict, those beyond mending included."""

    says = [(said.start(), said.end(), said[1]) for said in _SAYS.finditer(part.text)]

    def unreadable(start: int, end: int, broken: Broken) -> Iterator[Statement]:
        first = bisect_left(says, (start, 0, ""))
        if first < len(says) and says[first][1] <= end:
            word = read_verdict_word(says[first][2])
            none = ParsedJson(None, 0)
            yield Statement({"verdict": word}, word, none, False, part.cited, broken.reason)

    def take(parsed: ParsedJson) -> list[Statement]:
        return state(parsed, cited=is_shown(part, parsed.start))

    spans = [span.span() for span in _SPAN.finditer(part.text)]
    return find_json(
        part.text,
        take,
        skip=spans,
        broken=unreadable,
    )


class StatedVerdict(NamedTuple):
    """One line that states a verdict, or seems to."""

    word: CouncilWord | None
    """None when what follows the label is not a plain PASS, WARN or FAIL."""
    line: str
    template: bool = False
    """It offers the words of the prompt to choose from."""


def stated(lines: Sequence[Line]) -> list[StatedVerdict]:
    """Every line that begins with ``Verdict``; under a bare heading, the next line counts. A ticked box is one more."""
    found = []
    for number, (_, row) in enumerate(lines):
        label = LABEL.fullmatch(row.strip(SPACE))
        if not label:
            continue
        rest = label["rest"].strip(SPACE) or _below(lines, number)
        word = _word(rest)
        if word == "PASS" and _is_cited(lines, number):
            continue
        said = StatedVerdict(word, row.strip(SPACE), is_placeholder(rest.strip(_SIGNS + "|)")))
        in_table = "|" in label["lead"]
        if said.word or (label["rest"].strip() and not in_table):
            found.append(said)
    ticked = read_ticked(lines)
    return [*found, StatedVerdict(*ticked)] if ticked else found


def _is_cited(lines: Sequence[Line], number: int) -> bool:
    """Whether the lines around a verdict say that it is somebody else's."""
    before = (row.strip(SPACE) for _, row in reversed(lines[max(0, number - 4) : number]))
    return announces(next(filter(None, before), "")) or goes_on(_below(lines, number))


def _below(lines: Sequence[Line], number: int) -> str:
    rows = (row.strip(SPACE) for _, row in lines[number + 1 : number + 5])
    return next((row for row in rows if row), "")


def _all_below(lines: Sequence[Line], number: int) -> str:
    """What stands under a label, up to the next heading or label."""
    kept: list[str] = []
    for _, row in lines[number + 1 :]:
        text = row.strip(SPACE)
        if text.startswith("#") or FIELD.fullmatch(text) or LABEL.fullmatch(text):
            break
        kept.append(text)
    return "\n".join(kept).strip()[:_LONGEST_FIELD]


def _word(rest: str) -> CouncilWord | None:
    """The verdict that the text begins with. A PASS that is qualified in any way is none."""
    if approves(rest.strip(SPACE + "|"), "pass"):
        return "PASS"
    found = _WORD.match(rest.lstrip(_SIGNS))
    if not found or _ANY_WORD.search(found[2]):
        return None
    word = read_verdict_word(found[1])
    return word if word != "PASS" else None


def gather(lines: Sequence[Line], said: StatedVerdict) -> dict[str, object]:
    """What else the prose says, under the names of the JSON verdict."""
    findings = _findings(lines, loose=said.word != "PASS")
    value: dict[str, object] = {"verdict": said.word, "findings": findings}
    for number, (_, row) in enumerate(lines):
        field = FIELD.fullmatch(row.strip(SPACE))
        if field:
            name = field["name"].lower().replace(" ", "_").replace("-", "_")
            name, text = _NAMES.get(name, name), field["rest"].strip(SPACE + "*_|")
            below = _below if name == "confidence" else _all_below
            value.setdefault(name, text or below(lines, number))
    told = " ".join(str(row["fix"]) for row in findings if row["fix"])
    others = [item.text for item in _remedies(Scan(list(lines))) if item.text not in told]
    if others:
        value.setdefault("recommendation", "\n".join(others))
    confidence = _CONFIDENCE.search(_WORD.sub(r"\2", said.line.partition(":")[2].lstrip(_SIGNS)))
    if confidence and "confidence" not in value:
        value["confidence"] = next(group for group in confidence.groups() if group)
    return value


def list_findings(lines: Sequence[Line]) -> list[object]:
    """What the prose beside an object without findings lists as such: rated, marked or with a place."""
    scan = Scan(list(lines))
    listed = [item for part in scan.of(REASONS, ADVISORY) for item in read_items(part.lines)]
    loose = (item for item in loose_items(scan) if _is_note(item))
    items = listed or [item for item in loose if not _is_paragraph(item, lines)]
    return [_plain(reason) for reason in map(_reason, _remedied(scan, items)) if reason.title]


def _remedied(scan: Scan, items: list[Item]) -> list[Item]:
    """The findings, each with the remedy that a list of its own gives it; its own one comes before."""
    for item, remedy in match_remedies(items, _remedies(scan), guess=False):
        item.fields.setdefault("fix", remedy)
    return items


def _remedies(scan: Scan) -> list[Item]:
    found = (item for part in scan.of(REMEDIES) for item in read_items(part.lines))
    return [item for item in found if item.text and not says_none(item.text)]


def _reason(item: Item) -> Finding:
    return read_reason(item, "", "")


def _findings(lines: Sequence[Line], loose: bool) -> list[dict[str, object]]:
    """What stands under a heading for it; without one whatever is listed, where that cannot be praise.

    What is rated as grave counts under every heading: "Dissent" and "Minority views" take nothing away.
    """
    scan = Scan(list(lines))
    sections = scan.of(REASONS, ADVISORY)
    items = [item for section in sections for item in read_items(section.lines)]
    if sections:
        elsewhere = scan.of(PREAMBLE, BODY, UNKNOWN, ASIDE, RATIONALE)
        others = (item for section in elsewhere for item in read_items(section.lines))
        items += [item for item in others if item.listed and _is_rated_grave(item)]
    if not sections:
        asides = [] if loose else [i for part in scan.of(ASIDE) for i in read_items(part.lines)]
        found = [i for i in (*loose_items(scan), *asides) if not FIELD.fullmatch(i.text)]
        items = [item for item in found if loose or _is_note(item)]
        if not loose and any(_NO_FINDINGS.search(row) for kind, row in lines if kind == OWN):
            items = [item for item in items if not _is_told(item, lines)]
    items = [item for item in items if item.text and not is_polite(item)]
    items = [item for item in items if not _denies_a_fault(item)]
    reasons = [_reason(item) for item in _remedied(scan, items)]
    return [_plain(reason) for reason in reasons if reason.title and not says_none(reason.title)]


def _denies_a_fault(item: Item) -> bool:
    """Whether an unrated item is one sentence that denies what somebody may find, and takes nothing of it back."""
    marks = read_marks(item.text)
    rated = marks.blocking is not None or marks.severity is not None or bool(item.fields)
    return bool(not rated and _NO_FAULT.match(item.text) and not _GOES_ON.search(item.text))


def _is_rated_grave(item: Item) -> bool:
    marks = read_marks(item.text)
    return marks.blocking is True or marks.severity in ("critical", "high")


def _is_note(item: Item) -> bool:
    """What stands beside a PASS and is no praise: it is rated, marked or names a place."""
    return looks_like_reason(item) and not item.text.startswith(_TICKS)


def _is_told(item: Item, lines: Sequence[Line]) -> bool:
    """A paragraph that is not rated: beside "I have no findings" its places only tell what was read."""
    marks = read_marks(item.text)
    rated = marks.blocking is not None or marks.severity is not None or bool(item.fields)
    return not rated and _is_paragraph(item, lines)


def _is_paragraph(item: Item, lines: Sequence[Line]) -> bool:
    """What no bullet marks off: several things may be said in it."""
    begins = item.text[:20]
    return any(row.strip(SPACE).startswith(begins) for _, row in lines)


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
