"""Whether a change took a name's declaration away, or misspelt a name, told from both texts alone.

A judge that reads one file cannot say that a name is wrong: another file may give it. That the change removed the
line which declared or imported it, while what uses it stays, can be said; or that one letter of it changed.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from guildmoot.text.patterns import lazy
from guildmoot.text.slips import KEYWORDS, is_near, passages

_LONG = 400
"""Letters from which on nobody wrote a line by hand."""
_TOKEN = lazy(r"\w+|[^\w\s]")
_IMPORT = r"(?:import|from|use|using|require|package|export|open|alias|@import)\b"
_KEYWORDS = (
    "def|defp|fun|func|function|fn|class|struct|enum|interface|trait|object|module|type|typedef|typealias|protocol"
    "|val|var|let|const|static|local|mut|namespace|record|union|mod|macro|macro_rules!|for|declare"
)
_DEFINES = (
    "def|fun|func|function|fn|class|struct|enum|interface|trait|object|module|type|typedef|typealias|protocol"
    "|namespace|record|union|macro"
)
_NO_TYPE = r"(?!\s*(?:<[^;=()]*>)?\s*[&*]+\s*\w)"
"""Not ``const x<A>& y`` nor ``static x* y``, which name a type."""
_NOT_TYPES = (
    "return|new|throw|throws|else|await|in|case|goto|yield|and|or|not|do|then|if|while|echo|print|puts|raise|delete"
    "|typeof|sizeof|co_return|extends|implements|instanceof|is|as|for|import|from|public|private|protected|internal"
)
_UNLISTED = lazy(
    r"^\s*(?:#\s*(?:include|import)\b|@?import\s+\w+\s*$|using\s|require(?:_relative|_once)?\b|include(?:_once)?\b|extend\s"
    r"|prepend\s|\.\s+\S|source\s|use\s+[\w\\]+;|(?:import|use|from)\b.*(?:[*]|\._)|open\s)"
)
"""Lines that bring names which they do not list."""
_CONDITION = lazy(r"\s*#\s*(?:if|ifdef|ifndef|elif|else|endif)\b")
_SUPER = lazy(
    r"\b(?:extends|object\s*:|(?:class|struct|object|trait|interface|enum|record|protocol)\s+\w)"
    r".*(?:[:<(]|extends|implements|with)\s*\w|\bobject\s*:\s*\w"
)
_GIVES_ALL = lazy(r"""["'](?:@jest/globals|vitest|mocha|jasmine|bun:test|[^"']*\bcypress)["']""")
"""Packages whose names a script may have without asking for them."""


def was_taken_away(before: str, after: str, name: str) -> bool:
    """Whether the change removed what declared the name, and brought nothing that may give it unseen."""
    lost, added = _moved(before, after)
    if any(_UNLISTED.match(line) or _SUPER.search(line) for line in added):
        return False
    if any(_CONDITION.match(line) for line in lost):  # it was there for some builds only
        return False
    if any(name in line and _GIVES_ALL.search(line) for line in lost):
        return False
    declares, grouped = _declaring(name), _grouped(name)
    if any(name in line and declares.search(line) for line in added):
        return False
    return any(name in line and (declares.search(line) or grouped.match(line)) for line in lost)


def misspelt(before: str, after: str, line: int, name: str) -> str:
    """What stood where the name now stands, if that is one letter away and the file still declares it; else empty."""
    if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", before):
        return ""
    bare = name.removeprefix("$")
    sign = name[: len(name) - len(bare)]
    for each in passages(before, after):
        if each.first <= line <= each.last:
            was, now = _replaced(each.before, each.after)
            meant = was if now == bare else ""
            declared = meant in KEYWORDS or _is_declared(after, sign + meant)
            if meant and is_near(bare, meant) and declared:
                return meant
    return ""


@lru_cache(maxsize=16)
def _replaced(before: str, after: str) -> tuple[str, str]:
    """The one word that became another, where all else stayed, and that other."""
    if len(before) > _LONG * 8:
        return "", ""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    if len(old) != len(new):
        return "", ""
    differ = [(was, now) for was, now in zip(old, new, strict=True) if was != now]
    return differ[0] if len(differ) == 1 else ("", "")


def _is_declared(text: str, name: str) -> bool:
    declares = _declaring(name)
    lines = (line for line in text.split("\n") if name in line and len(line) < _LONG)
    return any(map(declares.search, lines))


@lru_cache(maxsize=8)
def _moved(before: str, after: str) -> tuple[list[str], list[str]]:
    """Lines that only one side has."""
    old, new = (Counter(map(str.strip, text.split("\n"))) for text in (before, after))
    lost, added = ([line for line in each if len(line) < _LONG] for each in (old - new, new - old))
    return lost, added


def _declaring(name: str) -> re.Pattern[str]:
    """What a line that declares or imports the name looks like, in any of the languages."""
    word = rf"(?<![\w.$]){re.escape(name)}(?!\w)"
    ways = (
        rf"^\s*(?:pub(?:lic)?\s+|export\s+|static\s+)*{_IMPORT}[^=;]*(?<!\w){re.escape(name)}(?!\w)",
        rf"^\s*#\s*define\s+{word}",
        rf"^\s*(?:[\w.]+\s+)?[\"`][^\"`]*(?<!\w){re.escape(name)}(?!\w)[^\"`]*[\"`]$",
        rf"\brequire\b.*{word}|{word}.*\brequire\b",
        rf"\b(?:{_KEYWORDS})\s+(?:[\w.]+\.)?(?:\(\s*)?(?:[\w$]+\s*,\s*)*{word}{_NO_TYPE}",
        rf"^\s*(?:[\w$]+,\s*)*{word}(?:\s+as\s+\w+)?,?\s*$",
        rf"{word}(?:\s*,\s*[\w$]+)*\s*:?=(?![=>~])",
        rf"[(,{{|]\s*(?:[\w]+\s+)?(?:mut\s+)?&?{word}\s*:(?!:)",
        rf"(?<![\w.])(?!(?:{_NOT_TYPES})\b)[\w$.:]+(?:<[^;()]*>)?(?:\[\])*\??[ \t*&]+{word}\s*(?:[=;,)({{\[]|$)",
        rf"^\s*{word}\s*\(\)\s*\{{",
        rf"[(,]\s*(?:\w+\s*,\s*)*{word}\s+[\w*\[.]",
        rf"[|]\s*(?:[\w$]+\s*,\s*)*{word}|{word}\s*(?:->|=>)",
    )
    return re.compile("|".join(f"(?:{way})" for way in ways))


def _grouped(name: str) -> re.Pattern[str]:
    """A line of a group in Go, where the word that says what it is stands above: ``x "some/path"``, ``a, x bool``."""
    return re.compile(
        rf"\s*{re.escape(name)}\s+[\"`][^\"`]*[\"`]\s*(?://.*)?$"
        rf"|\s*(?:\w+\s*,\s*)*{re.escape(name)}[ \t]+[\w*\[(][^;]*$"
    )


def name_of(title: str) -> str:
    """The name that a finding tells of, between its first ticks."""
    return title.split("`")[1] if title.count("`") > 1 else ""


def elsewhere_pattern(language: str, name: str) -> str:
    """What declares the name in another file that need not be imported, for ``git grep -E``; empty where none can."""
    if language in ("JavaScript", "TypeScript", "TSX", "Rust"):
        return ""
    word = re.escape(name.lstrip("$"))
    return (
        rf"(^|[^[:alnum:]_])({_DEFINES})[[:space:]]+([[:alnum:]_.<>]+[. ])?{word}([^[:alnum:]_]|$)"
        rf"|^([a-z]+ )*(val|var|let|const) +{word}([^[:alnum:]_]|$)"
        rf"|(^|[^[:alnum:]_])using +{word} *=|(^|[^[:alnum:]_])typedef[^;]*[ *&]{word} *;"
        rf"|^[[:alnum:]_].*[ *&]{word} *\(|^{word} *\(\)|# *define +{word}([^[:alnum:]_]|$)"
    )


BY_FOLDER = frozenset(("Go", "Java", "Kotlin", "Scala", "PHP", "Groovy"))
"""Languages in which files of one folder see each other's names."""
