"""Finds the JSON objects in a reply that state a verdict, and where the reply makes them doubtful."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from guildmoot.reading.council.coerce import as_text, snake
from guildmoot.reading.council.parts import Part
from guildmoot.reading.council.repair import Broken, Parsed, parse
from guildmoot.reading.council.scales import read_verdict_word
from guildmoot.reading.council.verdict import CouncilVerdict, Verdict

ROOT_KEYS = frozenset(CouncilVerdict._fields) - {"verdict", "extras"}
_QUOTE = "[\"'`“”„‘’]?"
_OPENS = re.compile(rf"\{{(?=\s*(?:{_QUOTE}[A-Za-z_$][\w $.-]{{0,40}}{_QUOTE}\s*:|//|/\*|#))")
_SAYS = re.compile(rf"{_QUOTE}\bverdict\b{_QUOTE}\s*:\s*{_QUOTE}(PASS|WARN|FAIL)\b", re.IGNORECASE)
_SPAN = re.compile(r"(?<!`)(`+)(?!`)[^\n]*?[^`\n]\1(?!`)")
_DEEPEST_WRAPPING = 2


class Statement(NamedTuple):
    """One object that states a verdict."""

    value: dict[str, object]
    word: Verdict | None
    """None when its word is not PASS, WARN or FAIL."""
    parsed: Parsed
    whole: bool = False
    """It is all that the reply says."""
    cited: bool = False
    """It stands where the reply seems to quote: it may contradict, not decide."""
    broken: str = ""
    """Why it could not be read; then only its word is known, and it cannot decide."""

    @property
    def said(self) -> object:
        """The verdict as it was written."""
        return next((value for key, value in self.value.items() if snake(key) == "verdict"), None)

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
        if start < done or any(first < start < last for first, last in spans):
            continue
        if spent > 20 * len(text) + 100_000:
            break  # nothing but opening brackets: no reply of a judge
        try:
            parsed = parse(text, start)
        except Broken as broken:
            spent += broken.at - start
            yield from _unreadable(text[start : broken.at + 1], broken, part.cited)
            continue
        statements = state(parsed, cited=part.cited)
        yield from statements
        if statements or parsed.cut_in is None:
            done = parsed.end
        else:
            spent += parsed.end - start


def _unreadable(text: str, broken: Broken, cited: bool) -> Iterator[Statement]:
    said = _SAYS.search(text)
    if said and text.count("{", 0, said.start()) == 1:
        word = read_verdict_word(said[1])
        value: dict[str, object] = {"verdict": as_text(word)}
        yield Statement(value, word, Parsed(None, broken.at), False, cited, broken.reason)
