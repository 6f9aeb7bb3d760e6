"""Finds literal values given to names such as ``password`` or ``api_key``, and passwords in URLs.

Only literals count: ``password = get_password()`` and ``token: str`` are code and stay readable,
and so do placeholders such as ``<your token>`` or ``${TOKEN}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from guildmoot.guard.entropy import SHORTEST, looks_random
from guildmoot.guard.families import SecretSpan

_STEMS = tuple(
    (word.replace(b"_", b""), {word, word.replace(b"_", b"-"), word.replace(b"_", b"")})
    for word in (
        b"passw", b"passphrase", b"pwd", b"secret", b"token", b"api_key", b"access_key",
        b"private_key", b"auth_key", b"credential", b"authorization",
    )
)  # fmt: skip

_WEAK = r"token|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?key|credential"
_STRONG = r"pass(?:word|wd|phrase)|pwd|secret(?:[_-]?(?:access[_-]?)?key)?"
_NAME = rf"(?:(?P<strong>{_STRONG})|{_WEAK})s?(?:[_-]?\w{{0,24}})?"
_QUOTED = re.compile(
    rf"(?i){_NAME}[\"'\])]{{0,2}}[ \t]*"
    r"(?::[ \t]*[\w.\[\]| ]{1,40}[ \t]*=|=>|:=|={1,3}|!==?|:)[ \t]*[bru@]{0,2}(?P<quote>[\"'`])"
    r"(?P<value>(?:(?!(?P=quote))[^\\\n]|\\.){4,512}?)(?P=quote)"
)
_QUOTE = re.compile("[\"'`]")
_BARE = re.compile(
    rf"(?i)^[ \t]*(?:(?://|[#*;-]+|export|set|env|arg)[ \t]+)*[\"']?[\w.-]*?{_NAME}[\"']?"
    r"[ \t]*[:=][ \t]*(?P<value>[^\s\"'`,;#]{6,})[ \t]*(?:[#;].*)?\r?$"
)
_BEFORE_PARAMETER = re.compile(r"[?&]|--")
_PARAMETER = re.compile(
    rf"(?i)(?:[?&]|--)[\w.-]{{0,24}}?{_NAME}=(?P<value>[^\s\"'`&#;,)<>{{}}]{{8,}})"
)
_USERINFO = re.compile(r"://[^\s/:@\"'`<>{}$]{0,64}:(?P<value>[^\s/@\"'`]{3,128})@[\w\[.%-]")

_HEADER = re.compile(
    r"(?i)authorization[\"']?[ \t]*[:=,][ \t]*[\"']?(?:bearer|basic|token|digest)[ \t]+"
    r"(?P<value>[A-Za-z0-9._~+/=-]{8,})"
)

_CODE = (
    ".py", ".pyi", ".pyx", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".vue", ".svelte",
    ".go", ".rs", ".java", ".kt", ".kts", ".scala", ".groovy", ".c", ".h", ".cc", ".cpp", ".cxx",
    ".hpp", ".hh", ".m", ".mm", ".cs", ".fs", ".vb", ".swift", ".dart", ".rb", ".php", ".pl", ".pm",
    ".lua", ".r", ".jl", ".ex", ".exs", ".erl", ".hs", ".ml", ".mli", ".clj", ".lisp", ".el",
    ".sql", ".html", ".htm", ".css", ".scss", ".less", ".tf", ".hcl", ".nix", ".zig", ".sol",
)  # fmt: skip
_REFERENCE = re.compile(
    r"[${<%*&!@(\[]|.*(?:\$\{|\{\{|%\(|%s|\{\w*\}|\(\)|<[\w -]+>|\.\.\.|\u2026)"
)
_PLACEHOLDER = re.compile(
    r"(?i).*(?:example|placeholder|change[_-]?(?:me|this|it)|dummy|sample|redacted|xxxx|\*\*\*|your[_-]"
    r"|insert|todo|fixme|test(?:ing)?(?![a-z])|fake"
    rf"|{_STRONG}|{_WEAK}|keyring|vault|env\.|environ)"
)
_WORDS = re.compile(r"[A-Za-z]+(?:[_./: -][A-Za-z]+)+|[A-Za-z]{1,3}|[/~.][\w./-]*")
_PLAIN = frozenset((
    "none", "null", "true", "false", "string", "password", "username", "optional", "required",
    "unknown", "invalid", "default", "disabled", "enabled", "bearer", "basic", "digest", "oauth",
    "hidden",
))  # fmt: skip
_URL_WORDS = _PLAIN | {"pass", "passwd", "pw", "pwd", "user", "bar", "foo", "baz", "port"}
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[A-Za-z]")


def keyword_spans(text: str, low: bytes, path: str) -> Iterator[SecretSpan]:
    """Values of secret-sounding names; where quotes may be left out depends on the kind of file.

    ``low`` is the text in lower case with one byte a character.
    """
    for start, end in _lines_with(low, _stems_in(low)):
        yield from _line_spans(text, start, end, may_be_bare=_may_be_bare(path, text[start:end]))


def _line_spans(text: str, start: int, end: int, *, may_be_bare: bool) -> Iterator[SecretSpan]:
    line = text[start:end]
    for match in _given(line, may_be_bare=may_be_bare):
        yield SecretSpan(start + match.start("value"), start + match.end("value"), "secret", False)
    if "uthoriz" in line or "UTHORIZ" in line:
        for match in _HEADER.finditer(text, start, end):
            yield SecretSpan(*match.span("value"), "auth-header", looks_random(match["value"]))


def _given(line: str, *, may_be_bare: bool) -> Iterator[re.Match[str]]:
    """The literal values in a line."""
    if _QUOTE.search(line):
        yield from (m for m in _QUOTED.finditer(line) if _is_literal(m, is_quoted=True))
    if "=" in line and _BEFORE_PARAMETER.search(line):
        yield from (m for m in _PARAMETER.finditer(line) if _is_literal(m, is_quoted=False))
    bare = _BARE.match(line) if may_be_bare else None
    if bare and _is_literal(bare, is_quoted=False):
        yield bare


def url_password_spans(text: str, view: bytes) -> Iterator[SecretSpan]:
    """The password in ``scheme://user:password@host``."""
    if b"://" not in view or b"@" not in view:
        return
    for match in _USERINFO.finditer(text):
        value = match["value"]
        if not (
            _REFERENCE.match(value) or _PLACEHOLDER.match(value) or value.lower() in _URL_WORDS
        ):
            yield SecretSpan(*match.span("value"), "url-password", False)


def _stems_in(low: bytes) -> list[bytes]:
    """Without ``_`` and ``-``, one search does instead of three for ``api_key`` and its like."""
    joined = low.translate(None, b"_-")
    return [stem for plain, stems in _STEMS if plain in joined for stem in stems]


def _lines_with(low: bytes, stems: Iterable[bytes]) -> list[tuple[int, int]]:
    """Start and end of each line that holds one of the stems, each line once."""
    lines: dict[int, int] = {}
    for stem in stems:
        at = low.find(stem)
        while at >= 0:
            start = low.rfind(b"\n", 0, at) + 1
            end = low.find(b"\n", at)
            lines[start] = end = len(low) if end < 0 else end
            at = low.find(stem, end)
    return sorted(lines.items())


def _may_be_bare(path: str, line: str) -> bool:
    """In configuration and prose quotes are optional; in code an unquoted word is a name."""
    return not path.lower().endswith(_CODE) or line.lstrip().startswith(("#", "//", "*", "--"))


def _is_literal(match: re.Match[str], *, is_quoted: bool) -> bool:
    value = match["value"]
    if " " in value or _REFERENCE.match(value) or "[masked:" in value:
        return False
    has_digit = _DIGIT.search(value) is not None
    if looks_random(value) or (len(value) >= SHORTEST and has_digit):
        return True
    if _PLACEHOLDER.match(value) or value.lower() in _PLAIN or len(set(value)) < 4:
        return False
    if _WORDS.fullmatch(value):
        return False
    if match["strong"] and is_quoted:
        return len(value) >= 6
    return len(value) >= 8 and has_digit and _LETTER.search(value) is not None
