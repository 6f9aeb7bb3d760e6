"""The one finder of JSON in replies, and the reader of its fields whatever their types are.

What is quoted does not count, and faults are mended where that needs no guessing (``json_repair``).
Nothing here raises, and nothing is made up: what cannot be read is left empty with a warning. What an
object means is left to the caller.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from guildmoot.model.council_verdict import Extras
from guildmoot.reading.blocks import cut, spoken
from guildmoot.reading.json_repair import Broken, ParsedJson, parse, snake
from guildmoot.reading.refusal import not_a_vote

FoundT = TypeVar("FoundT")

BLANK = " \t\r\n\v\f\u00a0\u200b\u2060\ufeff"
_QUOTE = "[\"'`“”„‘’]?"
OBJECT = re.compile(rf"\{{(?=\s*(?:{_QUOTE}[A-Za-z_$][\w $.-]{{0,40}}{_QUOTE}\s*:|//|/\*|#))")
OBJECT_OR_ARRAY = re.compile(r"[{\[](?=\s*[\[{\"'“A-Za-z_])")
_OBJECT_OR_LIST = re.compile(rf"{OBJECT.pattern}|^\[(?=\s*[\"'“])", re.MULTILINE)
MOST_VALUES = 200
"""JSON values of one part of a reply that are looked at where the answer is no verdict."""
_MOST_BROKEN = 1_000
_BRACKETS = re.compile(r"[{}]")


class JsonAnswer(NamedTuple):
    """The object that answers a question, or why there is none."""

    value: dict[str, object]
    problem: str = ""


def find_json(
    text: str,
    take: Callable[[ParsedJson], Sequence[FoundT]],
    *,
    opens: re.Pattern[str] = OBJECT,
    skip: Sequence[tuple[int, int]] = (),
    nested: bool = False,
    most: int | None = None,
    broken: Callable[[int, int, Broken], Iterable[FoundT]] | None = None,
) -> Iterator[FoundT]:
    """What ``take`` makes of each JSON value in a text, outside the spans to ``skip``.

    With ``nested`` the inside of a value that it makes nothing of is searched too. ``most`` bounds how
    many values are looked at. ``broken`` is given where something beyond mending begins and
    ends; without it the inside of that is searched.
    """
    done = spent = tried = failed = 0
    ends: dict[int, int] | None = None
    for opening in opens.finditer(text):
        start = opening.start()
        if start < done or _is_inside(start, skip):
            continue
        tried += 1
        if spent > 4 * len(text) + 50_000 or failed > _MOST_BROKEN or (most and tried > most):
            return  # nothing but brackets: no reply of a judge
        try:
            parsed = parse(text, start)
        except Broken as error:
            spent += error.at - start
            failed += 1
            if broken:
                ends = _closings(text) if ends is None else ends
                yield from broken(start, ends.get(start, len(text)), error)
                done = ends.get(start, done)
            continue
        found = take(parsed._replace(start=start))
        yield from found
        if found or not (nested or parsed.cut_in is not None):
            done = parsed.end
        else:
            spent += parsed.end - start


def parse_whole(text: str) -> ParsedJson | None:
    """The value of a text that is JSON from its first character to its last."""
    try:
        parsed = parse(text, strict=True)
    except Broken:
        return None
    return parsed if parsed.end == len(text) else None


def find_answer(text: str, names: Collection[str]) -> JsonAnswer:
    """The object that has at least one of the names as a key; several that differ are no answer."""
    said = spoken(text).strip(BLANK)
    problem = not_a_vote(said)
    if problem:
        return JsonAnswer({}, problem=problem)
    whole = parse_whole(said)
    found = [parsed.value for parsed in ([whole] if whole else _in_parts(said))]
    values = [v for v in found if isinstance(v, dict) and not names_in(v).isdisjoint(names)]
    if not values:
        return JsonAnswer({}, problem=f"no JSON object with {', '.join(names)} was found")
    if any(value != values[0] for value in values[1:]):
        return JsonAnswer({}, problem="the reply holds several answers that differ")
    return JsonAnswer(values[0])


def find_texts(text: str, name: str) -> list[str]:
    """The texts of an array in a reply, under the name or bare on a line of its own."""

    def take(parsed: ParsedJson) -> list[list[str]]:
        value = parsed.value
        listed = JsonFields(value).get(name) if isinstance(value, dict) else value
        texts = (
            [text for text in listed if isinstance(text, str)] if isinstance(listed, list) else []
        )
        return [texts] if texts else []

    parts = (part.text for part in cut(spoken(text)).counting if not part.cited)
    found = (
        texts
        for part in parts
        for texts in find_json(part, take, opens=_OBJECT_OR_LIST, most=MOST_VALUES)
    )
    return next(found, [])


def names_in(value: Mapping[str, object]) -> set[str]:
    """The keys of an object in snake case."""
    return set(map(snake, value))


def _in_parts(said: str) -> Iterator[ParsedJson]:
    for part in cut(said).counting:
        if not part.cited:
            yield from find_json(part.text, lambda parsed: [parsed], most=MOST_VALUES)


def _is_inside(start: int, spans: Sequence[tuple[int, int]]) -> bool:
    before = bisect_right(spans, (start, 0)) - 1
    return before >= 0 and start < spans[before][1]


def _closings(text: str) -> dict[int, int]:
    """Where each opening bracket is closed, roughly; those that never are have no entry."""
    opened: list[int] = []
    ends: dict[int, int] = {}
    for bracket in _BRACKETS.finditer(text):
        if bracket[0] == "{":
            opened.append(bracket.start())
        elif opened:
            ends[opened.pop()] = bracket.end()
    return ends


class JsonFields:
    """One JSON object with its keys in snake case; every read marks the key as known."""

    def __init__(
        self, value: Mapping[str, object], place: str = "", warnings: list[str] | None = None
    ) -> None:
        self.place = place
        self.warnings = [] if warnings is None else warnings
        self._names: dict[str, str] = {}
        self._values: dict[str, object] = {}
        self._known: set[str] = set()
        for key, item in value.items():
            name = snake(key)
            if self._values.get(name) is None:
                self._names[name], self._values[name] = key, item

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def get(self, name: str) -> object:
        """The value, or None; the key is no longer an extra."""
        self._known.add(name)
        return self._values.get(name)

    def alias(self, name: str, others: Iterable[str]) -> None:
        """Where ``name`` is missing, take the first of ``others`` that holds text for it."""
        for other in others:
            value = self._values.get(other)
            if name not in self and isinstance(value, str) and value.strip():
                self._values[name] = value
                self._known.add(other)
                self.warn(f"{self._names[other]} was read as {name}")

    def put(self, name: str, value: str) -> None:
        """What stands for ``name`` from now on."""
        self._names.setdefault(name, name)
        self._values[name] = value

    def text(self, name: str, required: bool = True) -> str:
        """The text; empty when it is missing, which is worth a warning if it is ``required``."""
        value = self.get(name)
        if value is None:
            if required:
                self.warn(f"{name} is missing")
            return ""
        if not isinstance(value, str):
            self.warn(f"{name} is {kind_of(value)}, not text")
        return as_text(value)

    def optional_text(self, name: str) -> str | None:
        """The text, or None when it is missing or null."""
        return self.text(name) if self.get(name) is not None else None

    def items(self, name: str) -> list[object]:
        """The items of an array; a lone object or text counts as an array of one."""
        value = self.get(name)
        if isinstance(value, list):
            return value
        if value is None or (isinstance(value, str) and says_nothing(value)):
            return []
        self.warn(f"{name} is {kind_of(value)}, not an array")
        return [value]

    def extras(self) -> Extras:
        """The keys that nobody asked for, each with a warning; nulls are not worth one."""
        unknown = {
            self._names[name]: value
            for name, value in self._values.items()
            if name not in self._known and value is not None
        }
        if unknown:
            self.warn(f"unknown keys: {', '.join(unknown)}")
        return tuple((key, compact(value)) for key, value in unknown.items())

    def warn(self, message: str) -> None:
        self.warnings.append(f"{self.place}: {message}" if self.place else message)


def as_text(value: object) -> str:
    """Text as it is, a list of texts as lines, anything else as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(value)
    return compact(value)


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def kind_of(value: object) -> str:
    """What JSON calls the type of a value, with its article."""
    if isinstance(value, bool):
        return "a boolean"
    for kind, name in (
        (str, "text"),
        (list, "an array"),
        (dict, "an object"),
        (type(None), "null"),
    ):
        if isinstance(value, kind):
            return name
    return "a number"


def says_nothing(text: str) -> bool:
    """``None``, ``N/A``, ``no findings`` and the like."""
    words = text.strip(" \t\r\n.*_`-[]").lower()
    return words in ("", "none", "n/a", "na", "null", "nothing", "no findings", "no issues")
