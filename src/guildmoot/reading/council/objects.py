"""Finds the JSON objects in a reply that state a verdict, and where the reply makes them doubtful."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from guildmoot.model.council_verdict import CouncilVerdict, CouncilWord
from guildmoot.reading.council.coerce import snake
from guildmoot.reading.council.parts import Part
from guildmoot.reading.council.repair import Broken, Parsed, parse
from guildmoot.reading.council.scales import read_verdict_word

ROOT_KEYS = frozenset(CouncilVerdict._fields) - {"verdict", "extras"}
_QUOTE = "[\"'`“”„‘’]?"
_OPENS = re.compile(rf"\{{(?=\s*(?:{_QUOTE}[A-Za-z_$][\w $.-]{{0,40}}{_QUOTE}\s*:|//|/\*|#))")
_SAYS = re.compile(rf"{_QUOTE}\bverdict\b{_QUOTE}\s*:\s*{_QUOTE}(PASS|WARN|FAIL)\b", re.IGNORECASE)
_SPAN = re.compile(r"(?<!`)(`+)(?!`)[^\n]*?[^`\n]\1(?!`)")
_BRACKETS = re.compile(r"[{}]")
_DEEPEST_WRAPPING = 2


class Statement(NamedTuple):
    """One object that states a verdict."""

    value: dict[str, object]
    word: CouncilWord | None
    """None when its word is not PASS, WARN or FAIL."""
    parsed: Parsed
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
    def keys(self) -> frozenset[str]:
        return frozenset(map(snake, self.value))


def state(parsed: Parsed, whole: bool = False, cited: bool = False) -> list[Statement]:
    """The verdicts in a JSON value: itself, what it wraps, or the items of an array."""
    statements = []
    for value in _dig(parsed.value, _DEEPEST_WRAPPING):
        made = Statement(value, None, parsed, whole, cited)
        said = made.said
        if isinstance(said, list) and len(said) == 1:
            said = said[0]
        # a lone key is how the work would be quoted, and no verdict of a council
        lone = not whole and not made.keys & ROOT_KEYS
        statements.append(made._replace(word=read_verdict_word(said), cited=cited or lone))
    return statements


def _dig(value: object, depth: int) -> Iterator[dict[str, object]]:
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict) and _has_verdict(item):
                yield item
    elif isinstance(value, dict):
        inner = [found for child in value.values() if depth for found in _inner(child, depth - 1)]
        if _has_verdict(value):
            # a verdict may be an object with the verdict in it
            own = next(child for key, child in value.items() if snake(key) == "verdict")
            yield from _inner(own, 0) if isinstance(own, dict) and _has_verdict(own) else [value]
        else:
            yield from inner


def _inner(child: object, depth: int) -> list[dict[str, object]]:
    """Lists inside an object are not looked into: they hold other judges, or history."""
    return list(_dig(child, depth)) if isinstance(child, dict) else []


def _has_verdict(value: dict[str, object]) -> bool:
    return any(snake(key) == "verdict" for key in value)


def find(part: Part) -> Iterator[Statement]:
    """The objects in a part of a reply that state a verdict, those beyond mending included."""
    text = part.text
    spans = [span.span() for span in _SPAN.finditer(text)]
    done = spent = 0
    for opening in _OPENS.finditer(text):
        start = opening.start()
        if start < done or _is_inside(start, spans):
            continue
        if spent > 4 * len(text) + 50_000:
            break  # nothing but opening brackets: no reply of a judge
        try:
            parsed = parse(text, start)
        except Broken as broken:
            end = _extent(text, start)
            yield from _unreadable(text[start : end or len(text)], broken, part.cited)
            done = end or done
            spent += broken.at - start
            continue
        statements = state(parsed, cited=part.cited)
        yield from statements
        if statements or parsed.cut_in is None:
            done = parsed.end
        else:
            spent += parsed.end - start


def _is_inside(start: int, spans: list[tuple[int, int]]) -> bool:
    before = bisect_right(spans, (start, 0)) - 1
    return before >= 0 and start < spans[before][1]


def _extent(text: str, start: int) -> int:
    """Where the bracket that opens at ``start`` is closed, roughly; 0 when it never is."""
    depth = 0
    for bracket in _BRACKETS.finditer(text, start):
        depth += 1 if bracket[0] == "{" else -1
        if not depth:
            return bracket.end()
    return 0


def _unreadable(text: str, broken: Broken, cited: bool) -> Iterator[Statement]:
    said = _SAYS.search(text)
    if said:
        word = read_verdict_word(said[1])
        yield Statement({"verdict": word}, word, Parsed(None, 0), False, cited, broken.reason)
