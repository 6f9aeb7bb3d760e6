"""What must pair up in a text, counted outside of literals and comments: brackets, quotes, block words, tags.

A grammar fails on valid code, too. Where these counts are off, or went off in a change, the text is broken.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from guildmoot.text.patterns import lazy
from guildmoot.text.slips import is_typo

EXACT = frozenset(
    (
        *("JSON", "JSON with comments", "JSON lines", "Jupyter notebook", "YAML", "TOML", "XML"),
        *("GitHub workflow", "Dockerfile", "CMake", "Go module", "Python settings"),
    )
)
"""Languages that exact parsers read: what these refuse is broken."""
_C, _HASH = r"//[^\n]*|/\*.*?(?:\*/|\Z)", r"(?<![\w$&{\[(])#[^\n]*"
_LINE = r'"(?:\\.|[^"\\\n]){0,300}"|' + r"'(?:\\.|[^'\\\n]){0,300}'"
_LONG = r'"(?:\\.|[^"\\]){0,2000}"|' + r"'(?:\\.|[^'\\\n]){0,300}'"
_CHAR = r"'(?:\\[^'\n]+|[^'\\\n])'"
_TICKS = r"`(?:\\.|[^`\\])*`"
_REGEX = (
    r"(?:(?<=[=(,:!&|?\[;])|(?<=[=(,:!&|?\[;] )|(?<=return ))"
    r"/(?![*/\s])(?:\\.|\[(?:\\.|[^\]\\\n]){0,200}\]|[^/\\\n\[]){1,500}/"
)
_HEREDOC = r"<<[-~]?[ \t]*(?P<q>[\"'\\]?)(?P<tag>[A-Za-z_]\w*)(?P=q)?.*?(?:^[ \t]*(?P=tag)$|\Z)"
_SCRIPT = f"{_C}|{_REGEX}|{_LINE}|{_TICKS}"
_LITERALS = {
    **dict.fromkeys(("JavaScript", "TypeScript", "TSX", "Vue", "Svelte"), _SCRIPT),
    "Go": f"{_C}|{_LINE}|`[^`]*`",
    "Rust": rf'{_C}|\br(?P<hash>#*)".*?(?:"(?P=hash)|\Z)|"(?:\\.|[^"\\])*"|{_CHAR}|\'(?=\w)',
    "PHP": rf"{_C}|#(?!\[)[^\n]*|<<<.*?(?:^\s*\w+;?$|\Z)|{_LONG}",
    "Ruby": rf"\$[~*$?!@/\\;,.=:<>\"'`&+]|^=begin.*?(?:^=end|\Z)|{_HASH}|<<[~-](?P<q>[\"']?)(?P<tag>[A-Z_]\w*)(?P=q)"
    rf".*?(?:^[ \t]*(?P=tag)$|\Z)|{_LINE}"
    r"|(?<=[(=~,] )/(?:\\.|[^/\\\n])+/|(?<=[(\[])/(?:\\.|[^/\\\n])+/",
    "Elixir": rf'""".*?(?:"""|\Z)|{_HASH}|\?\S|{_LINE}',
    "Shell": rf"\\.|\$#|\$\{{#|{_HASH}|{_HEREDOC}|{_LONG}",
    "Lua": rf"--\[(?P<eq>=*)\[.*?(?:\](?P=eq)\]|\Z)|--[^\n]*|\[(?P<e>=*)\[.*?(?:\](?P=e)\]|\Z)|{_LINE}",
    "Terraform": rf"{_C}|{_HASH}|{_HEREDOC}|{_LINE}",
    "CSS": r"/\*.*?(?:\*/|\Z)|" + _LINE,
    "SQL": r"--[^\n]*|/\*.*?(?:\*/|\Z)|'(?:''|[^'])*'|" + r'"[^"\n]*"',
    "Haskell": rf'--[^\n]*|\{{-.*?(?:-\}}|\Z)|"(?:\\.|[^"\\])*"|{_CHAR}|(?<=\w)\'',
    "OCaml": rf'\(\*.*?(?:\*\)|\Z)|"(?:\\.|[^"\\])*"|{_CHAR}|\'(?=\w)|(?<=\w)\'',
    "Julia": rf'#=.*?(?:=#|\Z)|{_HASH}|""".*?(?:"""|\Z)|"(?:\\.|[^"\\])*"|{_CHAR}|(?<=[\w)\]])\'',
    "PowerShell": rf"<#.*?(?:#>|\Z)|{_HASH}|@(?P<q>[\"']).*?(?:^(?P=q)@|\Z)|{_LONG}",
    "Makefile": rf"{_HASH}|{_LINE}",
    "HTML": r"<!--.*?(?:-->|\Z)|<(?P<t>script|style)\b.*?(?:</(?P=t)\s*>|\Z)|\{[{%#].{0,500}?[}%#]\}|<%.{0,500}?%>",
}
_OTHERS = rf'{_C}|""".*?(?:"""|\Z)|{_LINE}'
_BRACKETS = {"(": ("()", 1), ")": ("()", -1), "[": ("[]", 1), "]": ("[]", -1)}
_BRACKETS |= {"{": ("{}", 1), "}": ("{}", -1)}
_START = r"(?:^|[=;(]|\breturn\b|\belse\b)[ \t]*"
_WORDS = {
    "Ruby": (
        (
            r"(?<![\w.:@$])(?:def(?![^\n]{0,200}\)[ \t]*=[ \t])|class(?![?])|module|begin|case|do)(?![\w:?!=])"
            rf"|{_START}(?:if|unless)\b(?!:)|^[ \t]*(?:while|until|for)\b(?![^\n]*\bdo\b)"
        ),
        r"(?<![\w.:@$])end(?![\w:?!])",
    ),
    "Elixir": (r"(?<![\w.:@])(?:do|fn)(?![\w:?!])", r"(?<![\w.:@])end(?![\w:?!])"),
    "Lua": (r"(?<![\w.:])(?:function|if|do)\b", r"(?<![\w.:])end\b"),
    "Shell": (
        r"(?:^|[;&|({!]|\b(?:then|do|else)\b)[ \t]*(?:if|case|for|while|until|select)(?=\s)",
        r"(?:^|[;&|)}]|\b(?:fi|done|esac)\b)[ \t]*(?:fi|esac|done)(?![\w./=-])",
    ),
    "Makefile": (r"^ *(?:ifn?eq|ifn?def|define)\b", r"^ *(?:endif|endef)\b"),
}
_TAGS = lazy(r"(?<![\w)])<(/?)([a-z][\w.-]*)\b(?:[^<>]|=>)*?(/?)>")
_VOID = frozenset(
    (
        *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param"),
        *("source", "track", "wbr", "p", "li", "td", "tr", "th", "dt", "dd", "option"),
    )
)
_WITH_TAGS = ("TSX", "JavaScript", "HTML")
_LOOSE_PARENS = lazy(r"^[^\n]*\besac\b", re.MULTILINE)


def is_uneven(language: str, text: str, before: str | None = None) -> bool:
    """Whether something lacks its partner; with ``before``, whether the change did that or only cut something out."""
    now = Counter(dict(_counts(language, text)))
    if before is not None:
        return is_cut(before, text) or now != Counter(dict(_counts(language, before)))
    if language == "Shell" and _LOOSE_PARENS.search(text):  # the patterns of a case
        del now["()"]
    return any(now.values())


def is_tipped(language: str, before: str, after: str) -> bool:
    """Whether all paired up before, or each word that opens a block did, and no longer does."""
    if not is_uneven(language, before) and is_uneven(language, after):
        return True
    words = [dict(_counts(language, text)).get("words", 0) for text in (before, after)]
    return not words[0] and bool(words[1])


def is_cut(before: str, after: str) -> bool:
    """Whether the change took away one piece, or whole lines, and added nothing."""
    start = _shared(before, after)
    end = _shared(before[start:][::-1], after[start:][::-1])
    if start + end >= len(after.rstrip("\n")):
        return len(after.rstrip("\n")) < len(before.rstrip("\n"))
    old = iter(before.splitlines())
    return all(line in old for line in after.splitlines())


def _shared(one: str, other: str) -> int:
    """How many letters both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (here, there) in pairs if here != there), min(len(one), len(other)))


def _counts(language: str, text: str) -> Iterator[tuple[str, int]]:
    rule = _LITERALS.get(language, _OTHERS)
    text = text.replace(
        "\r\n", "\n"
    )  # a text goes on after a backslash at the end of either kind of line
    bare = re.sub(rule, " ", text, flags=re.DOTALL | re.MULTILINE)
    signs = Counter[str]()
    if language != "HTML":
        for sign in re.findall(r"[()\[\]{}]", bare):
            pair, by = _BRACKETS[sign]
            signs[pair] += by
        signs.update({quote: bare.count(quote) % 2 for quote in "\"'`"})
    if language in _WORDS:
        opened, closed = (re.findall(each, bare, re.MULTILINE) for each in _WORDS[language])
        signs["words"] = len(opened) - len(closed)
    if language in _WITH_TAGS:
        signs.update(_tags(bare, language))
    yield from signs.items()


def _tags(bare: str, language: str) -> Counter[str]:
    """Of each tag how many more are opened than closed; in HTML some need not be."""
    found = Counter[str]()
    for closes, name, alone in _TAGS.findall(bare):
        if not alone and not (language == "HTML" and name in _VOID):
            found[f"<{name}>"] += -1 if closes else 1
    return found


_KEYWORDS = (
    *("function", "return", "class", "const", "import", "export", "interface", "package"),
    *("struct", "public", "private", "static", "while", "switch", "module", "defmodule", "local"),
    *("func", "def", "impl", "enum", "namespace", "require", "resource", "variable"),
)
_FIRST = lazy(r"\s*(?:(?:export|default|async|public|pub|static) )*([a-z]+) +[\w$({\"']")
_NOTHING = lazy(r"(?<![=!<>])=\s*[;)\]}]|(?:[\w)\]]:|\b(?:const|let|var))\s*=(?![=>])")


def is_nonsense(language: str, line: str, reason: str = "") -> bool:
    """Whether the line where a grammar gave up is wrong beyond doubt: no value, no `;`, a misspelt keyword."""
    if language in ("Java", "PHP", "Rust") and "`;` is missing" in reason:
        return True
    if language in ("Terraform", "Lua") and re.search(r"[^=~<>]=\s*$", line):
        return True
    bare = re.sub(_LITERALS.get(language, _OTHERS), '""', line, flags=re.DOTALL | re.MULTILINE)
    if _has_odd_quote(language, bare):
        return True
    first = _FIRST.match(bare)
    if first and first[1] not in _KEYWORDS and any(is_typo(first[1], word) for word in _KEYWORDS):
        return True
    braces = ("Java", "JavaScript", "TypeScript", "TSX", "Vue", "Svelte", "Rust", "PHP", "Go")
    return language in braces and bool(_NOTHING.search(bare))


def _has_odd_quote(language: str, bare: str) -> bool:
    """Whether one quote is left on the line, and it is no apostrophe and begins no long text."""
    if language in ("JavaScript", "Java", "Go", "TypeScript", "C", "C++", "C#", "Kotlin"):
        return bare.count('"') % 2 == 1 or re.search(r"(?<!\w)'", bare) is not None
    return False
