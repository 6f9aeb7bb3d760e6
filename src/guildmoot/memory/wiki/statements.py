"""Statements of two pages that cannot both be right: one denies the other, or has another number. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from guildmoot.guard.commands.words import names
from guildmoot.text.english import stem
from guildmoot.text.patterns import lazy

_SENTENCE = lazy(r"(?<=[.!?])\s+|\n+")
_TOKEN = lazy(r"(?<![#\w.])\d+(?:[.,]\d+)*%?|[^\W\d_]+(?:['’][^\W\d_]+)?|#?\w+")
_NUMBER = lazy(r"\d+(?:[.,]\d+)*%?")
_NO = names("not never no cannot isn't aren't doesn't don't won't can't wasn't mustn't")
_EMPTY = names("the a an do does did longer currently now always usually any")
_STATES = names("""is are was were be has have must should shall can may will takes needs uses equals defaults expires
    holds keeps allows supports requires lasts costs runs returns listens retries waits""")
"""Words that make a line a statement."""
_TURNED = {
    stem(turned): stem(plain)
    for plain, turned in (
        ("enabled", "disabled"), ("on", "off"), ("allowed", "forbidden"), ("permitted", "prohibited"),
        ("required", "optional"), ("mandatory", "optional"), ("true", "false"), ("public", "private"),
        ("synchronous", "asynchronous"), ("supported", "unsupported"), ("accept", "reject"),
        ("include", "exclude"), ("safe", "unsafe"), ("open", "closed"), ("possible", "impossible"),
    )
}  # fmt: skip
_FEWEST, _LONGEST, _MOST = 3, 30, 400


class PageStatement(NamedTuple):
    """A sentence, and what of it another could deny."""

    text: str
    frame: tuple[str, ...]
    """Its words but for denials and numbers; opposites have one word."""
    denied: bool
    numbers: tuple[str, ...]
    states: bool
    """Whether it says that something is so, or not; an order becomes a statement by the other that denies it."""


def statements(text: str) -> Iterator[PageStatement]:
    """The sentences of a text that state something."""
    made = filter(None, map(_statement, sentences(text)))
    yield from islice(made, _MOST)


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text; headings, tables, code, questions and what announces a list are none."""
    for row in _SENTENCE.split(text):
        line = row.strip(" -*>\t")
        if row.startswith("    ") or "|" in line or "=" in line or line.endswith(("?", ":", "(")):
            continue
        if line and not line.startswith(("#", "`", "<", "[", "..", "{", ":")):
            yield line


def _statement(line: str) -> PageStatement | None:
    tokens = _TOKEN.findall(line.casefold().replace("’", "'"))
    if not _FEWEST < len(tokens) <= _LONGEST:
        return None
    denied, frame, numbers = False, list[str](), list[str]()
    for token in tokens:
        if token in _NO:
            denied = not denied
        elif _NUMBER.fullmatch(token):
            numbers.append(token)
            frame.append("0")
        elif token not in _EMPTY:
            word = stem(token)
            denied ^= word in _TURNED
            frame.append(_TURNED.get(word, word))
    if len(frame) - len(numbers) < _FEWEST:
        return None
    states = bool((_STATES | _NO).intersection(tokens))
    return PageStatement(line, tuple(frame), denied, tuple(numbers), states)


def contradiction(one: str, other: str) -> tuple[str, str] | None:
    """The first two sentences of two texts that cannot both be right."""
    known: dict[tuple[str, ...], PageStatement] = {}
    for each in statements(one):
        known.setdefault(each.frame, each)
    for each in statements(other):
        first = known.get(each.frame)
        differ = first and (first.denied, first.numbers) != (each.denied, each.numbers)
        if first and differ and (first.states or each.states):
            return first.text, each.text
    return None
