"""Whether a council judge's reply holds one whole verdict object, however it spells what the schema spells otherwise.

A severity or an approval in the usual words of reviews, null for an empty list, keys beside those that were asked for,
one wrapper, and the judge's own words around the object are no reason to ask again. What those say is weighed by
``confirm``. A key that stands twice, broken JSON, a second object and a quoted one are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from guildmoot.reading.blocks import cut
from guildmoot.reading.council.assent import doubts_in
from guildmoot.reading.council.opposing import names_nothing
from guildmoot.reading.council.read import prose_beside
from guildmoot.reading.council.scales import read_approval, read_confidence, read_severity
from guildmoot.reading.council.statements import WRAPPERS, find_statements
from guildmoot.reading.json_repair import snake
from guildmoot.reading.reply_json import BLANK
from guildmoot.reading.schema_reply import Schema, Unfit, find_misfit, read_json
from guildmoot.reading.verdict_schema import OPEN_ENDS, SCHEMA

_SHOWN = 120
_LISTS = ("findings", *OPEN_ENDS)


def find_council_misfit(text: str) -> str:
    """Why a reply is no object of the council's schema; empty when it is one in the judge's own spelling."""
    try:
        value = read_json(_object_in(text))
    except Unfit as unfit:
        return str(unfit)
    beside = next(doubts_in(prose_beside(text), least=1), "")
    told = (
        f"beside the object stands what is no plain approval: {beside[:_SHOWN]!r}" if beside else ""
    )
    return find_misfit(_usual(_unwrapped(value)), _OPEN) or told


def _object_in(text: str) -> str:
    """The one object with a verdict among the judge's own words; else the text as it is."""
    found = [
        (part.text, each)
        for part in cut(text.strip(BLANK)).counting
        for each in find_statements(part)
    ]
    if len(found) != 1 or found[0][1].cited or found[0][1].broken or found[0][1].parsed.mended:
        return text
    whole, parsed = found[0][0], found[0][1].parsed
    return whole[parsed.start : parsed.end]


def _unwrapped(value: object) -> object:
    if isinstance(value, dict) and len(value) == 1:
        key, inside = next(iter(value.items()))
        if snake(key) in WRAPPERS and isinstance(inside, dict):
            return inside
    return value


def _usual(value: object) -> object:
    """The object in the schema's own spelling, as far as its meaning is plain."""
    if not isinstance(value, dict):
        return value
    said: dict[str, Any] = {snake(key): each for key, each in value.items()}
    for name in _LISTS:
        if name in said and not isinstance(said[name], list) and names_nothing(said[name] or ""):
            said[name] = []
    said["verdict"] = read_approval(said.get("verdict")) or said.get("verdict")
    said["confidence"] = read_confidence(said.get("confidence")) or said.get("confidence")
    said.setdefault("schema_version", 4)
    found = said.get("findings")
    if isinstance(found, dict) and found:
        several = all(isinstance(each, dict) for each in found.values())
        said["findings"] = list(found.values()) if several else [found]
    if isinstance(said.get("findings"), list):
        said["findings"] = [_usual_finding(each) for each in said["findings"]]
    return said


def _usual_finding(row: object) -> object:
    if not isinstance(row, Mapping):
        return row
    said: dict[str, Any] = {snake(key): each for key, each in row.items()}
    return {**said, "severity": read_severity(said.get("severity")) or said.get("severity")}


def _opened(schema: Schema) -> Schema:
    """The schema, with keys allowed that it does not know."""
    made = {**schema}
    if "properties" in made:
        made["properties"] = {name: _opened(each) for name, each in made["properties"].items()}
        made["additionalProperties"] = True
    if "items" in made:
        made["items"] = _opened(made["items"])
    return made


_OPEN = _opened(SCHEMA)
