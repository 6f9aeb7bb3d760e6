"""What an engineer's section decides: the fenced block that each is asked for, else its prose.

    ```decisions
    - scope: where sessions live
      stance: adopt
      text: Store sessions in Redis
      cited: docs/adr-3.md; round 1, colleague B
    ```

The last such block of a section counts, as a list like this or as JSON. A stance that is no known
word is taken for the choice itself. Prose is read by ``asides``. Who contradicts whom is for
``consensus.positions``; nothing here knows more than one section.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from guildmoot.reading.blocks import MARK, OWN, SPACE, Line, lay_out

Stance = Literal["adopt", "reject", "option", "open"]

MOST = 50
"""Decisions read from one section; an engineer is asked for a few."""
LONGEST = 400
"""Characters kept of one text; the section itself has the rest."""

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
    **dict.fromkeys(("text", "decision", "choice", "what", "recommendation"), "text"),
    **dict.fromkeys(("cited", "cites", "cite", "citations", "evidence", "because"), "cited"),
}
_FIELD = re.compile(r"\s*(?P<item>[-*+]\s+)?[\"'*_]*(?P<key>[A-Za-z]+)[\"'*_]*\s*:(?P<value>.*)")
_KEY = re.compile(r"\b([A-Za-z]{2,15})[\"'*_]{0,3}[ \t]?:")
_BULLET = re.compile(r"\s*[-*+]\s+(?P<text>.*)")
_NAMES = ("decisions", "decision", "positions")
_NO_CITE = frozenset(["", "none", "nothing", "n/a", "na", "-", "null"])
_ABSENT = re.compile(r"> \*\*No answer\*\* \((?P<status>[a-z]+)\)(?:: (?P<why>.*))?")


class Decision(NamedTuple):
    """One thing that an engineer takes a stand on."""

    scope: str
    """What is decided about, in the engineer's words: a file, a name or a choice."""
    stance: Stance
    text: str
    """The choice, as an instruction or a noun; for ``open`` the question."""
    cited: tuple[str, ...] = ()
    """What it rests on: places, numbers, what a colleague said."""


def read_decisions(section: str) -> tuple[Decision, ...]:
    """What the section decides, in its order; empty when it failed or decides nothing."""
    if read_absence(section):
        return ()
    lines, _ = lay_out(section)
    for block in reversed(list(_blocks(lines))):
        if found := _read_block(block):
            return tuple(found[:MOST])
    from guildmoot.reading.asides import read_prose

    return tuple(read_prose(lines)[:MOST])


def make_decision(scope: str, stance: str, text: str, cited: Iterable[str] = ()) -> Decision | None:
    """A decision from words as they were written; None when nothing is said."""
    said, about, side = one(text), one(scope), one(stance).rstrip(".")
    known = _STANCE_OF.get(side.casefold().replace(" ", "-"))
    if side and known is None:
        said = f"{side}: {said}" if said else side
    said = said or about
    if not said:
        return None
    about = about or " ".join(said.split()[:8])
    kept = tuple(each for each in map(one, cited) if each.casefold() not in _NO_CITE)
    return Decision(about, known or "adopt", said, kept)


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


def _blocks(lines: list[Line]) -> Iterator[list[str]]:
    """The bodies of the fences that hold decisions; a reply that is one fence is one body."""
    if lines and all(kind == OWN for kind, _ in lines) and _looks_so(row for _, row in lines):
        yield [row for _, row in lines]
        return
    name, body, inside = "", list[str](), False
    for kind, row in [*lines, (MARK, "")]:
        if kind == MARK and inside:
            if name in _NAMES or (name in ("", "json", "yaml", "yml") and _looks_so(body)):
                yield body
            inside = False
        elif kind == MARK:
            name, body, inside = _info(row), [], True
        elif inside:
            body.append(row)
        if inside and kind == OWN:  # a fence never holds the engineer's own lines
            inside = False


def _info(row: str) -> str:
    """The word behind the fence, e.g. ``json``."""
    words = row.strip(SPACE).lstrip("`~").split()
    return words[0].casefold().strip("{}.") if words else ""


def _looks_so(rows: Iterable[str]) -> bool:
    keys = {_KEYS.get(key.casefold()) for row in rows for key in _KEY.findall(row)}
    return {"scope", "stance"} <= keys


def _read_block(rows: list[str]) -> list[Decision]:
    text = "\n".join(rows).strip()
    entries = _json_entries(text) if text[:1] in ("[", "{") else list(_list_entries(rows))
    made = (_entry(entry) for entry in entries)
    return [decision for decision in made if decision]


def _entry(entry: dict[str, list[str]]) -> Decision | None:
    def joined(key: str) -> str:
        return " ".join(entry.get(key, ()))

    return make_decision(joined("scope"), joined("stance"), joined("text"), entry.get("cited", ()))


def _json_entries(text: str) -> list[dict[str, list[str]]]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return []
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
