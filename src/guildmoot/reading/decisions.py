"""What an engineer's section decides: the fenced block that each is asked for, else its prose.

    ```decisions
    - scope: Where do sessions live?
      stance: adopt
      answer: Redis
      rejects: signed cookies; JWT
      text: Store sessions in Redis
      cited: docs/adr-3.md; round 1, colleague B
    ```

The last such block of a section counts, as a list like this or as JSON, and beside it what a clerk put into another
one. A stance that is no known word is taken for the choice itself. In a section without a block the lists under
headings such as "Recommendations" or "Open questions" are read, else what ``stands.prose`` makes of the rest. What
nobody read is told. Who contradicts whom is for ``consensus.board``; nothing here knows more than one section.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from guildmoot.reading.blocks import MARK, OWN, Line, blocks, lay_out
from guildmoot.reading.json_repair import Broken, parse
from guildmoot.reading.stands.beside import beside, sentences, unread_of
from guildmoot.reading.stands.moves import read_move
from guildmoot.reading.stands.prose import listed, read_prose
from guildmoot.reading.stands.questions import read_answers
from guildmoot.reading.stands.stated import KEYS, Stance, StatedDecision, make_decision, one

CLERKS = "<!-- a clerk put into this form, in the section's own words, what the section decides -->"
NOTHING_BESIDE = (
    "<!-- a clerk read what stands beside the block, and found nothing decided there -->"
)
MOST = 50
"""Decisions read from one section; an engineer is asked for a few."""

_MOST_OPENINGS = 20
_LISTS = ("cited", "rejects")
_FIELD = re.compile(r"\s*(?P<item>[-*+]\s+)?[\"'*_]*(?P<key>[A-Za-z]+)[\"'*_]*\s*:(?P<value>.*)")
_KEY = re.compile(r"\b([A-Za-z]{2,15})[\"'*_]{0,3}[ \t]?:")
_BULLET = re.compile(r"\s*[-*+]\s+(?P<text>.*)")
_NAMES = ("decisions", "decision", "positions")
_TAGS = ("", "json", "yaml", "yml")
_ABSENT = re.compile(r"> \*\*No answer\*\* \((?P<status>[a-z]+)\)(?:: (?P<why>.*))?")


class ReadSection(NamedTuple):
    """What was read in one section."""

    decisions: tuple[StatedDecision, ...] = ()
    """In the section's order."""
    unread: tuple[str, ...] = ()
    """Sentences, and entries, that nobody has read."""


class _Body(NamedTuple):
    """A text that may hold decisions, and whether a clerk wrote it."""

    rows: list[str]
    clerks: bool = False


def read_decisions(section: str) -> tuple[StatedDecision, ...]:
    """What the section decides, in its order; empty when it failed or decides nothing."""
    return read_section(section).decisions


@functools.lru_cache(maxsize=256)
def read_section(section: str) -> ReadSection:
    """What the section decides, and what of it nobody has read."""
    if read_absence(section):
        return ReadSection()
    lines, _ = lay_out(section)
    bodies, rest = _parts(lines)
    own: list[StatedDecision] = []
    broken: tuple[str, ...] = ()
    for body in reversed([each for each in bodies if not each.clerks]):
        own = own or _read_block(body.rows)
        broken = broken if own else (one(" ".join(body.rows)), *broken)
    clerks = [made for body in bodies if body.clerks for made in _read_block(body.rows)]
    if own:
        more, unread = beside(rest, own)
    elif clerks:
        more, unread = [], ()
    else:
        more, unread = read_prose(rest), ()
        unread = (*broken, *unread_of(rest, more))
    unread = () if clerks or CLERKS in section or NOTHING_BESIDE in section else unread
    new = [each for each in clerks if each not in own]
    found = (*own, *more, *new)
    over = tuple(each.text for each in found[MOST:])
    return ReadSection(tuple(found[:MOST]), (*unread, *over))


@functools.lru_cache(maxsize=256)
def own_sentences(section: str) -> tuple[str, ...]:
    """What its author says in own words beside a block of decisions."""
    return tuple(sentences(_parts(lay_out(section)[0])[1]))


def has_block(section: str) -> bool:
    """Whether the section holds a block of decisions that can be read."""
    return any(_read_block(body.rows) for body in _parts(lay_out(section)[0])[0])


def is_prose(section: str) -> bool:
    """Whether it says what it decides in sentences alone, of which a program reads some."""
    answers, lines = read_answers(lay_out(section)[0])
    lists = answers or any(items for stance, items in listed(lines) if stance != "open")
    return not (lists or has_block(section) or read_absence(section))


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


def _parts(lines: list[Line]) -> tuple[list[_Body], list[Line]]:
    """What the blocks with decisions hold, and the author's own lines beside them; all of a reply may be one block."""
    if lines and all(kind == OWN for kind, _ in lines) and _is_list(row for _, row in lines):
        rows = [row for _, row in lines]
        return [_Body(rows)], _section_in("\n".join(rows))
    bodies: list[_Body] = []
    rest: list[Line] = []
    before = ""
    for block in blocks(lines):
        named = block.tag in _NAMES
        if block.kind == MARK and (named or (block.tag in _TAGS and _looks_so(block.rows))):
            bodies.append(_Body(block.rows, before == CLERKS))
            rest += _section_in("\n".join(block.rows))
        elif block.kind == OWN:
            found, left = _json_within("\n".join(block.rows))
            bodies += found
            rest += [line for body in found for line in _section_in("\n".join(body.rows))]
            rest += [(OWN, row) for row in ("", *left.split("\n"))]
            before = next((row.strip() for row in reversed(block.rows) if row.strip()), "")
    return bodies, rest


def _json_within(text: str) -> tuple[list[_Body], str]:
    """JSON with decisions among sentences, and the sentences without it."""
    if not (_looks_so([text]) and ("{" in text)):
        return [], text
    read = json.JSONDecoder(strict=False)
    for opening in list(re.finditer(r"[\[{]", text))[:_MOST_OPENINGS]:
        try:
            _, end = read.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            continue
        if _looks_so([text[opening.start() : end]]):
            return [
                _Body([text[opening.start() : end]])
            ], f"{text[: opening.start()]}\n{text[end:]}"
    return [], text


def _section_in(text: str) -> list[Line]:
    """The words that stand beside the decisions in one JSON object: ``{"section": ..., "decisions": [...]}``."""
    if not text.lstrip().startswith("{"):
        return []
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return []
    said = value.get("section") if isinstance(value, dict) else ""
    return [(OWN, row) for row in ("", *said.split("\n"))] if isinstance(said, str) else []


def _is_list(rows: Iterable[str]) -> bool:
    """Whether a reply is nothing but a block that lost its fence."""
    said = [row for row in rows if row.strip()]
    begins = bool(said) and (said[0].lstrip()[:1] in ("[", "{") or bool(_FIELD.match(said[0])))
    return begins and _looks_so(said)


def _looks_so(rows: Iterable[str]) -> bool:
    keys = {KEYS.get(key.casefold()) for row in rows for key in _KEY.findall(row)}
    return "stance" in keys and not keys.isdisjoint(("scope", "question"))


def _read_block(rows: list[str]) -> list[StatedDecision]:
    text = "\n".join(rows).strip()
    entries = _json_entries(text) if text[:1] in ("[", "{") else list(_list_entries(rows))
    made = (_entry(entry) for entry in entries)
    return [decision for decision in made if decision]


def _entry(entry: dict[str, list[str]]) -> StatedDecision | None:
    def joined(key: str) -> str:
        return " ".join(entry.get(key, ()))

    made = make_decision(
        joined("question") or joined("scope"),
        joined("stance"),
        joined("text"),
        entry.get("cited", ()),
        joined("answer"),
        entry.get("rejects", ()),
    )
    move = read_move(made.text) if made and made.stance == "adopt" else None
    if made and move and (move.moves or move.gives_up):  # "stance: adopt, text: I move to a queue"
        stance: Stance = "withdraw" if move.gives_up else "adopt"
        why = (*made.cited, *move.cited)
        return made._replace(
            stance=stance, text=move.said or made.text, cited=why, moves=move.moves
        )
    return made


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
        name = KEYS.get(key.casefold(), "")
        values = value if isinstance(value, list) else [value]
        entry.setdefault(name, []).extend(str(each) for each in values if each is not None)
    return entry


def _list_entries(rows: list[str]) -> Iterator[dict[str, list[str]]]:
    """The items of ``- scope: ...`` with fields below; a new scope begins a new item as well."""
    entry: dict[str, list[str]] = {}
    last = ""
    for row in filter(str.strip, rows):
        found = _FIELD.match(row)
        key = KEYS.get(found["key"].casefold(), "") if found else ""
        if found and key:
            if entry and (found["item"] or key in entry):
                yield entry
                entry = {}
            entry[key] = _values(key, found["value"])
            last = key
        elif last:
            _continue(entry[last], row, listed=last in _LISTS)
    if entry:
        yield entry


def _values(key: str, value: str) -> list[str]:
    value = value.strip().rstrip(",")
    if key not in _LISTS:
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
