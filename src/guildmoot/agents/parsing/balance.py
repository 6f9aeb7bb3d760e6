"""Brackets and quotes, counted: what can be told of a file whose grammar is not to be relied on."""

from __future__ import annotations

import re

from guildmoot.named import NamedTuple
from guildmoot.text.patterns import lazy

_PAIRS = {b")": b"(", b"]": b"[", b"}": b"{"}
_OPENING = frozenset(_PAIRS.values())

_C = rb"//[^\n]*|/\*.*?(?:\*/|(?P<comment>\Z))"
_STRING = rb'"(?:\\.|[^"\\\n])*"|' + rb"'(?:\\.|[^'\\\n])*'"
_URL = rb"url\((?:\s*(?:" + _STRING + rb")\s*|(?:[^()\n]|\([^()\n]*\))*)\)"
_FORMS = {
    "c": _C + rb'|R"(?P<raw>[^(\s]*)\(.*?\)(?P=raw)"|' + _STRING,
    "css": rb"/\*.*?(?:\*/|(?P<comment>\Z))|//[^\n]*|" + _URL + rb"|" + _STRING,
    "sql": rb"--[^\n]*|/\*.*?(?:\*/|(?P<comment>\Z))|'(?:''|\\.|[^'\\])*'|"
    rb'"[^"\n]*"|`[^`\n]*`|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$',
    "text3": _C + rb'|""".*?"""|' + _STRING,
}
_LANGUAGES = {
    **dict.fromkeys(("C", "C++", "Objective-C"), "c"),
    **dict.fromkeys(("C#", "Kotlin", "Swift", "Scala", "Groovy"), "text3"),
    **dict.fromkeys(("CSS", "SCSS", "Less"), "css"),
    "SQL": "sql",
}
_TOKENS = {form: lazy(rule + rb"|(?P<sign>[()\[\]{}])", re.DOTALL) for form, rule in _FORMS.items()}


class Imbalance(NamedTuple):
    """The first bracket that has no partner."""

    line: int
    reason: str


def imbalance(name: str, text: bytes) -> Imbalance | None:
    """What does not pair up in a text of this language; None also where that cannot be told."""
    form = _LANGUAGES.get(name)
    if form is None:
        return None
    if form in ("c", "text3"):
        from guildmoot.agents.parsing.gaps import first_branches

        text = first_branches(text)
    stack: list[tuple[bytes, int]] = []
    for token in _TOKENS[form].finditer(text):
        if token.lastgroup == "comment":
            return Imbalance(_line(text, token.start()), "a comment is never closed")
        sign = token["sign"]
        if sign is None:
            continue
        if sign in _OPENING:
            stack.append((sign, token.start()))
        elif not stack or stack[-1][0] != _PAIRS[sign]:
            return _unpaired(text, stack, sign, token.start())
        else:
            stack.pop()
    if stack:
        sign, at = stack[-1]
        return Imbalance(_line(text, at), f"`{sign.decode()}` is never closed")
    return None


def _unpaired(text: bytes, stack: list[tuple[bytes, int]], sign: bytes, at: int) -> Imbalance:
    if not stack:
        return Imbalance(_line(text, at), f"`{sign.decode()}` closes nothing")
    opened, where = stack[-1]
    opened_at = f"`{opened.decode()}` of line {_line(text, where)}"
    return Imbalance(_line(text, at), f"`{sign.decode()}` stands where {opened_at} must be closed")


def _line(text: bytes, at: int) -> int:
    return text.count(b"\n", 0, at) + 1
