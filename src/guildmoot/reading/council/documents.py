"""The findings that stand in JSON of their own: one a line, in a list, in a fence beside the verdict's.

A judge that writes several documents means all of them. Whatever is shaped like a finding counts, wherever it
stands, unless the reply says that it only shows it; which verdict it belongs to is for the caller to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from guildmoot.reading.blocks import Part, cites
from guildmoot.reading.council.finding_names import PARTS, listed
from guildmoot.reading.json_repair import ParsedJson
from guildmoot.reading.refusal import is_placeholder
from guildmoot.reading.reply_json import OBJECT, JsonFields, compact, find_json, names_in

_SAID = frozenset(("description", *PARTS["description"]))
_RATED = frozenset(("severity", *PARTS["severity"]))
_ASIDE = frozenset(("verdict", "debate_notes", "test_assertions", "extras"))
"""Keys whose values are read elsewhere, or are no findings."""
_BESIDE = frozenset(
    ("location", *PARTS["location"], "file", "path", "line", "recommendation", "fix", *PARTS["fix"])
)
_DEEPEST = 4
_BEFORE = 400
"""Characters before an object in which a sentence that leads to it stands."""


def find_documents(parts: Iterable[Part]) -> list[dict[str, object]]:
    """Every finding in the JSON of these parts that is no part of an object with a verdict."""
    found: dict[str, dict[str, object]] = {}
    for part in parts:
        for finding in find_json(part.text, partial(_taken, part), opens=OBJECT):
            found.setdefault(compact(finding), finding)
    return list(found.values())


def is_shown(part: Part, start: int) -> bool:
    """Whether the words before an object say that it is no answer of its own, or a quotation is open there."""
    before = part.text[max(0, start - _BEFORE) : start].split("\n")
    opened = before[-1].count('"') % 2 or before[-1].count("“") > before[-1].count("”")
    return part.cited or bool(opened) or cites(before)


def findings_of(value: object, depth: int = _DEEPEST) -> Iterator[dict[str, object]]:
    """The findings in a value without a verdict: itself, its items, or what it holds under some name."""
    if isinstance(value, list):
        for item in value if depth else ():
            yield from findings_of(item, depth - 1)
    elif isinstance(value, dict) and "verdict" not in names_in(value):
        if is_finding(value):
            yield value
            return
        for item in listed(value).values() if depth else ():
            yield from findings_of(item, depth - 1)


def is_finding(value: Mapping[str, object]) -> bool:
    """Whether an object says what is wrong, and how bad it is or where and what to do about it."""
    names = names_in(value)
    if names & _ASIDE or not names & _SAID or not names & (_RATED | _BESIDE):
        return False
    fields = JsonFields(value)
    said = [fields.get(name) for name in _SAID & names]
    rated = bool(names & _RATED) or len(names & _BESIDE) > 1
    told = [each for each in said if isinstance(each, str) and each.strip()]
    return rated and bool(told) and not all(map(is_placeholder, told))


def _taken(part: Part, parsed: ParsedJson) -> list[dict[str, object]]:
    return [] if is_shown(part, parsed.start) else list(findings_of(parsed.value))
