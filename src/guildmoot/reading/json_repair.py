"""Reads JSON as judges write it: strict first, else with the faults that have one plain meaning.

Mended are trailing and forgotten commas, single and typographic quotes, keys and words without
quotes, comments, Python's and JavaScript's constants, line breaks and quotes inside a text, and an
end that is missing. Anything else is a ``ValueError``: a guess would be worse than asking again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

_DEEPEST = 40
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_JOINTS = re.compile(r"[\s\-_.]+")
_BLANK = re.compile(r"[\s\u00a0\u200b\u200c\u200d\ufeff]+")
_COMMENT = re.compile(r"//[^\n]{0,500}|#[^\n]{0,500}|/\*(?:[^*]|\*(?!/)){0,500}\*/")
_WORD = re.compile(r"[A-Za-z_$][\w$-]*")
_NUMBER = re.compile(r"-?(?:\d{1,30}(?:\.\d{1,30})?|\.\d{1,30})(?:[eE][+-]?\d{1,3})?(?![\w.])")
_CODED = re.compile(r"(?:\\u[0-9a-fA-F]{4})+")
_QUOTES = {'"': '"', "'": "'", "“": "”", "”": "”", "„": "“”", "‘": "’", "’": "’", "`": "`"}
_CONSTANTS: dict[str, object] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("null", "None", "undefined", "NaN", "nil"), None),
}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_WEIGHTY = ("verdict", "severity", "findings")
"""Keys that may not be said twice, however they are spelt."""
_LITERAL = frozenset("\"'\\/`“”’‘")


@lru_cache(1024)
def snake(key: str) -> str:
    """``keyInsight``, ``Key Insight`` and ``key-insight`` as ``key_insight``."""
    return _JOINTS.sub("_", _HUMP.sub("_", key.strip())).lower()


class ParsedJson(NamedTuple):
    """A value, where it ends, and what had to be mended for it."""

    value: object
    end: int
    repairs: tuple[str, ...] = ()
    mended: bool = False
    """It was not JSON as it stood."""
    cut_in: tuple[str, ...] | None = None
    """The keys on the way to the place where the text was cut off; None when it was not."""
    start: int = 0
    """Where it begins in the text that was searched."""
    comments: tuple[str, ...] = ()
    """What its comments say: words of the judge that stand in no field."""


class Broken(ValueError):
    """The text cannot be read as JSON, and where that showed."""

    def __init__(self, reason: str, at: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at


def parse(text: str, start: int = 0, strict: bool = False) -> ParsedJson:
    """The JSON value that begins at ``start``; raises ``Broken`` when there is none.

    Unless it is ``strict``, faults are mended and told in the result.
    """
    repairs: list[str] = []
    decoder = json.JSONDecoder(
        object_pairs_hook=lambda pairs: merge(pairs, repairs), parse_constant=lambda _: None
    )
    try:
        value, end = decoder.raw_decode(text, start)
    except json.JSONDecodeError as error:
        if strict:
            raise Broken(error.msg, error.pos) from error
        read = error.pos
    except (ValueError, RecursionError) as error:  # a number or a nesting beyond all measure
        raise Broken("too deep or too long to be a verdict", len(text)) from error
    else:
        if _deeper_than(value, _DEEPEST):
            raise Broken("nested too deep to be a verdict", end)
        return ParsedJson(value, end, tuple(dict.fromkeys(repairs)))
    try:
        return _Mender(text, start).parse()
    except Broken as error:  # it tells how much was read for nothing, so that callers can stop
        error.at = max(error.at, read)
        raise


def merge(pairs: list[tuple[str, object]], repairs: list[str]) -> dict[str, object]:
    """The object of these members. Two verdicts that differ make a word that is none."""
    merged: dict[str, object] = {}
    names: dict[str, str] = {}
    for key, value in pairs:
        name = snake(key)
        if name in _WEIGHTY:
            key = names.setdefault(name, key)
        if key in merged and merged[key] != value:
            repairs.append(f"the key {key} stands twice; {_settled(name, merged[key], value)[1]}")
            value = _settled(name, merged[key], value)[0]
        merged[key] = value
    return merged


def _settled(name: str, first: object, last: object) -> tuple[object, str]:
    """What two values of one key come to, and how: nothing that weighs is lost."""
    if isinstance(first, list) and isinstance(last, list):
        return [*first, *last], "both count"
    if name in _WEIGHTY and first is not None:
        return f"{first} and then {last}", "neither counts"
    return last, "the last one counts"


def _deeper_than(value: object, limit: int) -> bool:
    level: list[object] = [value]
    for _ in range(limit):
        level = [
            child
            for item in level
            if isinstance(item, list | dict)
            for child in (item.values() if isinstance(item, dict) else item)
        ]
        if not level:
            return False
    return True


class _Mender:
    """One pass over a text that is nearly JSON."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at
        self.repairs: dict[str, None] = {}
        self.comments: list[str] = []
        self.path: list[str] = []
        self.cut_in: tuple[str, ...] | None = None
        self.new_line = False
        """The last white space held a line break."""

    def parse(self) -> ParsedJson:
        self._skip()
        value = self._value()
        repairs, comments = tuple(self.repairs), tuple(self.comments)
        return ParsedJson(value, self.at, repairs, True, self.cut_in, comments=comments)

    def _value(self) -> object:
        mark = self._peek()
        if len(self.path) > _DEEPEST:
            raise self._broken("nested too deep to be a verdict")
        if mark == "{":
            return self._object()
        if mark == "[":
            return self._array()
        if mark in _QUOTES:
            return self._string(self._ends_value)
        return self._bare()

    def _object(self) -> dict[str, object]:
        pairs: list[tuple[str, object]] = []
        self.at += 1
        while self._more("}", bool(pairs)):
            key = self._key()
            if self._cut():
                break
            if self._peek() != ":":
                raise self._broken(f"a colon is missing after {key[:40]!r}")
            self.at += 1
            self._skip()
            self.path.append(key)
            if not self._cut():
                pairs.append((key, self._value()))
            self.path.pop()
        repeated: list[str] = []
        merged = merge(pairs, repeated)
        self.repairs.update(dict.fromkeys(repeated))
        return merged

    def _array(self) -> list[object]:
        items: list[object] = []
        self.at += 1
        self.path.append("[]")
        while self._more("]", bool(items)):
            items.append(self._value())
        self.path.pop()
        return items

    def _more(self, closer: str, begun: bool) -> bool:
        """Step over a comma; False when the closing bracket was passed or the text is over."""
        self._skip()
        if begun and self._peek() == ",":
            self.at += 1
            self._skip()
            if self._peek() == closer:
                self._mended("a trailing comma")
        elif begun and self._peek() not in (closer, ""):
            if not self.new_line:
                raise self._broken("a comma is missing")
            self._mended("a missing comma")
        if self._cut():
            return False
        if self._peek() == closer:
            self.at += 1
            return False
        return True

    def _key(self) -> str:
        if self._peek() in _QUOTES:
            key = self._string(lambda _: True)  # no key has quotes in it
        else:
            word = _WORD.match(self.text, self.at)
            if not word:
                raise self._broken("a key is missing")
            key, self.at = word[0], word.end()
            self._mended("a key without quotes")
        self._skip()
        return key

    def _bare(self) -> object:
        """A number, a constant, or a single word that should have been quoted."""
        token = _NUMBER.match(self.text, self.at) or _WORD.match(self.text, self.at)
        if not token or not self._ends_value(token.end()):
            raise self._broken("a value is missing or cannot be read")
        self.at = token.end()
        if self._cut():
            return None  # it may have gone on where the text does not
        if token.re is _NUMBER:
            return float(token[0]) if set(token[0]) & set(".eE") else int(token[0])
        if token[0] not in ("true", "false", "null"):
            self._mended("a word that is not JSON")
        return _CONSTANTS.get(token[0], token[0])

    def _string(self, ends: Callable[[int], bool]) -> str:
        closers = _QUOTES[self.text[self.at]]
        if self.text[self.at] != '"':
            self._mended("quotes that are not JSON's")
        self.at += 1
        parts: list[str] = []
        while self.at < len(self.text):
            mark = self.text[self.at]
            if mark in closers and ends(self.at + 1):
                self.at += 1
                return "".join(parts)
            if mark == "\\":
                parts.append(self._escape())
                continue
            if mark in closers:
                self._mended("quotes inside a text")
            elif mark < " ":
                self._mended("a line break or control character inside a text")
            parts.append(mark)
            self.at += 1
        self._cut()
        # what a word would have become is not for us to say
        return "" if self.path[-1:] and snake(self.path[-1]) == "verdict" else "".join(parts)

    def _escape(self) -> str:
        coded = _CODED.match(self.text, self.at)
        if coded:  # all at once, since two may stand for one character
            self.at = coded.end()
            return str(json.loads(f'"{coded[0]}"'))
        after = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        if after in _ESCAPES:
            return _ESCAPES[after]
        if after in _LITERAL or after == "":
            return after
        self._mended("a backslash that escapes nothing")
        return "\\" + after

    def _ends_value(self, at: int) -> bool:
        """Whether what follows can follow a value: a comma, a bracket, a new line, or nothing."""
        end = self._after_blank(at)
        if self.text[end : end + 1] in ("", ",", "}", "]") or self.text.startswith(
            ("//", "/*"), end
        ):
            return True
        return "\n" in self.text[at:end] and self.text[end] in _QUOTES

    def _after_blank(self, at: int) -> int:
        blank = _BLANK.match(self.text, at)
        return blank.end() if blank else at

    def _skip(self) -> None:
        """Pass over white space and comments."""
        self.new_line = False
        while passed := _BLANK.match(self.text, self.at) or _COMMENT.match(self.text, self.at):
            if passed.re is _COMMENT:
                self._mended("a comment")
                self.comments.append(passed[0].strip("/*# \t\n"))
            self.new_line |= "\n" in passed[0]
            self.at = passed.end()

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _cut(self) -> bool:
        if self.at < len(self.text):
            return False
        if self.cut_in is None:
            self.cut_in = tuple(self.path)
            self._mended("an end that was cut off")
        return True

    def _mended(self, what: str) -> None:
        self.repairs[what] = None

    def _broken(self, reason: str) -> Broken:
        line = self.text.count("\n", 0, self.at) + 1
        return Broken(f"{reason} (line {line})", self.at)
