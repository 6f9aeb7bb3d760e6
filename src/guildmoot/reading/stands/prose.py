"""What a section without a block decides: lists under telling headings, else rows, items, led paragraphs and sentences.

A row of a table, an item of a list and a paragraph that begins in bold are positions as they stand, for that is how
people put one; of other prose the sentences count that ``sentences`` takes for one. Under a heading such as
"Risks" or "Background" nothing is decided.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from guildmoot.reading.blocks import OWN, Line, read_title
from guildmoot.reading.list_items import bullet_text, read_items
from guildmoot.reading.stands.moves import read_move
from guildmoot.reading.stands.questions import below, read_answers
from guildmoot.reading.stands.sentences import moved, name_scope, read_sentence
from guildmoot.reading.stands.stated import KEYS, Stance, StatedDecision, make_decision

_MOST_SENTENCES = 24

_HEADINGS: tuple[tuple[Stance, re.Pattern[str]], ...] = (
    (
        "withdraw",
        re.compile(r"\bwithdr[ae]w|\bretract|\bgive\w* up\b|\bno longer\b", re.IGNORECASE),
    ),
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
_AGAINST = re.compile(r"^(?:reject|avoid|refuse)\s+(?=\S)", re.IGNORECASE)
_SCOPED = re.compile(
    r"^(?:\*\*(?P<bold>[^*:]{2,60}):?\*\*:?|(?P<plain>[A-Za-z`][\w`./ -]{1,40}):)\s+"
)
_BACKGROUND = re.compile(
    r"\b(?:risks?|background|context|why|reasons?|rationale|pros?|cons|trade-?offs?|summary|facts?|numbers|"
    r"assumptions?|problems?|concerns?|today|status quo|contradictions?|reframings?|consensus|sources?)\b",
    re.IGNORECASE,
)
_LED = re.compile(
    r"^(?:\*\*|__)(?P<scope>[^*_\n]{2,60}?)[.:]?(?:\*\*|__)(?!\s*[,;.!]|\s*$)\s*(?:[:\u2013\u2014-]\s*)?(?P<said>\S.*)",
    re.DOTALL,
)
_CHOSEN = re.compile(r"^(?:\*\*|__)(?P<said>[^*_\n]{2,60}?)[.!]?(?:\*\*|__)(?=\s*(?:[,;.!]|$))")
"""A choice in bold under the heading that names its scope."""
_DECIDES = re.compile(
    r"(?i)\b(?:decisions?|choices?|choose|answers?|recommend\w*|propos\w+|positions?|picks?)\b"
)
_FORM = re.compile(
    r"(?:my\s+|the\s+)?(?:new\s+|final\s+|own\s+)?(?:positions?|decisions?|recommendations?|answers?|votes?|stand|choice|"
    r"conclusions?|proposals?)(?:\s+(?:now|in\s+round\s+\d+))?",
    re.IGNORECASE,
)
"""What names a part of the form and no thing: "**Position:** I move to a queue."."""
_SHORT = 4
_PAIR = 2
_ROW = re.compile(r"\s*\|(?P<cells>.*)\|\s*")
_RULE = re.compile(r"[\s|:-]+")
_WEIGHS = re.compile(
    r"^(?:pros?|cons?|risks?|note|fast(?:er)?|cheap(?:er)?|simpl\w+|slow(?:er)?)\b", re.IGNORECASE
)


def read_prose(lines: list[Line]) -> list[StatedDecision]:
    """What the engineer's own lines recommend, reject, weigh or ask."""
    answers, lines = read_answers(lines)
    found = [
        made for stance, items in listed(lines) for text in items if (made := _made(stance, text))
    ]
    if any(each.stance != "open" for each in found):
        return [*answers, *found]
    said = (each for each in _positions(lines) if each.stance != "open" or not found)
    return [*answers, *list(said)[:_MOST_SENTENCES], *found]


def listed(lines: list[Line]) -> Iterator[tuple[Stance, list[str]]]:
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


def _positions(lines: list[Line]) -> Iterator[StatedDecision]:
    """Each position outside of lists that a heading names, in its order."""
    rows: list[str] = []
    skipping, scope = False, ""
    for kind, row in [*lines, (OWN, "# end")]:
        title = _title(row) if kind == OWN else ""
        if title:
            if not skipping:
                yield from _in_rows(rows, scope)
            skipping, rows, scope = bool(_BACKGROUND.search(title)), [], title
        else:
            rows.append(row if kind == OWN else "")


def _in_rows(rows: list[str], title: str) -> Iterator[StatedDecision]:
    """The positions under one heading; a table whose head says so decides in every row, however short."""
    parts = re.split(r"\n\s*\n|\n(?=\s*(?:\||(?:[-*+]|\d+[.)])\s))", "\n".join(rows))
    tables = [_ROW.fullmatch(part.strip("\n")) for part in parts]
    decides, names = False, list[str]()
    for number, (part, row) in enumerate(zip(parts, tables, strict=True)):
        if row is None:
            decides, names = False, []
            yield from _in_paragraph(" ".join(part.split()), title)
            continue
        after = tables[number + 1] if number + 1 < len(tables) else None
        if after and _RULE.fullmatch(after["cells"]):
            head = row["cells"].split("|")
            names = [KEYS.get(cell.strip(" *`").casefold(), "") for cell in head]
            decides = len(head) == _PAIR and bool(_DECIDES.search(head[1]))
        elif len(names) > _PAIR and not {"text", "answer", "stance"}.isdisjoint(names):
            yield from _in_fields(row["cells"], names)
        else:
            yield from _in_row(row["cells"], decides)


def _in_fields(cells: str, names: list[str]) -> Iterator[StatedDecision]:
    """A row of a table whose head names the fields of a decision."""
    given = zip(names, (cell.strip(" *`") for cell in cells.split("|")), strict=False)
    said = {name: cell for name, cell in reversed(list(given)) if cell}
    scope, text = said.get("question") or said.get("scope", ""), said.get("text", "")
    if _RULE.fullmatch(cells) or not (scope and {"text", "answer", "stance"} & {*said}):
        return
    if not said.get("stance") and (turn := _turned(text or said.get("answer", ""), scope)):
        yield turn
        return
    answer = said.get("answer", "") or (text if len(text.split()) <= _SHORT else "")
    rejects = said.get("rejects", "").split(";")
    stance, cited = said.get("stance", ""), [said.get("cited", "")]
    if made := make_decision(scope, stance, text or answer, cited, answer, rejects):
        yield made


def _in_row(cells: str, decides: bool) -> Iterator[StatedDecision]:
    """A row of a table that has its scope in the first cell."""
    first, *rest = (cell.strip(" *`") for cell in cells.split("|"))
    said = rest[0] if rest else ""
    if not said or _RULE.fullmatch(said):
        return
    made = _turned(said, first)
    if not made and decides and first and len(said.split()) <= _SHORT:
        made = make_decision(first, "adopt", said.rstrip("."), answer=said.rstrip("."))
    elif not made and len(said.split()) > 1:
        made = _item(said, first)
    if made:
        yield made


def _in_paragraph(flat: str, title: str) -> Iterator[StatedDecision]:
    item = bullet_text(flat)
    if title and not item and (chosen := _CHOSEN.match(flat)):
        made = make_decision(title, "adopt", chosen["said"], answer=chosen["said"])
    elif led := _LED.match(item or flat):
        scope = led["scope"].strip("` ")
        made = _item(led["said"], "" if _FORM.fullmatch(scope) else scope)
    else:
        made = _item(item, "") if item else _labelled(flat)
    if made:
        named = made.scope not in (title, " ".join(made.text.split()[:8]))
        yield made._replace(scope=below(made.scope, title)) if named else made
        return
    for sentence in _SENTENCE.split(item or flat):
        if said := read_sentence(sentence):
            yield said


def _labelled(flat: str) -> StatedDecision | None:
    """What stands behind "Position:" or "Recommendation:"."""
    label, colon, said = flat.partition(":")
    return _item(said.strip(), "") if colon and said.strip() and _FORM.fullmatch(label) else None


def _turned(said: str, scope: str) -> StatedDecision | None:
    """The position of who moves there, or withdraws."""
    move = read_move(said)
    return moved(move, scope) if move and (move.moves or move.gives_up) else None


def _item(text: str, scope: str) -> StatedDecision | None:
    """An item's first sentence: as a sentence is read, else as it stands."""
    said, *_ = _SENTENCE.split(text)
    if not scope and (led := _SCOPED.match(said)):
        scope, said = (led["bold"] or led["plain"] or "").strip("` "), said[led.end() :]
        scope = "" if _FORM.fullmatch(scope) else scope
    if _WEIGHS.match(scope or said) or not said:
        return None
    if found := read_sentence(said):
        return found._replace(scope=scope) if scope else found
    if len(said.split()) < 2 and not scope:
        return None
    return make_decision(scope or name_scope(said), "adopt", said.rstrip(" ."))


def _made(stance: Stance, text: str) -> StatedDecision | None:
    """A decision from an item; ``Storage: use SQLite`` names its scope itself."""
    text = text.strip().rstrip(".")
    found = _SCOPED.match(text)
    said = text[found.end() :] if found else text
    scope = (found["bold"] or found["plain"] or "").strip("` ") if found else name_scope(text)
    if stance == "adopt" and (turn := _turned(said, scope)):
        return turn
    if stance == "adopt" and (against := _AGAINST.match(said)):
        stance, said = "reject", said[against.end() :]
    return make_decision(scope, stance, said)
