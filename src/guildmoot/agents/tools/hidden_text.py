"""Finds signs that nobody sees and that make code read otherwise than it runs."""

from __future__ import annotations

from collections.abc import Iterator

from guildmoot.agents.tools.rdjsonl import ToolFinding
from guildmoot.text.languages import language_in
from guildmoot.text.patterns import lazy
from guildmoot.text.turned import is_deceit, is_turned

_ANY = lazy(
    "[\0\u115f\u1160\u200b\u202a-\u202e\u2060-\u2064\u2066-\u2069\u3164\uffa0\U000e0000-\U000e01ef]"
)
_BLANKS = lazy("[\u115f\u1160\u3164\uffa0]")
_HANGUL = lazy("[\u1100-\u115e\u1161-\u11ff\u3131-\u3163\u3165-\u318e\uac00-\ud7a3\uffa1-\uffdc]")
_BETWEEN = lazy("[\u200b\u2060-\u2064]")
_CARRIERS = lazy("[\U000e0000-\U000e01ef]")
_FLAG = "\U0001f3f4"
"""The flags of some regions are written with such letters behind it."""
_MANY = 8
"""Letters without a shape, from which on they carry something."""
_GOES_ON = lazy(
    r"(?m)(?:\A|(?<=[^\\]\n)|(?<=^\n))[ \t]*//[^\n]*\\[ \t]*\r?\n(?=[ \t]*(?!//|/\*|\*)[^\s\\])"
)
"""A comment of C whose last sign takes the line of code below along."""
_OF_C = frozenset(("C", "C++", "Objective-C"))
_BUILDS = frozenset(("Makefile", "CMake"))


def hidden_text(path: str, text: str) -> Iterator[ToolFinding]:
    """What one file hides, line by line; of Python, ruff tells the rest."""
    if not _ANY.search(text):
        return
    language = language_in(path, text)
    data = language.kind == "data" and "\0" in text
    if language.kind != "code" and language.name not in _BUILDS and not data:
        return
    told = (
        frozenset(("text-turned", "unseen-sign")) if language.name == "Python" else frozenset[str]()
    )
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        for message, code, sure in _of_line(line) if _ANY.search(line) else ():
            if code not in told:
                weight = "ERROR" if sure else "WARNING"
                yield ToolFinding(message, code, weight, path, number)


def swallowed_code(path: str, text: str) -> Iterator[ToolFinding]:
    """Lines of code that a comment of C above them swallows, for it ends with a backslash."""
    if language_in(path, text).name not in _OF_C:
        return
    for found in _GOES_ON.finditer(text):
        at = found.start()
        if text.rfind("/*", 0, at) <= text.rfind("*/", 0, at):  # not within a longer comment
            message = "the backslash at its end makes the line of code below a part of this comment"
            line = text.count("\n", 0, at) + 1
            yield ToolFinding(message, "comment-goes-on", "ERROR", path, line)


def _of_line(line: str) -> Iterator[tuple[str, str, bool]]:
    if is_turned(line):
        message = "a sign that nobody sees turns the order of this line around: it reads otherwise than it runs"
        yield message, "text-turned", is_deceit(line)
    if _BLANKS.search(line) and not _HANGUL.search(line):
        quoted = all(_is_quoted(line, found.start()) for found in _BLANKS.finditer(line))
        yield "a letter that looks like a blank stands here", "unseen-letter", not quoted
    if len(_CARRIERS.findall(line)) >= _MANY and _FLAG not in line:
        yield "letters without a shape carry a text that nobody sees", "unseen-text", True
    if "\0" in line:
        message = "a zero byte stands here: git and pages of reviews take the file for binary and show none of it"
        yield message, "unseen-byte", True
    if _BETWEEN.search(line):
        yield "a sign that nobody sees stands here", "unseen-sign", False


def _is_quoted(line: str, at: int) -> bool:
    return any(line.count(quote, 0, at) % 2 and quote in line[at:] for quote in "\"'`")
