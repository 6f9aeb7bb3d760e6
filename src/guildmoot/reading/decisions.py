"""What an engineer's section decides: the fenced block that each is asked for, else its prose.

    ```decisions
    - scope: Where do sessions live?
      stance: adopt
      answer: Redis
      text: Store sessions in Redis
      cited: docs/adr-3.md; round 1, colleague B
    ```

The last such block of a section counts, as a list like this or as JSON. A stance that is no known
word is taken for the choice itself. In a section without a block the lists under headings such as
"Recommendations" or "Open questions" are read; without any, the sentences that recommend, advise
against or ask. It leans towards saying little: what is not plainly a recommendation is left to the
reader of the section. Who contradicts whom is for
``consensus.positions``; nothing here knows more than one section.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from guildmoot.reading.blocks import MARK, OWN, Line, blocks, lay_out, read_title
from guildmoot.reading.json_repair import Broken, parse
from guildmoot.reading.list_items import read_items
from guildmoot.text.english import stem, word_set

Stance = Literal["adopt", "reject", "option", "open"]

MOST = 50
"""Decisions read from one section; an engineer is asked for a few."""
LONGEST = 400
"""Characters kept of one text; the section itself has the rest."""
_MOST_SENTENCES = 12

_STANCES: dict[Stance, str] = {
    "adopt": "adopt for support supports yes accept keep recommend prefer agree do propose choose + pro",
    "reject": "reject against oppose opposes no avoid drop disagree never - con refuse do-not",
    "option": "option consider maybe possible possibly alternative neutral either could",
    "open": "open question unknown undecided unsure unclear open-question ask",
}
_STANCE_OF: dict[str, Stance] = {
    word: stance for stance, words in _STANCES.items() for word in words.split()
}
_KEYS = {
    **dict.fromkeys(("scope", "about", "topic", "on"), "scope"),
    **dict.fromkeys(("stance", "position", "side"), "stance"),
    **dict.fromkeys(("text", "decision", "what", "recommendation"), "text"),
    **dict.fromkeys(("answer", "choice"), "answer"),
    **dict.fromkeys(("cited", "cites", "cite", "citations", "evidence", "because"), "cited"),
}
_FIELD = re.compile(r"\s*(?P<item>[-*+]\s+)?[\"'*_]*(?P<key>[A-Za-z]+)[\"'*_]*\s*:(?P<value>.*)")
_KEY = re.compile(r"\b([A-Za-z]{2,15})[\"'*_]{0,3}[ \t]?:")
_BULLET = re.compile(r"\s*[-*+]\s+(?P<text>.*)")
_NAMES = ("decisions", "decision", "positions")
_TAGS = ("", "json", "yaml", "yml")
_NO_CITE = frozenset(["", "none", "nothing", "n/a", "na", "-", "null"])
_ABSENT = re.compile(r"> \*\*No answer\*\* \((?P<status>[a-z]+)\)(?:: (?P<why>.*))?")


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
_LABEL = re.compile(r"[A-Z][A-Za-z ]{3,40}:")
_LONGEST_TITLE = 60
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
_MOVES = re.compile(
    r"^(?:(?!if\b|when|unless|should\b|where)[^.,?]{1,80},\s+)?(?:I|we)(?:'m|\s+am|\s+have|'ve|'ll|\s+will)?\s+"
    r"(?:now\s+|still\s+|therefore\s+|also\s+)?(?:"
    r"(?P<to>(?:mov|switch|chang|shift|com)(?:e|ed|es|ing)?\s+(?:over\s+|round\s+)?to)|"
    r"(?P<stay>hold(?:ing)?(?:\s+(?:to|on\s+to))?|keep(?:ing)?|stay(?:ing)?\s+with|stick(?:ing)?\s+(?:with|to)|"
    r"go(?:ing)?\s+with|choose|pick|favou?r|support|back|accept|adopt|vote\s+for))\s+(?P<said>\S.*)",
    re.IGNORECASE,
)
"""What an engineer says of their own stand in a later round: it moves to something, or stays with it."""
_BECAUSE = re.compile(r"(?i)[,;]?\s+(?:because|since|as|given|after|now\s+that|so\s+that)\b.*")
_ORDERS = word_set("""
    announce answer authenticate authorize back begin boost chain charge collect deliver deploy end go
    guarantee host issue launch measure model monitor offer own page park partition quarantine queue rank
    represent rerun resize respond review revoke roll route sample scale schedule seed ship watch""")
_NO_ORDER = word_set("""ask assume compare consider include let read say try""")
_PLACE = re.compile(r"\s*\((?P<place>[^()\s]{1,80}:\d+[^()]{0,40}|round\s+\d+[^()]{0,60})\)\s*$")
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


class StatedDecision(NamedTuple):
    """One thing that an engineer takes a stand on."""

    scope: str
    """What is decided about, in the engineer's words: a file, a name or a choice."""
    stance: Stance
    text: str
    """The choice, as an instruction or a noun; for ``open`` the question."""
    cited: tuple[str, ...] = ()
    """What it rests on: places, numbers, what a colleague said."""
    answer: str = ""
    """The choice in a few words, where it is given apart from the text."""


def read_decisions(section: str) -> tuple[StatedDecision, ...]:
    """What the section decides, in its order; empty when it failed or decides nothing."""
    if read_absence(section):
        return ()
    lines, _ = lay_out(section)
    for body in reversed(list(_bodies(lines))):
        if found := _read_block(body):
            return tuple(found[:MOST])
    return tuple(_read_prose(lines)[:MOST])


def has_block(section: str) -> bool:
    """Whether the section holds a block of decisions that can be read."""
    return any(map(_read_block, _bodies(lay_out(section)[0])))


def is_prose(section: str) -> bool:
    """Whether it says what it decides in sentences alone, of which a program reads some."""
    listed = any(items for stance, items in _listed(lay_out(section)[0]) if stance != "open")
    return not (listed or has_block(section) or read_absence(section))


def make_decision(
    scope: str, stance: str, text: str, cited: Iterable[str] = (), answer: str = ""
) -> StatedDecision | None:
    """A decision from words as they were written; None when nothing is said."""
    said, about, side = one(text), one(scope), one(stance).rstrip(".")
    known = _STANCE_OF.get(side.casefold().replace(" ", "-"))
    if side and known is None:
        said = f"{side}: {said}" if said else side
    short = one(answer)
    said = said or short or about
    if not said:
        return None
    about = about or " ".join(said.split()[:8])
    kept = tuple(each for each in map(one, cited) if each.casefold() not in _NO_CITE)
    return StatedDecision(about, known or "adopt", said, kept, short)


def write_absence(status: str, why: str) -> str:
    """The section of an engineer who did not answer: it says so, and why, on one line."""
    reason = one(why)
    return f"> **No answer** ({status})" + (f": {reason}" if reason else "")


def read_absence(section: str) -> str:
    """Why the engineer did not answer, or nothing when this is an answer."""
    found = _ABSENT.fullmatch(section.strip())
    return (
        f"{found['status']}: {found['why']}"
        if found and found["why"]
        else (found["status"] if found else "")
    )


def one(text: str) -> str:
    """The text on one line, without the quotes around it, and not too long."""
    flat = " ".join(text.split()).strip()
    if len(flat) > 1 and flat[0] == flat[-1] and flat[0] in "\"'":
        flat = flat[1:-1].strip()
    return flat if len(flat) <= LONGEST else f"{flat[: LONGEST - 1]}…"


def _bodies(lines: list[Line]) -> Iterator[list[str]]:
    """What the fences with decisions hold; a reply that is one fence is one body."""
    if lines and all(kind == OWN for kind, _ in lines) and _looks_so(row for _, row in lines):
        yield [row for _, row in lines]
        return
    for block in blocks(lines):
        named = block.tag in _NAMES
        if block.kind == MARK and (named or (block.tag in _TAGS and _looks_so(block.rows))):
            yield block.rows


def _looks_so(rows: Iterable[str]) -> bool:
    keys = {_KEYS.get(key.casefold()) for row in rows for key in _KEY.findall(row)}
    return {"scope", "stance"} <= keys


def _read_block(rows: list[str]) -> list[StatedDecision]:
    text = "\n".join(rows).strip()
    entries = _json_entries(text) if text[:1] in ("[", "{") else list(_list_entries(rows))
    made = (_entry(entry) for entry in entries)
    return [decision for decision in made if decision]


def _entry(entry: dict[str, list[str]]) -> StatedDecision | None:
    def joined(key: str) -> str:
        return " ".join(entry.get(key, ()))

    return make_decision(
        joined("scope"), joined("stance"), joined("text"), entry.get("cited", ()), joined("answer")
    )


def _json_entries(text: str) -> list[dict[str, list[str]]]:
    try:
        parsed = parse(text)
    except Broken:
        return []
    value = parsed.value if parsed.cut_in is None else None
    if isinstance(value, dict):
        value = value.get("decisions", [value])
    rows = value if isinstance(value, list) else []
    return [_json_entry(row) for row in rows if isinstance(row, dict)]


def _json_entry(row: dict[str, object]) -> dict[str, list[str]]:
    entry: dict[str, list[str]] = {}
    for key, value in row.items():
        name = _KEYS.get(key.casefold(), "")
        values = value if isinstance(value, list) else [value]
        entry.setdefault(name, []).extend(str(each) for each in values if each is not None)
    return entry


def _list_entries(rows: list[str]) -> Iterator[dict[str, list[str]]]:
    """The items of ``- scope: ...`` with fields below; a new scope begins a new item as well."""
    entry: dict[str, list[str]] = {}
    last = ""
    for row in filter(str.strip, rows):
        found = _FIELD.match(row)
        key = _KEYS.get(found["key"].casefold(), "") if found else ""
        if found and key:
            if entry and (found["item"] or key in entry):
                yield entry
                entry = {}
            entry[key] = _values(key, found["value"])
            last = key
        elif last:
            _continue(entry[last], row, listed=last == "cited")
    if entry:
        yield entry


def _values(key: str, value: str) -> list[str]:
    value = value.strip().rstrip(",")
    if key != "cited":
        return [value]
    joint = r"[;,]" if value.startswith("[") else ";"
    return [part.strip(" \"'") for part in re.split(joint, value.strip("[]")) if part.strip()]


def _continue(values: list[str], row: str, *, listed: bool) -> None:
    """A line below a field: one more citation, or more of its text."""
    bullet = _BULLET.match(row)
    if listed and bullet:
        values.append(bullet["text"])
    elif values:
        values[-1] = f"{values[-1]} {row.strip()}"
    else:
        values.append(row.strip())


def _read_prose(lines: list[Line]) -> list[StatedDecision]:
    """What the engineer's own lines recommend, reject, weigh or ask."""
    found = [
        made for stance, items in _listed(lines) for text in items if (made := _made(stance, text))
    ]
    if any(each.stance != "open" for each in found):
        return found
    said = (each for each in _sentences(lines) if each.stance != "open" or not found)
    return [*list(said)[:_MOST_SENTENCES], *found]


def _listed(lines: list[Line]) -> Iterator[tuple[Stance, list[str]]]:
    """The lists under headings that say what the lists are."""
    stance: Stance | None = None
    body: list[Line] = []
    for kind, row in [*lines, (OWN, "# end")]:
        title = _title(row) if kind == OWN else ""
        if not title:
            body.append((kind, row))
            continue
        if stance:
            yield stance, [item.text for item in read_items(body)]
        stance = next((each for each, pattern in _HEADINGS if pattern.search(title)), None)
        body = []


def _title(row: str) -> str:
    """What a heading, a short line in bold or ``Open questions:`` says."""
    level, title = read_title(row)
    if level:
        return title if level < 7 or len(title) <= _LONGEST_TITLE else ""
    return row.strip() if _LABEL.fullmatch(row.strip()) else ""


def _sentences(lines: list[Line]) -> Iterator[StatedDecision]:
    """Each sentence of the engineer's own that recommends, advises against or asks."""
    prose = "\n".join(row if kind == OWN else "" for kind, row in lines)
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)])\s)", prose):
        flat = re.sub(r"^(?:[-*+]|\d+[.)])\s+", "", " ".join(paragraph.split()))
        for sentence in _SENTENCE.split(flat):
            if made := _said(sentence):
                yield made


def _said(sentence: str) -> StatedDecision | None:
    if sentence.endswith("?"):
        return make_decision(_scope(sentence), "open", sentence)
    for stance, lead in _LEADS:
        if found := lead.match(sentence):
            # What follows "do not do it:" is what to do instead.
            said = _ASIDE.sub("", sentence[found.end() :]) if stance == "reject" else ""
            said = (said or sentence[found.end() :]).strip().rstrip(".")
            return make_decision(_scope(said), stance, said)
    if found := _MOVES.match(sentence):
        return _moved(found)
    if found := _DUTY.match(sentence):
        return make_decision(
            _scope(found["subject"]) or found["subject"], "adopt", sentence.rstrip(".")
        )
    return _ordered(sentence)


def _moved(found: re.Match[str]) -> StatedDecision | None:
    """Where an engineer moves, or stays; the place that the sentence ends with is what it rests on."""
    said = found["said"].strip().rstrip(".")
    if clause := re.match(r"that\s+", said, re.IGNORECASE):
        said = said[clause.end() :]
    place = _PLACE.search(said)
    said, cited = (said[: place.start()], (place["place"],)) if place else (said, ())
    said = _BECAUSE.sub("", said).strip(" ,;")
    if not said or said.split()[0].casefold() in ("my", "your", "this", "these", "it", "what"):
        return None
    if not (clause or _is_order(said) or " should " in said or " belong" in said):
        said = f"Use {said}"
    return make_decision(_scope(said), "adopt", said, cited)


def _ordered(sentence: str) -> StatedDecision | None:
    """An imperative: "Use cursor-based pagination." """
    said = sentence.strip().rstrip(".!")
    if not said[:1].isupper() or not _is_order(said):
        return None
    return make_decision(_scope(said), "adopt", said)


def _is_order(said: str) -> bool:
    from guildmoot.text.opposed.clauses import known_verbs  # few boards are prose

    verb, _, rest = said.casefold().partition(" ")
    plain = verb.isalpha() and not verb.endswith(("ing", "ed", "s")) and verb not in _NO_ORDER
    return plain and bool(rest) and (verb in _ORDERS or stem(verb) in known_verbs())


def _made(stance: Stance, text: str) -> StatedDecision | None:
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
