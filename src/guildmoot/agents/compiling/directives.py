"""Directives: conditions that pair up no longer, words that are none, includes without an end. Pure.

Grammars read past most of it, and compilers refuse it before they read anything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from guildmoot.text.patterns import lazy
from guildmoot.text.slips import is_near

LANGUAGES = ("C", "C++", "Objective-C", "C#")
_C_WORDS = """
if ifdef ifndef elif elifdef elifndef else endif define undef include include_next import line error warning pragma
ident sccs assert unassert embed
"""
_SHARP_WORDS = """
if elif else endif define undef line error warning region endregion pragma nullable load
"""
_KNOWN = {"C#": frozenset(_SHARP_WORDS.split())}
_OF_C = frozenset(_C_WORDS.split())
_OPENS = ("if", "ifdef", "ifndef")
_ELSE = ("else", "elif", "elifdef", "elifndef")
_STRING = r'"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\\n])*'"
_ASIDE = {
    "C#": lazy(
        r'^[ \t]*#[^\n]*|(?P<drop>//[^\n]*|/\*.*?(?:\*/|\Z)|(?P<q>"{3,}).*?(?P=q)|\$?@\$?"(?:""|[^"])*"|'
        + _STRING
        + ")",
        re.DOTALL | re.MULTILINE,
    ),
}
_ASIDE_OF_C = lazy(
    r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])|(?P<drop>//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z)"
    r'|\bu?8?[LU]?R"(?P<tag>[^()\s\\]{0,16})\(.*?\)(?P=tag)"|' + _STRING + r"|\\\n)",
    re.DOTALL,
)
_DIRECTIVE = lazy(r"^[ \t]*#[ \t]*([A-Za-z_]\w*)")
_INCLUDE = lazy(r"^[ \t]*#[ \t]*(?:include|include_next|import)\b[ \t]*(.*)$")


def broken_directives(language: str, before: str | None, after: str) -> Iterator[tuple[int, str]]:
    """What is wrong after a change and was not before; None stands for a file that is new."""
    if language not in LANGUAGES or "#" not in after:
        return
    then, now = _clean(before or ""), _clean(after)
    fault = _unpaired(language, now)
    if fault and _is_odd(now) and not _unpaired(language, then):
        yield fault
    stood = {line.strip() for line in then.split("\n")}
    known = _KNOWN.get(language, _OF_C)
    rows = now.split("\n")
    for line, word in _directives(language, now):
        row = rows[line - 1]
        if row.strip() in stood:
            continue
        if word not in known and any(is_near(word, each) for each in known if len(each) > 2):
            yield line, f"`#{word}` is no directive"
        elif language != "C#" and _is_open(row):
            yield line, f"the name that is included has no end: `{row.strip()}`"


def _clean(text: str) -> str:
    return text.lstrip("\ufeff").replace("\r\n", "\n")


def _is_open(row: str) -> bool:
    """Whether an include begins a name and does not end it."""
    found = _INCLUDE.match(row)
    rest = found[1].strip() if found else ""
    return (rest[:1] == "<" and ">" not in rest) or (rest[:1] == '"' and '"' not in rest[1:])


def _is_odd(text: str) -> bool:
    """Whether the plain lines do not pair up either, in case that what looks like a literal is none."""
    words = [found[1] for found in map(_DIRECTIVE.match, text.split("\n")) if found]
    opened = sum(word in _OPENS for word in words)
    regions = words.count("region") - words.count("endregion")
    strays = sum(word in _ELSE for word in words) > 0
    return opened != words.count("endif") or regions != 0 or strays


@lru_cache(maxsize=16)
def _directives(language: str, text: str) -> tuple[tuple[int, str], ...]:
    """The line and the word of each, outside of comments and literals."""
    bare = _ASIDE.get(language, _ASIDE_OF_C).sub(_blank, text)
    found = enumerate(map(_DIRECTIVE.match, bare.split("\n")), start=1)
    return tuple((line, hit[1]) for line, hit in found if hit)


def _blank(found: re.Match[str]) -> str:
    """Nothing in its place, on as many lines; what follows a line that goes on begins none."""
    dropped = found["drop"]
    if dropped is None:
        return found[0]
    if dropped.startswith("/*"):
        return re.sub(r"[^\n]", " ", dropped)
    return "\n".join("_" for _ in range(dropped.count("\n") + 1)) if "\n" in dropped else " "


def _unpaired(language: str, text: str) -> tuple[int, str] | None:
    """The first directive without its partner."""
    stack = list[tuple[str, int]]()
    for line, word in _directives(language, text):
        top = stack[-1][0] if stack else ""
        if word in _OPENS or (language == "C#" and word == "region"):
            stack.append(("region" if word == "region" else "if", line))
        elif word in _ELSE:
            if top != "if":
                return line, f"`#{word}` stands in no `#if`"
            if word == "else":
                stack[-1] = ("else", stack[-1][1])
        elif word == "endif":
            if top not in ("if", "else"):
                return line, "`#endif` ends nothing"
            stack.pop()
        elif language == "C#" and word == "endregion":
            if top != "region":
                return line, "`#endregion` ends nothing"
            stack.pop()
    if not stack:
        return None
    kind, line = stack[-1]
    return (
        line,
        "`#region` is never ended" if kind == "region" else "this condition has no `#endif`",
    )
